"""Says how far a launch has come: a bar on a terminal, else a line for each trial."""

import statistics
import time
from collections.abc import Callable

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Column

from kvreport.base.terminal import Terminal
from kvreport.base.text import visible


class Progress:
    """Trials done and to do, time left, and the line that the kernel printed last.

    Time left is estimated from what trials of the same store have taken, in this launch or an
    earlier one of the run; for a store that has none yet, from the mean of the others.
    """

    def __init__(
        self,
        console: Terminal,
        recorded: list[dict],
        queue: list[str],
        in_all: Callable[[], str] = lambda: "",
    ):
        """`recorded` are the records there are already; `queue` the ids of the stores to come, one
        a trial; `in_all` says what is left of all that the launch does.
        """
        self.in_all = in_all
        self.console, self.queue, self.done = console, list(queue), len(recorded)
        self.total = self.done + len(queue)
        self.took: dict[str, list[float]] = {}
        self.began = time.monotonic()
        for record in recorded:
            self.took.setdefault(record["store"]["id"], []).append(record["seconds"])
        rest = Column(ratio=1, no_wrap=True, overflow="ellipsis")
        self.bar = Bar(
            BarColumn(12),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.description}", markup=False, table_column=rest),
            expand=True,
            console=console,
            disable=not console.is_terminal,
        )

    def __enter__(self):
        self.bar.start()
        self.task = self.bar.add_task("", total=self.total, completed=self.done, left=self.left())
        return self

    def __exit__(self, *_):
        self.bar.stop()

    def begin(self, name: str, trial: int) -> None:
        """A trial of that store begins."""
        self.title, self.began = f"{name}, trial {trial}", time.monotonic()
        self.report_progress("starting the kernel")

    def report_progress(self, line: str) -> None:
        """The kernel printed a line."""
        self.bar.update(self.task, description=visible(f"{self.title}: {line}"), left=self.left())

    def end(self, record: dict) -> None:
        """The trial is recorded."""
        store, seconds = self.queue.pop(0), time.monotonic() - self.began
        self.took.setdefault(store, []).append(seconds)
        self.done, self.began = self.done + 1, time.monotonic()
        self.bar.update(self.task, completed=self.done, left=self.left())
        if record["status"] == "failed":
            self.console.print(f"{self.title} failed: {record['reason']}", style="yellow")
        if not self.console.is_terminal:
            self.console.print(
                f"{self.done}/{self.total}  {self.title}: {seconds:.0f} s; {self.left()}"
            )

    def skip(self) -> None:
        """The trial that comes next is not made after all."""
        self.queue.pop(0)
        self.total -= 1
        self.bar.update(self.task, total=self.total, left=self.left())

    def left(self) -> str:
        if not self.queue:
            return "done"
        if not self.took:
            return "time left: ?"
        typical = {store: statistics.median(seconds) for store, seconds in self.took.items()}
        mean = statistics.mean(typical.values())
        now, *later = [typical.get(store, mean) for store in self.queue]
        left = duration(max(0, now - (time.monotonic() - self.began)) + sum(later))
        return f"about {left} left{self.in_all()}"


def duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
