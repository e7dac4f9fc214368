"""What a commit survives, in words."""

SURVIVED = {  # by the tiers of the stores' facts
    "none": "nothing",
    "process": "the end of the process",
    "commit": "a power cut",
    "group": "a power cut, several threads together",
}
# values of kv.store.Setting.SYNC, kv.store.Sync's tiers
TIERS = dict(zip(("off", "os", "on"), SURVIVED.values()))
