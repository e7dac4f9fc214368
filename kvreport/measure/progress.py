"""Says how far a launch has come: a bar on a terminal, else a line for each trial."""

import time
from collections.abc import Callable

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Column

from kvreport.base.terminal import Terminal
from kvreport.base.text import visible
from kvreport.measure.trial import Trial
from kvreport.measure.trial_seconds import Lengths, duration


class Progress:
    """Trials done and to do, time left, and the line that the kernel printed last."""

    def __init__(
        self,
        console: Terminal,
        recorded: list[dict],
        queue: list[Trial],
        in_all: Callable[[], str] = lambda: "",
    ):
        """`recorded` are the records there are already; `queue` the trials to come; `in_all` says
        what is left of all that the launch does.
        """
        self.in_all, self.console, self.queue = in_all, console, list(queue)
        self.done, self.total = len(recorded), len(recorded) + len(queue)
        self.lengths, self.began = Lengths(), time.monotonic()
        self.lengths.add(recorded)
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

    def begin(self) -> None:
        """The next trial begins."""
        self.title = f"{self.queue[0].name}, trial {self.queue[0].number}"
        self.began = time.monotonic()
        self.report_progress("starting the kernel")

    def report_progress(self, line: str) -> None:
        """The kernel printed a line."""
        self.bar.update(self.task, description=visible(f"{self.title}: {line}"), left=self.left())

    def end(self, record: dict) -> None:
        """The trial is recorded."""
        seconds, self.began = time.monotonic() - self.began, time.monotonic()
        self.queue.pop(0)
        self.lengths.add([record], seconds)
        self.done += 1
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
        """The time that the trials to come are likely to take, in words."""
        if not self.queue:
            return "done"
        now, *later = map(self.lengths.seconds, self.queue)
        left = duration(max(0, now - (time.monotonic() - self.began)) + sum(later))
        return f"about {left} left{self.in_all()}"
