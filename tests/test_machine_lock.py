"""Two measurements at once on one machine: the second is refused, unless it is asked for."""

import contextlib
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner
from filelock import FileLock

from kvreport import cli, preparation
from kvreport.base.errors import UserError
from kvreport.measure import ab, crosscheck, launcher, machine_lock
from kvreport.measure.schedule import Request
from kvreport.options import beside_another

HOLDS = """
import pathlib, sys, time
from kvreport.measure import machine_lock
machine_lock.PLACE, machine_lock.ROOT = pathlib.Path(sys.argv[1]), "/another/checkout"
with machine_lock.alone():
    print("measures", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The folder of the lock, in which no other test measures; both at once are not asked for."""
    monkeypatch.setattr(machine_lock, "PLACE", tmp_path / "kvreport")
    monkeypatch.delenv(machine_lock.BESIDE)
    return machine_lock.PLACE


def test_another_checkout_is_named_and_its_lock_dies_with_it(place, monkeypatch):
    command = [sys.executable, "-c", HOLDS, str(place)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        try:
            assert other.stdout and other.stdout.readline() == "measures\n"
            with pytest.raises(UserError, match="of /another/checkout: .* --beside-another"):
                machine_lock.alone().__enter__()
            monkeypatch.setenv(machine_lock.BESIDE, "1")
            with machine_lock.alone():
                pass
            monkeypatch.delenv(machine_lock.BESIDE)
            with pytest.raises(UserError), machine_lock.alone():
                pass
        finally:
            other.send_signal(signal.SIGKILL)
    with machine_lock.alone():
        assert place.stat().st_mode & 0o777 == 0o700
    with machine_lock.alone():
        pass


@pytest.mark.parametrize("command", [["render"], ["publish"]])
def test_rendering_gives_way_to_a_measurement(command, place, monkeypatch):
    done = []
    monkeypatch.setattr("kvreport.render.engines.render", lambda *_: done.append("rendered"))
    monkeypatch.setattr("kvreport.publish.publishing.publish", lambda *_: done.append("published"))
    monkeypatch.setattr(os, "nice", done.append)
    monkeypatch.setattr(cli, "left_out", list)
    assert "measurement" not in CliRunner().invoke(cli.main, command).output and len(done) == 1
    with machine_lock.alone():
        said = CliRunner().invoke(cli.main, command).output
    assert f"of {machine_lock.ROOT}: " in said
    assert done[1] == preparation.LEAST and done[2] == done[0]
    assert (
        machine_lock.measured() is None and len(CliRunner().invoke(cli.main, command).output) == 0
    )


def test_a_folder_that_is_not_the_user_s_alone_is_refused(place, tmp_path, monkeypatch):
    def refused():
        with pytest.raises(UserError, match=r"kvreport is not a folder that only you can use"):
            machine_lock.alone().__enter__()

    (tmp_path / "elsewhere").mkdir(mode=0o700)
    place.symlink_to(tmp_path / "elsewhere")
    refused()
    place.unlink()
    place.mkdir(mode=0o700)
    place.chmod(0o777)
    refused()
    with FileLock(place / machine_lock.LOCK):
        assert machine_lock.measured() is None, "nobody else is believed"
    place.chmod(0o700)
    with machine_lock.alone():
        pass
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    refused()


def test_the_option_asks_for_both(place):
    command = beside_another(click.Command("measure", callback=lambda: None))
    assert CliRunner().invoke(command, []).exit_code == 0 and machine_lock.BESIDE not in os.environ
    assert CliRunner().invoke(command, ["--beside-another"]).exit_code == 0
    assert os.environ[machine_lock.BESIDE]


@contextlib.contextmanager
def held():
    raise UserError("held")
    yield


@pytest.mark.parametrize(
    "whole, request_", [(False, Request()), (True, Request(retry_failed=True)), (True, Request())]
)
def test_a_launch_that_has_something_to_measure_is_alone(whole, request_, monkeypatch):
    job = SimpleNamespace(run="run", section=SimpleNamespace(id="04"))
    stubs = {
        "alone": held,
        "Job": lambda *_: job,
        "is_whole_section": lambda _: whole,
        "make_rounds": lambda *_: {"04": []},
        "measure_beside": lambda _: None,
        "write_logs": lambda _: None,
        "plans": lambda *_: {"04": None},
        "wanted": lambda *_: ["X"],
        "find_section": lambda name: SimpleNamespace(id=name),
        "locked": lambda _: contextlib.nullcontext(),
        "remove_leftovers": lambda _: None,
        "run_for": lambda *_: "run",
    }
    job.plan = SimpleNamespace(heap="1g")
    job.known = {}
    for name, stub in stubs.items():
        monkeypatch.setattr(launcher, name, stub)
    monkeypatch.setattr(launcher.environment, "writable", lambda _: None)
    monkeypatch.setattr(launcher.environment, "cpu", lambda: {"model": "m"})
    monkeypatch.setattr(launcher.run_selection, "conditions_now", lambda *_: {"host": "h"})
    monkeypatch.setattr(launcher.run_selection, "refuse_other_machine", lambda *_: None)

    def launch():
        return launcher.measure({"profiles": ["smoke"]}, "04", "smoke", request=request_)

    if whole and request_ == Request():
        assert launch().runs == ["run"]  # nothing is measured: no reason to wait
    else:
        with pytest.raises(UserError, match="held"):
            launch()


def test_the_checks_of_the_harness_are_alone(monkeypatch):
    for module in (ab, crosscheck):
        monkeypatch.setattr(module, "alone", held)
    monkeypatch.setattr(ab, "_pass", lambda *_: pytest.fail("it measured"))
    monkeypatch.setattr(crosscheck, "_round", lambda *_: pytest.fail("it measured"))
    with pytest.raises(UserError, match="held"):
        ab.run_ab(None, 1, "quick", ({"stores": {"FlatFile": {}}}, {"stores": {"FlatFile": {}}}))
    known = {"profiles": {"smoke": {}}, "stores": {}}
    run = SimpleNamespace(environment={"profile": "smoke", "seed": 1})
    for name, stub in {
        "catalog": lambda: known,
        "build": lambda _: {"CrossCheck": SimpleNamespace(failed=None)},
        "_continued": lambda *_: {"rounds": 0},
    }.items():
        monkeypatch.setattr(crosscheck, name, stub)
    monkeypatch.setattr(crosscheck.runs, "load", lambda *_: run)
    with pytest.raises(UserError, match="held"):
        crosscheck.measure_crosscheck("run", None, lambda _: [])
