"""The stores' colours in figures: a hue for each kind of store, and shades within it, so that a
page says at a glance what is a tree and what is a hash table; names tell the stores of a kind
apart.

The hues are those that are furthest apart to people with any of the common deficiencies of colour
vision, of the colours that are dark enough for light pages and light enough for dark ones
(tests/test_palette.py has the measure).
"""

from kvreport.data.cases import ACCESS_PATH

TREE, LSM, HASH, LOG, GREY = "tree", "LSM tree", "hash table", "log-structured tree", "control"
HUES = {  # shades of a kind
    TREE: ("#1358ee", "#276ef8"),
    LSM: ("#e2541d", "#c85421"),
    HASH: ("#0f976f", "#57937d"),
    LOG: ("#d365cf", "#b774bf"),
    GREY: ("#6b7280", "#7d8591"),
}
KINDS = {  # of the families that stores say they are of (kv.store.StoreDescriptor)
    "B+ tree": TREE,
    "LSM tree": LSM,
    "hash table": HASH,
    "constant database": HASH,
    "log-structured tree": LOG,
}
ENGINES = {
    "LMDB": TREE,
    "Chronicle": HASH,
}  # that several ways lead to, whose family is ACCESS_PATH
FIRST = (  # stores in the first shade of their kind; others are in the second
    *("LmdbJavaBb", "LmdbJavaDb", "LmdbJavaSafe", "LmdbJni", "LwjglLmdb"),
    *("RocksDb", "ChronicleMap", "ChronicleMap1", "Xodus"),
)
IN_WORDS = "Blue: trees in pages; orange: LSM trees; green: hash tables; pink: log-structured trees"


def colour(store: str, own: str, family: str = "", engine: str = "") -> str:
    """The colour of a store, by its id, as "#rrggbb".

    own     what it has where the report has no colour for its family, as for a plain map
    family  what it says it is, which decides the hue;  engine: of its record, with its version,
            which does so for another way to one
    """
    kind = KINDS.get(family)
    if family == ACCESS_PATH:
        kind = ENGINES.get(engine.split(" ")[0])
    return HUES[kind][0 if store in FIRST else 1] if kind else own
