"""Tables on a page: sorted by a column, and narrowed to the rows that have some words."""

import pytest

from kvreport.base import paths

pytestmark = pytest.mark.end_to_end
ROWS = [
    ["MapDB", "1,200", "yes"],
    ["LMDB", "9.5", "no <b>"],
    ["Xodus", "–", "yes"],
    ["RocksDB", "n/a", "no"],
    ["SQLite", "85", "yes"],
]


def html(rows) -> str:
    body = "".join(
        "<tr>" + "".join(f"<td>{cell.replace('<', '&lt;')}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    heads = "<th>store</th><th>ns/entry</th><th>ordered</th>"
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    file = tmp_path_factory.mktemp("tables") / "page.html"
    grouped = [row if at == 0 else ["", *row[1:]] for at, row in enumerate(ROWS)]
    script = (paths.THEME / "tables.js").as_uri()
    file.write_text(
        f"<meta charset='utf-8'><main><div id='a'>{html(ROWS)}</div>"
        f"<div id='b'>{html(grouped)}</div></main><script src='{script}'></script>"
    )
    opened = browser.new_page()
    opened.goto(file.as_uri())
    return opened


def column(page, at=1):
    return page.locator(f"#a tbody td:nth-child({at})").all_inner_texts()


def test_a_head_sorts_by_its_column_numbers_as_numbers_and_what_is_missing_last(page):
    by = page.get_by_role("button", name="ns/entry")
    assert by.count() == 1, (
        "a table whose first column names a thing once for several is left alone"
    )
    by.focus()
    page.keyboard.press("Enter")
    assert column(page, 2) == ["9.5", "85", "1,200", "n/a", "–"]
    assert page.locator("#a th[aria-sort=ascending]").inner_text().startswith("ns/entry")
    by.click()
    assert column(page, 2) == ["1,200", "85", "9.5", "n/a", "–"]
    page.get_by_role("button", name="store").click()
    assert column(page) == ["LMDB", "MapDB", "RocksDB", "SQLite", "Xodus"]
    assert page.locator("th[aria-sort]").count() == 1


def test_words_leave_the_rows_that_have_all_of_them(page):
    words = page.get_by_label("Only rows with these words")
    words.fill("YES  l")
    shown = page.locator("#a tbody tr:visible").all_inner_texts()
    assert [each.split()[0] for each in shown] == ["SQLite"], "LMDB has an l and no yes"
    words.fill("<b>")
    assert page.locator("#a tbody tr:visible").count() == 1
    words.fill("")
    assert page.locator("#a tbody tr:visible").count() == len(ROWS)
