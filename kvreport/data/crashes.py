"""What was found after crashes, data/runs/<run>/crashes.json, read back."""

from pathlib import Path

from kvreport.base import paths
from kvreport.base.errors import UserError
from kvreport.data import runs
from kvreport.data.extra_measurements import read_sidecar

# the kinds of crashes: the process is killed, the power fails, the device fails, the disk is full
KILL, POWER, FAULT, FULL = KINDS = "kill", "power", "fault", "full"
# values of `sync` that ask to survive a kind of crash, each the tier that its vendor may promise
ASKED = {KILL: {"os": "process", "on": "commit"}, POWER: {"on": "commit"}}
ASKED |= {FAULT: ASKED[POWER], FULL: ASKED[KILL]}
BATCH = 10  # entries of a transaction, unless a record says another number


def file(run: str) -> Path:
    """Return where a run's crashes are."""
    return paths.RUNS / run / "crashes.json"


def read_crashes(run: str) -> dict | None:
    """Return what was found: `subjects`, one for each store and tier, as
    data/schema/crashes.schema.json has them; None where nothing was tried. Raises UserError for a
    damaged file.
    """
    return read_sidecar(file(run), "crashes", "`kvreport crash` tries again")


def begun(run: str) -> dict:
    """Return what was found in a run, to be added to; nothing yet where nothing was tried. Raises
    as `read` does.
    """
    return read_crashes(run) or {"format": 1, "subjects": []}


def lost_something(group: dict) -> bool:
    """Return whether something acknowledged was missing, or wrong, in tries that ended alike."""
    failed = group["failed"] and group.get("committed", True)
    return bool(failed or group["any_lost"] or group["any_holes"] or group["any_wrong"])


def shown_crashes() -> str | None:
    """The run whose crashes the report shows; None where in none of its runs any were tried."""
    try:
        drawn_on = runs.shown_runs(runs.selected_run())
    except UserError:  # nothing is measured
        return None
    return next((run for run in drawn_on if file(run).exists()), None)
