"""Facts of engines: each has a source, none is old, and what is wrong is refused."""

import shutil
from datetime import date

import pytest

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.data import facts
from kvreport.data.cases import WRITE_ONCE
from kvreport.data.needs import ORDERED, PURE_JAVA, UPDATES

TREE = "B+ tree"  # a family


def test_every_engine_has_facts_with_sources_and_none_is_old():
    known = facts.known()
    scripts = {file.stem for file in paths.JBANG_STORES.glob("*.java")}
    assert set(known) <= scripts
    for store, found in known.items():
        assert facts.SAME not in found, f"{store} shares the facts of a store that has none"
        assert set(facts.SHORT) <= set(found) - {"checked"}
        age = date.today() - date.fromisoformat(found["checked"])
        assert age.days < 366, f"the facts of {store} are to be looked up anew"


def test_facts_have_words_in_short():
    x64 = [each for each in facts.PLATFORMS if "x64" in each]
    for value, words in (
        (list(facts.PLATFORMS)[:1], "Linux x64 only"),
        (list(facts.PLATFORMS)[:4], "all but Windows"),
        (list(facts.PLATFORMS), "all"),
        (x64, "all on x64"),
    ):
        assert facts._native({"native": True, "value": value}) == words
    assert facts._native({"native": False}) == "none"
    assert facts._native({"native": True, "optional": True}) == "where it loads"
    shown = facts.frame("key_limit").set_index("store")["short"]
    assert shown["LmdbJavaBb"] == "511 B" and shown["ChronicleMap"] == "no limit"
    assert "short" not in facts.frame("growth")


def test_a_fact_without_a_source_is_refused(tmp_path, monkeypatch):
    shutil.copy(paths.JBANG_STORES / "LmdbJavaBb.toml", tmp_path / "A.toml")
    (tmp_path / "B.toml").write_text('same_as = "A"\n')
    monkeypatch.setattr(paths, "JBANG_STORES", tmp_path)
    facts.known.cache_clear()
    try:
        assert facts.known()["B"] == facts.known()["A"]
        assert not facts.lacks("A", TREE, ORDERED) and facts.lacks("A", TREE, PURE_JAVA)
        assert facts.lacks("none", TREE, ORDERED)
        assert facts.lacks("A", WRITE_ONCE, UPDATES) and not facts.lacks("A", TREE, UPDATES)
        for wrong in ("http://example.org", "javascript:alert(1)", ""):
            facts.known.cache_clear()
            text = (paths.ROOT / "jbang" / "stores" / "LmdbJavaBb.toml").read_text()
            line = next(each for each in text.splitlines() if each.startswith("source"))
            (tmp_path / "A.toml").write_text(text.replace(line, f'source = "{wrong}"', 1))
            with pytest.raises(UserError, match="A.toml is damaged"):
                facts.known()
    finally:
        facts.known.cache_clear()
