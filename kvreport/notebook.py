"""What a notebook has as `import kvreport as kv`: frames, their comparison, charts and sentences.

- `results`, `latencies`, `space`, `crashes`, `commits`, `reopenings`: what was measured;
  `published`: what the sources print; `facts`: what vendors say; all are tidy pandas frames, and
  `columns` says what is in `results`
- `machine`: what a section was measured on; `machines`: every run's; `trials`: a row each, with its
  store; `settings`: what cases vary of each; `records`: as they were written; `rounds`: of
  deletes and writes, with the space after each; `syscalls`, `filesystems`: calls that wait for the
  device, and synchronous writes by file system
- `compare`: from rows of trials to a row a store, with intervals and verdicts; `change`: each store
  against itself; `best`, `alone`: who is named; `printed`, `beside`: what a section's source
  measured, by itself and as a column
- `answers`: the engines ranked at each need of the first page; `agreement`: of two machines there;
  `own_machine`: whether the report is about the reader's; `chooser`: what a mix of operations costs
- `since`: this report against the newest published version that is of other measurements
- `facts`, `excerpts`: what is known of each store, and its code
- `twice`, `crosscheck`, `simulate`: how far the measuring can be believed; `mean`: of ratios
- `resources`: what rows took besides time; `settled`: whether times had settled
- `claim`: a source's statement with its rule; `verdicts`: what statements come to, in the source's
  own figures and here; `score`, `evidence`: in a sentence, and on what rows; `within`: bounds
- `dots`, `lines`, `tail`, `heat`, `dumbbells`: charts of such frames, which are Altair charts and
  nothing more; `title`: their title in lines that fit; `table`: a frame that is never folded
- `finding`, `sentence`: text, whatever is in the data; `ns`, `number`, `times`, `join`, `count`:
  numbers and names in it; `first`: the first row of a frame, though it be empty; `md`: Markdown;
  `escape`: data as text in it; `link`: a name that leads to an address, also in a frame;
  `provenance`: where a section's figures come from

On a page of the report, and in JupyterLab, every Altair chart and every frame that a cell returns
is shown in the report's look, also one that owes nothing to these functions.
"""

from kvreport.analysis.answers import agreement as agreement
from kvreport.analysis.answers import answers as answers
from kvreport.analysis.claims import Claim
from kvreport.analysis.claims import verdicts as verdicts
from kvreport.analysis.compare import since as since
from kvreport.analysis.costs import resources as resources
from kvreport.analysis.crashes import frame
from kvreport.analysis.crosscheck import crosscheck as crosscheck
from kvreport.analysis.crosscheck import mean as mean
from kvreport.analysis.evidence import within as within
from kvreport.analysis.latency import latencies as latencies
from kvreport.analysis.measured import own_machine as own_machine
from kvreport.analysis.noise import twice as twice
from kvreport.analysis.ranking import alone as alone
from kvreport.analysis.ranking import best as best
from kvreport.analysis.ranking import change as change
from kvreport.analysis.ranking import compare as compare
from kvreport.analysis.ranking import engines as engines
from kvreport.analysis.simulation import simulate as simulate
from kvreport.analysis.steady import settled as settled
from kvreport.base.markdown import escape as escape
from kvreport.base.markdown import link as link
from kvreport.base.text import count as count
from kvreport.base.text import duration
from kvreport.base.text import number as number
from kvreport.charts import frames, page
from kvreport.charts.chooser import choices
from kvreport.charts.dots import dots as dots
from kvreport.charts.dumbbells import dumbbells as dumbbells
from kvreport.charts.frames import whole
from kvreport.charts.heat import heat as heat
from kvreport.charts.lines import lines as lines
from kvreport.charts.sentences import finding as finding
from kvreport.charts.sentences import first as first
from kvreport.charts.sentences import join as join
from kvreport.charts.sentences import md as md
from kvreport.charts.sentences import provenance as provenance
from kvreport.charts.sentences import sentence as sentence
from kvreport.charts.sentences import times as times
from kvreport.charts.tail import tail as tail
from kvreport.charts.titles import title as title
from kvreport.charts.verdicts import evidence as evidence
from kvreport.charts.verdicts import score as score
from kvreport.data import facts as known
from kvreport.data.cases import DOES as DOES
from kvreport.data.commits import commits as commits
from kvreport.data.commits import reopenings as reopenings
from kvreport.data.excerpts import excerpts as excerpts
from kvreport.data.frames import beside as beside
from kvreport.data.frames import columns as columns
from kvreport.data.frames import in_full as in_full
from kvreport.data.frames import printed as printed
from kvreport.data.frames import published as published
from kvreport.data.frames import results as results
from kvreport.data.frames import space as space
from kvreport.data.recorded import filesystems as filesystems
from kvreport.data.recorded import machine as machine
from kvreport.data.recorded import machines as machines
from kvreport.data.recorded import records as records
from kvreport.data.recorded import rounds as rounds
from kvreport.data.recorded import settings as settings
from kvreport.data.recorded import syscalls as syscalls
from kvreport.data.recorded import trials as trials

chooser, claim, crashes, facts, ns = choices, Claim, frame, known.frame, duration
table = whole


def enable() -> None:
    """Has a kernel show charts and frames in the report's look."""
    page.enable()
    frames.enable()
