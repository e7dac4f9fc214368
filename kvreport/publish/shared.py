"""Scripts, fonts and styles that versions share: each lies once in report/shared, named by its
hash.

Pages link to them by relative addresses, so a version still works from disk and under any path, as
long as `shared` is beside it.
"""

import hashlib
import posixpath
import re
from collections import Counter
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

FOLDERS = ("report/theme", "site_libs")  # of the theme, and of Quarto's own
DIGITS = 16  # of a file's SHA-256, before its name
LINK = re.compile(r"""(?P<before>\s(?:href|src)=)(?P<quote>["'])(?P<address>[^"']+)(?P=quote)""")
REFERENCES = {  # what refers to a file beside it, by the kind of file that does
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
    beside it, and has the pages link to them there.
    """
    place.mkdir(exist_ok=True)
    for name, content in Shared(folder).take_out().items():
        (place / name).write_bytes(content)


class Shared:
    """What the pages in a folder share with those of other versions.

    files  content by name, as it lies in the shared folder
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.files: dict[str, bytes] = {}
        self._names: dict[str, str | None] = {}
        self._assets = {
            file.relative_to(folder).as_posix(): file
            for each in FOLDERS
            for file in sorted((folder / each).rglob("*"))
            if file.is_file()
        }

    def take_out(self) -> dict[str, bytes]:
        """Removes the assets from the folder, has its pages link to where they are shared, and
        returns what is to lie there, by name.
        """
        for asset in self._assets:
            self._name(asset)
        pages = {file: file.read_text() for file in sorted(self.folder.rglob("*.html"))}
        often = Counter(match[0] for text in pages.values() for match in INLINE.finditer(text))
        for file, text in pages.items():
            page = file.relative_to(self.folder).as_posix()
            file.write_text(self._outward(self._linked(text, page), page, often))
        for file in self._assets.values():
            file.unlink()
        for each in FOLDERS:
            _remove_empty(self.folder / each)
        return self.files

    def _name(self, asset: str) -> str:
        """The shared name of an asset, whose own references are to shared names too."""
        if asset not in self._names:
            self._names[asset] = None
            content = self._assets[asset].read_bytes()
            if pattern := REFERENCES.get(posixpath.splitext(asset)[1]):
                text = pattern.sub(partial(self._beside, asset), content.decode())
                content = text.encode()
            self._names[asset] = self._add(posixpath.basename(asset), content)
        name = self._names[asset]
        if name is None:
            raise ValueError(f"{asset} refers to itself, so it has no hash to be named by")
        return name

    def _add(self, name: str, content: bytes) -> str:
        name = f"{hashlib.sha256(content).hexdigest()[:DIGITS]}-{name}"
        self.files[name] = content
        return name

    def _beside(self, asset: str, found: re.Match[str]) -> str:
        target, rest = self._asset_of(found["address"], asset)
        return f"{found['before']}./{self._name(target)}{rest}" if target else found[0]

    def _asset_of(self, address: str, referrer: str) -> tuple[str, str]:
        """The asset that a relative address leads to, and what follows its path; or ""."""
        parts = urlsplit(address)
        path = posixpath.normpath(posixpath.join(posixpath.dirname(referrer), unquote(parts.path)))
        if parts.scheme or parts.netloc or path not in self._assets:
            return "", ""
        return path, address.removeprefix(parts.path)

    def _linked(self, text: str, page: str) -> str:
        """A page that links to the shared assets."""

        def link(found: re.Match[str]) -> str:
            target, rest = self._asset_of(found["address"], page)
            if not target:
                return found[0]
            quote = found["quote"]
            address = f"{place_of(page)}/{self._name(target)}{rest}"
            return f"{found['before']}{quote}{address}{quote}"

        return LINK.sub(link, text)

    def _outward(self, text: str, page: str, often: Counter[str]) -> str:
        """A page whose scripts and styles that several pages have are shared too."""

        def move(found: re.Match[str]) -> str:
            content = found["text"].encode()
            if often[found[0]] < 2 or len(content) < WORTH_IT:
                return found[0]
            script = found["tag"] == "script"
            address = f"{place_of(page)}/{self._add('page.js' if script else 'page.css', content)}"
            if script:
                return f'<script{found["attributes"]} src="{address}"></script>'
            return f'<link rel="stylesheet" href="{address}">'

        return INLINE.sub(move, text)


def place_of(page: str) -> str:
    """The address of the shared folder from a page of a version."""
    return posixpath.relpath("../shared", posixpath.dirname(page) or ".")


def _remove_empty(folder: Path) -> None:
    for each in sorted(folder.rglob("*"), reverse=True) if folder.exists() else []:
        each.rmdir()
    for each in (folder, *folder.parents):
        if each.exists() and not any(each.iterdir()):
            each.rmdir()
        else:
            break
