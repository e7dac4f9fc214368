"""What a commit survives, in words."""

from kvreport.data.facts import SURVIVED

# values of kv.store.Setting.SYNC, kv.store.Sync's tiers
TIERS = dict(zip(("off", "os", "on"), SURVIVED.values()))
