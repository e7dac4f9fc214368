"""The exhibits of Tests 1, 2, 3, 5 and 6 that are more than a case's panels: what is drawn, and the tables beside it."""

from collections import Counter
from math import nan

import pandas as pd
from IPython.display import Markdown

from kvreport import prose, published, stats, syscalls
from kvreport.cases import Case
from kvreport.chapter import Chapter, of_case
from kvreport.charts import Figure, placeholder, ranked
from kvreport.curves import Curves, Pairs, curves, pairs
from kvreport.published import JULY
from kvreport.tables import MISSING, STATUS, interval, nothing, table
from kvreport.text import listing, number

NEAR = 2  # percent: what a size may differ from the one published
NO_CHANGE = "no difference found"


# Test 1: settings


def setting(chapter: Chapter, id: str, before: Case, after: Case, words: tuple[str, str], exhibit: str = "") -> Figure:
    """A01 to A04: each binding's load in two cases; `words` say what the hollow and the full circle stand for."""
    exhibit = exhibit or id.upper()
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    rows = changed(chapter, before, after)
    found = {outcome: list(group["name"]) for outcome, group in rows.groupby("outcome")}
    told = [f"{words[1]} {verb} with {'every binding' if len(found[outcome]) == len(rows) else listing(sorted(found[outcome]))}"
            for outcome, verb in (("greater", "takes longer"), ("less", "is faster")) if outcome in found]
    title = "; ".join(told) or f"{words[1]}: {NO_CHANGE}"
    title = title[0].upper() + title[1:]
    return pairs(id, [Pairs(f"write · hollow: {words[0]}, full: {words[1]}", rows, "ns/entry")], title,
                 f"{chapter.provenance(exhibit, before)} · thin line: {stats.interval_name(chapter.trial_count)} · ticks: July 2016, the thicker {words[1]}")


def changed(chapter: Chapter, before: Case, after: Case, workload: str = "write") -> pd.DataFrame:
    """A row for each store that has both cases, in the columns of curves.Pairs; outcome says whether after is less or greater."""
    was, now = ({row["store"]: row for row in chapter.drawn(chapter.case(case)).to_dict("records") if row["workload"] == workload and row["status"] == "ok"}
                for case in (before, after))
    then = published.times(JULY, chapter.test)
    rows = []
    for store in was.keys() & now.keys():
        first, last = was[store], now[store]
        between, outcome = stats.ratio(last["values"], first["values"]), stats.compare(last["values"], first["values"])
        marks = [then[store, case, workload].value if (store, case, workload) in then else nan for case in (before, after)]
        rows.append({"store": store, "name": first["name"], "colour": first["colour"], "outcome": outcome, "ratio": between.value,
                     "change": f"× {number(between.value)}" if outcome != "cannot tell" else NO_CHANGE}
                    | {f"{when}{end}": row[column] for when, row in (("before", first), ("after", last))
                       for end, column in (("", "value"), ("_low", "low"), ("_high", "high"))}
                    | {"mark_before": marks[0], "mark_after": marks[1]})
    return pd.DataFrame(rows, columns=None if rows else ["store", "name", "outcome"])


def settings_table(chapter: Chapter, cases: dict[str, Case]) -> Markdown:
    """The load of every binding in each of some cases: ns an entry, and what was published in July 2016."""
    if not chapter.measured:
        return nothing(chapter)
    then, rows = published.times(JULY, chapter.test), []
    for store, told in chapter.stores.items():
        line = [told["name"]]
        for case in cases.values():
            found = chapter.case(case)
            found = found[(found["store"] == store) & (found["workload"] == "write")].to_dict("records")
            was = then.get((store, case, "write"))
            line += [(number(found[0]["value"]) if found[0]["status"] == "ok" else STATUS[found[0]["status"]]) if found else MISSING,
                     interval(found[0]) if found and found[0]["status"] == "ok" else MISSING, number(was.value) if was else MISSING]
        rows.append(line)
    heads = [head for words in cases for head in (f">{words}, ns/entry", ">95% interval, ns/entry", ">2016, ns/entry")]
    return table(["store", *heads], rows)


def syncs(chapter: Chapter) -> Markdown:
    """The system calls that waited for the device, for each binding and case."""
    told = syscalls.load(chapter.run.name, chapter.section) if chapter.run else {"problem": chapter.missing(), "counts": {}}
    if told["problem"]:
        return table(["no counts"], [[told["problem"]]])
    rows = []
    for store, counted in told["counts"].items():
        for i, case in enumerate(counted["cases"]):
            settings = ", ".join(f"{name}={value}" for name, value in case["settings"].items()) or "no sync (all other tests)"
            calls = listing(f"{number_} × {name}" for name, number_ in case["calls"].items())
            rows.append([chapter.name(store) if i == 0 else "", settings, case["problem"] or calls])
    return table(["store", "settings", "calls that wait for the device, in three loads"], rows)


def syncs_in_short(chapter: Chapter) -> str:
    """Whether every durable case syncs and no other does."""
    told = syscalls.load(chapter.run.name, chapter.section)
    if told["problem"]:
        return f"There is no proof in this run: {told['problem']}."
    cases = [(chapter.name(store), case) for store, counted in told["counts"].items() for case in counted["cases"] if not case["problem"]]
    idle = [name for name, case in cases if case["settings"].get("sync") == "on" and not case["calls"]]
    eager = [name for name, case in cases if case["settings"].get("sync") != "on" and case["calls"]]
    found = [f"{listing(idle)} did not wait at all where it should have" if idle else "every durable load waited for the device",
             f"{listing(dict.fromkeys(eager))} waited although nothing asked for it" if eager else "no other load did"]
    return f"Of {len(cases)} loads watched, {' and '.join(found)} ({told['tool']})."


# Test 2: value sizes


def value_sizes(chapter: Chapter, id: str, sizes: list[int], edition: str = JULY) -> Figure:
    """A05, B01: percent over the flat array against the size of values, which are set side by side."""
    exhibit = id.upper()
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    then, rows = published.sizes(edition, chapter.test), []
    for place, size in enumerate(sizes, 1):
        case = Case("int", "random", size)
        for row in chapter.drawn(chapter.sizes(case)).to_dict("records"):
            was = then.get((row["store"], case))
            if not row["is_limit"]:
                low, high = (100 * (row[end] / row["flat"] - 1) for end in ("low", "high"))
                rows.append({name: row[name] for name in ("store", "name", "colour")} | {
                    "x": place, "value": row["overhead"], "low": low, "high": high, "mark": 100 * (was.value / case.flat - 1) if was else nan})
    frame = pd.DataFrame(rows, columns=["store", "name", "colour", "x", "value", "low", "high", "mark"])
    worst = frame.loc[frame["value"].idxmax()] if frame["value"].notna().any() else None
    title = (f"{worst['name']} takes up to {worst['value']:.0f}% more than a flat array, at {sizes[int(worst['x']) - 1]:,} bytes"
             if worst is not None else "No size could be measured")
    panel = Curves("After close", frame, "bytes of a value", "% over the flat array", {i: f"{size:,}" for i, size in enumerate(sizes, 1)},
                   even=True, level=True)
    return curves(id, [panel], title, f"{chapter.provenance(exhibit)}, int keys in random order · tick: the report of {published.NAMES[edition]}")


def sizes_then_and_now(chapter: Chapter, sizes: list[int], edition: str = JULY) -> Markdown:
    """Bytes an entry for each store and size, ours and the published ones, and how far apart they are."""
    if not chapter.measured:
        return nothing(chapter)
    rows = []
    for row in compared_sizes(chapter, sizes, edition).to_dict("records"):
        rows.append([f"{row['value_bytes']:,}", row["name"], number(row["value"]) or STATUS["failed"], f"{row['overhead']:.2f}" if row["value"] == row["value"] else MISSING,
                     number(row["then"]) or MISSING, f"{row['apart']:+.2f}" if row["apart"] == row["apart"] else MISSING, f"{row['entries']:,}"])
    return table([">value, bytes", "store", ">B/entry", ">over the flat array, %", ">2016, B/entry", ">apart, %", ">entries"], rows)


def compared_sizes(chapter: Chapter, sizes: list[int], edition: str = JULY) -> pd.DataFrame:
    """A row for each size and store: value (bytes an entry), overhead, then, apart (percent of then), entries."""
    then, rows = published.sizes(edition, chapter.test), []
    for size in sizes:
        case = Case("int", "random", size)
        for row in chapter.drawn(chapter.sizes(case)).sort_values("value").to_dict("records"):
            was = then.get((row["store"], case))
            rows.append({name: row[name] for name in ("store", "name", "value", "overhead", "entries")} | {
                "value_bytes": size, "then": was.value if was else nan, "apart": 100 * (row["value"] / was.value - 1) if was else nan})
    return pd.DataFrame(rows, columns=["store", "name", "value", "overhead", "entries", "value_bytes", "then", "apart"])


def nearness(chapter: Chapter, sizes: list[int], edition: str = JULY) -> str:
    """How many of the sizes are those of 2016, and which are not."""
    found = compared_sizes(chapter, sizes, edition).dropna(subset="apart")
    if not len(found):
        return "No size stands beside one of 2016."
    far = found[found["apart"].abs() > NEAR]
    told = "; ".join(f"{row.name_} at {row.value_bytes:,} bytes ({row.apart:+.1f}%)" for row in far.rename(columns={"name": "name_"}).itertuples())
    return (f"Of {len(found)} sizes {len(found) - len(far)} are within {NEAR}% of those of {published.NAMES[edition]}"
            + (f"; not {told}." if told else f"; the furthest is {found['apart'].abs().max():.2f}% away."))


# Test 3: batches


def batches(chapter: Chapter, id: str, load: Case, edition: str) -> Figure:
    """A06, B02: time to load an entry against the share of all entries that a batch holds."""
    exhibit = id.upper()
    if not chapter.measured:
        return placeholder(id, f"{exhibit}: {chapter.missing()}")
    frame = batch_rows(chapter, load, edition)
    good = frame[frame["status"] == "ok"]
    best = good.loc[good.groupby("store")["value"].idxmin()] if len(good) else good
    shares = {share: listing(rows["name"]) for share, rows in best.groupby("x")}
    title = "The least time to load, by share of the entries in a batch: " + "; ".join(f"{names} at {share:g}%" for share, names in shares.items())
    panel = Curves("write", frame, "share of all entries in a batch", "ns/entry", {x: f"{x:g}%" for x in sorted(frame["x"].unique())})
    return curves(id, [panel], title if shares else "No load succeeded", f"{chapter.provenance(exhibit, load._replace(settings='batch=1%'))}, "
                  f"{load.value_bytes:,}-byte values · tick: the report of {published.NAMES[edition]}")


def batch_rows(chapter: Chapter, load: Case, edition: str) -> pd.DataFrame:
    """A row for each store and batch: the columns of curves.Curves, with status, reason, entries, batch (entries), batch_mb."""
    then, rows = published.times(edition, chapter.test), []
    for case in chapter.cases:
        if case._replace(settings="") != load or not case.settings.startswith("batch="):
            continue
        share = float(case.settings.removeprefix("batch=").rstrip("%"))
        for row in chapter.drawn(chapter.case(case)).to_dict("records"):
            was = then.get((row["store"], case, "write"))
            batch = max(1, round(row["entries"] * share / 100))
            rows.append({name: row[name] for name in ("store", "name", "colour", "value", "low", "high", "status", "reason", "entries")}
                        | {"x": share, "mark": was.value if was else nan, "batch": batch, "batch_mb": batch * load.flat / 1e6, "case": case})
    return pd.DataFrame(rows, columns=["store", "name", "colour", "value", "low", "high", "status", "reason", "entries", "x", "mark", "batch",
                                       "batch_mb", "case"])


def batches_table(chapter: Chapter, load: Case, edition: str) -> Markdown:
    """Each store's load with each batch: time, open files, memory, and what was published."""
    if not chapter.measured:
        return nothing(chapter)
    frame, rows = chapter.run.frame[chapter.run.frame["section"] == chapter.section], []
    for row in batch_rows(chapter, load, edition).sort_values(["name", "x"]).to_dict("records"):
        costs = of_case(frame, row["case"])
        costs = costs[(costs["store"] == row["store"]) & (costs["status"] == "ok")]
        good = row["status"] == "ok"
        rows.append([row["name"], f"{row['x']:g}%", f"{row['batch']:,}", number(row["batch_mb"]),
                     number(row["value"]) if good else f"{STATUS[row['status']]}: {row['reason']}", interval(row) if good else MISSING,
                     f"{costs['open_files'].median():.0f}" if good else MISSING, f"{costs['peak_rss_bytes'].median() / 1e6:,.0f}" if good else MISSING,
                     number(row["mark"]) or MISSING])
    return table(["store", ">batch, % of entries", ">batch, entries", ">batch, MB", ">ns/entry", ">95% interval, ns/entry", ">open files",
                  ">peak resident, MB", ">2016, ns/entry"], rows)


# Tests 5 and 6: rankings


def ranking(chapter: Chapter, case: Case, workload: str, then: tuple[str, Case] | None = None) -> Markdown:
    """B04 to B09: implementation, ms a pass, times the fastest. What the trials cannot tell from the fastest is "Fastest", too.

    `then` names the edition and the case whose published times stand beside, per entry as ours.
    """
    if not chapter.measured:
        return nothing(chapter)
    found = chapter.case(case)
    found = found[(found["workload"] == workload) & found["store"].map(chapter.is_store)]
    first = {row["store"] for row in stats.fastest(found)}
    good = found[found["status"] == "ok"].sort_values("value")
    was = published.times(then[0], chapter.test) if then else {}
    rows = []
    for row in good.to_dict("records"):
        old = was.get((row["store"], then[1], workload)) if then else None
        rows.append([chapter.name(row["store"]), number(row["ms"]), number(row["value"]),
                     "Fastest" if row["store"] in first else f"× {number(row['value'] / good['value'].iloc[0])}", number(old.value) if old else MISSING])
    rows += [[chapter.name(row["store"]), STATUS[row["status"]], MISSING, row["reason"], MISSING] for row in found[found["status"] != "ok"].to_dict("records")]
    return table(["implementation", ">ms/pass", ">ns/entry", "times the fastest", ">2016, ns/entry"], rows)


def storage_ranking(chapter: Chapter, case: Case, then: tuple[str, Case]) -> Markdown:
    """B03: bytes an entry and percent over the array, ours and those of an edition's case."""
    if not chapter.measured:
        return nothing(chapter)
    was, rows = published.sizes(then[0], chapter.test), []
    for row in ranked(chapter.drawn(chapter.sizes(case))).to_dict("records"):
        old = was.get((row["store"], then[1]))
        good = row["status"] == "ok"
        rows.append([row["name"], number(row["value"]) if good else STATUS[row["status"]], f"{row['overhead']:.2f}" if good else MISSING,
                     number(old.value) if old else MISSING, f"{100 * (old.value / then[1].flat - 1):.2f}" if old else MISSING])
    return table(["implementation", ">B/entry", ">over the array, %", ">2016, B/entry", ">2016, over, %"], rows)


def capped(chapter: Chapter) -> str:
    """How much less data than the sources' this run has, and which stores have fewer trials for that they take so long."""
    largest = chapter.results["user_bytes"].max() / 1e9
    source = prose.SOURCE_ENTRIES[chapter.test]
    few, most = chapter.trial_counts
    counts = Counter(trial["store"]["id"] for trial in chapter.trials)
    slow = [chapter.name(store) for store, trials in counts.items() if trials < most]
    told = (f"Ten million entries, as in the source: up to {largest:.0f} GB." if chapter.entries()[0] >= source else
            f"The source had {source:,} entries; profile {chapter.run.environment['profile']} caps the data of a case at about {largest:.1f} GB, "
            f"which makes {prose.number_range(chapter.entries())} entries.")
    return told + (f" {listing(slow)} had {few} of {most} trials, as one takes over ten minutes." if slow else "")


# Value-size crossover


def crossover(chapters: list[Chapter], id: str) -> Figure:
    """Time to write and write amplification against the size of values, int keys in random order, of the stores that keep an order."""
    if not any(chapter.measured for chapter in chapters):
        return placeholder(id, chapters[0].missing())
    frame = crossover_rows(chapters)
    ticks = {size: f"{size} B" if size < 1000 else f"{size / 1024:.0f} KiB" for size in sorted(frame["x"].unique())}
    panels = [Curves("write", frame.assign(value=frame["us"], mark=nan), "size of a value", "µs/entry", ticks),
              Curves("write amplification", frame.assign(value=frame["amplification"], mark=nan, low=nan, high=nan), "size of a value",
                     "OS bytes written per user byte", ticks, level=True)]
    wide = frame.pivot(index="x", columns="name", values="us").dropna(axis=1)
    leaders = {size: wide.loc[size].idxmin() for size in wide.index} if len(wide.columns) else {}
    by_store = {name: [ticks[size] for size in leaders if leaders[size] == name] for name in dict.fromkeys(leaders.values())}
    title = ("Of the stores with every size, the least time to write: " + "; ".join(f"{name} at {listing(sizes)}" for name, sizes in by_store.items())
             if leaders else "No store has every size")
    told = max((chapter for chapter in chapters if chapter.measured), key=lambda chapter: chapter.test)
    return curves(id, panels, title, f"{told.provenance('Crossover')} · 4-byte int keys, random order · medians; what trials cannot tell apart is in the rankings")


def crossover_rows(chapters: list[Chapter]) -> pd.DataFrame:
    """A row for each engine and size: x (bytes of a value), us (to write an entry), low, high, amplification.

    Of an engine's bindings, the one that has most sizes; only stores that can be scanned, in two sizes or more.
    """
    rows = []
    for chapter in (chapter for chapter in chapters if chapter.measured):
        ordered = set(chapter.results.loc[(chapter.results["workload"] == "readSeq") & (chapter.results["status"] == "ok"), "store"])
        for case in chapter.cases:
            if (case.keys, case.order, case.settings) != ("int", "random", ""):
                continue
            written = amplification(chapter, case)
            for row in chapter.drawn(chapter.case(case)).to_dict("records"):
                if row["workload"] == "write" and row["status"] == "ok" and row["store"] in ordered and not row["is_limit"]:
                    rows.append({name: row[name] for name in ("store", "name", "colour")} | {
                        "x": case.value_bytes, "us": row["value"] / 1e3, "low": row["low"] / 1e3, "high": row["high"] / 1e3,
                        "amplification": written.get(row["store"], nan), "brand": chapter.stores[row["store"]]["engine"].split()[0] or row["name"]})
    frame = pd.DataFrame(rows, columns=["store", "name", "colour", "x", "us", "low", "high", "amplification", "brand"])
    counts = frame.groupby(["brand", "store"])["x"].nunique().sort_values(ascending=False, kind="stable")
    chosen = [store for (brand, store), sizes in counts.groupby(level="brand").head(1).items() if sizes > 1]
    return frame[frame["store"].isin(chosen)]


def amplification(chapter: Chapter, case: Case) -> dict[str, float]:
    """OS bytes written per byte of keys and values by the time that the store was quiet and closed, by store: medians over trials."""
    frame = of_case(chapter.run.frame[chapter.run.frame["section"] == chapter.section], case)
    frame = frame[(frame["workload"] == "write") & (frame["status"] == "ok")]
    space = of_case(chapter.run.space[chapter.run.space["section"] == chapter.section], case).set_index(["store", "trial"])["os_written_bytes"]
    during = frame["os_written_bytes"] / frame["iteration_ns"].map(len)
    after = pd.Series([space.get((store, trial), nan) for store, trial in zip(frame["store"], frame["trial"])], index=frame.index, dtype=float)
    return ((during + after) / frame["flat_bytes"]).groupby(frame["store"]).median().to_dict()


def crossover_table(chapters: list[Chapter]) -> Markdown:
    """The numbers of the crossover."""
    if not any(chapter.measured for chapter in chapters):
        return nothing(chapters[0])
    rows = crossover_rows(chapters).sort_values(["x", "us"])
    return table([">value, bytes", "store", ">µs/entry", ">95% interval, µs/entry", ">OS bytes written per user byte"],
                 [[f"{row['x']:,}", row["name"], number(row["us"]), interval(row), number(row["amplification"]) or MISSING] for row in rows.to_dict("records")])


# Then and now


def then_and_now(chapters: list[Chapter], most: int = 25) -> Markdown:
    """What changed most since July 2016: per entry, ours over theirs, furthest from 1 first."""
    rows = compared_times(chapters)
    if not len(rows):
        return nothing(chapters[0])
    rows = rows.assign(far=[max(ratio, 1 / ratio) for ratio in rows["ratio"]]).sort_values("far", ascending=False).head(most)
    return table(["store", "workload", "case", ">now, ns/entry", ">2016, ns/entry", ">now / then, times"],
                 [[row["name"], row["workload"], str(row["case"]), number(row["now"]), number(row["then"]), number(row["ratio"])]
                  for row in rows.to_dict("records")])


def compared_times(chapters: list[Chapter]) -> pd.DataFrame:
    """A row for each store, case and workload that both measured: name, now and then (ns an entry), ratio."""
    rows = []
    for chapter in (chapter for chapter in chapters if chapter.measured):
        then = published.times(JULY, chapter.test)
        for row in chapter.results[chapter.results["status"] == "ok"].to_dict("records"):
            case = Case(*(row[name] for name in stats.CASE))
            was = then.get((row["store"], case, row["workload"]))
            if was:
                rows.append({"name": chapter.name(row["store"]), "workload": row["workload"], "case": case, "now": row["value"], "then": was.value,
                             "ratio": row["value"] / was.value})
    return pd.DataFrame(rows, columns=["name", "workload", "case", "now", "then", "ratio"])


def change_in_short(chapters: list[Chapter]) -> str:
    """The middle and the extremes of what changed since 2016, in a sentence."""
    rows = compared_times(chapters)
    if not len(rows):
        return "Nothing measured here has a figure of 2016 beside it."
    best, worst = rows.loc[rows["ratio"].idxmin()], rows.loc[rows["ratio"].idxmax()]
    return (f"{len(rows)} times have one of July 2016 beside them, on another machine ({published.HARDWARE}). The median ratio, now over then, is "
            f"{number(rows['ratio'].median())}; the extremes are {number(best['ratio'])} ({best['name']}, {best['workload']}, {best['case']}) and "
            f"{number(worst['ratio'])} ({worst['name']}, {worst['workload']}, {worst['case']}).")
