"""Measures embedded key-value stores for the JVM and renders the report on them."""
