"""A reader's own question, in a few lines of TOML: measured, and answered on a page of its own."""
