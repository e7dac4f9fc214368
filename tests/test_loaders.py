"""Documents of others, damaged in one place by Hypothesis: whatever the harm, a loader returns what
it read or raises UserError, and soon.
"""

import json
from datetime import timedelta
from typing import Any

import pytest
import synthetic
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_refused_measurements import GOOD, RUN, SECTION, read

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.data import extra_measurements, runs

# derandomised, as a test that fails now and then is of no use; a run of it takes two seconds
damaging = settings(
    max_examples=60,
    derandomize=True,
    database=None,
    deadline=timedelta(seconds=5),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
TEXTS = st.one_of(
    st.text(max_size=9),
    st.sampled_from(["", "..", "../x", "/etc/passwd", "NaN", "\ud800", "\x1b[31m", "a" * 9999]),
)
NUMBERS = st.one_of(
    st.integers(), st.floats(), st.sampled_from([0, -1, 2**53, 10**400, 1e308, -0.0])
)
LEAVES = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
VALUES = st.recursive(
    LEAVES, lambda of: st.one_of(st.lists(of, max_size=2), st.dictionaries(TEXTS, of, max_size=2))
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every list and object of a document with each of its indices and names."""
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    return [
        place
        for key, part in parts
        for place in [
            (value, key),
            *(places(part) if isinstance(part, (dict, list)) else ()),
        ]
    ]


@st.composite
def harmed(draw, content: bytes) -> bytes:
    """A JSON document with one node or some bytes deleted, replaced, doubled or of another type."""
    if draw(st.integers(0, 3)) == 0:
        return draw(harmed_bytes(content))
    document = json.loads(content)
    within, key = draw(st.sampled_from(places(document)))
    harm = draw(st.sampled_from(["delete", "replace", "double", "retype"]))
    if harm == "delete":
        del within[key]
    elif harm == "replace":
        within[key] = draw(VALUES)
    elif harm == "retype":
        old = within[key]
        within[key] = draw(st.sampled_from([[old], {"x": old}, str(old), None, bool(old)]))
    elif isinstance(within, list):
        within.insert(key, within[key])
    else:
        name = draw(TEXTS)
        within[name] = within[key]
    return json.dumps(document).encode(errors="replace")


@st.composite
def harmed_bytes(draw, content: bytes) -> bytes:
    start = draw(st.integers(0, len(content)))
    gone = draw(st.sampled_from([0, 1, 9, len(content)]))
    added = draw(st.one_of(st.binary(max_size=9), st.just(content[start : start + gone] * 2)))
    return content[:start] + added + content[start + gone :]


def bears(load) -> None:
    try:
        load()
    except UserError as refused:
        assert "\n" not in str(refused)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    monkeypatch.delenv("KVREPORT_RUN", raising=False)
    return tmp_path / synthetic.write_run(tmp_path, trials=2, sections=[synthetic.SECTION])


@pytest.mark.parametrize("of", ["environment.json", f"{synthetic.SECTION}/LmdbJavaBb-1.json"])
def test_a_run(run, of):
    file = run / of
    for other in (run / synthetic.SECTION).glob("*.json"):
        if not other.name.startswith(("LmdbJavaBb", "FlatFile")):
            other.unlink()

    def load():
        found = runs.load(run.name)
        assert len(found.frame)
        runs.shown_environments()

    @damaging
    @given(harmed(file.read_bytes()))
    def damage(content):
        file.write_bytes(content)
        bears(load)

    damage()


@pytest.mark.parametrize("kind", GOOD)
def test_what_is_measured_beside_trials(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    (tmp_path / RUN).mkdir()
    own = () if kind == "crosscheck" else (SECTION,)
    file = getattr(extra_measurements, f"{kind}_file")(RUN, *own)

    @damaging
    @given(harmed(json.dumps(GOOD[kind]).encode()))
    def damage(content):
        file.write_bytes(content)
        bears(lambda: read(kind))

    damage()
