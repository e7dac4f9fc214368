"""The stores' colours in figures: a hue for each kind of store, and shades within it, so that a
page says at a glance what is a tree and what is a hash table; names tell the stores of a kind
apart.

The hues are those that are furthest apart to people with any of the common deficiencies of colour
vision, of the colours that are dark enough for light pages and light enough for dark ones
(tests/test_palette.py has the measure).
"""

TREE, LSM, HASH, LOG, GREY = "tree", "LSM tree", "hash table", "log-structured tree", "control"
HUES = {  # shades of a kind
    TREE: ("#1358ee", "#276ef8"),
    LSM: ("#e2541d", "#c85421"),
    HASH: ("#0f976f", "#57937d"),
    LOG: ("#d365cf", "#b774bf"),
    GREY: ("#6b7280", "#7d8591"),
}
SHADES = {
    "LmdbJavaBb": (TREE, 0),
    "LmdbJavaDb": (TREE, 0),
    "LmdbJavaSafe": (TREE, 0),
    "LmdbJni": (TREE, 0),
    "LwjglLmdb": (TREE, 0),
    "LwjglLmdb1": (TREE, 1),
    "MapDb": (TREE, 1),
    "MvStore": (TREE, 1),
    "H2MvStore": (TREE, 1),
    "Sqlite": (TREE, 1),
    "TkrzwTree": (TREE, 1),
    "TreeDb": (TREE, 1),
    "RocksDb": (LSM, 0),
    "LevelDbJni": (LSM, 1),
    "LevelDbJava": (LSM, 1),
    "ChronicleMap": (HASH, 0),
    "ChronicleMap1": (HASH, 0),
    "TkrzwHash": (HASH, 1),
    "Sparkey": (HASH, 1),
    "Xodus": (LOG, 0),
    "BerkeleyDb": (LOG, 1),
}
IN_WORDS = "Blue: trees in pages; orange: LSM trees; green: hash tables; pink: log-structured trees"


def colour(store: str, own: str) -> str:
    """The colour of a store, by its id, as "#rrggbb"; its own where the report has none for it, as
    for one that a reader added.
    """
    if store not in SHADES:
        return own
    kind, shade = SHADES[store]
    return HUES[kind][shade]
