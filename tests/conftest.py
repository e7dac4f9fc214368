"""The tiers of the tests. One that names none is fast, and then finds no JDK to start."""

import pytest

SLOW = ("jvm", "end_to_end")


@pytest.hookimpl(tryfirst=True)  # before pytest selects by tier
def pytest_collection_modifyitems(items):
    for item in items:
        if not any(map(item.get_closest_marker, SLOW)):
            item.add_marker("fast")


@pytest.fixture(autouse=True)
def no_jdk_where_tests_are_fast(request, monkeypatch):
    if request.node.get_closest_marker("fast"):
        monkeypatch.setenv("JAVA_HOME", "/a fast test starts no JVM")
