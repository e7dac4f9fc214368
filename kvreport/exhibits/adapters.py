"""The stores that ran: their versions, their options, and how each is used."""

from IPython.display import Markdown

from kvreport.base.text import join_words
from kvreport.data.cases import CONTROL, WORKLOADS
from kvreport.exhibits.chapter import Chapter
from kvreport.exhibits.tables import MISSING, nothing, table

SHOWN_DIGITS = 12  # of a jar's SHA-256; the trial records have it whole


def _shown(chapter: Chapter) -> dict[str, dict]:
    """What the stores and the limit say of themselves; controls measure the harness."""
    return {store: told for store, told in chapter.stores.items() if told["family"] != CONTROL}


def versions(chapter: Chapter) -> Markdown:
    """Every store's library, engine and jar."""
    if not chapter.trials:
        return nothing(chapter)
    rows = []
    jars = {trial["store"]["id"]: trial["jars"] for trial in chapter.trials if trial["jars"]}
    for store, told in _shown(chapter).items():
        artifact = f"{told['library'].rpartition(':')[2]}-{told['version']}.jar"
        digest = next(
            (
                jar["sha256"][:SHOWN_DIGITS]
                for jar in jars.get(store, [])
                if told["library"] and jar["name"] == artifact
            ),
            MISSING,
        )
        library = f"`{told['library']}:{told['version']}`" if told["library"] else MISSING
        rows.append([told["name"], told["family"], library, told["engine"] or MISSING, digest])
    return table(["store", "kind", "library", "engine", "SHA-256 of its jar"], rows)


def options(chapter: Chapter) -> Markdown:
    """Every option of every store, with the vendor's documentation."""
    if not chapter.trials:
        return nothing(chapter)
    rows = [
        [
            told["name"] if i == 0 else "",
            f"[{option['name']}]({option['link']})",
            option["value"],
            option["why"],
        ]
        for told in _shown(chapter).values()
        for i, option in enumerate(told["options"])
    ]
    return table(["store", "option", "value", "why"], rows)


def settings(chapter: Chapter) -> Markdown:
    """What a case can change of each store's own options."""
    if not chapter.trials:
        return nothing(chapter)
    rows = [
        [told["name"] if i == 0 else "", setting, what]
        for told in _shown(chapter).values()
        for i, (setting, what) in enumerate(
            [
                *told["settings"].items(),
                *((f"{value} only", why) for value, why in told.get("fixed", {}).items()),
            ]
        )
    ]
    return table(["store", "setting", "what it changes"], rows or [[MISSING] * 3])


def adapters(chapter: Chapter) -> str:
    """How each store is used, in a sentence, and what it cannot do."""
    lines = []
    for told in _shown(chapter).values():
        cannot = {}
        for workload, reason in told["unsupported"].items():
            cannot.setdefault(reason, []).append(workload)
        lines.append(
            f"- **{told['name']}**: {told['about']}."
            + "".join(
                f" Not {join_words(sorted(workloads, key=WORKLOADS.index), 'or')}: {reason}."
                for reason, workloads in cannot.items()
            )
        )
    return "\n".join(lines)
