"""The stores that ran: their versions, their options, and how each is used."""

from IPython.display import Markdown

from kvreport.base.markdown import code, link
from kvreport.charts.chapter import Chapter
from kvreport.charts.tables import MISSING, table
from kvreport.data.cases import BASELINE, CONTROL, WORKLOADS
from kvreport.exhibits.tables import nothing

SHOWN_DIGITS = 12  # of a jar's SHA-256; the trial records have it whole


def _shown(chapter: Chapter) -> dict[str, dict]:
    """What the stores and the flat file say of themselves; controls measure the harness."""
    return {store: each for store, each in chapter.stores.items() if each["family"] != CONTROL}


def versions(chapter: Chapter) -> Markdown:
    """Every store's library, engine and jar."""
    if not chapter.trials:
        return nothing(chapter)
    rows = []
    jars = {trial["store"]["id"]: trial["jars"] for trial in chapter.trials if trial["jars"]}
    for id, store in _shown(chapter).items():
        library, version = store["library"], store["version"]
        artifact = f"{library.rpartition(':')[2]}-{version}.jar"
        digest = next(
            (jar["sha256"] for jar in jars.get(id, []) if library and jar["name"] == artifact),
            MISSING,
        )
        rows.append(
            [
                store["name"],
                "baseline" if store["family"] == BASELINE else store["family"],
                code(f"{library}:{version}") if library else MISSING,
                store["engine"] or MISSING,
                digest[:SHOWN_DIGITS],
            ]
        )
    return table(["store", "family", "library", "engine", "SHA-256 of its jar"], rows)


def options(chapter: Chapter) -> Markdown:
    """Every option of every store, with the vendor's documentation."""
    if not chapter.trials:
        return nothing(chapter)
    rows = [
        [
            store["name"] if i == 0 else "",
            link(option["name"], option["link"]),
            option["value"],
            option["why"],
        ]
        for store in _shown(chapter).values()
        for i, option in enumerate(store["options"])
    ]
    return table(["store", "option", "value", "why"], rows)


def settings(chapter: Chapter) -> Markdown:
    """What a case can change of each store's own options."""
    if not chapter.trials:
        return nothing(chapter)
    rows = [
        [store["name"] if i == 0 else "", setting, what]
        for store in _shown(chapter).values()
        for i, (setting, what) in enumerate(
            [
                *store["settings"].items(),
                *((f"{value} only", why) for value, why in store.get("fixed", {}).items()),
            ]
        )
    ]
    return table(["store", "setting", "what it changes"], rows or [[MISSING] * 3])


def usage(chapter: Chapter) -> list[dict]:
    """How each store is used, in its own words: name, about; unsupported: the workloads that it
    cannot do, by the reason.
    """
    found = []
    for store in _shown(chapter).values():
        unsupported: dict[str, list[str]] = {}
        for workload in sorted(store["unsupported"], key=WORKLOADS.index):
            unsupported.setdefault(store["unsupported"][workload], []).append(workload)
        found.append({"name": store["name"], "about": store["about"], "unsupported": unsupported})
    return found
