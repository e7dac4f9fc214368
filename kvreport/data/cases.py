"""A case: the properties in which the data sets of a section differ."""

from typing import NamedTuple

# families that are no stores: what everything is measured against, and what measures the harness
BASELINE, CONTROL = "limit", "control"
WRITE_ONCE = "constant database"  # a family: what is put shows when all of it is made anew
NO_STORE, ACCESS_PATH = "no store", "side"  # nor these: a plain map, another way to a store
NO_STORES = (BASELINE, CONTROL, NO_STORE)
# the sources' own, in their order; kv.workloads has all that can be measured, and records say
# which ones were
WORKLOADS = ("write", "readKey", "readSeq", "readRev", "readCrc", "readXxh64")
DOES = {  # what a workload does, for readers
    "write": "load, put by put",
    "bulkLoad": "load in key order",
    "readKey": "get, value not read",
    "readKeyWritten": "get in order of writing",
    "readKeyXxh64": "get, value hashed",
    "readSeq": "scan, values not read",
    "readRev": "scan backwards",
    "readCrc": "scan, CRC32 of values",
    "readXxh64": "scan, values hashed",
    "readRange": "range from anywhere",
    "readRangeBack": "range backwards",
    "readFloor": "last at or before a key",
    "readMiss": "get of what is not there",
    "multiGet": "several gets in one call",
    "churn": "delete half, write it again",
    "expire": "delete the oldest, write new ones",
    "compact": "the vendor's compaction",
}
KEY_BYTES = {"int": 4, "string": 16}


class Case(NamedTuple):
    """
    keys         "int" (4 bytes) or "string" (16 bytes)
    order        of writing: "sequential", "random" (distinct numbers of 31 bits) or "dense" (the
                 numbers from 0, shuffled); before harness 13 "random" was dense
    value_bytes  of every value
    settings     what the case changes of the stores' own options, as "sync=on, writeMap=off"; ""
                 for nothing
    content      of values: "random" bytes, or "half": such that a compressor can halve them
    """

    keys: str
    order: str
    value_bytes: int = 100
    settings: str = ""
    content: str = "random"

    def __str__(self) -> str:
        values = "" if self.value_bytes == 100 else f", {self.value_bytes:,}-byte values"
        named = [
            each
            for each in self.settings.split(", ")
            if each and (self.content != "half" or each not in PAGE_SETTINGS)
        ]
        return ", ".join([f"{self.keys} keys in {self.order} order{values}", *named])

    @property
    def rate(self) -> int:
        """Operations a second at which those of an open loop were due; 0 where it has none."""
        name, _, rate = self.settings.partition("=")
        return int(rate) if name == "rate" else 0

    @property
    def key_bytes(self) -> int:
        return KEY_BYTES[self.keys]

    @property
    def flat(self) -> int:
        """Bytes of key and value: an entry of the flat array."""
        return self.key_bytes + self.value_bytes


PAGE = {
    "sync": "os",
    "batch": "1",
    "compression": "default",
    "memory": "4",
}  # the baseline of the LevelDB page (C01 to C04)
PAGE_SETTINGS = [f"{name}={value}" for name, value in PAGE.items()]  # which goes without saying


def on_page(order: str, value_bytes: int = 100, **changes: str) -> Case:
    """A case of the LevelDB page: its baseline, with settings changed."""
    return Case(
        "string",
        order,
        value_bytes,
        ", ".join(f"{name}={value}" for name, value in (PAGE | changes).items()),
        "half",
    )


CASES = (
    Case("int", "sequential"),
    Case("string", "sequential"),
    Case("int", "random"),
    Case("string", "random"),
)  # Test 4, in the sources' order
