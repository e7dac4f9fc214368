"""What `_quarto.yml` declares, checked as far as it is read here; to Quarto it says more."""

import os
from pathlib import Path
from typing import Any

import fastjsonschema

from kvreport.base.errors import UserError
from kvreport.base.files import Unreadable, damaged, read_yaml

DECLARATION, VARIABLES = "_quarto.yml", "_variables.yml"
TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
PART: dict[str, Any] = {
    "type": "object",
    "required": ["part", "chapters"],
    "properties": {"part": TEXT, "chapters": {"type": "array", "items": TEXT}},
}
CHAPTERS: dict[str, Any] = {"type": "array", "items": {"anyOf": [TEXT, PART]}}
BOOK: dict[str, Any] = {
    "type": "object",
    "required": ["title", "author", "output-file", "chapters"],
    "properties": {
        **dict.fromkeys(("title", "subtitle", "author", "output-file"), TEXT),
        **dict.fromkeys(("chapters", "appendices"), CHAPTERS),
        "page-footer": {"type": "object", "properties": {"left": TEXT}},
    },
}
PROJECT: dict[str, Any] = {
    "type": "object",
    "required": ["output-dir"],
    "properties": {"output-dir": TEXT},
}
check = fastjsonschema.compile(
    {
        "type": "object",
        "required": ["project", "book"],
        "properties": {
            "project": PROJECT,
            "book": BOOK,
            "lang": TEXT,
            "toc-depth": {"type": "integer"},
        },
    }
)


def declaration(root: Path) -> dict:
    """Return what `_quarto.yml` says. Raises UserError where it is missing or is not what a book
    needs.
    """
    file = root / DECLARATION
    if not os.path.lexists(file):
        raise UserError(f"There is no {DECLARATION} in {root}: render from the project's folder.")
    try:
        found = read_yaml(file)
        check(found)
    except Unreadable as problem:
        raise damaged(file, problem) from None
    except fastjsonschema.JsonSchemaValueException as complaint:
        raise damaged(file, complaint.message[:160].replace("data", "it", 1)) from None
    return found
