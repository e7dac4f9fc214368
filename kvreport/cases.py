"""A case: what tells the data sets of a section apart."""

from typing import NamedTuple


class Case(NamedTuple):
    """
    keys         "int" (4 bytes) or "string" (16 bytes)
    order        of writing and of reading by key: "sequential" or "random"
    value_bytes  of every value
    settings     what the case changes of the stores' own options, as "sync=on, writeMap=off"; "" for nothing
    """

    keys: str
    order: str
    value_bytes: int = 100
    settings: str = ""

    def __str__(self) -> str:
        values = "" if self.value_bytes == 100 else f", {self.value_bytes:,}-byte values"
        return f"{self.keys} keys in {self.order} order{values}" + (f", {self.settings}" if self.settings else "")

    @property
    def key_bytes(self) -> int:
        return {"int": 4, "string": 16}[self.keys]

    @property
    def flat(self) -> int:
        """Bytes of key and value: an entry of the flat array."""
        return self.key_bytes + self.value_bytes


CASES = (Case("int", "sequential"), Case("string", "sequential"), Case("int", "random"), Case("string", "random"))  # Test 4, in the sources' order
