"""One crash again, by its seed: for who doubts a verdict, or files a bug with it."""

from kvreport.base.terminal import Terminal
from kvreport.base.text import count
from kvreport.crash.isolation import Stopped
from kvreport.crash.record import ending
from kvreport.crash.selection import Wanted
from kvreport.data import crashes
from kvreport.toolchain.availability import NA

console = Terminal()
MISSING = {  # of kv.crash.Found: what a number counts
    "lost": "acknowledged transaction is not whole",
    "holes": "transaction is missing before others that are there",
    "torn": "transaction is there in part",
    "wrong": "entry is none that was written",
}


def replay_seed(wanted: list[Wanted], seed: int) -> list[str]:
    """Makes the try of a seed for each store, tier and kind, and tells what is left. Returns a
    complaint for each that ended otherwise than with all that was acknowledged.
    """
    complaints = []
    for each in wanted:
        title = f"{each.store['name']}, sync {each.sync or 'as it is'}, {each.kind}, seed {seed}"
        if missing := each.store.get("missing"):
            console.print(f"{title}: {NA}{missing}", markup=False)
            continue
        try:
            found = each.one(seed)
        except Stopped as problem:
            complaints.append(f"{title}: it cannot be tried: {problem}")
            continue
        said = what_is_left(found)
        console.print(f"{title}: {said}", markup=False)
        if crashes.lost_something(ending(found)):
            complaints.append(f"{title}: not all that was acknowledged is there.")
    return complaints


def what_is_left(found: dict) -> str:
    """Return what was found, for people."""
    acknowledged = count(found["acknowledged"], "transaction")
    begun = f"{acknowledged} acknowledged; "
    begun += "after its recovery call " if found["recovered"] else ""
    if found["failed"]:
        return f"{begun}it fails ({found['failed']}): {found['reason']}"
    parts = [f"{found[name]} × {what}" for name, what in MISSING.items() if found[name]]
    example = f" (as {found['example']})" if found["example"] else ""
    return begun + ("; ".join(parts) + example if parts else "all of them are there")
