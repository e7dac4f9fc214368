"""The launcher: a section's trials, each in a fresh Java kernel, and what goes beside them."""
