"""What a notebook has as `import kvreport as kv`: frames, their comparison, charts and sentences.

- `results`, `latencies`, `space`: what was measured; `published`: what the sources print; all are
  tidy pandas frames, and `columns` says what is in them
- `compare`: from rows of trials to a row a store, with intervals and verdicts; `claim`: a statement
  with its verdict
- `dots`, `lines`, `tail`: charts of such frames, which are Altair charts and nothing more; `title`:
  their title in lines that fit
- `md`: a paragraph; `ns`, `number`, `times`, `join`, `count`: numbers and names in it; `first`: the
  first row of a frame, though it be empty; `provenance`: where a section's figures come from

On a page of the report, and in JupyterLab, every Altair chart and every frame that a cell returns
is shown in the report's look, also one that owes nothing to these functions.
"""

from kvreport.analysis.ranking import compare
from kvreport.analysis.tails import latencies
from kvreport.base.text import count, number
from kvreport.base.text import duration as ns
from kvreport.charts import frames, page
from kvreport.charts.claim import claim
from kvreport.charts.dots import dots
from kvreport.charts.lines import lines, tail
from kvreport.charts.sentences import first, join, md, provenance, times
from kvreport.charts.titles import title
from kvreport.data.frames import columns, published, results, space

__all__ = [
    "claim",
    "columns",
    "compare",
    "count",
    "dots",
    "first",
    "join",
    "latencies",
    "lines",
    "md",
    "ns",
    "number",
    "provenance",
    "published",
    "results",
    "space",
    "tail",
    "times",
    "title",
]


def enable() -> None:
    """Has a kernel show charts and frames in the report's look."""
    page.enable()
    frames.enable()
