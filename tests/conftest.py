"""The tiers of the tests, and their order where several processes share them.

A test that names no tier is fast, and then finds no JDK to start. `make test` hands a module to one
process, as its tests share what their fixtures make: the longest first, so that no process waits
for it in the end, and those that are fast alone last.
"""

import os

import pytest
import zmq

from kvreport.measure.machine_lock import BESIDE

os.environ[BESIDE] = "1"  # several processes measure at once, and none of them to be shown
# A test that failed may leave a kernel's sockets open; collected as garbage, their context would
# wait for them for ever, in the middle of another test.
zmq.Context.__del__ = lambda self: None

TIERS = ("end_to_end", "jvm", "fast")
LONGEST = "test_end_to_end"


def tier_of(item: pytest.Item) -> str:
    return next((tier for tier in TIERS if item.get_closest_marker(tier)), "fast")


@pytest.hookimpl(tryfirst=True)  # before pytest selects by tier
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(tier_of(item))
    items.sort(key=lambda item: (item.path.stem != LONGEST, TIERS.index(tier_of(item))))


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium, for the tests of a module."""
    from pages import chromium  # slow to import, and fast tests open none

    with chromium() as started:
        yield started


@pytest.fixture(autouse=True)
def no_jdk_where_tests_are_fast(request, monkeypatch):
    if request.node.get_closest_marker("fast"):
        monkeypatch.setenv("JAVA_HOME", "/a fast test starts no JVM")
