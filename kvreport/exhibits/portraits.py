"""What the report has found of a store, in a few sentences: what it is good and bad at, what the
settings are worth that it runs with here, and what crashes cost it.
"""

from collections.abc import Iterator

import pandas as pd

from kvreport.analysis import crashes
from kvreport.analysis.answers import BEST, answers
from kvreport.analysis.ranking import NOISY, SLOWER
from kvreport.analysis.stats import Difference
from kvreport.analysis.tiers import TIERS
from kvreport.base.markdown import Marked, joined
from kvreport.base.templates import fill_markdown
from kvreport.base.text import join_words, number
from kvreport.charts import chapter
from kvreport.data.cases import Case
from kvreport.exhibits import fairness

SETTINGS = """
{%- if rows -%}
With its vendor's settings in place of those below,
{% for each in rows -%}
{{ each.workload }} takes {{ each.ratio | number }}
{%- if each.low == each.low %} [{{ each.low | number }}, {{ each.high | number }}]{% endif %} times
as long{{ separator(loop) }}
{%- endfor %}
{%- if same %}; at {{ same | join_words }} no difference is seen{% endif %}
{%- else -%}
With its vendor's settings in place of those below, no difference is seen at {{ same | join_words }}
{%- endif %} (@sec-fairness)."""
HAPPENED = {
    "kill": "the process is killed",
    "power": "the power fails",
    "fault": "the device fails",
    "full": "the device is full",
}
CRASHES = """
{%- if broken -%}
Crashes cost it what it had acknowledged
{%- for each in broken %}{{ ";" if not loop.first }} in {{ "{:,}".format(each.cost) }} of
{{ "{:,}".format(each.tries) }} tries where {{ each.kind }} and a commit is to survive
{{ each.tier }}
{%- endfor %}
{%- else -%}
In {{ "{:,}".format(tries) }} crashes that its commits were to survive nothing acknowledged was lost
{%- endif %} (@sec-crashes)."""


class Portraits:
    """Of all stores. ranked: as analysis.answers has it; crashed: as crashes.frame has it;
    settings: as fairness.compared has them.
    """

    def __init__(self, ranked: pd.DataFrame, crashed: pd.DataFrame, settings: pd.DataFrame):
        self.ranked, self.crashed, self.settings = ranked, crashed, settings

    @classmethod
    def shown(cls) -> "Portraits":
        """Those on what the report shows."""
        settings = fairness.compared(chapter.of("12-fairness"), Case("int", "random"))
        return cls(answers(), crashes.frame(), settings)

    def of(self, store: str, name: str) -> Iterator[str]:
        """The sentences on a store (its id, and its name), none where nothing was found."""
        yield from filter(None, [self._stands(store), self._set(name), self._left(store)])

    def _stands(self, store: str) -> Marked:
        """Where it stands at each need; "" where it has no place at any, as one that another stands
        for.
        """
        rows = self.ranked[self.ranked["store"] == store]
        first = rows.loc[rows["verdict"].isin(BEST), "need"]
        behind = rows[rows["verdict"] == SLOWER]
        noisy = rows.loc[rows["verdict"] == NOISY, "need"]
        times = [
            f"{number(ratio)}× the best at {need}"
            for need, ratio in zip(behind["need"], behind["ratio"])
        ]
        parts = [f"Best here, or level with it, at {join_words(first)}"] * bool(len(first))
        parts += [", ".join(times)] * bool(times)
        if not parts:
            return Marked("")
        parts += [f"too noisy to place at {join_words(noisy)}"] * bool(len(noisy))
        return Marked(joined("; ", parts) + ".")

    def _set(self, name: str) -> str:
        rows = self.settings[self.settings["store"] == name]
        told = rows["difference"].isin([Difference.GREATER, Difference.LESS])
        same = list(rows[~told]["workload"])
        if rows.empty:
            return ""
        return fill_markdown(SETTINGS, rows=rows[told].to_dict("records"), same=same)

    def _left(self, store: str) -> str:
        tried = self.crashed.query("store == @store and tries > 0 and promised")
        broken = [
            {
                "kind": HAPPENED[each["kind"]],
                "tier": TIERS[each["sync"]],
                "cost": each["tries"] - each["kept"],
                "tries": each["tries"],
            }
            for each in tried.query("kept < tries").to_dict("records")
        ]
        if tried.empty:
            return ""
        return fill_markdown(CRASHES, broken=broken, tries=tried["tries"].sum())
