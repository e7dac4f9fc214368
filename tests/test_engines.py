"""Both engines make the same book: pages and PDF, where there is a Quarto."""

import re

import pages
import pytest
import samples
import yaml

from kvreport.render import offline, quarto, with_quarto
from kvreport.render.book import load

pytestmark = pytest.mark.end_to_end
CAPTION = re.compile(r"(?:Figure|Table)\s[\dA-Z.]+:(?: \w+){2}")  # as far as its second word


@pytest.fixture(scope="module")
def engine():
    return quarto.installed_quarto() or pytest.skip("there is no Quarto")


def test_both_engines_make_the_same_pages_and_the_same_pdf(engine, tmp_path, monkeypatch):
    drafts = []
    for name in ("quarto", "offline"):
        folder = samples.make(tmp_path / name)
        declaration = yaml.safe_load((folder / "_quarto.yml").read_text())
        del declaration["project"]["pre-render"]  # which is of the whole project
        (folder / "_quarto.yml").write_text(yaml.safe_dump(declaration))
        book = load(folder)
        monkeypatch.chdir(book.root)
        if name == "quarto":
            with_quarto(engine, book, ("html", "typst"), None)
        else:
            offline.render(book, ("html", "typst"), None)
        drafts.append(book.output)
    theirs, ours = map(pages.contents, drafts)
    assert theirs == ours
    papers = [" ".join(pages.pdf_pages(next(draft.glob("*.pdf")))) for draft in drafts]
    captions = [CAPTION.findall(paper.replace("\u00a0", " ")) for paper in papers]
    assert captions[0] == captions[1] != []
    for paper in papers:
        assert samples.IDENTITY in paper and "Results as they came" not in paper
