"""The chooser on the page: its arithmetic against Python's on a thousand cases, its controls, and
the address that keeps a choice.
"""

import json
import random
from math import log

import pytest
import test_chooser

from kvreport.analysis import chooser
from kvreport.analysis.chooser import GET, PUT, SCAN, Table
from kvreport.base import paths

pytestmark = pytest.mark.end_to_end


def test_the_page_ranks_a_thousand_cases_as_python_does(browser):
    rng = random.Random(5)

    def points() -> list[list[float]]:
        sizes = sorted(rng.sample([100, 450, 2026, 4080, 16368], rng.choice((1, 2, 4))))
        freedom = rng.choice((0, 1, 2.5, 9, 60, 1e6))
        return [
            [size, rng.uniform(3, 9), rng.choice((0, 1e-4, 0.02)) if freedom else 0, freedom]
            for size in sizes
        ]

    stores = list("ABCDEF")
    table = test_chooser.made(
        {each: {s: points() for s in stores if rng.random() < 0.9} for each in (GET, PUT, SCAN)},
        between=0.003,
    )
    queries = []
    for _ in range(1000):
        shares = [rng.choice((0, 0, 1, 9)) for _ in range(3)]
        shares = [each / (sum(shares) or 1) for each in shares]
        size = rng.choice((100, 2026, 16368, rng.uniform(90, 20_000)))
        queries.append(test_chooser.asked(size, **dict(zip((GET, PUT, SCAN), shares))))
    page_text = f"<script>{(paths.THEME / 'ranking.js').read_text()}</script>"
    page = browser.new_page()
    page.set_content(page_text)
    ranked = page.evaluate(
        """([table, queries, stores]) => queries.map((query) =>
            kvRanking.rank(table, query, stores))""",
        [table.as_json(), [query._asdict() for query in queries], stores],
    )
    known = test_chooser.made(
        {GET: {"A": [[100, 1, 0, 1], [2026, 2, 0, 1]], "B": [[100, 1, 0, 1]]}}
    )
    for query, found in (
        (test_chooser.asked(4000), [GET, 2026]),
        (test_chooser.asked(50), [GET, 100]),
        (test_chooser.asked(get=0.5, scan=0.5), [SCAN, None]),  # no size at all
        (test_chooser.asked(500), None),
        (test_chooser.asked(get=1, put=0, scan=0), None),  # what is not done is not missed
    ):
        given = [known.as_json(), query._asdict()]
        nearest = "([table, query]) => JSON.stringify(kvRanking.nearest(table, query, 'A'))"
        assert json.loads(page.evaluate(nearest, given)) == found
    some = 0
    for query, rows in zip(queries, ranked):
        expected = chooser.rank(table, query, stores)
        some += len(expected) > 2
        assert [row["store"] for row in rows] == [each.store for each in expected], query
        for row, each in zip(rows, expected):
            for name, value in vars(each).items():
                exact = value is None or isinstance(value, (bool, str))
                assert row[name] == (value if exact else pytest.approx(value, rel=1e-9)), name
    assert some > 100


FACTS = {
    "ordered": True,
    "transactions": "snapshot",
    "processes": "one",
    "size_beforehand": False,
    "maintained": True,
    "native": False,
    "platforms": ["linux-x64"],
    "licence": "Apache-2.0",
    "tiers": ["none", "commit"],
    "default": "commit",
}


def page_of(folder, stores: list[dict], points: dict, others: dict | None = None) -> str:
    """The address of a page with nothing but the chooser, of stores with all facts."""
    table = Table(points, {}, 0.0, test_chooser.CRITICAL, ["04-small-values"])
    every = [{"facts": FACTS} | store for store in stores]
    elsewhere = Table(others or {}, {}, 0.0, test_chooser.CRITICAL, ["07-leveldb-page"])
    more = [{"where": "another <b>"} | elsewhere.as_json()] if others else []
    data = json.dumps(table.as_json() | {"stores": every, "others": more}).replace("<", "\\u003c")
    scripts = [(paths.THEME / f"{each}.js").read_text() for each in ("ranking", "chooser")]
    (folder / "page.html").write_text(
        f'<meta charset="utf-8"><script type="application/json" id="kv-chooser">{data}</script>'
        '<div id="kv-choose">nothing</div>'
        + "".join(f"<script>{script}</script>" for script in scripts)
    )
    return (folder / "page.html").as_uri()


def test_the_choice_is_in_the_address_and_by_keyboard(browser, tmp_path):
    points = {"A": [[100, log(100), 1e-4, 9]], "B": [[100, log(300), 1e-4, 9]]}
    unordered = FACTS | {"ordered": False, "tiers": ["none"]}
    stores = [
        {"name": "A", "facts": unordered},
        {"name": "B"},
        {"name": "<b>C", "facts": None},
        {"name": "D", "once": True, "facts": unordered},
    ]
    table = test_chooser.made({GET: points, PUT: points})
    address = page_of(tmp_path, stores, table.points)
    page = browser.new_page()
    page.goto(f"{address}#case=&get=50&put=50&needs=ordered.nonsense&tier=wrong")
    rows = page.locator("#kv-choose tbody tr")
    [only] = rows.all_inner_texts()
    assert "B" in only.split()
    assert "A (has not: keys in order)" in page.locator(".kv-out").inner_text()
    assert "D (is written once" in page.locator(".kv-out").inner_text()
    assert page.locator('input[name="ordered"]').is_checked()
    page.locator('input[name="ordered"]').focus()
    page.keyboard.press("Space")
    assert rows.count() == 2 and "needs" not in page.url and "get=50" in page.url
    assert "<b>C (gets not measured so)" in page.locator(".kv-out").inner_text()
    page.select_option('select[name="tier"]', "commit")
    assert "tier=commit" in page.url and rows.count() == 0
    assert "Not measured so of any store" in page.locator(".kv-near").inner_text()
    near = page.locator(".kv-near button").all_inner_texts()
    assert near == ["gets alone"], "of puts that survive so nothing is measured"
    other = browser.new_page()
    other.goto(page.url)
    assert other.locator('select[name="tier"]').input_value() == "commit"


def test_what_is_not_measured_leads_to_what_is_nearest(browser, tmp_path):
    def at(*sizes: int) -> list[list[float]]:
        return [[size, log(size), 1e-4, 9] for size in sizes]

    strings, ints = (
        chooser.key(keys, "random", "none", "memory", GET) for keys in ("string", "int")
    )
    points = {strings: {"A": at(100), "B": at(100)}, ints: {"A": at(100, 2026)}}
    address = page_of(tmp_path, [{"name": "A", "lost": True}, {"name": "B"}], points)
    page = browser.new_page()
    page.goto(f"{address}#case=&keys=string&bytes=300&get=100&put=0")
    near = page.locator(".kv-near button")
    assert near.all_inner_texts() == ["values of 100 B", "4-byte integers"]
    assert page.locator("#kv-choose tbody tr").count() == 0
    near.first.focus()
    page.keyboard.press("Enter")
    rows = page.locator("#kv-choose tbody tr").all_inner_texts()
    assert page.evaluate("document.activeElement.name") == "keys", "the button is gone"
    assert len(rows) == 2 and "bytes=100" in page.url and "keys=string" in page.url
    [lost] = (row for row in rows if "lost commits in crashes here" in row)
    assert "A" in lost.split()
    page.locator(".kv-examples button", has_text="a cache").click()
    assert "needs=maintained" in page.url and "get=90" in page.url
    assert page.locator('input[name="maintained"]').is_checked()
    assert page.evaluate("document.activeElement.textContent") == "a cache"


def test_what_another_machine_measured_is_ranked_apart_and_says_so(browser, tmp_path):
    def at(ns: float) -> list[list[float]]:
        return [[100, log(ns), 1e-4, 9]]

    def key(operation: str, tier: str) -> str:
        return chooser.key("string", "random", tier, "memory", operation)

    here = {key(GET, "none"): {"A": at(100), "B": at(200)}}
    there = {key(PUT, "commit"): {"A": at(9e4), "B": at(5e4)}}
    address = page_of(tmp_path, [{"name": "A"}, {"name": "B"}], here, there)
    page = browser.new_page()
    rows = page.locator("#kv-choose tbody tr")
    page.goto(f"{address}#case=&keys=string&tier=commit&get=90&put=10")
    assert rows.count() == 0, "a sum over two machines is none"
    near = page.locator(".kv-near button")
    assert near.all_inner_texts() == ["gets alone", "puts alone"]
    near.last.click()
    assert [row.split()[1] for row in rows.all_inner_texts()] == ["B", "A"]
    said = page.locator(".kv-out").first.inner_text()
    assert said == "Measured on another machine than most: another <b>."
    page.goto(f"{address}#case=&keys=string&tier=commit&get=100&put=0")
    page.reload()
    assert [row.split()[1] for row in rows.all_inner_texts()] == ["A", "B"]
    assert page.locator(".kv-out").count() == 0
