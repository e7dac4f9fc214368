"""Scripts, fonts and styles that versions share: each lies once in report/shared, named by its
hash.

Pages link to them by relative addresses, so a version still works from disk and under any path, as
long as `shared` is beside it.
"""

import hashlib
import posixpath
import re
import shutil
from collections import Counter
from functools import cache, partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

FOLDERS = ("report/theme", "site_libs")  # of the theme, and of Quarto's own
DIGITS = 16  # of a file's SHA-256, before its name
REFERENCES = {  # what refers to a file beside it, by the kind of file that does
    ".html": re.compile(r"""(?P<before>\s(?:href|src)=["'])(?P<address>[^"']+)"""),
    ".css": re.compile(r"""(?P<before>url\(\s*["']?)(?P<address>[^"')]+)"""),
    ".js": re.compile(r"""(?P<before>\b(?:from|import)\s*\(?\s*["'])(?P<address>\.[^"']+)"""),
}
INLINE = re.compile(
    r"<(?P<tag>script|style)"
    r'(?P<attributes>(?: id="[\w-]+"| type="(?:text|application)/(?:javascript|css)")*)>'
    r"(?P<text>.*?)</(?P=tag)>",
    re.DOTALL,
)  # but modules, which do not load from disk
WORTH_IT = 512  # bytes of a script or a style within pages, from which a file of its own is smaller


def take_out(folder: Path, place: Path) -> None:
    """Moves a version's scripts, fonts and styles out of its folder into `place`, the shared one
    beside it, and has the pages link to them there; also those within pages that several have.
    """
    place.mkdir(exist_ok=True)
    assets = {
        file.relative_to(folder).as_posix(): file
        for each in FOLDERS
        for file in sorted((folder / each).rglob("*"))
        if file.is_file()
    }

    def share(name: str, content: bytes) -> str:
        name = f"{hashlib.sha256(content).hexdigest()[:DIGITS]}-{name}"
        (place / name).write_bytes(content)
        return name

    @cache
    def shared(asset: str) -> str:
        """The name of an asset where it is shared, with all that it refers to."""
        content = assets[asset].read_bytes()
        if posixpath.splitext(asset)[1] in REFERENCES:
            content = linked(content.decode(), asset, ".").encode()
        return share(posixpath.basename(asset), content)

    def linked(text: str, referrer: str, to: str) -> str:
        """A text whose references to assets lead to where these are shared."""

        def link(found: re.Match[str]) -> str:
            address = urlsplit(found["address"])
            path = posixpath.join(posixpath.dirname(referrer), unquote(address.path))
            asset = posixpath.normpath(path)
            if address.scheme or address.netloc or asset not in assets:
                return found[0]
            rest = found["address"].removeprefix(address.path)
            return f"{found['before']}{to}/{shared(asset)}{rest}"

        return REFERENCES[posixpath.splitext(referrer)[1]].sub(link, text)

    def outward(to: str, found: re.Match[str]) -> str:
        """Return what stands in a page in place of a script or a style."""
        content = found["text"].encode()
        if often[found[0]] < 2 or len(content) < WORTH_IT:
            return found[0]
        if found["tag"] == "style":
            return f'<link rel="stylesheet" href="{to}/{share("page.css", content)}">'
        return f'<script{found["attributes"]} src="{to}/{share("page.js", content)}"></script>'

    pages = {file: file.read_text() for file in sorted(folder.rglob("*.html"))}
    often = Counter(match[0] for text in pages.values() for match in INLINE.finditer(text))
    for file, text in pages.items():
        page = file.relative_to(folder).as_posix()
        to = posixpath.relpath("../shared", posixpath.dirname(page) or ".")
        file.write_text(INLINE.sub(partial(outward, to), linked(text, page, to)))
    for asset in assets:
        shared(asset)
    for each in FOLDERS:
        shutil.rmtree(folder / each, ignore_errors=True)
        parent = (folder / each).parent
        if parent != folder and parent.exists() and not any(parent.iterdir()):
            parent.rmdir()
