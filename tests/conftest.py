"""What all tests share: the same examples on every run, real processes one test at a
time, coverage where it is new.
"""

from __future__ import annotations

import gc
import os
import sys
import tomllib
from collections.abc import Generator
from pathlib import Path

import pytest
from coverage import Coverage
from hypothesis import settings

from pips_referee.installed import GROUP, VARIABLE

pytest_plugins = ["tests.needs", "pytester"]
HERE = Path(__file__).parent
REAL_PROCESSES = ("e2e", "faults")
AT_EASE = (
    "test_async_js", "test_dask", "test_here", "test_join_anywhere", "test_js", "test_models", "test_pips_bot",
    "test_rerun", "test_tiers",
)  # fmt: skip
"""End-to-end modules with patient clocks: other tests may run beside them."""
UNMEASURED = (*REAL_PROCESSES, "conformance", "house", "nights", "simulate")
"""Rooms that take long along lines that others reach; modules say so themselves."""
MEASURE_CHILDREN = "COVERAGE_PROCESS_CONFIG"
"""The variable by which coverage begins in a process that a test starts."""

# The games of this project, whatever else is installed in the environment.
PROJECT = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
os.environ[VARIABLE] = " ".join([f"{name}={place}" for name, place in sorted(PROJECT["entry-points"][GROUP].items())])

# The same examples everywhere, so that a failure is the doing of a change. Others are
# looked for with pytest --hypothesis-profile=explore
settings.register_profile("house", derandomize=True, deadline=None, database=None)
settings.register_profile("explore", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("house")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected lives to the end: no search for garbage looks at it."""
    gc.disable()
    result = yield
    gc.freeze()
    gc.enable()
    return result


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Under `-n --dist loadgroup`, nights whose clocks are short share a worker, so
    that no two fight for the cores. Tests that share a fixture of their module share
    a worker too: it is made once. What is slow, in browsers too, runs without coverage
    unless it is `measured`: that takes half of its time, and other tests reach nearly
    all of these lines.
    """
    for item in items:
        first, *others = item.path.relative_to(HERE).parts
        room = others[0] if first == "lab" else first
        if room in REAL_PROCESSES and item.path.stem not in AT_EASE:
            item.add_marker(pytest.mark.xdist_group("processes"))
        elif item.get_closest_marker("xdist_group") is None and _shares_a_fixture(item):
            item.add_marker(pytest.mark.xdist_group("/".join((first, *others))))
        slow = room in UNMEASURED or _is_in_browser(item)
        if slow and item.get_closest_marker("measured") is None:
            item.add_marker(pytest.mark.unmeasured)


def _shares_a_fixture(item: pytest.Item) -> bool:
    assert isinstance(item, pytest.Function)
    fixtures = item._fixtureinfo.name2fixturedefs.values()
    return any(fixture.scope == "module" for definitions in fixtures for fixture in definitions)


def _is_in_browser(item: pytest.Item) -> bool:
    return any(mark.args == ("browser",) for mark in item.iter_markers("xdist_group"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A test marked `unmeasured` runs without coverage, its processes too.

    `no_cover` of pytest-cov stops one of the two measurements that a worker of
    pytest-xdist is under: its own, but not the one that began with the process.
    """
    if item.get_closest_marker("unmeasured") is None:
        return (yield)
    stopped = []
    while (measurement := Coverage.current()) is not None:
        measurement.stop()
        stopped.append(measurement)
    children = os.environ.pop(MEASURE_CHILDREN, None)
    try:
        return (yield)
    finally:
        if children is not None:
            os.environ[MEASURE_CHILDREN] = children
        for measurement in reversed(stopped):
            measurement.start()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """A test that ends the measuring, as a debugger does, would hide what follows."""
    traces = sys.gettrace() is not None
    result = yield
    if traces and sys.gettrace() is None:
        pytest.fail(f"{item.name} ended the measuring of coverage: mark it `unmeasured`")
    return result
