"""How long trials take, and so how much of a launch's time is left."""

import statistics
import tomllib
from dataclasses import dataclass, field
from functools import cache

from kvreport.base import paths
from kvreport.measure.trial import Trial


@dataclass
class Lengths:
    """How long trials take, with their kernels' start: what they took here or, where none was made,
    what they take elsewhere (paths.TRIAL_SECONDS), times how much longer others took here.
    """

    took: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    start: float = 3.0  # seconds of a kernel, which no record has

    def add(self, recorded: list[dict], seconds: float | None = None) -> None:
        """Trials that were made, in so many seconds together where that is known."""
        inside = sum(record["seconds"] for record in recorded)
        if seconds is not None and recorded:
            self.start = max(0.0, seconds - inside) / len(recorded)
        for record in recorded:
            own = self.took.setdefault((record["section"], record["store"]["id"]), [])
            own.append(record["seconds"] + self.start)

    def seconds(self, trial: Trial) -> float:
        """The time that a trial is likely to take."""
        own = self.took.get((trial.plan.section, trial.id))
        return statistics.median(own) if own else self._guess(trial)

    def _guess(self, trial: Trial) -> float:
        known = guesses(trial.plan.profile)
        here, there = 0.0, 0.0
        for (section, _), seconds in self.took.items():
            if section in known:
                here, there = here + statistics.median(seconds), there + known[section]
        usual = known.get(trial.plan.section, statistics.median(known.values()) if known else 10)
        return usual * (here / there if there else 1)


@cache
def guesses(profile: str) -> dict[str, float]:
    """Seconds of a trial by section, as paths.TRIAL_SECONDS has them; none of smoke."""
    return tomllib.loads(paths.TRIAL_SECONDS.read_text()).get(profile, {})


def duration(seconds: float) -> str:
    """Seconds in words: 89 s, 2 min."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
