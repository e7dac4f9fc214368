"""Published figures that are not as they were typed: one sentence with the file's name."""

import shutil

import damage
import hostile
import pytest

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.data import published, published_files


@pytest.fixture
def folder(tmp_path):
    """A copy of the published figures that is read from."""
    copy = shutil.copytree(paths.PUBLISHED, tmp_path / "published")
    with hostile.figures_in(copy):
        yield copy


def lines(change):
    def write(file):
        rows = file.read_text().splitlines(keepends=True)
        change(rows)
        file.write_text("".join(rows))

    return write


CORRUPTIONS = {  # what happens to leveldb-2011.csv, and what is said of it
    "a row is missing": (lines(lambda rows: rows.pop(7)), "SHA-256"),
    "a row is doubled": (lines(lambda rows: rows.insert(7, rows[7])), "row 9 stands in it twice"),
    "a row is doubled with another value": (
        lines(lambda rows: rows.insert(7, rows[7].replace(",rate,", ",rate,9"))),
        "row 9 stands in it twice",
    ),
    "a number is another": (damage.replaced(b"4030000", b"4030001"), "SHA-256"),
    "a value is no number": (damage.replaced(b"rate,4030000", b"rate,4.03M"), "'4.03M' as value"),
    "a value is NaN": (damage.replaced(b"rate,4030000", b"rate,nan"), "'nan' as value"),
    "a value is missing": (damage.replaced(b"rate,4030000", b"rate,"), "'' as value"),
    "a count is negative": (
        damage.replaced(b",100,1,sync", b",-100,1,sync"),
        "'-100' as value_bytes",
    ),
    "digits of another script": (
        damage.replaced(b",100,1,sync", ",١٠٠,1,sync".encode()),
        "value_bytes",
    ),
    "a store is none": (damage.replaced(b"LevelDbJni", b"../LevelDb"), "'../LevelDb' as store_id"),
    "an exhibit is none": (damage.replaced(b"C01,", b"<C01>,"), "'<C01>' as exhibit"),
    "a column is unknown": (lines(lambda rows: rows.__setitem__(0, "x," + rows[0])), "columns"),
    "a column is missing": (damage.replaced(b",printed", b""), "columns"),
    "a row is short": (damage.replaced(b',"4,030,000"', b""), "row 2 has 14 of 15 columns"),
    "a quote is open": (damage.replaced(b'"4,030,000"', b'"4,030,000'), "expected after"),
    "cut off": (lambda file: file.write_bytes(file.read_bytes()[:-9]), "SHA-256"),
    "empty": (lambda file: file.write_text(""), "columns"),
    "not UTF-8": (damage.NO_TEXT["not UTF-8"], "not in UTF-8"),
    "BOM": (damage.NO_TEXT["BOM"], "byte order mark"),
    "a control character": (damage.replaced(b"Kyoto", b"\x1b[31mKyoto"), "SHA-256"),
    **{name: (harm, r"[^()]+\)") for name, harm in damage.NO_FILE.items()},
    "not there": (damage.instead(lambda file: None), "no such file"),
}


@pytest.mark.parametrize(("harm", "said"), CORRUPTIONS.values(), ids=CORRUPTIONS)
def test_figures_that_are_not_as_typed_are_refused_by_name(folder, harm, said):
    harm(folder / "leveldb-2011.csv")
    with pytest.raises(UserError, match=rf"leveldb-2011\.csv is not as it was typed \(.*{said}"):
        published.read(published.LEVELDB)


SUMS = {
    "not there": damage.instead(lambda file: None),
    "a named pipe": damage.NO_FILE["a named pipe"],
    "a line has no name": lambda file: file.write_text("0123\n"),
}


@pytest.mark.parametrize("harm", SUMS.values(), ids=SUMS)
def test_damaged_sums_are_refused_by_name(folder, harm):
    harm(folder / published_files.SUMS)
    with pytest.raises(UserError, match=r"SHA256SUMS is not as it was typed \(.+\)"):
        published.read(published.LEVELDB)
