"""The PDF in fewer bytes: what Typst writes plainly is packed into compressed object streams.

Most of a tagged PDF is the tree in which a screen reader finds headings, tables and figures: tens
of thousands of small objects, which Typst does not compress. Nothing is left out.
"""

import io
from pathlib import Path

from pypdf import PdfReader
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    IndirectObject,
    NameObject,
    NumberObject,
    PdfObject,
    StreamObject,
)

MOST = 500
LEVEL = 9
FLATE = "/FlateDecode"


def compress(file: Path) -> None:
    """Rewrites a PDF in place, with the same objects under the same numbers."""
    reader = PdfReader(file)
    numbers = sorted(number for number in reader.xref[0] if number)
    objects = {number: _object(reader, number) for number in numbers}
    out = io.BytesIO()
    out.write(f"{reader.pdf_header}\n%\xe2\xe3\xcf\xd3\n".encode("latin-1"))
    places: dict[int, tuple[int, int, int]] = {0: (0, 0, 65535)}  # as an xref stream has them
    for number, each in objects.items():
        if isinstance(each, StreamObject):
            places[number] = 1, out.tell(), 0
            _write(out, number, _deflated(each))
    plain = [number for number, each in objects.items() if not isinstance(each, StreamObject)]
    fresh = max(numbers) + 1
    for at in range(0, len(plain), MOST):
        packed = plain[at : at + MOST]
        places |= {number: (2, fresh, index) for index, number in enumerate(packed)}
        places[fresh] = 1, out.tell(), 0
        _write(out, fresh, _packed({number: objects[number] for number in packed}))
        fresh += 1
    start = out.tell()
    places[fresh] = 1, start, 0
    _write(out, fresh, _index(reader.trailer, places))
    out.write(f"startxref\n{start}\n%%EOF\n".encode())
    file.write_bytes(out.getvalue())


def _object(reader: PdfReader, number: int) -> PdfObject:
    found = reader.get_object(IndirectObject(number, 0, reader))
    if found is None:
        raise ValueError(f"the PDF names an object {number} that it does not have")
    return found


def _write(out: io.BytesIO, number: int, each: PdfObject) -> None:
    out.write(f"{number} 0 obj\n".encode())
    each.write_to_stream(out)
    out.write(b"\nendobj\n")


def _stream(content: bytes, entries: dict[str, PdfObject]) -> StreamObject:
    made = DecodedStreamObject()
    made.update({NameObject(name): value for name, value in entries.items()})
    made.set_data(content)
    return made.flate_encode(LEVEL)


def _deflated(stream: StreamObject) -> StreamObject:
    """A stream compressed as well as can be; one with another filter stays as it is."""
    if stream.get("/Filter") not in (None, FLATE) or "/DecodeParms" in stream:
        return stream
    kept = {name: stream.raw_get(name) for name in stream if name not in ("/Filter", "/Length")}
    return _stream(stream.get_data(), kept)


def _packed(objects: dict[int, PdfObject]) -> StreamObject:
    """An object stream: where each object begins, then the objects."""
    content, head = io.BytesIO(), []
    for number, each in objects.items():
        head.append(f"{number} {content.tell()}")
        each.write_to_stream(content)
        content.write(b"\n")
    first = f"{' '.join(head)}\n".encode()
    return _stream(
        first + content.getvalue(),
        {
            "/Type": NameObject("/ObjStm"),
            "/N": NumberObject(len(objects)),
            "/First": NumberObject(len(first)),
        },
    )


def _index(trailer: DictionaryObject, places: dict[int, tuple[int, int, int]]) -> StreamObject:
    """The cross-reference stream: for each object its place, five bytes and two numbers of two."""
    size = max(places) + 1
    rows = b"".join(
        form.to_bytes(1, "big") + place.to_bytes(4, "big") + index.to_bytes(2, "big")
        for form, place, index in (places.get(number, (0, 0, 65535)) for number in range(size))
    )
    kept = {name: trailer.raw_get(name) for name in ("/Root", "/Info", "/ID") if name in trailer}
    return _stream(
        rows,
        {
            "/Type": NameObject("/XRef"),
            "/Size": NumberObject(size),
            "/W": ArrayObject(map(NumberObject, (1, 4, 2))),
            **kept,
        },
    )
