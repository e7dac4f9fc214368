"""Texts from elsewhere as Markdown, sign by sign; tests/test_hostile.py has pandoc read it."""

import pytest

from kvreport.base import markdown
from kvreport.base.markdown import Marked

ADDRESS = "https://example.org/"


@pytest.mark.parametrize("sign", '\\`*_[]<>{}$@|~^"&')
def test_what_can_be_markup_anywhere_is_escaped_wherever_it_is(sign):
    assert markdown.escape(f"{sign}a{sign}b{sign}") == f"\\{sign}a\\{sign}b\\{sign}"
    assert markdown.plain(markdown.escape(f"a{sign}b")) == f"a{sign}b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # alone they are left, so that the source is legible
        ("a: b - c. d", "a: b - c. d"),
        ("a:b", r"a\:b"),
        ("a:: b", r"a\:\: b"),
        ("a--b", r"a\-\-b"),
        ("a..b", r"a\.\.b"),
        ("# a # b", r"\# a # b"),
        ("%a", r"\%a"),
        (": a", r"\: a"),
        ("=a", r"\=a"),
        ("- a", r"\- a"),
        ("+", r"\+"),
        ("-a", "-a"),
        ("12. a", r"12\. a"),
        ("12.", r"12\."),
        ("(12) a", r"(12\) a"),
        ("b) a", r"b\) a"),
        ("#. a", r"#\. a"),
        ("1.5 a", "1.5 a"),
        (" a\n\tb ", "a b"),
        ("\x1b[1m", r"‹U+001B›\[1m"),
        (12.5, "12.5"),
        (None, "None"),
        (Marked("*a*\n"), "*a*\n"),
    ],
)
def test_a_text_is_escaped_only_where_it_would_be_markup(text, expected):
    assert markdown.escape(text) == expected


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (markdown.marked("**{}** {b}", "a*", b="_"), r"**a\*** \_"),
        (markdown.joined("; ", ["a*", Marked("*b*")]), r"a\*; *b*"),
        (markdown.join_words(["a*", "b", Marked("*c*")], "or"), r"a\*, b or *c*"),
        (markdown.some("a*bcd", 2), r"a; \*; and 3 more"),
        (markdown.code(" a *b* "), "`a *b*`"),
        (markdown.code("a\x1b"), "`a‹U+001B›`"),
        (markdown.code(""), ""),
        *((markdown.code(f"a{sign}b"), f"a\\{sign}b") for sign in "`|\\{}<>$"),
        (markdown.link("a*", ADDRESS + "b(c)"), rf"[a\*]({ADDRESS}b%28c%29)"),
        (markdown.link("a", ADDRESS + "b?c=1#d"), f"[a]({ADDRESS}b?c=1#d)"),
        (markdown.link("a", "http://www.lmdb.tech/doc"), "[a](http://www.lmdb.tech/doc)"),
        (markdown.link("a*", "http://example.org/"), r"a\*"),
        (markdown.link("a*", "javascript:b"), r"a\*"),
        (markdown.link("a*", ADDRESS + " b"), r"a\*"),
        (markdown.link("a", "https://x](javascript:y)"), "[a](https://x%5D%28javascript:y%29)"),
        (markdown.link("a", "https://x\n\n# y"), "a"),
        (markdown.link("a*", ADDRESS + "\u202e"), r"a\*"),
        (
            markdown.prose("# Do `make test`,\nor `make lint`: *"),
            r"\# Do `make test`, or `make lint`: \*",
        ),
        (markdown.prose("a `b*c`\x1b"), r"a \`b\*c\`‹U+001B›"),
        (markdown.prose(Marked("*a*")), "*a*"),
        (markdown.plain(markdown.prose("do `make a_b`: *")), "do make a_b: *"),
        (markdown.plain(r"a\b\*"), r"a\b*"),
        (markdown.fenced(["a *b*", "c\nd"]), "``` sh\na *b*\nc d\n```"),
        (markdown.fenced(["a\x1b"], "java"), "``` java\na‹U+001B›\n```"),
        (markdown.fenced(["`", "```` a"]), "````` sh\n`\n```` a\n`````"),
    ],
)
def test_markdown_is_made_of_data(made, expected):
    assert made == expected and isinstance(made, str)
    assert markdown.escape(made) == expected or not isinstance(made, Marked)
