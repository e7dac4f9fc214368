"""A reader's own question: what a TOML may say, what it is measured as, and who writes one."""

import subprocess

import pytest
from click.testing import CliRunner

from kvreport.base.errors import UserError
from kvreport.base.paths import RECORDER, ROOT
from kvreport.cli import main
from kvreport.own import sources
from kvreport.own.question import KEYS, read_question
from kvreport.toolchain.jdk import find_jdk

QUESTIONS = sorted((ROOT / "notebooks" / "questions").glob("*.toml"))
GOOD = """question = "Sessions"
entries = 20_000
value_bytes = 200
mix = { get = 0.7, put = 0.25, range = 0.05 }
range_entries = 50
data_over_memory = 2
"""


@pytest.mark.parametrize("file", QUESTIONS, ids=lambda file: file.stem)
def test_the_questions_that_are_shipped_are_short_and_can_be_asked(file):
    assert read_question(file)["entries"] and len(file.read_text().splitlines()) <= 15


def test_what_is_measured_is_what_was_asked(tmp_path):
    (tmp_path / "mine.toml").write_text(GOOD)
    declared = sources.section_of(read_question(tmp_path / "mine.toml"), "1-mine")
    for part in (
        'Section.of("1-mine")',
        "new CaseSpec(KeyKind.STRING, Order.RANDOM, 20000, 200)",
        '.with(Setting.MIX, "get-0.7_put-0.25_range-0.05")',
        '.with(Setting.RANGE, "50")',
        '.with(Setting.SYNC, "os")',
        '.memory("512m", 0.5)',
    ):
        assert part in declared


WRONG = {  # what replaces what, and the sentence after the file's name
    "no number": ("entries = 20_000", 'entries = "many"', ', line 2: entries is "many", and'),
    "too small": ("value_bytes = 200", "value_bytes = 0", ", line 3: value_bytes is 0, and has"),
    "true is no 1": ("value_bytes = 200", "value_bytes = true", ", line 3: value_bytes is true"),
    "not 1": ("put = 0.25", "put = 0.5", ', line 4: mix is {"get": 0.7, "put": 0.5, "range": 0.0'),
    "unknown": ("entries = 20_000", "keyz = 3\nentries = 1_000", ", line 2: there is no keyz; "),
    "no TOML": ("value_bytes = 200", "value_bytes =", ", line 3: it is no TOML: invalid value."),
    "lacking": ("value_bytes = 200\n", "", " says nothing of value_bytes: a whole number"),
    "no range": (", range = 0.05", ", modify = 0.05", ", line 5: range_entries needs a range"),
    "infinite": ("data_over_memory = 2", "data_over_memory = inf", ", line 6: data_over_memory is"),
    "Markdown": ('"Sessions"', '"*all*"', ', line 1: question is "*all*", and has to be a line'),
    "two lines": ('"Sessions"', '"a\\nb"', ', line 1: question is "a\\nb", and has to be a line'),
}


@pytest.mark.parametrize(("old", "new", "said"), WRONG.values(), ids=WRONG)
def test_a_bad_question_has_its_line_and_what_is_allowed(tmp_path, old, new, said):
    file = tmp_path / "mine.toml"
    assert GOOD.count(old) == 1
    file.write_text(GOOD.replace(old, new))
    with pytest.raises(UserError) as problem:
        read_question(file)
    assert str(problem.value).startswith(f"{file}{said}") and "\n" not in str(problem.value)


@pytest.mark.parametrize("name", ["Mine.toml", "-.toml", "a b.toml", "é.toml", f"{'a' * 41}.toml"])
def test_a_question_whose_name_makes_no_page_is_refused(tmp_path, name):
    (tmp_path / name).write_text(GOOD)
    with pytest.raises(UserError, match="has to have a name of a-z"):
        read_question(tmp_path / name)


def test_constraints_leave_stores_out(tmp_path):
    file = tmp_path / "mine.toml"
    known = {
        "stores": {"LmdbJavaBb": {}, "MvStore": {}, "Sparkey": {"family": "constant database"}}
    }
    for only, left in {
        '"pure Java"': ["MvStore", "Sparkey"],
        '"pure Java", "updates"': ["MvStore"],
        "": None,
    }.items():
        file.write_text(f"{GOOD}only = [{only}]\n")
        assert read_question(file).stores_of(known) == left
    file.write_text(f'{GOOD}only = ["pure Java"]\nstores = ["LmdbJavaBb"]\n')
    with pytest.raises(UserError, match="No store is pure Java: leave something out"):
        read_question(file).stores_of(known)


@pytest.mark.parametrize("option", [["--rounds", "2"], ["--profile", "full"], ["--retry-failed"]])
def test_an_option_that_a_question_has_no_use_for_is_refused(tmp_path, option):
    (tmp_path / "mine.toml").write_text(GOOD)
    done = CliRunner().invoke(main, ["measure", str(tmp_path / "mine.toml"), *option])
    assert done.exit_code == 2 and "says itself how long it is measured" in done.output


PROGRAM = """
import java.nio.file.Path;
import java.util.SplittableRandom;
import recorder.Recorder;

public class Program {
    public static void main(String... arguments) throws Exception {
        boolean uneven = arguments[1].equals("zipfian");
        var recorder = new Recorder();
        var random = new SplittableRandom(1);
        for (int i = 0; i < 600_000; i++) {
            double drawn = random.nextDouble();
            long number = (long) (uneven ? Math.pow(150_000, drawn) : 150_000 * drawn);
            byte[] key = ("key " + number).getBytes();
            switch (i % 10) {
                case 0 -> recorder.put(key, 100 + i % 201);
                case 1 -> recorder.range(key, 40);
                default -> recorder.get(key);
            }
        }
        recorder.write(Path.of(arguments[0]));
    }
}
"""


@pytest.mark.jvm
def test_a_program_that_is_recorded_asks_what_it_does(tmp_path):
    assert CliRunner().invoke(main, ["record", str(tmp_path)]).exit_code == 0
    again = CliRunner().invoke(main, ["record", str(tmp_path)])
    assert again.exit_code == 2 and "is there already" in again.output
    (tmp_path / "Program.java").write_text(PROGRAM)
    java = find_jdk().home / "bin"
    files = [tmp_path / RECORDER.name, tmp_path / "Program.java"]
    subprocess.run([java / "javac", "-d", tmp_path, *files], check=True)
    for popularity in ("zipfian", "uniform"):
        file = tmp_path / f"{popularity}.toml"
        subprocess.run([java / "java", "-cp", tmp_path, "Program", file, popularity], check=True)
        asked = read_question(file)
        assert asked["mix"] == {"get": 0.8, "put": 0.1, "range": 0.1}
        assert (asked["popularity"], asked["range_entries"]) == (popularity, 40)
        assert asked["value_bytes"] == 200 and asked["threads"] == 1
        assert 120_000 < asked["entries"] < 180_000 or popularity == "zipfian"


def test_every_key_is_documented():
    words = (ROOT / "README.md").read_text()
    assert not [key for key in KEYS if f"`{key}`" not in words]
