"""The sources' statements as checks, and the evidence that they are checked on."""
