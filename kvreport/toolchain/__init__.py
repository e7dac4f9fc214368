"""The JDK, JBang, the stores' builds and their catalogue, the hash of what ran, a browser."""
