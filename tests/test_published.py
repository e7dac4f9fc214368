"""What the sources printed, as data/published has it."""

import math
import os
import re
from pathlib import Path

import pandas as pd
import pytest

from kvreport.base.paths import JBANG_STORES, PUBLISHED
from kvreport.data import frames, published
from kvreport.data.cases import WORKLOADS

PRINTED = """
| (Flat Array) | 104,000,000 |  |
| LevelDB | 107,036,672 | 2.91 |
| RocksDB | 107,057,152 | 2.93 |
| MVStore | 108,937,216 | 4.74 |
| Chronicle | 116,801,536 | 12.30 |
| MapDB | 118,489,088 | 13.93 |
| LMDB DB | 171,601,920 | 65.00 |
| LMDB JNI | 171,896,832 | 65.28 |
| LMDB BB | 172,040,192 | 65.42 |
| LMDB BB | 172,314,624 | 65.68 |
| Xodus | 473,067,520 | 354.87 |
"""  # exhibit A08, as the report of 10 July 2016 has it


def test_the_printed_table_is_whole_and_its_percentages_follow_from_its_bytes():
    table = published.read("lmdbjava-2016-07")
    table = table[table["exhibit"] == "A08"]
    lines = []
    for row in table[table["unit"] == "bytes"].itertuples():
        over = table.loc[(table.index == row.Index + 1) & (table["unit"] == "%"), "value"]
        lines.append(
            f"| {row.system} | {row.value:,.0f} | {over.iloc[0]:.2f} |"
            if len(over)
            else f"| {row.system} | {row.value:,.0f} |  |"
        )
        for printed in over:  # the source cuts digits off
            assert printed == pytest.approx(
                math.floor(1e4 * (row.value / 104e6 - 1)) / 100, abs=1e-9
            )
    assert lines == PRINTED.strip().splitlines()


@pytest.mark.parametrize("edition, systems", [("2016-07", 10), ("2016-06", 8)])
def test_every_case_and_workload_has_every_system(edition, systems):
    table = published.read(f"lmdbjava-{edition}")
    times = (
        table[table["parameter"] == "mean time"]
        .groupby(["keys", "order", "workload"])["system"]
        .nunique()
    )
    assert len(times) == 4 * len(WORKLOADS)
    for (_, _, workload), count in times.items():
        assert count == (systems if workload in ("write", "readKey") else systems - 1), (
            "all but Chronicle, which has no cursor"
        )
    assert (table["value"] > 0).all() and set(table["unit"]) == {"bytes", "%", "ms/op"}


@pytest.mark.parametrize("edition", ["2016-07", "2016-06"])
def test_every_system_is_one_of_our_stores(edition):
    ours = {script.stem for script in JBANG_STORES.glob("*.java")}
    assert set(published.read(f"lmdbjava-{edition}")["store_id"]) - {""} <= ours


def test_the_sources_own_figures_say_what_its_text_says_where_they_can():
    """Figures read off the text and the charts of the two reports."""
    july, june = (frames.printed("04-small-values", each) for each in ("2016-07", "2016-06"))

    def best(rows, order, workload):
        rows = rows[(rows["keys"] == "int") & (rows["order"] == order)]
        return rows[rows["workload"] == workload].sort_values("ns_per_entry").iloc[0]

    assert best(july, "sequential", "readSeq")["ns_per_entry"] == pytest.approx(36.62894)
    assert best(july, "random", "readKey")["name"] == "Chronicle"
    assert best(june, "random", "write")["name"] == "LevelDB"
    xodus = july[(july["store"] == "Xodus") & (july["keys"] == "int") & (july["order"] == "random")]
    over = 100 * (xodus["closed_bytes"] / xodus["flat_bytes"] - 1)
    assert set(over.round(1)) == {354.8}


COLUMNS = [
    *("exhibit", "system", "store_id", "workload", "keys", "order"),
    *("parameter", "value", "unit", "source", "entries", "value_bytes"),
]
UNITS = {
    "bytes",
    "GB",
    "bits",
    "ms/op",
    "s/op",
    "ms",
    "s",
    "ops/s",
    "entries/s",
    "writes/s",
    "reads/s",
    "GB/s",
    "GE/s",
    "%",
    "x",
    "entries",
    "files",
    "calls",
    "setting",
}
FILES = sorted(path.stem for path in PUBLISHED.glob("*.csv"))
SAID = ", in the text"  # how a parameter ends whose number stands in a sentence


def rows(stem: str) -> pd.DataFrame:
    table = pd.read_csv(PUBLISHED / f"{stem}.csv", dtype=str, keep_default_na=False)
    return table.assign(value=table["value"].astype(float))


def test_all_files_are_here():
    assert FILES == [
        "jvm-comparison",
        "leveldb-2011",
        "lmdbjava-2016-06",
        "lmdbjava-2016-06-more",
        "lmdbjava-2016-07",
        "lmdbjava-2016-07-more",
        "rocksjava",
    ]


@pytest.mark.parametrize("stem", FILES)
def test_every_row_is_well_formed(stem):
    table = rows(stem)
    more = (
        ["forceSafe", "sync", "writeMap", "metaSync", "batchSize"]
        if stem.startswith("lmdbjava")
        else ["threads", "settings"]
    )
    assert list(table.columns) == [*COLUMNS, *more, "printed"]
    exhibits = [
        f"{letter}{i:02}"
        for letter, most in zip("ABCDE", (26, 10, 19, 3, 5))
        for i in range(1, most + 1)
    ]
    assert set(table["exhibit"]) <= {"", *exhibits}
    assert set(table["store_id"]) <= {"", *(script.stem for script in JBANG_STORES.glob("*.java"))}
    assert set(table["unit"]) <= UNITS
    assert set(table["keys"]) <= {"", "int", "string"} and set(table["order"]) <= {
        "",
        "sequential",
        "random",
    }
    assert (
        table["value"].map(math.isfinite).all()
        and (table["parameter"] != "").all()
        and (table["source"] != "").all()
    )
    assert (table.loc[~table["unit"].isin(["%", "setting"]), "value"] > 0).all()
    for column in ("entries", "value_bytes", "threads", "batchSize"):
        assert column not in table or table[column].str.fullmatch(r"\d*").all()
    assert not table.duplicated(
        [column for column in table if column not in ("value", "source", "printed")]
    ).any(), "one row a number"


def test_every_chart_has_all_that_it_shows():
    """Times or sizes in each exhibit that was plotted from raw files."""
    plotted = {
        "A01": 10,
        "A02": 8,
        "A03": 8,
        "A04": 8,
        "A05": 24,
        "A06": 4,
        "A13": 9,
        "A15": 26,
        "A16": 26,
        "A17": 4,
        "A19": 14,
        "A20": 4,
        "A22": 14,
        "A23": 4,
        "A25": 14,
        "B01": 9,
        "B02": 3,
    }
    for stem in ("lmdbjava-2016-06-more", "lmdbjava-2016-07-more"):
        table = rows(stem)
        table = table[
            table["parameter"].isin(["mean time", "size after close"]) & (table["printed"] == "")
        ]
        for exhibit, count in table[table["exhibit"] != ""].groupby("exhibit").size().items():
            assert count == plotted.pop(exhibit), exhibit
    assert not plotted


@pytest.mark.parametrize("stem", [stem for stem in FILES if stem.startswith("lmdbjava")])
def test_sizes_fit_what_was_stored(stem):
    table = rows(stem)
    table = table[
        table["parameter"].str.startswith("size after close")
        & (table["entries"] != "")
        & (table["keys"] != "")
    ]
    flat = table["entries"].astype(int) * (
        table["value_bytes"].astype(int) + table["keys"].map({"int": 4, "string": 16})
    )
    assert table["value"].between(0.99 * flat, 5 * flat).all() and len(table), (
        "LSM trees leave out what a key shares with the last"
    )


@pytest.mark.parametrize(
    "edition, exhibit, digits",
    [
        ("2016-07", "A14", 2),
        ("2016-07", "A18", 2),
        ("2016-07", "A21", 2),
        ("2016-07", "A24", 2),
        ("2016-06", "B03", 1),
    ],
)
def test_printed_overheads_follow_from_printed_bytes(edition, exhibit, digits):
    table = rows(f"lmdbjava-{edition}-more")
    table = table[(table["exhibit"] == exhibit) & ~table["parameter"].str.endswith(SAID)]
    wide = table.pivot(index="system", columns="parameter", values="value")
    flat = wide.loc[
        {"2016-07": "(Flat Array)", "2016-06": "(as array)"}[edition], "size after close"
    ]
    for row in wide.dropna().itertuples():
        over = 100 * (row[2] / flat - 1)
        cut = math.floor(over * 10**digits) / 10**digits
        if (exhibit, row.Index) == ("B03", "MapDB"):
            assert (row.overhead, cut) == (10.2, 2.9), "the source's own mistake"
        else:
            assert row.overhead == pytest.approx(cut, abs=1e-9), row.Index


@pytest.mark.parametrize(
    "table, raw", [("A14", "A13"), ("A18", "A17"), ("A21", "A20"), ("A24", "A23"), ("B03", "")]
)
def test_printed_bytes_are_those_of_the_raw_files(table, raw):
    every = rows(f"lmdbjava-2016-0{'6' if raw == '' else '7'}-more")
    sizes = every[
        (every["parameter"] == "size after close")
        & (every["order"] == "random")
        & ~every["store_id"].isin(["", "FlatFile"])
    ]
    typed = sizes[sizes["exhibit"] == table].set_index("store_id")["value"]
    found = sizes[(sizes["exhibit"] == raw) & (sizes["entries"] == "10000000")].set_index(
        "store_id"
    )["value"]
    assert typed.to_dict() == found.to_dict() and len(typed) >= 4


def test_printed_times_are_those_of_the_raw_files_cut_off():
    june = rows("lmdbjava-2016-06-more")
    times = june[(june["parameter"] == "mean time") & (june["entries"] == "10000000")]
    key = ["store_id", "workload", "order"]
    pairs = times[times["printed"] != ""].merge(
        times[times["printed"] == ""], on=key, suffixes=("", "_raw")
    )
    assert (
        len(pairs) == 2 * (6 + 5 + 6)
        and (pairs["value"] == pairs["value_raw"].map(math.floor)).all()
    )
    july = rows("lmdbjava-2016-07-more")
    said = july[july["parameter"] == "time" + SAID]
    assert len(said) == 16
    for row in said.itertuples():
        raw = july[
            (july["exhibit"] == row.exhibit)
            & (july["workload"] == "write")
            & (july["parameter"] == "mean time")
            & july["system"].str.startswith(row.system)
        ]  # several bindings of LMDB: the fastest
        assert row.value == math.floor(
            (raw["value"] * raw["unit"].map({"ms/op": 1e-3, "s/op": 1})).min()
        ), row


def test_printed_factors_of_june_follow_from_its_times():
    june = rows("lmdbjava-2016-06-more")
    wrong = {}
    for exhibit in ("B04", "B05", "B06", "B07", "B08", "B09"):
        wide = june[
            (june["exhibit"] == exhibit)
            & (june["printed"] != "")
            & ~june["parameter"].str.endswith(SAID)
        ]
        wide = wide.pivot(index="system", columns="parameter", values=["value", "printed"])
        for system, row in wide.dropna().iterrows():
            factor, shown = (
                row["value", "mean time"] / wide["value", "mean time"].min(),
                row["printed", "times the fastest"],
            )
            last = 10.0 ** -len(
                shown.partition(".")[2]
            )  # the source cuts off here and rounds there
            if abs(row["value", "times the fastest"] - factor) >= last:
                wrong[exhibit, system] = shown
    assert wrong == {("B04", "MapDB"): "X 171"}, "the source's own mistake: 182014 / 2150 is 84.7"


def test_factors_over_the_baseline_follow_from_the_rates():
    table = rows("leveldb-2011")
    wide = table[~table["parameter"].str.endswith(SAID)].pivot(
        index=["exhibit", "workload", "order", "system"],
        columns="parameter",
        values=["value", "printed"],
    )
    base = {key[1:]: row["value", "rate"] for key, row in wide.iterrows() if key[0] <= "C04"}
    assert len(base) == 12
    wrong = {}
    for (exhibit, *key), row in wide.dropna().iterrows():
        shown = row["printed", "against the baseline"].rstrip("x")
        if abs(float(shown) - row["value", "rate"] / base[tuple(key)]) > 0.51 * 10.0 ** -len(
            shown.partition(".")[2]
        ):
            wrong[exhibit, key[-1]] = float(shown)
    assert wrong == {
        ("C09", "LevelDB"): 0.003,
        ("C09", "Kyoto TreeDB"): 0.0004,
        ("C10", "LevelDB"): 0.015,
        ("C10", "Kyoto TreeDB"): 0.001,
        ("C17", "Kyoto TreeDB"): 3.60,
    }, "the source's own mistakes"


def test_the_runs_of_the_jvm_comparison_agree_with_themselves():
    table = rows("jvm-comparison")
    assert table[table["exhibit"] == "D01"].groupby("system").size().to_dict() == dict.fromkeys(
        ["mvstore", "leveldb-java", "plain", "mapdb", "xodus", "rocksdb-jni"], 5
    ), "lmdb-jni is 'slow', without a number"
    table = table[table["exhibit"] == "D02"]
    for run in ("run=0", "run=9"):
        got = table[table["settings"] == run].set_index(["system", "workload", "unit"])["value"]
        data = got["(data)", "generate", "ms"] * got["(data)", "generate", "GB/s"] / 1e3  # GB
        assert data == pytest.approx(0.45, rel=0.002)
        for system in ("scalaHash", "THash"):
            mine = got[system]
            stored = data * mine["serialise", "x"]
            assert mine["fill", "ms"] * mine["fill", "GE/s"] / 1e3 == pytest.approx(
                1e-3, rel=1e-4
            )  # a million entries
            assert mine["serialise", "ms"] * mine["serialise", "GB/s"] / 1e3 == pytest.approx(
                data, rel=1e-4
            )
            assert mine["write and delete", "ms"] * mine[
                "write and delete", "GB/s"
            ] / 1e3 == pytest.approx(stored, rel=1e-4)
            parts = sum(mine[part, "ms"] for part in ("fill", "serialise", "write and delete"))
            assert mine["total", "ms"] == pytest.approx(parts, rel=3e-4)


def test_differences_of_rocksjava_follow_from_the_rates():
    table = rows("rocksjava")
    table = table[(table["exhibit"] != "E05") & ~table["parameter"].str.endswith(SAID)]
    for exhibit, group in table.groupby("exhibit"):
        java, native = (
            group.loc[(group["parameter"] == "rate") & (group["system"] == system), "value"].item()
            for system in ("RocksJava", "RocksDB C++")
        )
        shown = group[group["unit"] == "%"].iloc[0]
        over = 100 * (java / native - 1)
        assert (
            abs(over) < shown["value"]
            if "less than" in shown["parameter"]
            else over == pytest.approx(shown["value"], abs=0.3)
        ), exhibit


DOCUMENTS = {
    "lmdbjava-2016-07": "The benchmark was executed on 10 July 2016",
    "lmdbjava-2016-06": "was executed on 30 June 2016",
    "leveldb-2011": "we benchmark it against other well-established database implementations",
    "jvm-comparison": "precomputed files with random bytes as input",
    "rocksjava": "RocksJava is a project that we initiated in April 2014",
}  # a sentence of each


def document(name: str) -> str:
    """The text of a source; KVREPORT_SOURCES names a folder that holds them as .txt files under any
    names.
    """
    folder = os.environ.get("KVREPORT_SOURCES")
    if not folder:
        pytest.skip(
            "set KVREPORT_SOURCES to a folder with the five source documents as .txt files to"
            " compare with their text"
        )
    for path in sorted(Path(folder).glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        if DOCUMENTS[name] in " ".join(text.split()):
            return text
    pytest.skip(f'KVREPORT_SOURCES has no .txt file that says "{DOCUMENTS[name]}"')


def typed(name: str) -> pd.DataFrame:
    """All rows of a document that were typed from its text."""
    table = pd.concat(
        [rows(stem) for stem in sorted(FILES, key=len) if stem.startswith(name)], ignore_index=True
    )
    return table[table["printed"] != ""]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_typed_stands_in_the_source(name):
    text = " ".join(document(name).split())
    table = typed(name)
    missing = [printed for printed in table["printed"] if " ".join(printed.split()) not in text]
    assert not missing and len(table)
    for row in table.itertuples():  # and a number of it is the value
        shown = row.printed.split("=")[-1].replace("true", "1").replace("false", "0")
        numbers = [
            float(digits.replace(",", "")) * {"k": 1e3, "K": 1e3, "M": 1e6}.get(unit, 1)
            for digits, unit in re.findall(r"(\d[\d,]*\.?\d*|\.\d+)([kKM]?)", shown)
        ]
        assert not numbers or any(
            number == pytest.approx(abs(row.value), rel=1e-12) for number in numbers
        ), row


# how the tables of each document read, against the rows in their order: none is missing, none is in
# another's place
def test_the_tables_of_july_are_whole():
    found = re.findall(
        r"(?m)^\| ([\w() ]+?) \| ([\d,]+) \| ([\d.]*) ?\|$", document("lmdbjava-2016-07")
    )
    table = typed("lmdbjava-2016-07")
    table = table[~table["parameter"].str.endswith(SAID)]
    pairs = table[["system", "printed", "unit"]].values.tolist()
    assert [[system, shown] for system, size, over in found for shown in (size, over) if shown] == [
        pair[:2] for pair in pairs
    ]


def test_the_tables_of_june_are_whole():
    text = document("lmdbjava-2016-06")
    table = typed("lmdbjava-2016-06")
    table = table[table["exhibit"].between("B03", "B09") & ~table["parameter"].str.endswith(SAID)]
    lines = []
    for row in table.itertuples():
        if row.unit in ("bytes", "ms/op"):
            lines.append([row.system, row.printed, ""])
        else:
            lines[-1][2] = row.printed
    sizes = re.findall(r"(?m)^(.+) (\d[\d,]{9,}) (?:N/A|([\d.]+))$", text)
    times = re.findall(
        r"(?m)^(?:readKey |readSeq |write )?(.+) (\d+) (?:Fastest|(X [\d.]+))$", text
    )
    assert [list(line) for line in [*sizes, *times]] == lines


def test_the_tables_of_leveldb_are_whole():
    text = document("leveldb-2011")
    table = typed("leveldb-2011")
    rates = table[table["parameter"] == "rate"][["system", "printed"]].values.tolist()
    assert [
        list(line) for line in re.findall(r"\| (LevelDB|Kyoto TreeDB|SQLite3) +\| ([\d,]+)", text)
    ] == rates
    assert (
        re.findall(r"\(([\d.]+x) ", text)
        == table[table["parameter"] == "against the baseline"]["printed"].to_list()
    )


def test_the_tables_of_the_other_two_are_whole():
    table = typed("jvm-comparison")["printed"].to_list()
    assert (
        re.findall(
            r"[\d.]+s(?= *(?:\||\n))|[\d.]+ (?:ms|GB/s|GE/s)|overhead factor [\d.]+",
            document("jvm-comparison"),
        )
        == table
    )
    table = typed("rocksjava")
    assert (
        re.findall(r"[\d.]+[kKM] [wr]ps", document("rocksjava"))
        == table[table["parameter"] == "rate"]["printed"].to_list()
    )
