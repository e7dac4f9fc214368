#!/bin/sh
# Runs one of Quarto's steps in the project's own environment, where there is one. Quarto can start
# a Python file itself, but first asks each Python that it finds what it can do, which takes longer
# than the step.
own=.venv/bin/python
[ -x "$own" ] || own=${QUARTO_PYTHON:-python3}
exec "$own" "$@"
