"""What a notebook has as `import kvreport as kv`: frames, their comparison, charts and sentences.

- `results`, `latencies`, `space`, `crashes`: what was measured; `published`: what the sources
  print; all are tidy pandas frames, and `columns` says what is in them
- `compare`: from rows of trials to a row a store, with intervals and verdicts; `change`: each store
  against itself; `claim`: a statement with its verdict
- `dots`, `lines`, `tail`, `heat`, `dumbbells`: charts of such frames, which are Altair charts and
  nothing more; `title`: their title in lines that fit
- `finding`, `sentence`: text, whatever is in the data; `ns`, `number`, `times`, `join`, `count`:
  numbers and names in it; `first`: the first row of a frame, though it be empty; `md`: Markdown;
  `provenance`: where a section's figures come from

On a page of the report, and in JupyterLab, every Altair chart and every frame that a cell returns
is shown in the report's look, also one that owes nothing to these functions.
"""

from kvreport.analysis.crashes import frame as crashes
from kvreport.analysis.ranking import change, compare
from kvreport.analysis.tails import latencies
from kvreport.base.text import count, number
from kvreport.base.text import duration as ns
from kvreport.charts import frames, page
from kvreport.charts.claim import claim
from kvreport.charts.dots import dots
from kvreport.charts.dumbbells import dumbbells
from kvreport.charts.heat import heat
from kvreport.charts.lines import lines, tail
from kvreport.charts.sentences import (
    finding,
    first,
    join,
    md,
    provenance,
    sentence,
    times,
)
from kvreport.charts.titles import title
from kvreport.data.frames import columns, published, results, space

__all__ = [
    "change",
    "claim",
    "columns",
    "compare",
    "count",
    "crashes",
    "dots",
    "dumbbells",
    "finding",
    "first",
    "heat",
    "join",
    "latencies",
    "lines",
    "md",
    "ns",
    "number",
    "provenance",
    "published",
    "results",
    "sentence",
    "space",
    "tail",
    "times",
    "title",
]


def enable() -> None:
    """Has a kernel show charts and frames in the report's look."""
    page.enable()
    frames.enable()
