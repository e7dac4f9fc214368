"""Plants one fault after another in the core of kvreport, and names those that no test notices.

    python mutants/python.py [module ...]

The faults are mutmut's and a few of our own. mutmut itself leaves out what has a decorator and what
is outside a function, which is half of the core; here every line counts. Nothing is written to the
sources: a fault lives in a forked process, which has the libraries loaded already and passes the
tests that reach the function at fault, the quickest first.

What is to survive is in python-survivors.txt, each with the reason why it changes nothing.
"""

import ast
import contextlib
import difflib
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import math
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import coverage
import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation import mutators

ROOT = Path(__file__).parent.parent
CORE = [
    *(f"analysis/{name}" for name in ("ab", "compare", "comparison", "costs")),
    *(f"analysis/{name}" for name in ("answers", "chooser", "crosscheck", "latency", "measured")),
    *(
        f"analysis/{name}"
        for name in ("contrast", "model", "moderated", "noise", "results", "stats", "steady")
    ),
    *(f"analysis/{name}" for name in ("claims", "evidence", "ranking")),
    *(f"data/{name}" for name in ("cases", "records", "rows", "runs", "trials")),
    *(f"base/{name}" for name in ("markdown", "text")),
]
TESTS = ("core", "stats", "verdicts", "notebook", "latency", "runs", "harness")
TESTS += ("compare", "refused", "markdown", "model", "answer", "chooser", "crosscheck")
SURVIVORS = Path(__file__).with_name("python-survivors.txt")
SECONDS = 60  # a fault that makes its tests run for so much longer than three times is noticed


# --- faults ---


def of_numbers(node: cst.Integer | cst.Float) -> Iterator[cst.CSTNode]:
    """A whole number by one, another by a tenth: mutmut's 2.1 for 1.1 is noticed too easily."""
    value = node.evaluated_value
    yield node.with_changes(value=repr(value + 1 if isinstance(value, int) else 1.1 * value))


SWAPPED = {"any": "all", "all": "any", "min": "max", "max": "min", "median": "mean"}
SWAPPED |= {"mean": "median", "reversed": "list", "low": "high", "high": "low", "sum": "max"}


def of_names(node: cst.Name) -> Iterator[cst.CSTNode]:
    if node.value in SWAPPED:
        yield node.with_changes(value=SWAPPED[node.value])


TURNED = {
    cst.LessThan: cst.GreaterThan,
    cst.LessThanEqual: cst.GreaterThanEqual,
    cst.GreaterThan: cst.LessThan,
    cst.GreaterThanEqual: cst.LessThanEqual,
}


def of_comparisons(node: cst.ComparisonTarget) -> Iterator[cst.CSTNode]:
    if type(node.operator) in TURNED:
        yield node.with_changes(operator=TURNED[type(node.operator)]())


def of_conditions(node: cst.BooleanOperation) -> Iterator[cst.CSTNode]:
    """One side left out."""
    yield node.left
    yield node.right


def of_branches(node: cst.If | cst.CompIf) -> Iterator[cst.CSTNode]:
    inverted = cst.UnaryOperation(
        cst.Not(), node.test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    )
    yield node.with_changes(test=inverted)


def of_arguments(node: cst.Call) -> Iterator[cst.CSTNode]:
    """A named one left out; without another the call is an error that any test finds."""
    for at, argument in enumerate(node.args):
        if argument.keyword:
            yield node.with_changes(args=[*node.args[:at], *node.args[at + 1 :]])


OPERATORS = [
    ((cst.Integer, cst.Float), of_numbers),
    (cst.Name, of_names),
    (cst.Name, mutators.operator_name),
    (cst.ComparisonTarget, of_comparisons),
    (cst.BooleanOperation, of_conditions),
    ((cst.If, cst.CompIf), of_branches),
    (cst.Call, of_arguments),
    (cst.Call, mutators.operator_symmetric_string_methods_swap),
    (cst.AugAssign, mutators.operator_augmented_assignment),
    (cst.UnaryOperation, mutators.operator_remove_unary_ops),
    (cst.CSTNode, mutators.operator_keywords),
    (cst.CSTNode, mutators.operator_swap_op),
    (cst.IfExp, mutators.operator_if_exp),
]
# annotations say nothing at run time, a fault in an import is none that anyone would make, what is
# said of an error is prose
PASSED_OVER = (cst.Annotation, cst.Import, cst.ImportFrom, cst.Decorator, cst.Raise)


@dataclass(frozen=True)
class Mutant:
    """A module's source with one fault."""

    module: str
    function: str
    removed: str
    added: str
    source: str

    @property
    def key(self) -> tuple[str, str, str]:
        return f"{self.module} {self.function}", self.removed, self.added

    def __str__(self) -> str:
        return f"{self.module} {self.function}\n- {self.removed}\n+ {self.added}"


class Planter(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self):
        self.found: list[tuple[int, cst.CSTNode, cst.CSTNode]] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, PASSED_OVER) or _is_docstring(node):
            return False
        if isinstance(node, cst.Param) and node.default:
            node.default.visit(self)  # and not the names
            return False
        for kinds, operator in OPERATORS:
            if isinstance(node, kinds):
                at = self.get_metadata(PositionProvider, node, None)
                self.found += [(at.start.line if at else 0, node, new) for new in operator(node)]
        return True


def _is_docstring(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Expr) and isinstance(node.value, cst.SimpleString)


def functions(source: str) -> dict[int, tuple[str, range]]:
    """By line: the outermost function that it is in, with the lines of its body."""
    found = {}

    def walk(body: list[ast.stmt], prefix: str) -> None:
        for each in body:
            if isinstance(each, ast.ClassDef):
                walk(each.body, f"{each.name}.")
            elif isinstance(each, ast.FunctionDef):
                body = range(each.body[0].lineno, each.end_lineno + 1)
                lines = range(each.lineno, each.end_lineno + 1)
                found.update(dict.fromkeys(lines, (prefix + each.name, body)))

    walk(ast.parse(source).body, "")
    return found


def mutants(module: str) -> list[Mutant]:
    source = (ROOT / f"kvreport/{module}.py").read_text()
    tree, planter, known = cst.parse_module(source), Planter(), functions(source)
    MetadataWrapper(tree, unsafe_skip_copy=True).visit(planter)
    lines, found = source.splitlines(), {}
    for _, old, new in planter.found:
        changed = tree.deep_replace(old, new).code
        with contextlib.suppress(SyntaxError):
            compile(changed, module, "exec")
            parts = changed_lines(lines, changed.splitlines())
            function = known.get(parts[0] + 1, ("module",))[0]
            mutant = Mutant(module, function, parts[1], parts[2], changed)
            found.setdefault(changed, mutant)
    found.pop(source, None)
    return list(found.values())


def changed_lines(before: list[str], after: list[str]) -> tuple[int, str, str]:
    """Where two texts differ first, and the words there, of each on one line."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    edits = [each for each in matcher.get_opcodes() if each[0] != "equal"] or [("", 0, 0, 0, 0)]
    (_, first, _, begin, _), (*_, last, _, end) = edits[0], edits[-1]
    one, other = before[first:last], after[begin:end]
    return first, *(" ".join(" ".join(each).split()) for each in (one, other))


# --- tests ---


class Reach:
    """A plug-in for pytest: which tests reach which lines, and how long each takes."""

    def __init__(self):
        sources = [str(ROOT / f"kvreport/{module}.py") for module in CORE]
        self.coverage = coverage.Coverage(data_file=None, include=sources, config_file=False)
        self.seconds: Counter = Counter()
        self.failed: list[str] = []

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_setup(self, item):
        # what a fixture computes once, every test of its file may look at
        self.coverage.switch_context(item.nodeid.partition("::")[0])
        yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        self.coverage.switch_context(item.nodeid)
        yield
        self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failed.append(report.nodeid)


def reached() -> tuple[dict[str, dict[int, list[str]]], dict[str, float]]:
    """By module and line the tests that reach it, and what each takes. Passes all tests once."""
    reach = Reach()
    reach.coverage.start()
    done = run(FILES, [reach])
    reach.coverage.stop()
    if done:
        sys.exit(f"Without any fault tests fail: {', '.join(reach.failed) or done}.")
    data = reach.coverage.get_data()
    lines = {
        module: data.contexts_by_lineno(str(ROOT / f"kvreport/{module}.py")) for module in CORE
    }
    return lines, reach.seconds


FILES = [file for name in TESTS if (file := f"tests/test_{name}.py") and (ROOT / file).exists()]


def run(tests: list[str], plugins: list = ()) -> int:
    folder = tempfile.mkdtemp(prefix="mutant-")
    options = ["-x", "-q", "-m", "fast", "-p", "no:cacheprovider"]
    try:
        with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
            arguments = [*options, "--tb=no", f"--basetemp={folder}/t", *tests]
            return int(pytest.main(arguments, plugins=list(plugins)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def selected(mutant: Mutant, lines: dict[int, list[str]], seconds: dict[str, float]) -> list[str]:
    """The tests that reach a mutant's function, the quickest first; of what runs when its module
    is imported, those that reach anything of it.
    """
    source = (ROOT / f"kvreport/{mutant.module}.py").read_text()
    own = [of for name, of in functions(source).values() if name == mutant.function]
    inside = {line for of in own for line in of}
    imported = not own or any("" in lines.get(line, ()) for line in inside)
    found = {test for line, tests in lines.items() if line in inside or imported for test in tests}
    whole = {test for test in found if test and "::" not in test}
    tests = {test for test in seconds if test in found or test.partition("::")[0] in whole}
    files: Counter = Counter()
    for test in tests:
        files[test.partition("::")[0]] += seconds[test]
    return sorted(tests, key=lambda test: (files[test.partition("::")[0]], seconds[test]))


# --- a fault and its tests, in a process of their own ---


class Finder(importlib.abc.MetaPathFinder):
    """Imports one module from a text instead of its file."""

    def __init__(self, mutant: Mutant):
        self.name = "kvreport." + mutant.module.replace("/", ".")
        self.path = str(ROOT / f"kvreport/{mutant.module}.py")
        self.source = mutant.source

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        loader = importlib.machinery.SourceFileLoader(name, self.path)
        loader.get_code = lambda _: compile(self.source, self.path, "exec")
        return importlib.util.spec_from_file_location(name, self.path, loader=loader)


def forget() -> None:
    """Leaves the libraries loaded and nothing of ours."""
    ours = str(ROOT / "kvreport"), str(ROOT / "tests")
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(ours):
            del sys.modules[name]


def start(mutant: Mutant, tests: list[str], seconds: float) -> int:
    """Forks; the process ends with 0 where no test notices. Tests are passed file by file, so that
    no more is imported than it takes.
    """
    if process := os.fork():
        return process
    with contextlib.suppress(BaseException):
        signal.alarm(math.ceil(SECONDS + 3 * seconds))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1), os.dup2(null, 2)
        sys.meta_path.insert(0, Finder(mutant))
        for file in dict.fromkeys(test.partition("::")[0] for test in tests):
            if found := run([test for test in tests if test.startswith(f"{file}::")]):
                os._exit(found)
        os._exit(0)
    os._exit(1)


def survivors(planted: list[tuple[Mutant, list[str]]], seconds: dict[str, float]) -> list[Mutant]:
    """Those that their tests pass with, as many at once as there are processors."""
    running: dict[int, Mutant] = {}
    found, waiting, most = [], list(reversed(planted)), len(os.sched_getaffinity(0))
    while waiting or running:
        while waiting and len(running) < most:
            mutant, tests = waiting.pop()
            if tests:
                running[start(mutant, tests, sum(seconds[test] for test in tests))] = mutant
            else:
                found.append(mutant)
                print(mutant, flush=True)
        if running:
            process, status = os.wait()
            mutant = running.pop(process)
            if os.waitstatus_to_exitcode(status) in (3, 5):
                sys.exit(f"The tests could not be passed: {mutant}")
            if status == 0:
                found.append(mutant)
                print(mutant, flush=True)
    return found


def listed() -> dict[tuple[str, str, str], str]:
    """The survivors that are known, each with its reason."""
    text = SURVIVORS.read_text() if SURVIVORS.exists() else ""
    blocks = [each.splitlines() for each in text.split("\n\n") if each and each[0] != "#"]
    found = {}
    for where, removed, added, *reason in blocks:
        found[where, removed[2:], added[2:]] = " ".join(reason)
    return found


def main(wanted: list[str]) -> None:
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT / "tests"))
    sys.dont_write_bytecode = False
    began = time.monotonic()
    lines, seconds = reached()
    forget()
    gc.freeze()  # or every process copies what the collector touches
    every, left = defaultdict(list), defaultdict(list)
    for module in CORE:
        if wanted and not any(each in module for each in wanted):
            continue
        chosen = [(mutant, selected(mutant, lines[module], seconds)) for mutant in mutants(module)]
        every[module] = [mutant for mutant, _ in chosen]
        left[module] = survivors(chosen, seconds)
        if chosen:
            print(score(module, every[module], left[module]), flush=True)
    print(score("all", list(chain(*every.values())), list(chain(*left.values()))))
    print(f"{math.ceil((time.monotonic() - began) / 60)} minutes")
    known, found = listed(), {mutant.key for each in left.values() for mutant in each}
    gone = [key for key in known if key not in found and key[0].partition(" ")[0] in every]
    if new := found - known.keys():
        print(
            f"{len(new)} faults survive that {SURVIVORS.name} does not list: write a test that"
            " notices each, or list it with the reason why it changes nothing.",
            file=sys.stderr,
        )
    for where, removed, added in gone:
        print(f"{SURVIVORS.name} lists what does not survive: {where}\n- {removed}\n+ {added}")
    sys.stdout.flush()
    os._exit(1 if new or gone else 0)  # the libraries complain where modules were forgotten


def score(name: str, mutants: list[Mutant], left: list[Mutant]) -> str:
    killed = len(mutants) - len(left)
    return f"{name}: {killed} of {len(mutants)} noticed, {100 * killed / len(mutants):.1f}%"


if __name__ == "__main__":
    main(sys.argv[1:])
