"""Gives each store a page of its own: cuts what both engines make of the appendix on how each store
was driven at its stores, and leads every link to them there.

In the notebook they are one, so that the PDF has them one after the other and a store that is added
needs no file more. It runs with whatever Python there is, as render.place does.
"""

import re
from pathlib import Path

FOLDER = Path("notebooks", "chapters")
WHOLE = "stores-driven.html"
# of a store: the offline engine's heading with what follows it, or Quarto's section
STORE = re.compile(
    r'<h2 id="sec-driven-(?P<offline>\w+)".*?(?=<h2 |<nav class="neighbours")'
    r'|<section id="sec-driven-(?P<quarto>\w+)".*?</section>\n*',
    re.DOTALL,
)
HEADING = re.compile(r"<h2\b[^>]*>(?P<title>.*?)</h2>", re.DOTALL)
CONTENTS = re.compile(r'<nav id="(?:toc|TOC)".*?</nav>\s*', re.DOTALL)  # the appendix's
NAMED = re.compile(r' id="sec-driven-\w+"')  # a page has its own address
NUMBER = re.compile(r'<span\s+class="header-section-number">[^<]*</span>\s*')
# what of the page is the appendix's own, from its heading to the end of its text
OWN = re.compile(
    r'(?P<open><main id="content">)(?P<own>.*?)(?P<close><nav class="neighbours")'
    r'|(?P<opens><header id="title-block-header".*?<h1 class="title">)(?P<heading>.*?)'
    r"(?P<header></h1>.*?</header>)(?P<text>.*?)"
    r'(?P<closes>(?:<script src="[^"]*"></script>\s*)?</main>)',
    re.DOTALL,
)
TITLE = re.compile(r"<title>.*?(?= – |</title>)", re.DOTALL)
# a place in the appendix, from elsewhere and from within it; one that is a store's
LINK = re.compile(r"stores-driven\.html#sec-driven-(\w+)")
WITHIN = re.compile(r'(?P<before>href=")#(?P<place>[\w-]+)(?=")')
OF_A_STORE = re.compile(r"sec-driven-(\w+)")


def page(store: str) -> str:
    """The name of a store's page, beside the chapters'; its id may be in small letters."""
    return f"store-{store.lower()}.html"


def cut(folder: Path) -> None:
    """Cuts in a folder of a whole book's pages, or of some; where it is done already, nothing
    changes.
    """
    for file in [*folder.rglob("*.html"), *folder.glob("search.js*")]:
        text = file.read_text()
        led = LINK.sub(lambda link: page(link[1]), text)
        if led != text:
            file.write_text(led)
    whole = folder / FOLDER / WHOLE
    if whole.exists() and (made := pages(whole.read_text())):
        for name, text in made.items():
            whole.with_name(name).write_text(text)


def pages(whole: str) -> dict[str, str]:
    """The appendix's page and the stores', by name; none where it has no stores."""
    found = list(STORE.finditer(whole))
    if not found:
        return {}
    titles = {each["offline"] or each["quarto"]: _title(each[0]) for each in found}
    listed = "".join(
        f'<li><a href="{page(store)}">{title}</a></li>\n' for store, title in titles.items()
    )
    first, last = found[0].start(), found[-1].end()
    made = {
        WHOLE: _led(f'{whole[:first]}<ul class="stores">\n{listed}</ul>\n{whole[last:]}', WHOLE)
    }
    for (store, title), section in zip(titles.items(), found):
        text = NAMED.sub("", HEADING.sub("", section[0], count=1), count=1)
        made[page(store)] = _led(_of_one(whole, title, text), page(store))
    return made


def _title(section: str) -> str:
    heading = HEADING.search(section)
    return NUMBER.sub("", heading["title"]) if heading else ""


def _of_one(whole: str, title: str, text: str) -> str:
    """The page with a store's part in the place of all that is the appendix's own."""
    plain = " ".join(re.sub(r"<[^>]*>", "", title).split())
    up = f'<p><a href="{WHOLE}">How each store was driven</a></p>'

    def around(own: re.Match[str]) -> str:
        if own["open"]:
            return f"{own['open']}\n{up}\n<h1>{title}</h1>\n{text}{own['close']}"
        return f"{own['opens']}{title}{own['header']}\n{up}\n{text}{own['closes']}"

    shell = OWN.sub(around, CONTENTS.sub("", whole, count=1), count=1)
    return TITLE.sub(lambda _: f"<title>{plain}", shell, count=1)


def _led(text: str, name: str) -> str:
    """A page whose links within the appendix lead to where each place is now."""

    def led(link: re.Match[str]) -> str:
        if store := OF_A_STORE.fullmatch(link["place"]):
            return link["before"] + page(store[1])
        own = name == WHOLE or f'id="{link["place"]}"' in text
        return link["before"] + ("" if own else WHOLE) + f"#{link['place']}"

    return WITHIN.sub(led, text)
