"""What survives a crash (S01, S03, S04): stores by tiers, what is left and how often."""

from dataclasses import replace
from typing import Any

import altair as alt
import pandas as pd
from IPython.display import Markdown

from kvreport.analysis.crashes import CONTROL, Outcome, Verdict, outcomes
from kvreport.analysis.tiers import SURVIVED, TIERS
from kvreport.base.markdown import link, marked
from kvreport.base.text import format_range, join_words
from kvreport.charts.figures import Figure, PanelChart, composed, placeholder
from kvreport.charts.grids import Look, grid
from kvreport.charts.tables import MISSING, Table, table
from kvreport.data import crashes, facts
from kvreport.data.crashes import FAULT, FULL, KILL, KINDS, POWER

SHORT = {
    Verdict.SURVIVES: "all there",
    Verdict.PART: "one in part",
    Verdict.RECOVERED: "by a call",
    Verdict.UNSTARTED: "no start",
    Verdict.LAST: "last lost",
    Verdict.MORE: "more lost",
    Verdict.UNUSABLE: "unusable",
    Verdict.WRONG: "wrong",
}
FILLS = {  # from good to bad in lightness, too: readable without hue, and on white and black
    Verdict.SURVIVES: ("#cfe8d5", "#143d20"),
    Verdict.PART: ("#e9ecc4", "#33361a"),
    Verdict.RECOVERED: ("#c8dcef", "#12304d"),
    Verdict.UNSTARTED: ("#ddd3ec", "#2b1a4a"),
    Verdict.LAST: ("#f3d27a", "#402c00"),
    Verdict.MORE: ("#e58e4b", "#2e1400"),
    Verdict.UNUSABLE: ("#b5382c", "#ffffff"),
    Verdict.WRONG: ("#4a1030", "#ffffff"),
}
EMPTY = ("#00000000", "#808080")
TITLES = {
    KILL: "The process is killed",
    POWER: "The power fails",
    FAULT: "The device fails",
    FULL: "The device is full",
}
SAID = (FAULT, FULL)  # of which a commit can say that it failed
NEVER_TRIED = "No crash was tried in the runs that this report shows: `kvreport crash` does that."
COLUMNS = dict(zip(TIERS, ("nothing", "its process", "a power cut")))
ON_DEVICE = {FAULT: "refuses", FULL: "is full"}  # columns where a commit survives a power cut
WIDE = Look(column=74, row=24, names=104, size=10, heads=10)
SLIM = replace(WIDE, column=78, row=26)


class Crashes:
    """The crashes that were tried in a run, if there is one."""

    def __init__(self, run: str | None):
        self.run = run
        self.found = crashes.read(run) if run else None
        every = {kind: outcomes(self.found, kind) for kind in KINDS}
        self.outcomes = {
            kind: [each for each in found if each.family != CONTROL]
            for kind, found in every.items()
        }
        self.controls = {
            kind: [each for each in found if each.family == CONTROL]
            for kind, found in every.items()
        }

    @classmethod
    def shown(cls) -> "Crashes":
        """Those of the run that the report shows them of."""
        return cls(crashes.shown())

    def picture(self, id: str) -> Figure:
        """Stores by tiers for each kind of crash: the worst that was left, and how often. What a
        full device leaves is shown of the tier beside which it is: where the device fails.
        """
        frame = self.frame()
        if frame.empty:
            return placeholder(id, NEVER_TRIED)
        frame = frame[(frame["kind"] != FULL) | (frame["tier"] == TIERS["on"])]
        stores = list(dict.fromkeys(frame["name"]))
        panels = [(str(panel), rows) for panel, rows in frame.groupby("panel", sort=False)]
        wide = [
            _panel(rows, stores, panel, WIDE if number == 0 else replace(WIDE, names=0))
            for number, (panel, rows) in enumerate(panels)
        ]
        slim = [
            _panel(rows, list(dict.fromkeys(rows["name"])), panel, SLIM) for panel, rows in panels
        ]
        subtitle = (
            "The worst of all tries, and the share that ended so · columns: what a commit was asked"
            " to survive, at the right a power cut · framed: its vendor promises more · run"
            f" {self.run}"
        )
        return composed(id, frame, wide, len(wide), "", subtitle, slim)

    def frame(self) -> pd.DataFrame:
        """A row for each store, tier and kind that was tried, the stores that keep most first:
        store, name, tier, panel, column, kind, label, fill, ink, broken (whether its tier promises
        more), tries, seeds (of the worst), and each verdict's count.
        """
        of_each: dict[str, list[tuple[int, int]]] = {}  # how bad, at the strongest tier first
        for each in (each for kind in self.outcomes.values() for each in kind):
            strength = list(TIERS).index(each.sync or "off")
            of_each.setdefault(each.name, []).append((-strength, each.verdict.badness))
        best_first = sorted(of_each, key=lambda name: (sorted(of_each[name]), name.lower()))
        return pd.DataFrame(
            [
                _cell(each)
                for kind in self.outcomes.values()
                for each in sorted(kind, key=lambda each: best_first.index(each.name))
            ]
        )

    def table(self, kind: str) -> Table:
        """Every store and tier, with its counts and the interval of what share cost something; of
        a device that fails or is full also in how many tries a commit said that it failed.
        """
        tried = [each for each in self.outcomes[kind] if each.tries or each.problem]
        if not tried:
            return table(["crashes"], [[NEVER_TRIED]])
        return table(_heads(kind in SAID), [_row(each, kind in SAID) for each in tried])

    def judged(self) -> Table:
        """What became of files that keep their promises, and of those made not to."""
        rows = [
            [TITLES[kind], *row]
            for kind, every in self.controls.items()
            for row in map(_row, every)
        ]
        if not rows:
            return table(["crashes"], [["No file of known behaviour was crashed."]])
        return table(["what happens", *_heads()], rows)

    def promises(self) -> Table:
        """What each store offers by its vendor's word, and what it does as shipped."""
        known, rows = facts.known(), []
        for subject in {
            each.store: each for kind in self.outcomes.values() for each in kind
        }.values():
            if subject.store in known:
                said = known[subject.store]["durability"]
                rows.append(
                    [
                        subject.name,
                        join_words([SURVIVED[each] for each in said["tiers"]]),
                        SURVIVED[said["default"]],
                        link(said["text"], said["source"]),
                    ]
                )
        if not rows:
            return table(["crashes"], [[NEVER_TRIED]])
        heads = ["store", "a commit may be asked to survive", "as shipped it survives", "in words"]
        return table(heads, sorted(rows))

    def broken(self) -> Table:
        """Promises that were not kept: by what, of which version, in whose words, and with which
        seeds.
        """
        rows = [
            [
                marked("**{}**, {}", each.name, each.engine),
                each.how or "",
                _promise(each.store),
                f"{TITLES[kind]}: {each.cost:,} of {each.tries:,} cost something. The worst,"
                f" {_often(each.counts[each.verdict])}: {each.verdict.value}; {_worst(each)}",
            ]
            for kind in KINDS
            for each in self.outcomes[kind]
            if each.tries and each.promised and not each.kept
        ]
        if not rows:
            return table(["promises"], [["None was seen to be broken."]])
        heads = ["store", "asked for by", "its vendor says", "what was left"]
        return table(heads, rows, whole=True)

    def numbers(self, kind: str) -> dict[str, Any]:
        """For sentences: what was tried, who kept every promise of a tier and who did not."""
        tried = [each for each in self.outcomes[kind] if each.tries]
        promised = [each for each in tried if each.promised]
        broken = [each for each in promised if not each.kept]
        return {
            "tries": sum(each.tries for each in tried),
            "stores": len({each.name for each in tried}),
            "promised": len(promised),
            "kept": len(promised) - len(broken),
            "broken": [
                {
                    "name": each.name,
                    "tier": tier(each),
                    "verdict": each.verdict.value,
                    "cost": each.cost,
                    "tries": each.tries,
                }
                for each in broken
            ],
            "parts": sorted({each.name for each in tried if each.counts[Verdict.PART]}),
            "wrong": sorted(
                {each.name for each in tried if each.counts[Verdict.WRONG] and not each.promised}
            ),
            "recovered": sorted({each.name for each in tried if each.recovered}),
            "unusable": sorted({each.name for each in tried if each.counts[Verdict.UNUSABLE]}),
            "bound": max((each.share()[1] for each in promised if each.kept), default=0.0),
        }

    def on_disk(self) -> dict[str, Any]:
        """For the first page: of the stores whose commits are to be on the device, those that lost
        nothing by any kind of crash (`kept`), those that did (`lost`), and how many power cuts
        were tried of each, at least (`cuts`).
        """
        tried: dict[str, list[Outcome]] = {}
        for each in (each for kind in self.outcomes.values() for each in kind):
            if each.sync == "on" and each.tries and each.promised:
                tried.setdefault(each.name, []).append(each)
        kept = {name for name, every in tried.items() if all(each.kept for each in every)}
        cuts = [each.tries for each in self.outcomes[POWER] if each.sync == "on" and each.tries]
        return {
            "kept": sorted(kept, key=str.lower),
            "lost": sorted(tried.keys() - kept, key=str.lower),
            "cuts": min(cuts, default=0),
        }


def legend() -> Markdown:
    """What the short words for what is left mean, from good to bad."""
    words = [marked("*{}*: {}", SHORT[verdict], verdict.value) for verdict in Verdict]
    return Markdown(f"{'; '.join(words)}.")


def _heads(said: bool = False) -> list[str]:
    counts = [f">{SHORT[verdict]}" for verdict in Verdict]
    begun = ["store", "a commit survives", ">tries", *([">said so"] if said else [])]
    return [*begun, *counts, ">cost something, %", "the worst"]


def _row(each: Outcome, said: bool = False) -> list[str]:
    low, high = each.share()
    reported = MISSING if each.reported is None or not each.tries else f"{each.reported:,}"
    known = facts.known().get(each.store)
    promise = known["durability"]["source"] if known and each.promised else None
    return [
        each.name,
        link(tier(each), promise) if promise else tier(each),
        f"{each.tries:,}" if not each.problem else MISSING,
        *([reported] if said else []),
        *(f"{each.counts[verdict]:,}" if each.tries else MISSING for verdict in Verdict),
        f"{100 * low:.1f}–{100 * high:.1f}" if each.tries else MISSING,
        each.problem or _worst(each),
    ]


def tier(each: Outcome) -> str:
    """What a commit of it is to survive, in words; a store without tiers promises nothing."""
    return TIERS[each.sync or "off"]


def _promise(store: str) -> str:
    known = facts.known().get(store)
    return link(known["durability"]["text"], known["durability"]["source"]) if known else ""


def _often(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _worst(each: Outcome) -> str:
    if each.verdict is Verdict.SURVIVES:
        return ""
    group = _most_frequent(each.worst)
    seeds = f"as of seed {_seeds(group)}"
    said = group["reason"] or group["example"] or _missing(group, each.verdict)
    return f"{said} ({seeds}{_again(group)})"


def _most_frequent(groups: tuple[dict, ...]) -> dict:
    return max(groups, key=lambda one: one["count"])


def _seeds(group: dict) -> str:
    return join_words([str(seed) for seed in group["seeds"]])


def _again(group: dict) -> str:
    if "replays" not in group:
        return ""
    return "; again in {lost} of {tries} replays".format(**group["replays"])


def _missing(group: dict, verdict: Verdict) -> str:
    if verdict is Verdict.RECOVERED:
        return "it opens once its recovery call was made"
    if not group["any_lost"]:
        return "the transaction under way is there in part"
    least, most = group["lost"]
    each = format_range(least, most, "{:,}".format)
    return f"of {each} acknowledged transaction{'s' if most > 1 else ''} something is missing"


def _cell(each: Outcome) -> dict[str, Any]:
    fill, ink = FILLS[each.verdict] if each.tries else EMPTY
    label = SHORT[each.verdict]
    if each.tries and each.verdict is not Verdict.SURVIVES:
        label += f" {_percent(each.counts[each.verdict], each.tries)}"
    return {
        "store": each.store,
        "name": each.name,
        "tier": tier(each),
        "panel": TITLES[FAULT if each.kind == FULL else each.kind],
        "column": ON_DEVICE.get(each.kind) or COLUMNS[each.sync or "off"],
        "kind": each.kind,
        "label": label if each.tries else "not tried",
        "fill": fill,
        "ink": ink,
        "broken": bool(each.tries and each.promised and not each.kept),
        "tries": each.tries,
        "seeds": _seeds(_most_frequent(each.worst)) if each.worst else MISSING,
    } | {verdict.name.lower(): each.counts[verdict] for verdict in Verdict}


def _percent(count: int, tries: int) -> str:
    share = 100 * count / tries
    return f"{share:.0f}%" if share >= 1 else "<1%"


def _panel(rows: pd.DataFrame, stores: list[str], title: str, look: Look) -> PanelChart:
    known = [*COLUMNS.values(), *ON_DEVICE.values()]
    columns = [each for each in known if each in set(rows["column"])]
    tooltip = [
        alt.Tooltip("name:N", title="store"),
        alt.Tooltip("tier:N", title="a commit survives"),
        alt.Tooltip("tries:Q", title="tries"),
        alt.Tooltip("seeds:N", title="seeds of the worst"),
        *(alt.Tooltip(f"{verdict.name.lower()}:Q", title=verdict.value) for verdict in Verdict),
    ]
    drawn = grid(rows, ("column", columns), ("name", stores), ("broken", "#d00000"), tooltip, look)
    return drawn.properties(title=alt.TitleParams(title, frame="bounds", offset=4, fontSize=12))
