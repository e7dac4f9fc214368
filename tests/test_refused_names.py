"""Where a record has an identifier, no markup, path or sentence gets in."""

import damage
import pytest
import synthetic

from kvreport.base import paths
from kvreport.data import records, runs

OF_ENVIRONMENT = "run", "host", "started"
HOSTILE = (
    *('"><script>', "../../x", "a, b=c", "x\n", "", "javascript:alert(1)", "é ü", "\x1b[31m"),
    "2026-13-45T99:99:99Z",  # looks like a time
)
TRIAL, ENVIRONMENT = f"{synthetic.SECTION}/LmdbJavaBb-2.json", records.ENVIRONMENT
NAME = object()  # in place of a name: the hostile text is a name itself
PLACES = {  # where an identifier is in a record, and which of HOSTILE is one all the same
    **{name: (TRIAL, (name,), ()) for name in ("section", "started")},
    **{f"the environment's {name}": (ENVIRONMENT, (name,), ()) for name in OF_ENVIRONMENT},
    "code": (TRIAL, ("code",), ("",)),
    **{name: (TRIAL, ("store", name), ()) for name in ("id", "colour")},
    "library": (TRIAL, ("store", "library"), ("",)),
    "link": (TRIAL, ("store", "options", 0, "link"), ("",)),
    **{name: (TRIAL, ("jars", 0, name), ()) for name in ("name", "sha256")},
    "workload": (TRIAL, ("cases", 0, "results", 0, "workload"), ()),
    "sync": (TRIAL, ("cases", 0, "settings", "sync"), ()),
    **{
        f"a name of {name}": (TRIAL, ("store", name, NAME), ())
        for name in ("unsupported", "settings", "fixed")
    },
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    return tmp_path / synthetic.write_run(tmp_path, sections=[synthetic.SECTION])


def put(place, value):
    def change(record):
        *parts, name = place
        for part in parts:
            record = record[part]
        record[value if name is NAME else name] = value

    return damage.edited(change)


def refused(run, file):
    with pytest.raises(records.Damaged, match=rf"{file.name} is damaged \(.+\)") as told:
        runs.load(run.name)
    assert "\n" not in str(told.value) and "\x1b" not in str(told.value)


@pytest.mark.parametrize("what", PLACES)
def test_an_identifier_holds_nothing_hostile(run, what):
    name, place, harmless = PLACES[what]
    file = run / name
    whole = file.read_text()
    for value in HOSTILE:
        file.write_text(whole)
        put(place, value)(file)
        if value in harmless:
            runs.load(run.name)
        else:
            refused(run, file)


@pytest.mark.parametrize(
    "link",
    ["javascript:alert(1)", "data:text/html,x", "//evil.example", "https://x y", "https://<"],
)
def test_a_link_of_an_option_is_an_address_of_the_web(run, link):
    file = run / TRIAL
    put(("store", "options", 0, "link"), link)(file)
    refused(run, file)
