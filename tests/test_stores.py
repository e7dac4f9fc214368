"""The contract that every store keeps: four data sets written, closed, reopened and read back in every way, and nothing left behind.

Each store runs in a JVM of its own, on its own class path, as the launcher runs it. The stores of tests/stores misbehave.
"""

import colorsys
import itertools
import json
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jsonschema
import pytest

from kvreport import stores
from kvreport.jdk import find_jdk
from kvreport.paths import JBANG_STORES, ROOT, SCHEMA

STORES = sorted(script.stem for script in JBANG_STORES.glob("*.java"))
BAD = ROOT / "tests" / "stores"
AT_ONCE = 4  # each waits, most of the time, for the store's background work to end
LIMIT_SECONDS = 60
BRIEF = ("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # for JVMs that end before a better compiler pays
KEEPS_NOTHING = {"Memory"}
SLACK_BYTES = 8 << 20  # what some stores allocate at once, however little is in it
GROUNDS = ("#ffffff", "#1b1e23")  # the themes' light and dark


@pytest.fixture(scope="module")
def catalog() -> dict:
    known = stores.catalog()
    assert not known["failed"]
    return known


@pytest.fixture(scope="module")
def bad() -> dict[str, stores.Built]:
    built = stores.build([BAD / f"{name}.java" for name in ("Contract", "WrongBytes", "Crashing", "Endless")])
    assert not {name: result.failed for name, result in built.items() if result.failed}
    return built


def run(options: list[str], class_path: list[str], folder: Path, main: str, *arguments: str,
        limit: float = LIMIT_SECONDS) -> subprocess.CompletedProcess:
    """A JVM whose home, temporary and current directories are the folder's own."""
    for name in ("home", "tmp", "work"):
        (folder / name).mkdir()
    return subprocess.run(
        [find_jdk().java, *options, *BRIEF, f"-Duser.home={folder / 'home'}", f"-Djava.io.tmpdir={folder / 'tmp'}",
         "-cp", os.pathsep.join(class_path), main, *arguments],
        cwd=folder, env=os.environ | {"HOME": str(folder / "home")}, capture_output=True, text=True, timeout=limit)


@pytest.fixture(scope="module")
def trials(catalog, bad, tmp_path_factory) -> dict[str, tuple[subprocess.CompletedProcess, Path]]:
    """What each store's JVM printed, and the folder it ran in."""
    folders = {store: tmp_path_factory.mktemp(store) for store in STORES}

    def measure(store: str):
        each, folder = catalog["stores"][store], folders[store]
        class_path = [*each["class_path"], bad["Contract"].class_path[0]]
        return store, (run(each["runtime_options"], class_path, folder, "stores.Contract", store, str(folder / "work")), folder)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(pool.map(measure, STORES))


@pytest.fixture
def trial(trials, store) -> dict:
    done, _ = trials[store]
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("store", STORES)
def test_every_workload_of_every_case_is_right_or_declared_impossible(catalog, store, trial):
    assert (trial["status"], trial["reason"]) == ("ok", None)
    plain = [case for case in trial["cases"] if not case["settings"]]
    assert {(case["keys"], case["order"]) for case in plain} == set(itertools.product(("int", "string"), ("sequential", "random")))
    cannot = catalog["stores"][store]["cannot"]
    expected = {name: ("na", cannot[name]) if name in cannot else ("ok", None) for name in catalog["workloads"]}
    assert {"write", "readKey"}.isdisjoint(cannot)
    for case in plain:
        assert {each["workload"]: (each["status"], each["reason"]) for each in case["results"]} == expected
        assert all(len(each["iteration_ns"]) > 0 for each in case["results"] if each["status"] == "ok")


@pytest.mark.parametrize("store", STORES)
def test_a_store_works_with_each_setting_that_it_has_and_says_which_it_lacks(catalog, store, trial):
    told = catalog["stores"][store]
    changed = [case for case in trial["cases"] if case["settings"]]
    assert {name for case in changed for name in case["settings"]} == set(catalog["settings"])
    for case in changed:
        lacking = [name for name in case["settings"] if name not in told["settings"]]
        write, scan = case["results"]
        assert write["status"] == ("na" if lacking else "ok") and scan["status"] == ("na" if lacking or "readSeq" in told["cannot"] else "ok"), case
        assert not lacking or (write["reason"], case["settle"]) == (f"has no setting {lacking[0]}", None)


@pytest.mark.parametrize("store", sorted(set(STORES) - KEEPS_NOTHING))
def test_what_was_closed_is_on_disk(store, trial):
    for case in (case for case in trial["cases"] if not case["settings"]):
        for bytes_ in (case["space"]["open_bytes"], case["space"]["closed_bytes"]):
            assert 0 < bytes_ < 3 * case["flat_bytes"] + SLACK_BYTES
        assert case["space"]["closed_bytes"] >= case["entries"] * case["value_bytes"], "keys can be packed, random values cannot"


@pytest.mark.parametrize("store", STORES)
def test_library_and_engine_say_which_they_are(store, trial):
    what = trial["store"]
    assert what["engine"] and "unknown" not in what["engine"]
    if what["library"]:
        group, artifact = what["library"].split(":")
        assert re.match(r"\d", what["version"])
        assert any(jar["name"] == f"{artifact}-{what['version']}.jar" for jar in trial["jars"]), group


@pytest.mark.parametrize("store", STORES)
def test_nothing_is_left_behind(trials, store):
    _, folder = trials[store]
    left = {name: [*(folder / name).rglob("*")] for name in ("work", "home")}
    assert left == {"work": [], "home": []}
    assert {file.name for file in folder.iterdir()} == {"home", "tmp", "work"}


# --- what the stores say of themselves ---

@pytest.mark.parametrize("store", STORES)
def test_every_option_is_explained_and_linked_to_its_documentation(catalog, store):
    options = catalog["stores"][store]["options"]
    assert options
    assert len({each["name"] for each in options}) == len(options)
    for each in options:
        assert each["value"] and each["why"], each
        assert re.fullmatch(r"https?://[\w.-]+\.\w+/\S+", each["link"]), each


def test_names_and_colours_tell_the_stores_apart(catalog):
    known = catalog["stores"].values()
    assert len({each["name"] for each in known}) == len(known)
    for one, other in itertools.combinations(known, 2):
        assert distance(one["colour"], other["colour"]) > 0.05, (one["id"], other["id"])
    for each in known:
        assert all(contrast(each["colour"], ground) >= 2.5 for ground in GROUNDS), each["id"]


def rgb(colour: str) -> list[float]:
    return [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]


def distance(one: str, other: str) -> float:
    """Largest difference in hue (as a part of the circle), lightness and saturation."""
    (h, *one_ls), (k, *other_ls) = colorsys.rgb_to_hls(*rgb(one)), colorsys.rgb_to_hls(*rgb(other))
    return max(min(abs(h - k), 1 - abs(h - k)), *(abs(a - b) for a, b in zip(one_ls, other_ls)))


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours as WCAG 2 defines it: 1 to 21."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in rgb(colour)]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear))


# --- the script by hand, and stores that misbehave ---

def script(built: stores.Built, name: str, folder: Path) -> subprocess.CompletedProcess:
    return run(built.runtime_options, built.class_path, folder, f"stores.{name}", "write", "readSeq", "--entries", "500",
               "--profile", "smoke", "--json", "--work", str(folder / "work"))


def test_a_script_prints_a_trial_record(catalog, tmp_path):
    each = catalog["stores"]["FlatFile"]
    built = stores.Built(each["code"], "", each["class_path"], each["runtime_options"])
    done = script(built, "FlatFile", tmp_path)
    record = json.loads(done.stdout)
    jsonschema.validate(record, json.loads((SCHEMA / "trial.schema.json").read_text()))
    assert (done.returncode, record["status"]) == (0, "ok")
    assert [result["workload"] for result in record["cases"][0]["results"]] == ["write", "readSeq"]


def test_one_wrong_bit_fails_every_result(bad, tmp_path):
    done = script(bad["WrongBytes"], "WrongBytes", tmp_path)
    record = json.loads(done.stdout)
    assert (done.returncode, record["status"]) == (1, "failed")
    for result in record["cases"][0]["results"]:
        assert result["status"] == "failed" and "wrong data: a wrong value came back as entry 499" in result["reason"]
        assert result["iteration_ns"] == []


def test_a_crash_is_the_jvms_end_and_not_a_result(bad, tmp_path):
    done = script(bad["Crashing"], "Crashing", tmp_path)
    assert done.returncode < 0 and "SIG" in done.stdout


def test_a_store_that_does_not_end_can_only_be_stopped(bad, tmp_path):
    with pytest.raises(subprocess.TimeoutExpired):
        run(bad["Endless"].runtime_options, bad["Endless"].class_path, tmp_path, "stores.Endless", "write", limit=3)
