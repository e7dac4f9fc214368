"""The contract that every store keeps: four data sets written, closed, reopened and read back in
every way, and nothing left behind.

Each store runs in a JVM of its own, on its own class path, as the launcher runs it. The stores of
tests/stores misbehave.
"""

import colorsys
import itertools
import json
import os
import re
import shutil
import subprocess
import zipfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kvreport.analysis import latency, noise
from kvreport.base.paths import JBANG_STORES, ROOT
from kvreport.data import facts, records
from kvreport.toolchain import catalogue, stores
from kvreport.toolchain.jdk import find_jdk

pytestmark = pytest.mark.jvm

EVERY = sorted(script.stem for script in JBANG_STORES.glob("*.java"))
# Stores under a second name: their scripts are held to overriding nothing else
AGAIN = [store for store in EVERY if store.endswith(noise.AGAIN)]
STORES = sorted(set(EVERY) - set(AGAIN))
BAD = ROOT / "tests" / "stores"
AT_ONCE = 4  # each waits, most of the time, for the store's background work to end
LIMIT_SECONDS = 300  # on a busy machine; alone each takes a few
BRIEF = (
    "-Xmx512m",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
)  # for JVMs that end before a better compiler pays
MAPS = {
    store for store in STORES if "extends PlainMap" in (JBANG_STORES / f"{store}.java").read_text()
}
# Closed while it compacts, it leaves the tables that it has dropped to the collector
UNMAPS_LATER = {"LevelDbJava"}
KEEPS_NOTHING = {"Memory", "MemoryBandwidth"} | MAPS
OPEN_WHILE_READ = {"Sparkey"}  # holds its files as long as a reader is open, and no longer
OUTSIDE = {"RocksC"} | MAPS  # their passes are not the harness's, which counts no files for them
NEEDS = {  # what a store needs of the machine, and the reason in its rows where that is missing
    "RocksFfm": (lambda: find_jdk().feature >= 22, "needs JDK 22 or newer"),
    "RocksC": (lambda: any(map(shutil.which, ("cc", "gcc", "clang"))), "install gcc or clang"),
}
AGED = ("overwrite", "readKeyAged", "readSeqAged", "putSettled", "churn", "compact")
AGED += ("readRangeAged", "readRangeCompacted")  # only of data written in random order
MISSING = (  # as the contract says it
    "has no loader for sorted entries",
    "needs a case in which one more thread writes",
    "what need not survive its process cannot be missed",
)
BEYOND = {  # of workloads, what they need of a store besides put, get and whole scans
    **dict.fromkeys(("readRange", "readRangeAged"), "ascend"),
    **dict.fromkeys(("readRangeBack", "readFloor"), "descend"),
    **dict.fromkeys(("deleteHalf", "churn", "expire", "ycsbD"), "delete"),
    "readRangeCompacted": "ascend compact",
    "ycsbE": "ascend delete",
    "multiGet": "multiGet",
    "compact": "compact",
}
# a get beside a compaction may find its table closed (dain/leveldb#78): reported, not a lie
RACES = {"LevelDbJava": "Could not open table"}
SINGLY = ("putService", "putResponse", "getService", "getResponse")  # and mixes: each is timed
# settings that no store sees: tested in Java
UNSEEN = {"rate", "entries", "range", "rounds", "mix", "popularity"}
OF_HARNESS = {*UNSEEN, "writes", "load"}  # those that need nothing of a store
OK = ("ok", None)
SLACK_BYTES = 8 << 20  # what some stores allocate at once, however little is in it
INSTALL = "install the package libkyotocabinet16v5"


VANISHING = """package kv.trial;
import java.nio.file.*;
public class Vanishing { public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    Files.write(directory.resolve("stays"), new byte[1 << 20]);
    Thread compaction = new Thread(() -> {
        try {
            while (true) {
                for (int i = 0; i < 100; i++)
                    Files.write(directory.resolve("goes" + i), new byte[1]);
                for (int i = 0; i < 100; i++) Files.delete(directory.resolve("goes" + i));
            }
        } catch (java.io.IOException e) { throw new java.io.UncheckedIOException(e); }
    });
    compaction.setDaemon(true);
    compaction.start();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 300; i++) least = Math.min(least, Probe.allocatedBytes(directory));
    System.out.println(least >= 1 << 20);
    try { Probe.allocatedBytes(directory.resolve("none")); }
    catch (NoSuchFileException e) { System.out.println("refused"); }
} }"""


def histogram(singles: dict) -> latency.Histogram:
    return latency.histogram(singles["counts"], singles["count"], singles["max_ns"])


@pytest.fixture(scope="module")
def catalog() -> dict:
    known = catalogue.catalog()
    assert not known["failed"]
    return known


@pytest.fixture(scope="module")
def bad() -> dict[str, stores.Built]:
    built = stores.build(
        [
            BAD / f"{name}.java"
            for name in (
                "Contract",
                "Values",
                "WrongBytes",
                "Crashing",
                "Endless",
                "OneThreadFails",
                "Indebted",
                "Liar",
                "Stalling",
                "Faulty",
            )
        ]
    )
    assert not {name: result.failed for name, result in built.items() if result.failed}
    return built


def run(
    options: list[str],
    class_path: list[str],
    folder: Path,
    main: str,
    *arguments: str,
    limit: float = LIMIT_SECONDS,
) -> subprocess.CompletedProcess:
    """A JVM whose home, temporary and current directories are the folder's own."""
    for name in ("home", "tmp", "work"):
        (folder / name).mkdir()
    return subprocess.run(
        [
            find_jdk().java,
            *options,
            *BRIEF,
            f"-Duser.home={folder / 'home'}",
            f"-Djava.io.tmpdir={folder / 'tmp'}",
            "-cp",
            os.pathsep.join(class_path),
            main,
            *arguments,
        ],
        cwd=folder,
        env=os.environ | {"HOME": str(folder / "home")},
        capture_output=True,
        text=True,
        timeout=limit,
    )


@pytest.fixture(scope="module")
def trials(catalog, bad, tmp_path_factory) -> dict[str, tuple[subprocess.CompletedProcess, Path]]:
    """What each store's JVM printed, and the folder it ran in."""
    folders = {store: tmp_path_factory.mktemp(store) for store in STORES}

    def measure(store: str):
        each, folder = catalog["stores"][store], folders[store]
        class_path = [*each["class_path"], bad["Contract"].class_path[0]]
        return store, (
            run(
                each["runtime_options"],
                class_path,
                folder,
                "stores.Contract",
                store,
                str(folder / "work"),
            ),
            folder,
        )

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(pool.map(measure, STORES))


@pytest.fixture
def trial(trials, store) -> dict:
    done, _ = trials[store]
    assert done.returncode == 0, done.stderr
    if INSTALL in done.stdout:
        pytest.skip(INSTALL)
    return json.loads(done.stdout.rstrip().rpartition("\n")[0])


def outcomes(trials, store) -> dict[str, str]:
    """What became of each capability: "ok", or "n/a: " and why."""
    return json.loads(trials[store][0].stdout.splitlines()[-1])


def unavailable(trial: dict) -> bool:
    """Whether this machine has not what the store needs: then every row has the reason."""
    there, words = NEEDS.get(trial["store"]["id"], (lambda: True, ""))
    if there():
        return False
    reasons = {
        result["reason"]
        for case in trial["cases"]
        if not case["settings"]
        for result in case["results"]
    }
    assert reasons and all(words in reason for reason in reasons), reasons
    return True


@pytest.mark.parametrize("store", STORES)
def test_every_workload_of_every_case_is_right_or_declared_impossible(
    catalog, store, trials, trial
):
    raced = RACES.get(store, "no such reason") in str(trial["reason"])
    assert raced or (trial["status"], trial["reason"]) == ("ok", None)
    if unavailable(trial):
        return
    plain = [case for case in trial["cases"] if not case["settings"]]
    assert {(case["keys"], case["order"]) for case in plain} == {
        ("int", "sequential"),
        ("int", "random"),
        ("string", "dense"),
    }
    unsupported = catalog["stores"][store]["unsupported"]
    expected = {
        name: ("na", unsupported[name]) if name in unsupported else OK
        for name in catalog["stores"][store]["workloads"]
    }
    assert {"write", "readKey"}.isdisjoint(unsupported)
    capable = outcomes(trials, store)
    for case in plain:
        found = {each["workload"]: (each["status"], each["reason"]) for each in case["results"]}
        fresh = {
            name: outcome
            for name, outcome in expected.items()
            if case["order"] != "sequential" or name not in AGED
        }
        for name, outcome in found.items():  # of methods that its script does not write
            needed = [capable[each] for each in BEYOND.get(name, "").split()]
            lacking = {*MISSING, *(each.removeprefix("n/a: ") for each in needed)}
            if fresh.get(name) == OK and outcome[0] == "na" and outcome[1] in lacking:
                fresh[name] = outcome
        for name, (status, reason) in found.items():
            if status == "failed" and RACES.get(store, "no such reason") in str(reason):
                fresh[name] = (status, reason)
        assert {name: found[name] for name in fresh} == fresh
        assert all(found[name][0] == "na" for name in expected if name not in fresh)
        assert (case["space"]["aged_bytes"] is None) == (fresh.get("overwrite") is None)
        assert all(
            len(each["iteration_ns"]) > 0 for each in case["results"] if each["status"] == "ok"
        )
        timed = {
            each["workload"]: histogram(each["singles"]).count / len(each["iteration_ns"])
            for each in case["results"]
            if each["singles"]
        }
        assert timed == {
            each["workload"]: each["entries"] // int(each["workload"].partition("commit")[2] or 1)
            for each in case["results"]
            if each["status"] == "ok"
            and each["workload"].startswith((*SINGLY, "ycsb", "ownMix", "commit"))
        }, "each operation of each pass, once"


@pytest.mark.parametrize("store", STORES)
def test_a_store_works_with_each_setting_that_it_has_and_names_the_others(catalog, store, trial):
    descriptor = catalog["stores"][store]
    if unavailable(trial):
        return
    changed = [case for case in trial["cases"] if case["settings"]]
    assert {name for case in changed for name in case["settings"]} == set(
        catalog["settings"]
    ) - UNSEEN
    for case in changed:
        if store in MAPS and case["settings"].keys() <= OF_HARNESS:
            continue  # has other workloads
        why = unsupported_reason(descriptor, case["settings"])
        write, scan, *others = case["results"]
        assert {each["status"] for each in others} <= {"ok", "na"}, others
        assert write["status"] == ("na" if why else "ok") and scan["status"] == (
            "na" if why or "readSeq" in descriptor["unsupported"] else "ok"
        ), case
        assert not why or write["reason"] == why
        assert not why or case["settle"] is None, "not opened at all"


@pytest.mark.parametrize("store", STORES)
def test_what_a_store_can_beyond_put_and_get_it_does_as_a_sorted_map(trials, trial, store):
    found = outcomes(trials, store)
    assert found and all(re.match("ok$|n/a: .", each) for each in found.values()), found


def test_a_fault_in_a_capability_is_seen_in_it(bad, tmp_path):
    faulty = bad["Faulty"]
    work = str(tmp_path / "work")
    done = run(faulty.runtime_options, faulty.class_path, tmp_path, "stores.Faulty", work)
    assert done.returncode == 0, done.stderr
    for fault, found in json.loads(done.stdout).items():
        failed = {name for name, each in found["outcomes"].items() if each != "ok"}
        meant = found["capability"]  # compaction is tried with what was deleted
        assert meant in failed if meant else not failed, (fault, found["outcomes"])
        assert failed <= {meant, "compact"}, (fault, found["outcomes"])


def unsupported_reason(descriptor: dict, settings: dict) -> str | None:
    """Why a store is n/a in a case, from its description."""
    for name, value in settings.items():
        always = {
            each: why for each, why in descriptor["fixed"].items() if each.startswith(f"{name}=")
        }
        of_vendor = (name, value) == ("compression", "default")
        if not always and name not in {*descriptor["settings"], *OF_HARNESS} and not of_vendor:
            return f"has no setting {name}"
        if always and f"{name}={value}" not in always:
            return next(iter(always.values()))
    return None


@pytest.mark.parametrize("store", STORES)
def test_compression_saves_of_what_can_be_halved_and_the_default_is_named(catalog, store, trial):
    descriptor = catalog["stores"][store]
    if "compression" not in descriptor["settings"]:
        pytest.skip("does not compress")
    default, *_ = re.match(r"(on|off) by default\b", descriptor["settings"]["compression"]).groups()
    size = {
        case["settings"]["compression"]: case["space"]["closed_bytes"]
        for case in trial["cases"]
        if case["value_bytes"] == 100_000
    }
    assert size.keys() == {default, "other"}
    on, off = sorted(size, key=lambda setting: setting != ("on" if default == "on" else "other"))
    assert size[on] < 0.75 * size[off]


@pytest.mark.parametrize("store", sorted(set(STORES) - KEEPS_NOTHING))
def test_what_was_closed_is_on_disk(store, trial):
    if unavailable(trial):
        return
    for case in (case for case in trial["cases"] if not case["settings"]):
        for bytes_ in (case["space"]["open_bytes"], case["space"]["closed_bytes"]):
            assert 0 < bytes_ < 3 * case["flat_bytes"] + SLACK_BYTES
        assert case["space"]["closed_bytes"] >= case["entries"] * case["value_bytes"], (
            "keys can be packed, random values cannot"
        )


@pytest.mark.parametrize("store", STORES)
def test_the_files_counted_are_the_stores_own(store, trial):
    if unavailable(trial) or store in OUTSIDE:
        return
    held = [
        each["store_files"]
        for case in trial["cases"]
        for each in case["results"]
        if each["status"] == "ok" and each["workload"] not in ("write", "putService", "putResponse")
    ]
    none = store in KEEPS_NOTHING | {"PlainFiles"}
    least = 0 if none or store in OPEN_WHILE_READ else 1
    assert held and all(least <= count < 50 for count in held) and any(held) != none, held


@pytest.mark.parametrize("store", STORES)
def test_library_and_engine_say_which_they_are(store, trial):
    what = trial["store"]
    assert what["engine"] and "unknown" not in what["engine"]
    if what["library"]:
        group, artifact = what["library"].split(":")
        assert re.match(r"\d", what["version"])
        assert any(jar["name"] == f"{artifact}-{what['version']}.jar" for jar in trial["jars"]), (
            group
        )


@pytest.mark.parametrize("store", [store for store in STORES if store in facts.known()])
def test_a_store_that_is_said_to_have_no_native_code_runs_none(store, trials, trial):
    """But for the harness's own. What a native store runs may be the system's."""
    done, _ = trials[store]
    found = [line for line in done.stderr.splitlines() if line.startswith("runs native code")]
    assert facts.known()[store]["platforms"]["native"] or not found, found


@pytest.mark.parametrize("store", [store for store in STORES if store in facts.known()])
def test_its_jars_have_native_code_for_the_platforms_that_its_facts_name(catalog, store):
    """But for what is optional, and TreeDB's, which the system has."""
    platforms = facts.known()[store]["platforms"]
    if not platforms["native"] or platforms.get("optional") or store == "TreeDb":
        return
    of_all = set(catalog["stores"]["FlatFile"]["class_path"])
    own = [jar for jar in catalog["stores"][store]["class_path"] if jar not in of_all]
    found = {platform_of(file) for jar in own for file in zipfile.ZipFile(jar).namelist()}
    assert found - {None} == set(platforms["value"]) - {"windows-x64"}


def platform_of(file: str) -> str | None:
    """The platform of a file of native code, as vendors name it; None for other files."""
    system = "linux" if re.search("linux", file, re.I) else "macos"
    if not re.search(r"linux|mac|osx", file, re.I) or not re.search(r"\.(so|dylib|jnilib)$", file):
        return None
    if re.search(r"musl|ppc|s390|riscv|linux32|/x86/|/arm(v\d)?/", file, re.I):
        return None
    return f"{system}-{'arm64' if re.search('aarch64|arm64', file) else 'x64'}"


BACKEND = """class Backend { public static void main(String[] arguments) throws Exception {
    Class.forName("stores.LwjglLmdb1").getConstructor().newInstance();
    var backend = Class.forName("org.lwjgl.system.MemoryUtil").getDeclaredField("BACKEND");
    backend.setAccessible(true);
    System.out.print(backend.get(null).getClass().getSimpleName());
} }"""


def test_later_lwjgl_reaches_memory_by_the_class_that_its_older_one_does(catalog, tmp_path):
    """sun.misc.Unsafe, which the option asks for: from JDK 25 on the default is another."""
    (tmp_path / "Backend.java").write_text(BACKEND)
    of = catalog["stores"]["LwjglLmdb1"]
    [option] = [each for each in of["options"] if each["name"] == "org.lwjgl.system.memoryBackend"]
    command = [find_jdk().java, *of["runtime_options"], "-cp", ":".join(of["class_path"])]
    done = subprocess.run(
        [*command, tmp_path / "Backend.java"], capture_output=True, text=True, cwd=tmp_path
    )
    assert re.match("MemoryBackendUnsafeLegacy", done.stdout), done.stdout + done.stderr
    assert option["value"] == "legacy"


@pytest.mark.parametrize("store", STORES)
def test_nothing_is_left_behind(trials, store):
    done, folder = trials[store]
    assert store in UNMAPS_LATER or "still holds" not in done.stderr, (
        "the disk space of what is deleted stays taken while it is open or mapped"
    )
    left = {name: [*(folder / name).rglob("*")] for name in ("work", "home")}
    assert left == {"work": [], "home": []}
    assert {file.name for file in folder.iterdir()} == {"home", "tmp", "work"}


# --- the stores' descriptions ---


@pytest.mark.parametrize("store", AGAIN)
def test_a_store_under_a_second_name_is_that_store(catalog, store):
    first = store.removesuffix(noise.AGAIN)
    text = (JBANG_STORES / f"{store}.java").read_text()
    assert f"class {store} extends {first} {{" in text
    assert re.findall(r"(\w+)\([^()]*\) \{", text) == ["main", "describe"]
    one, other = catalog["stores"][first], catalog["stores"][store]
    for each in ("options", "settings", "fixed", "unsupported", "workloads", "runtime_options"):
        assert one[each] == other[each], each


@pytest.mark.parametrize("store", EVERY)
def test_every_option_is_explained_and_linked_to_its_documentation(catalog, store):
    options = catalog["stores"][store]["options"]
    assert options
    assert len({each["name"] for each in options}) == len(options)
    for each in options:
        assert each["value"] and each["why"], each
        assert re.fullmatch(r"https?://[\w.-]+\.\w+/\S+", each["link"]), each


def test_every_store_that_engines_are_compared_by_has_facts(catalog):
    others = ("control", "limit", "no store", "side")
    engines = {id for id, each in catalog["stores"].items() if each["family"] not in others}
    assert engines <= set(facts.known()) and len(engines) > 10


def test_names_and_colours_tell_the_stores_apart(catalog):
    known = catalog["stores"].values()
    assert len({each["name"] for each in known}) == len(known)
    for one, other in itertools.combinations(known, 2):
        assert distance(one["colour"], other["colour"]) > 0.05, (one["id"], other["id"])


def rgb(colour: str) -> list[float]:
    return [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def distance(one: str, other: str) -> float:
    """Largest difference in hue (as a part of the circle), lightness and saturation."""
    (h, *one_ls), (k, *other_ls) = colorsys.rgb_to_hls(*rgb(one)), colorsys.rgb_to_hls(*rgb(other))
    return max(min(abs(h - k), 1 - abs(h - k)), *(abs(a - b) for a, b in zip(one_ls, other_ls)))


# --- what is written ---


@pytest.mark.parametrize("content, low, high", [("HALF", 0.5, 0.55), ("RANDOM", 1, 1.01)])
def test_values_compress_as_they_say_in_the_order_of_their_keys(bad, tmp_path, content, low, high):
    for size in ("100", "1000"):
        folder = tmp_path / size
        folder.mkdir()
        built = bad["Values"]
        printed = subprocess.run(
            [
                find_jdk().java,
                *built.runtime_options,
                *BRIEF,
                "-cp",
                os.pathsep.join(built.class_path),
                "stores.Values",
                content,
                size,
            ],
            cwd=folder,
            capture_output=True,
            check=True,
            timeout=LIMIT_SECONDS,
        ).stdout
        blocks = [
            printed[at : at + 4000] for at in range(0, len(printed), 4000)
        ]  # about what stores compress at once
        assert low < sum(len(zlib.compress(block, 1)) for block in blocks) / len(printed) < high


# --- the script by hand, and stores that misbehave ---


def script(
    built: stores.Built,
    name: str,
    folder: Path,
    *more: str,
    work: str = "",
    workloads: tuple = ("write", "readSeq"),
) -> subprocess.CompletedProcess:
    entries = () if "--entries" in more else ("--entries", "500")
    return run(
        built.runtime_options,
        built.class_path,
        folder,
        f"stores.{name}",
        *workloads,
        *entries,
        "--profile",
        "smoke",
        "--json",
        "--work",
        work or str(folder / "work"),
        *more,
    )


def built(catalog: dict, store: str) -> stores.Built:
    each = catalog["stores"][store]
    return stores.Built(each["code"], "", each["class_path"], each["runtime_options"])


def test_a_script_prints_a_trial_record(catalog, tmp_path):
    done = script(built(catalog, "FlatFile"), "FlatFile", tmp_path)
    record = json.loads(done.stdout)
    assert records.what_is_wrong(record, "trial") is None
    assert (done.returncode, record["status"]) == (0, "ok")
    assert [result["workload"] for result in record["cases"][0]["results"]] == ["write", "readSeq"]


@pytest.mark.parametrize(
    "store", ["FlatFile", "LmdbJavaBb"]
)  # the one takes addresses, the other buffers
def test_more_entries_than_a_piece_has_are_right(catalog, tmp_path, store):
    done = script(
        built(catalog, store),
        store,
        tmp_path,
        "--entries",
        "1100000",
        "--value-bytes",
        "8",
        workloads=("write", "readKey", "readSeq", "readXxh64"),
    )
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)["cases"][0]["results"]
    assert {(result["status"], result["entries"]) for result in results} == {("ok", 1_100_000)}


def test_more_entries_than_memory_has_room_for_are_a_sentence_and_a_failure(catalog, tmp_path):
    done = script(built(catalog, "FlatFile"), "FlatFile", tmp_path, "--entries", "2000000000")
    assert (
        done.returncode != 0
        and "2,000,000,000 entries do not fit the memory that Java may use off its heap"
        in done.stderr
        and "Exception" not in done.stderr
    )


@pytest.mark.parametrize(
    "setting, sentence",
    [
        ("colour=red", "There is no setting 'colour'; choose from"),
        ("sync=maybe", "sync is on, os or off, not maybe"),
        ("memory=4x", "memory is megabytes, as 4, 128-writes or 128-reads, not 4x"),
        ("compression=half", "compression is on, off, default or other, not half"),
    ],
)
def test_a_setting_that_there_is_not_is_a_sentence_and_a_failure(
    catalog, tmp_path, setting, sentence
):
    done = script(built(catalog, "LevelDbJni"), "LevelDbJni", tmp_path, "--set", setting)
    printed = done.stderr or json.loads(done.stdout)["cases"][0]["results"][0]["reason"]
    assert done.returncode != 0 and printed.startswith(sentence)


def test_where_nothing_can_be_written_the_script_says_what_to_choose(catalog, tmp_path):
    done = script(built(catalog, "FlatFile"), "FlatFile", tmp_path, work="/proc")
    assert (
        done.returncode == 2
        and done.stderr.strip() == "/proc is not a writable directory; choose another with --work"
    )


def test_without_its_library_treedb_says_which_package_to_install(catalog, tmp_path, monkeypatch):
    (tmp_path / "libkyotocabinet.so.16").touch()  # found before the real one, and no library
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    done = script(built(catalog, "TreeDb"), "TreeDb", tmp_path)
    record = json.loads(done.stdout)
    assert (done.returncode, record["status"]) == (1, "ok"), "it is n/a, and no failure"
    assert {(each["status"], each["reason"]) for each in record["cases"][0]["results"]} == {
        ("na", f"Kyoto Cabinet cannot be loaded: {INSTALL}")
    }


def test_one_wrong_bit_fails_every_result(bad, tmp_path):
    done = script(bad["WrongBytes"], "WrongBytes", tmp_path)
    record = json.loads(done.stdout)
    assert (done.returncode, record["status"]) == (1, "failed")
    for result in record["cases"][0]["results"]:
        assert (
            result["status"] == "failed"
            and "wrong data: a wrong value came back as entry 499" in result["reason"]
        )
        assert result["iteration_ns"] == []


MODES = ("one thread", "threads", "beside writes", "reopened", "aged", "latency")
LIES = {  # where each shows, and what the reason there says
    "NONE": ((), ""),
    "WRONG_BYTE": (MODES, r"wrong value .* \(int 42\)"),
    "WRONG_KEY": (MODES, r"wrong key .* \(int 42\)"),
    "LAST_MISSING": (("one thread", "threads", "aged"), "499 entries came back instead of 500"),
    "TWICE": (("one thread", "threads", "aged"), r"wrong key .* \(int 43\)"),
    "INSTEAD": (("one thread", "threads", "aged"), r"wrong key .* \(int 43\)"),
    "FORWARD": (("one thread", "threads"), r"wrong key .* entry 0, .* \(int 499\)"),
    "LOST_OVERWRITE": (("beside writes", "aged"), "(wrong value|overwritten entry)"),
    "STALE": (("beside writes", "aged"), "(wrong value|overwritten entry .* opened again)"),
    "FORGETS": (MODES, "wrong key"),
    "STARTS_WRONG": (("beside writes", "reopened", "aged"), "(value .* entry 0|overwritten entry)"),
    "FINDS_ALL": (MODES, r"never written.* \(int 500\)"),
    # by chance while it is timed already, where threads meet
    "ANOTHERS": (("threads", "beside writes"), "(threads got something else|wrong key)"),
}


@pytest.fixture(scope="module")
def lies(bad, tmp_path_factory) -> dict[str, dict]:
    """The trial record of each lie: a case for each mode."""
    folder, liar = tmp_path_factory.mktemp("liar"), bad["Liar"]
    done = run(liar.runtime_options, liar.class_path, folder, "stores.Liar", str(folder / "work"))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("lie", LIES)
def test_a_store_that_lies_has_failed_wherever_its_lie_can_show(lies, lie):
    modes, reason = LIES[lie]
    assert lies.keys() == LIES.keys() and len(lies[lie]["cases"]) == len(MODES)
    assert records.what_is_wrong(lies[lie], "trial") is None
    for mode, case in zip(MODES, lies[lie]["cases"], strict=True):
        for result in case["results"]:
            where = (mode, result["workload"], result["reason"])
            if (lie, mode) == ("STARTS_WRONG", "latency"):  # is in the first get alone
                assert (result["status"] == "ok") == result["workload"].startswith("put"), where
                continue
            assert result["status"] == ("failed" if mode in modes else "ok"), where
            assert mode not in modes or (
                re.search(f"^wrong data: .*{reason}", result["reason"])
                and result["iteration_ns"] == []
            ), where
    assert lies[lie]["status"] == ("failed" if modes else "ok")


def test_a_thread_that_fails_stops_the_others_and_fails_the_trial(bad, tmp_path):
    done = script(bad["OneThreadFails"], "OneThreadFails", tmp_path, "--set", "threads=4")
    record = json.loads(done.stdout)
    assert (done.returncode, record["reason"]) == (
        1,
        "write: IllegalStateException: no room for entry 0 in log",
    ), "a path of the machine is nobody's business"
    assert record["seconds"] < 5, "a share of the others takes 12.5 s"


def test_work_left_to_a_background_thread_is_seen_in_the_settling(bad, tmp_path):
    done = script(bad["Indebted"], "Indebted", tmp_path)
    [case] = json.loads(done.stdout)["cases"]
    write, settle = case["results"][0], case["settle"]
    assert max(write["iteration_ns"]) < 0.5e9, "the client's clock sees nothing of it"
    assert (
        settle["quiet_seconds"] >= 0.5 and settle["cpu_user_ns"] + settle["cpu_system_ns"] > 0.5e9
    )
    assert settle["os_written_bytes"] >= 1 << 20


def test_an_open_loop_shows_the_waiting_that_a_closed_one_hides(bad, tmp_path):
    done = script(bad["Stalling"], "Stalling", tmp_path, workloads=("getService", "getResponse"))
    service, response = (
        histogram(result["singles"]) for result in json.loads(done.stdout)["cases"][0]["results"]
    )
    assert service.max_ns > 40e6 and service.at(90) < 1e6, "one get in 400 stands still for 50 ms"
    assert response.at(90) > 5e6, "and those that are due meanwhile wait"


def test_a_rate_that_follows_from_nothing_is_refused(bad, tmp_path):
    done = script(bad["Stalling"], "Stalling", tmp_path, workloads=("getResponse",))
    assert (
        done.returncode == 1
        and "Measure getService before getResponse" in json.loads(done.stdout)["reason"]
    )


def test_a_crash_is_the_jvms_end_and_not_a_result(bad, tmp_path):
    done = script(bad["Crashing"], "Crashing", tmp_path)
    assert done.returncode < 0 and "SIG" in done.stdout


def test_a_store_that_does_not_end_can_only_be_stopped(bad, tmp_path):
    with pytest.raises(subprocess.TimeoutExpired):
        run(
            bad["Endless"].runtime_options,
            bad["Endless"].class_path,
            tmp_path,
            "stores.Endless",
            "write",
            limit=3,
        )


def test_files_that_a_store_removes_while_they_are_counted_are_no_failure(catalog, tmp_path):
    class_path, source = catalog["stores"]["FlatFile"]["class_path"], tmp_path / "Vanishing.java"
    source.write_text(VANISHING)
    subprocess.run(
        [
            find_jdk().home / "bin" / "javac",
            "-cp",
            os.pathsep.join(class_path),
            "-d",
            tmp_path,
            source,
        ],
        check=True,
    )
    done = run([], [str(tmp_path), *class_path], tmp_path, "kv.trial.Vanishing", str(tmp_path))
    assert done.stdout.split() == ["true", "refused"], done.stderr
