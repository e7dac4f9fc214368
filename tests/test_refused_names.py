"""Where a record has an identifier, no markup, path or sentence gets in."""

import damage
import pytest
import synthetic

from kvreport.base import paths
from kvreport.data import records, runs

HOSTILE = (
    *('"><script>', "../../x", "a, b=c", "x\n", "", "javascript:alert(1)", "é ü", "\x1b[31m"),
    "2026-13-45T99:99:99Z",  # looks like a time
)
PLACES = {  # where an identifier is in a trial's record, and which of HOSTILE is one all the same
    "section": ((), ()),
    "started": ((), ()),
    "code": ((), ("",)),
    "id": (("store",), ()),
    "colour": (("store",), ()),
    "library": (("store",), ("",)),
    "link": (("store", "options", 0), ("",)),
    "name": (("jars", 0), ()),
    "sha256": (("jars", 0), ()),
    "workload": (("cases", 0, "results", 0), ()),
    "sync": (("cases", 0, "settings"), ()),
}
OF_ENVIRONMENT = "run", "host", "started"
NAMES = {  # objects whose names are identifiers
    "unsupported": ("store",),
    "settings": ("store",),
    "fixed": ("store",),
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    return tmp_path / synthetic.write_run(tmp_path, sections=[synthetic.SECTION])


def put(name, place, value):
    def change(record):
        for part in place:
            record = record[part]
        record[name] = value

    return damage.edited(change)


def refused(run, file):
    with pytest.raises(records.Damaged, match=rf"{file.name} is damaged \(.+\)") as told:
        runs.load(run.name)
    assert "\n" not in str(told.value) and "\x1b" not in str(told.value)


@pytest.mark.parametrize("name", PLACES)
def test_an_identifier_of_a_trial_holds_nothing_hostile(run, name):
    place, harmless = PLACES[name]
    file = run / synthetic.SECTION / "LmdbJavaBb-2.json"
    whole = file.read_text()
    for value in HOSTILE:
        file.write_text(whole)
        put(name, place, value)(file)
        if value in harmless:
            runs.load(run.name)
        else:
            refused(run, file)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_in_a_trial_is_an_identifier(run, name):
    file = run / synthetic.SECTION / "LmdbJavaBb-2.json"
    whole = file.read_text()
    for value in HOSTILE:
        file.write_text(whole)
        put(value, (*NAMES[name], name), "why")(file)
        refused(run, file)


@pytest.mark.parametrize("name", OF_ENVIRONMENT)
def test_an_identifier_of_an_environment_holds_nothing_hostile(run, name):
    file = run / records.ENVIRONMENT
    for value in HOSTILE:
        put(name, (), value)(file)
        refused(run, file)


@pytest.mark.parametrize(
    "link",
    ["javascript:alert(1)", "data:text/html,x", "//evil.example", "https://x y", "https://<"],
)
def test_a_link_of_an_option_is_an_address_of_the_web(run, link):
    file = run / synthetic.SECTION / "LmdbJavaBb-2.json"
    put("link", ("store", "options", 0), link)(file)
    refused(run, file)
