"""Both engines make the same book: pages and PDF, where there is a Quarto."""

import re

import nbformat
import pages
import pytest
import samples

from kvreport.render import offline, quarto
from kvreport.render.book import load_book
from kvreport.render.engines import with_quarto, with_two_quartos

pytestmark = pytest.mark.end_to_end
HOSTILE = """<script>window.hostile = 1</script>

<p onclick="hostile()">text</p> [one](javascript:hostile()) [two]{onclick="hostile()" .mine}
`{{< var run >}}` `<img src=x onerror=hostile()>`{=html} `#panic("hostile")`{=typst}
<!-- a remark -->

```{=typst}
#panic("hostile")
```

```
{{< var run >}}
```

::: {style="position: fixed" onmouseover="hostile()"}
three
:::

| a cell | `{{< var run >}}` |
|:--|--:|
| <b onclick="hostile()">four</b> | [`{{< var run >}}`]{onclick="hostile()"} |
| `<img src=x onerror=hostile()>`{=html} five | [six](javascript:hostile()) |
"""
CAPTION = re.compile(r"(?:Figure|Table)\s[\dA-Z.]+:(?: \w+){2}")  # as far as its second word


@pytest.fixture(scope="module")
def engine():
    return quarto.installed_quarto() or pytest.skip("there is no Quarto")


def add_hostile_output(notebook):
    """What no data come to, as base.markdown escapes them: the second door."""
    content = nbformat.read(notebook, as_version=4)
    output = nbformat.v4.new_output("display_data", data={"text/markdown": HOSTILE})
    cell = nbformat.v4.new_code_cell("1", id="reading", outputs=[output], execution_count=9)
    content.cells.append(cell)
    nbformat.write(content, notebook)


def files(draft):
    return [file.relative_to(draft).as_posix() for file in draft.rglob("*") if file.is_file()]


def test_both_engines_make_the_same_pages_and_the_same_pdf(engine, tmp_path, monkeypatch):
    drafts = []
    for name in ("quarto", "two", "offline"):
        folder = samples.make(tmp_path / name, alone=True)
        add_hostile_output(folder / samples.FIGURES)
        samples.add_stores(folder)
        book = load_book(folder)
        monkeypatch.chdir(book.root)
        if name == "quarto":
            with_quarto(engine, book, ("html", "typst"), None)
        elif name == "two":
            with_two_quartos(engine, book)
        else:
            offline.render_offline(book, ("html", "typst"), None)
        drafts.append(book.output)
    theirs, at_once, ours = map(pages.contents, drafts)
    assert theirs == ours == at_once
    assert sorted(files(drafts[0])) == sorted(files(drafts[1]))
    for draft in drafts:
        page = (draft / samples.FIGURES).with_suffix(".html").read_text()
        assert "three" in page and "hostile" not in page
        assert page.count(' id="reading"') == 1, "a heading's, and no cell's"
        for file in draft.rglob("*.html"):
            [script] = re.findall(r'src="([./]*report/theme/tables\.js)"', file.read_text())
            assert (file.parent / script).is_file(), "each page has tables that sort"
    by_quarto = (drafts[0] / samples.FIGURES).with_suffix(".html").read_text()
    tables = re.findall("<table[^>]*>", by_quarto)
    plain = [each for each in tables if "disable-processing" in each]
    assert 0 < len(plain) == len(tables)
    assert all('"cell caption-top table table-sm' in each for each in plain)
    papers = [" ".join(pages.pdf_pages(next(draft.glob("*.pdf")))) for draft in drafts]
    # in whatever order, as a figure moves to where it has room
    captions = [sorted(CAPTION.findall(paper.replace("\u00a0", " "))) for paper in papers]
    assert captions[0] == captions[1] == captions[2] != []
    for paper in papers:
        assert samples.IDENTITY in paper and "Results as they came" not in paper
        assert "what came of it is The log" in paper
