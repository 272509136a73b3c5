"""What tests need beside Python, and what becomes of them without it.

A test that wants Chromium is marked `needs("chromium")`. Without it, it is skipped,
and the run ends with a line of how many were. Where `CI` is set it fails instead.
"""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest
from _pytest.terminal import TerminalReporter

PACKAGES: Final = dict(
    line.split() for line in (Path(__file__).parents[1] / ".ci" / "packages").read_text(encoding="ascii").splitlines()
)
"""By program, the package of Debian that has it; CI has them all."""
ROOT: Final = "root"
"""What no package gives; CI may run without it."""
LANDLOCK: Final = "landlock"
"""The fence without namespaces: root's, where others may start the interpreter."""
OPENSPIEL: Final = "openspiel"
"""The extra that `all` leaves out; CI may run without it."""
WORKSHOP: Final = "workshop"
"""What a browser plays bots with: `make test` fetches it; CI may run without it."""
LEAST_SHARE: Final = 0.85
"""The share of all tests that has to run with Python alone."""


def needs(*names: str) -> pytest.MarkDecorator:
    """Mark tests that need these programs, or root."""
    return pytest.mark.needs(*names)


def need(*names: str) -> None:
    """End a test that needs what is not here."""
    if absent := [name for name in names if not is_here(name)]:
        why = f"needs {', '.join(absent)}"
        if os.environ.get("CI") and not {*absent} <= {ROOT, LANDLOCK, OPENSPIEL, WORKSHOP}:
            pytest.fail(f"CI has to have what a test needs: {why}", pytrace=False)
        pytest.skip(why)


@cache
def is_here(name: str) -> bool:
    """Return whether it is here and works."""
    if name == OPENSPIEL:
        return find_spec("pyspiel") is not None
    if name == LANDLOCK:
        from pips_tourney.sandbox.landlock import find_landlock

        return find_landlock()[0] is not None
    if name == WORKSHOP:
        from pips_tourney.workshop.browser.runtime import runtime_folder

        return runtime_folder().is_dir()
    assert name in PACKAGES or name == ROOT, f".ci/packages has no {name}"
    if name == ROOT:
        return os.geteuid() == 0
    if name == "bwrap":
        from pips_tourney.sandbox.reading import bubblewrap

        return bubblewrap() is not None
    if name == "node":
        from pips_tourney.workshop.begin.new_bot import js_sdk

        return shutil.which(name) is not None and (js_sdk() / "node_modules").is_dir()
    return shutil.which(name) is not None


def remedy(name: str) -> str:
    """Return how to get what is not here."""
    if name == ROOT:
        return "run them as root"
    if name == LANDLOCK:
        return "run them as root, with an interpreter that other users may start; or python -m tests.in_a_container"
    if name == OPENSPIEL:
        return "pip install -e '.[openspiel]'"
    if name == WORKSHOP:
        return "pips-bot workshop --install"
    if shutil.which(name) is None:
        return f"apt-get install {PACKAGES[name]}"
    return "make js" if name == "node" else f"{name} is here and does not work; pips-tourney check says why"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(*names): programs without which it is skipped; tests/needs.py")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    need(*dict.fromkeys(name for mark in item.iter_markers("needs") for name in mark.args))


def _skipped(reporter: TerminalReporter) -> list[list[str]]:
    """Return for each test that was skipped for a need what it needed."""
    whys = [re.fullmatch("Skipped: needs (.*)", report.longrepr[2]) for report in reporter.stats.get("skipped", [])]
    return [why[1].split(", ") for why in whys if why]


def _share(reporter: TerminalReporter, skipped: int) -> float:
    """Return of all tests the share that ran."""
    ends = ("passed", "failed", "skipped", "xfailed", "xpassed")
    return 1 - skipped / max(1, sum(len(reporter.stats.get(end, [])) for end in ends))


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    if not (skipped := _skipped(terminalreporter)):
        return
    terminalreporter.section("what this machine does not have")
    for name, tests in Counter(name for names in skipped for name in names).most_common():
        terminalreporter.line(f"{tests} tests need {name}: {remedy(name)}")
    share = _share(terminalreporter, len(skipped))
    terminalreporter.line(f"{share:.1%} of the tests ran; of all tests at least {LEAST_SHARE:.0%} have to")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run of all tests that skips too many."""
    reporter: TerminalReporter | None = session.config.pluginmanager.get_plugin("terminalreporter")
    is_whole = session.config.args_source is pytest.Config.ArgsSource.TESTPATHS
    is_worker = hasattr(session.config, "workerinput")
    if reporter and is_whole and not is_worker and _share(reporter, len(_skipped(reporter))) < LEAST_SHARE:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
