"""From a question to its page: measured in rounds as long as there is time, then rendered."""

import os
from pathlib import Path

from kvreport.analysis import ranking
from kvreport.analysis.summary import named_best
from kvreport.base import paths
from kvreport.base.terminal import echo
from kvreport.data import frames
from kvreport.measure.budget import measuring_ends
from kvreport.measure.launcher import measure
from kvreport.measure.outcome import Outcome
from kvreport.measure.schedule import Request
from kvreport.own.question import Question, read_question
from kvreport.own.sources import write_book, write_measure_notebook
from kvreport.render.engines import render

WORKLOAD = "ownMix"
PAGES = paths.REPORT / "own"


def answer(file: Path, known: dict, stores: list[str] | None, host: str | None) -> Outcome:
    """Measures what a TOML asks and renders report/own/<its name>/; what an earlier call has
    measured stands, as long as the question is the same.

    known   the catalogue;  stores  ids, where the user names some beside the question

    Raises UserError.
    """
    question = read_question(file)
    keep_apart(question)
    section = write_measure_notebook(question)
    ends = measuring_ends(question["minutes"])
    request = Request(so_far=lambda _: so_far(section.id), ends=ends)
    outcome = measure(
        known,
        section,
        stores=stores or question.stores_of(known),
        host=host,
        request=request,
    )
    root = write_book(question, section)
    render(root=root, output=PAGES / question.name)
    if said := so_far(section.id):
        echo(f"{question['question']} {said}.")
    return outcome


def keep_apart(question: Question) -> None:
    """Has what is measured for a question lie in a folder of its own, from which no chapter of the
    report takes anything; in the kernels that render it, too.
    """
    paths.RUNS = paths.RUNS / "own" / question.name
    os.environ["KVREPORT_RUNS"] = str(paths.RUNS)


def so_far(section: str) -> str:
    """Return what is known by now, in a line; nothing yet of single trials."""
    rows = frames.results(section)
    found = ranking.compare(rows[rows["workload"] == WORKLOAD])
    if found.empty or found["verdict"].iloc[0] == ranking.SINGLE:
        return ""
    return named_best(found) or "too noisy to say which is best"
