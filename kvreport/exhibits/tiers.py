"""What a commit survives, in words."""

from kvreport.data.cases import Case

SURVIVED = {  # by the tiers of the stores' facts
    "none": "nothing",
    "process": "the end of the process",
    "commit": "a power cut",
    "group": "a power cut, several threads together",
}
# values of kv.store.Setting.SYNC, kv.store.Sync's tiers
TIERS = dict(zip(("off", "os", "on"), SURVIVED.values()))
SYNC = "sync="


def survives(case: Case) -> str:
    """What a commit of a case survives, in words."""
    asked = [each.removeprefix(SYNC) for each in case.settings.split(", ") if each.startswith(SYNC)]
    return TIERS[asked[0] if asked else "off"]
