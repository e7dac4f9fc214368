"""What passes between measuring and writing: records, runs, cases, published figures, versions."""
