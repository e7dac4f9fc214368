"""Sentences of the chapters: the words are in the notebooks, as templates (base.templates), the
numbers computed.
"""

from typing import Any

import pandas as pd
from IPython.display import Markdown

from kvreport.base.templates import fill_markdown


class Sentence(Markdown):
    """Text of a chapter, with what it was filled with: `numbers`. Jupyter shows the text; a console
    shows the numbers too.
    """

    def __init__(self, template: str, **numbers: Any):
        super().__init__(fill_markdown(template, **numbers))
        self.template, self.numbers = template, numbers

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.numbers.items())
        return f"{self.data} ({given})" if given else self.data


def extremes(values: pd.Series) -> dict[str, dict[str, Any]]:
    """The least and the most of some values by store, for a sentence: {"least": {"store": "LMDB",
    "value": 1.2}, "most": ...}; empty where there are none.
    """
    known = values.dropna().astype(float).sort_values(kind="stable")
    if known.empty:
        return {}
    return {
        end: {"store": known.index[at], "value": float(known.iloc[at])}
        for end, at in (("least", 0), ("most", -1))
    }


# Templates that several chapters share, each with numbers of its own.

# leaders: rankings.leaders of a case
LEADERS = """
{%- set engines = leaders | map(attribute="leader") | select | unique | list -%}
{%- set tied = leaders | rejectattr("leader") | map(attribute="workload") | list -%}
{%- for engine in engines -%}
{%- set led = leaders | selectattr("leader", "eq", engine) | map(attribute="workload") | list -%}
{{ engine }} is fastest at
{{ "every workload" if led | length == leaders | length > 1 else led | join_words }}
{{- separator(loop) }}
{%- else -%}
No engine is measurably faster than all others at any workload
{%- endfor -%}
{%- if engines and tied %}; no engine leads measurably at {{ tied | join_words("or") }}
{%- endif %}"""

# extremes: rankings.extremes of a case
EXTREMES = """
{%- set doing = {
  "write": "Writing an entry",
  "readKey": "Getting one by key",
  "readKeyXxh64": "Getting one by key and reading it whole",
  "readSeq": "Going on to the next in a scan",
  "readXxh64": "Reading the next whole in a scan",
} -%}
{%- for each in extremes %}
{{ doing[each.workload] }} takes {{ each.least | duration }} ({{ each.fastest }})
{%- if each.slowest != each.fastest %} to {{ each.most | duration }} ({{ each.slowest }}){% endif %}
{%- if each.baseline == each.baseline %}, in the flat file {{ each.baseline | duration }}
{%- endif %}.
{%- endfor %}"""

# overheads: rankings.overheads of a case
OVERHEADS = """
{% set first, last = overheads[0], overheads[-1] -%}
{%- if first.overhead | number == last.overhead | number -%}
{{ first.overhead | number }}% (all)
{%- else -%}
{{ first.overhead | number }}% ({{ first.name }}) to {{ last.overhead | number }}% ({{ last.name }})
{%- endif %}"""

# case: a data.cases.Case; overheads: as above
STORAGE = (
    """
{%- if overheads -%}
With {{ case.keys }} keys in {{ case.order }} order, stores take"""
    + OVERHEADS
    + """ more than a flat array
{%- else -%}
No store's size could be measured
{%- endif %}"""
)

# source, least, most: entries; profile; gigabytes of the largest case; slow: names of the stores
# with fewer trials than the others; trials: least and most of a store
CAPPED = """
{% if least >= source -%}
As many entries as in the source, {{ source | number }}: up to {{ gigabytes | number }} GB.
{%- else -%}
The source had {{ source | number }} entries; profile {{ profile }} caps the data of a case at about
{{ gigabytes | number }} GB, which makes {{ least | format_range(most) }} entries.
{%- endif -%}
{%- if slow %} {{ slow | join_words }} had {{ trials[0] }} of {{ trials[1] }} trials, as one takes
over ten minutes.{% endif %}"""
