"""The pages of published versions that no chapter is: from report/theme/versions, by Jinja2, which
escapes what it fills in.
"""

import base64
import hashlib
import re
from collections import defaultdict
from typing import Any

import jinja2

from kvreport.base.paths import THEME
from kvreport.base.text import join_words
from kvreport.data import editions

FOLDER = THEME / "versions"
INLINE = re.compile(r"<(?P<tag>script|style)>(?P<text>.*?)</(?P=tag)>", re.DOTALL)

_environment = jinja2.Environment(
    loader=jinja2.FileSystemLoader(FOLDER),
    undefined=jinja2.StrictUndefined,
    autoescape=True,
    keep_trailing_newline=True,
)
_environment.filters |= {"days": editions.days, "join_words": join_words}


def _separator(loop: Any) -> str:
    """Return what follows an item of a list in words, by Jinja's `loop`."""
    return {1: "", 2: " and "}.get(loop.revindex, ", ")


_environment.globals["separator"] = _separator


def page(template: str, **values: Any) -> str:
    """A page from one of the templates: index.html, latest.html, data.html."""
    policy = policy_of((FOLDER / template).read_text())
    return _environment.get_template(template).render(values, policy=policy)


def policy_of(template: str) -> str:
    """The Content-Security-Policy of a page that holds all that it needs: the scripts and styles
    that its template has, which it names by their hashes, pictures beside it, and nothing else.
    """
    hashes: dict[str, str] = defaultdict(lambda: "'none'")
    for found in INLINE.finditer(template):
        digest = hashlib.sha256(found["text"].encode()).digest()
        hashes[found["tag"]] = f"'sha256-{base64.b64encode(digest).decode()}'"
    return (
        f"default-src 'none'; script-src {hashes['script']}; style-src {hashes['style']};"
        " img-src 'self' file:;"
        " base-uri 'none'; form-action 'none'"
    )
