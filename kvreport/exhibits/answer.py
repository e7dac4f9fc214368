"""The first page: which store for what, in a sentence for each need and in one picture."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from math import isnan
from typing import Any

import pandas as pd
from IPython.display import Markdown

from kvreport.analysis import answer
from kvreport.analysis.answer import Place, Ranking
from kvreport.base.markdown import Marked, marked
from kvreport.base.templates import fill_markdown
from kvreport.base.text import join_words, number
from kvreport.charts import chapter
from kvreport.charts.chapter import Chapter, provenance, warned
from kvreport.charts.figures import Figure, composed, placeholder
from kvreport.charts.tables import MISSING, table
from kvreport.charts.templates import Sentence
from kvreport.data import facts
from kvreport.data.cases import WRITE_ONCE
from kvreport.data.needs import FIRST_LOOK, ORDERED, PURE_JAVA, UPDATES, Need, needs
from kvreport.exhibits.needs_grid import SLIM, WIDE, cell, drawn
from kvreport.exhibits.tables import interval

CRITERION = {"space": "takes the least disk", "gets": "has the shortest gets"}  # among the tied
WITHOUT = {
    ORDERED: "if keys need an order",
    PURE_JAVA: "if no native code may run",
    UPDATES: "if entries change",
}
NAMED = 4  # stores that a sentence names
SENTENCE = """
{%- if problem -%}
{{ subject }}: not measured here
{%- elif trials < 2 -%}
{{ subject }}: {{ best[0] }} took least in single trials, which tell no two stores apart
{%- elif not best -%}
{{ subject }}: too noisy to say; {{ noisy[0] }} took least, but not measurably less than
{{ noisy[1] if noisy | length == 2 else "any of " ~ (noisy | length - 1) ~ " others" }}
{%- else -%}
{%- if best | length > most -%}
**{{ best | length | count("store") | capitalize }}** {{ purpose }}, all level
{%- else -%}
**Take {{ best | join_words("or") }}** {{ purpose }}
{%- endif %}
{%- if best | length > 1 and first %}; {{ first }} {{ criterion }}{% endif %}
{%- for each in others %}; {{ each.names | join_words("or") if each.names | length <= most
else "one of " ~ each.names | length }} {{ each.why }} ({{ each.ratio | number }}×
{%- if each.low == each.low %} [{{ each.low | number }}, {{ each.high | number }}]{% endif %})
{%- endfor %}
{%- endif %}{% if chapters %} ({{ chapters }}){% endif %}.
{%- if best and noisy %} Too noisy to place: {{ noisy | join_words }}.{% endif %}"""
STANDING = """
{%- if first %}Best here, or level with it, at {{ first | join_words }}{% endif %}
{%- if first and behind %}; {% endif %}{{ behind | join(", ") }}
{%- if out %}; too noisy to place at {{ out | join_words }}{% endif %}."""
CERTAINTY = """
{%- if not trials -%}
Nothing of it is measured yet.
{%- elif not told -%}
There is one trial of each store, so that nothing can be said of how far others would differ.
{%- else -%}
Behind each place are {{ trials[0] }}{% if trials[1] > trials[0] %} to {{ trials[1] }}{% endif %}
trials, each in a process of its own. Four times in five they would show that a store takes
{{ told[1].tells | number }} times as much as the best, at the median need;
{{ told[0].tells | number }} times at the clearest ({{ told[0].need.name }}), and no less than
{{ told[2].tells | number }} times at the noisiest ({{ told[2].need.name }}). At {{ tied }} of
{{ needs }} needs more than one store is best.
{%- endif %}"""
MAY_LOSE, UNSAFE = "†", "‡"  # as shipped; whatever is asked
WHO = (
    f"{UNSAFE} no commit of it survives a power cut for certain: none is promised, or one that was"
    " acknowledged was lost here (@sec-crashes)."
)


class Answer:
    """All needs, or some, ranked on what the report shows."""

    def __init__(
        self,
        chapters: Mapping[str, Chapter] | None = None,
        asked: Iterable[Need] | None = None,
        lost: Iterable[str] | None = None,
    ):
        """lost: names of the stores that lost a commit that was to be on the device. Where it is
        given they are marked, and so are those that promise no such commit.
        """
        self.lost = lost
        self.asked = tuple(needs() if asked is None else asked)
        if chapters is None:
            wanted = {section for need in self.asked for section in need.sections}
            chapters = {each: chapter.of(each) for each in wanted}
        self.chapters = chapters

    @classmethod
    def here(cls, lost: Iterable[str] | None = None) -> "Answer":
        """On what was measured on the machine that the report is about: the first look where that
        has more trials than a need's own sections.
        """
        sections = dict.fromkeys(
            [FIRST_LOOK, *(each for need in needs() for each in need.sections)]
        )
        found = {each: chapter.of(each) for each in sections}
        own = {name: each for name, each in found.items() if not each.stands_in}
        return cls(own, [answer.at_first_look(need, own) for need in needs()], lost)

    @classmethod
    def of_chapter(cls, name: str) -> "Answer":
        """Of the needs whose sentence opens a chapter, as the book's references name it."""
        return cls(asked=[need for need in needs() if need.chapters[0] == name])

    @cached_property
    def rankings(self) -> dict[str, Ranking]:
        """By the needs' ids, in their order."""
        return {need.id: answer.rank(need, self.chapters, self._lacks) for need in self.asked}

    @cached_property
    def measured(self) -> dict[str, Ranking]:
        """Those that somebody has a place in."""
        return {id: each for id, each in self.rankings.items() if each.places}

    @cached_property
    def unsafe(self) -> frozenset[str]:
        """The names that are marked."""
        if self.lost is None:
            return frozenset()
        ids = {about["name"]: store for store, about in chapter.shown_stores().items()}
        places = (place for ranking in self.rankings.values() for place in ranking.places)
        return frozenset(
            {answer.engine_name(ids.get(name, ""), name) for name in self.lost}
            | {place.name for place in places if not facts.promises(place.store)}
        )

    def _lacks(self, store: str, fact: str) -> bool:
        """Whether a store is without a fact, by its family or by what is held of it."""
        if fact != UPDATES:
            return facts.lacks(store, fact)
        known = (each.stores[store] for each in self.chapters.values() if store in each.stores)
        return any(about["family"] == WRITE_ONCE for about in known)

    def _others(self, ranking: Ranking) -> list[dict[str, Any]]:
        """What to take where each of the best is without something: those that are best with it;
        and who is next in general, unless that is one of these.
        """
        found: dict[tuple[str, ...], dict[str, Any]] = {}
        for fact, condition in WITHOUT.items():
            if ranking.best and all(self._lacks(place.store, fact) for place in ranking.best):
                able = self._best_with(ranking.need, fact)
                if first := ranking.of(able[0]) if able else None:
                    of = found.setdefault(able, vars(first) | {"names": able, "why": ""})
                    of["why"] = " and ".join(filter(None, (of["why"], condition)))
        following = ranking.following
        if following and not any(following.name in names for names in found):
            names = (following.name,)
            found[names] = vars(following) | {"names": names, "why": "is next"}
        return list(found.values())

    def _best_with(self, need: Need, fact: str) -> tuple[str, ...]:
        """Those that share the first rank among the stores that have a fact."""

        def lacks(store: str, wanted: str) -> bool:
            return self._lacks(store, wanted) or bool(need.only and self._lacks(store, need.only))

        found = answer.rank(replace(need, only=fact), self.chapters, lacks)
        return tuple(place.name for place in found.best)

    @property
    def sections(self) -> list[str]:
        """The sections that the places come from."""
        return sorted({each for ranking in self.measured.values() for each in ranking.sections})

    def sentences(self) -> Markdown:
        """A list with a sentence for each need that is not in the picture alone."""
        said = [self.sentence(id) for id, each in self.rankings.items() if each.need.said]
        return _listed(said, WHO if any(UNSAFE in each for each in said) else "")

    def findings(self) -> Markdown:
        """The same of all, for the chapter that has the evidence; nothing where none is there."""
        return _listed(self.sentence(id, at_home=True) for id in self.measured)

    def sentence(self, id: str, at_home: bool = False) -> Marked:
        """What to take for a need, with where its evidence is; at home, in the first of its
        chapters, it leads to the others.
        """
        chapters = self.rankings[id].need.chapters[at_home:]
        leads = Marked(", ".join(f"@{chapter}" for chapter in chapters))
        numbers = self.numbers(id) | {"chapters": leads}
        return Marked(" ".join(fill_markdown(SENTENCE, **numbers).split()))

    def numbers(self, id: str) -> dict[str, Any]:
        """What the sentence of a need is filled with."""
        ranking = self.rankings[id]
        need, best = ranking.need, [place.name for place in ranking.best]
        by = "gets" if id == "space" else "space"
        other = self.rankings.get(by, Ranking(need))
        among = [place.name for place in other.places if place.name in best]
        others = self._others(ranking)
        told = {name for each in others for name in each["names"]} if best else set()
        return {
            "problem": ranking.problem,
            "subject": need.name[:1].upper() + need.name[1:],
            "purpose": need.purpose,
            "trials": ranking.trials,
            "best": self._shown(best),
            "others": [each | {"names": self._shown(each["names"])} for each in others],
            "most": NAMED,
            "first": among[0] if among else "",
            "criterion": CRITERION[by],
            "noisy": self._shown(
                place.name for place in ranking.places if place.noisy and place.name not in told
            ),
        }

    def _mark(self, place: Place) -> str:
        if place.name in self.unsafe:
            return f" {UNSAFE}"
        return f" {MAY_LOSE}" if facts.may_lose(place.store) else ""

    def _shown(self, names: Iterable[str]) -> list[str]:
        return [name + UNSAFE * (name in self.unsafe) for name in names]

    def standing(self, store: str) -> Marked:
        """Where a store (its id) stands at each need, in a sentence; "" where it has no place at
        any, as one that another stands for.
        """
        first, behind, out = [], [], []
        for ranking in self.measured.values():
            need = ranking.need.name
            place = next((each for each in ranking.places if each.store == store), None)
            if place is None:
                continue
            if place in ranking.best:
                first.append(need)
            elif place.noisy:
                out.append(need)
            else:
                behind.append(f"{number(place.ratio)}× the best at {need}")
        if not first and not behind:
            return Marked("")
        return fill_markdown(STANDING, first=first, behind=behind, out=out)

    def certainty(self) -> Markdown:
        """How sure the answers are, in a sentence or two."""
        told = [each for each in self.measured.values() if not isnan(each.tells)]
        told.sort(key=lambda each: each.tells)
        trials = [each.trials for each in self.measured.values()]
        return Sentence(
            CERTAINTY,
            trials=(min(trials), max(trials)) if trials else None,
            told=(told[0], told[len(told) // 2], told[-1]) if told else None,
            tied=sum(len(each.best) > 1 for each in self.measured.values()),
            needs=len(self.measured),
        )

    def conditions(self) -> Markdown:
        """What the answers hold for, a line for each machine."""
        of: dict[tuple, list[Ranking]] = {}
        for ranking in self.measured.values():
            group = self.chapters[ranking.sections[0]].comparison_group
            of.setdefault(group, []).append(ranking)
        lines = []
        for rankings in of.values():
            sections = sorted({each for ranking in rankings for each in ranking.sections})
            used = [self.chapters[each] for each in sections]
            named = join_words(ranking.need.name for ranking in rankings)
            named = named[:1].upper() + named[1:] if len(of) > 1 else "All needs"
            said = marked("{}. {}.", provenance(used, named), used[0].hardware)
            lines.append(said + warned(used))
        return Markdown("\n\n".join(lines))

    def picture(self, id: str) -> Figure:
        """Stores by needs: how many times the best's cost, as colour and number."""
        frame = self.frame()
        if frame.empty:
            return placeholder(id, "Nothing that a need asks for is measured.")
        subtitle = (
            "Times what the best takes, the geometric mean of each need's cases · framed: level"
            " with the best · ?: too noisy to place · –: cannot, or not measured"
            f" · {MAY_LOSE}: a power cut may cost data, as shipped"
            + f" · {UNSAFE}: whatever is asked of it"
            * bool(self.unsafe)
        )
        wide, slim = (drawn(frame, look) for look in (WIDE, SLIM))
        picture = composed(id, frame, [wide], 1, "", subtitle, [slim])
        return picture.drawn_from(*({"section": each} for each in self.sections))

    def frame(self) -> pd.DataFrame:
        """A row for each store and need: name, shown (with MAY_LOSE or UNSAFE where that is so),
        need (its name), ratio, low, high, tied, noisy, and why where there is no ratio; the stores
        by answer.order.
        """
        names = answer.order(self.measured)
        marks = {
            place.name: self._mark(place)
            for ranking in self.measured.values()
            for place in ranking.places
        }
        rows = []
        for ranking in self.measured.values():
            for name in names:
                place = ranking.of(name)
                out = (ranking.left_out or {}).get(name, "not measured")
                rows.append(
                    {"name": name, "shown": name + marks[name]}
                    | {"need": ranking.need.name}
                    | cell(place)
                    | ({} if ranking.trials > 1 else {"tied": False})
                    | {"why": "" if place else out}
                )
        return pd.DataFrame(rows)

    def table(self) -> Markdown:
        """The picture in numbers."""
        rows = []
        for ranking in self.measured.values():
            for i, place in enumerate(ranking.places):
                rows.append(
                    [
                        marked("**{}**", ranking.need.name) if i == 0 else "",
                        place.name,
                        number(place.ratio),
                        interval(vars(place)),
                        "too noisy" if place.noisy else "level with the best" if place.tied else "",
                    ]
                )
            for name, why in sorted((ranking.left_out or {}).items()):
                rows.append(["", name, MISSING, MISSING, why])
        heads = ["need", "store", ">times the best", ">95% interval, times", "remark"]
        return table(heads, rows) if rows else table(["need"], [["Nothing is measured."]])


def _listed(sentences: Iterable[Marked], note: str = "") -> Markdown:
    lines = [str(marked("- {}", each)) for each in sentences]
    if note:
        lines += ["", note]
    return Markdown("\n".join(["::: {.kv-answers}", "", *lines, "", ":::"]) if lines else "")


def first_rank(rankings: Mapping[str, Ranking]) -> str:
    """The needs at which a store is told from every other, for titles: "LMDB at gets and scans"."""
    alone: dict[str, list[str]] = {}
    for ranking in rankings.values():
        tied = sum(place.tied for place in ranking.places)
        if tied == 1 and ranking.trials > 1:
            alone.setdefault(ranking.best[0].name, []).append(ranking.need.name)
    return "; ".join(f"{name} at {join_words(needed)}" for name, needed in alone.items())
