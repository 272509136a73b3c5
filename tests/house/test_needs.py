"""A test without what it needs is skipped, told in a line, and fails in CI."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import needs
from tests.needs import PACKAGES

ROOT = Path(__file__).parents[2]
CONFTEST = "from tests.needs import *\nfrom tests.needs import pytest_configure\n"
TESTS = """
from tests.needs import need, needs
import pytest

@pytest.mark.parametrize("number", range(8))
def test_of_python_alone(number): pass

@needs("g++", "jq")
def test_of_two(): pass

def test_while_it_runs(): need("g++")
"""


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester) -> pytest.Pytester:
    """Tests on a machine without these two, outside of CI."""
    monkeypatch.setattr(needs, "is_here", lambda name: name not in ("jq", "g++"))
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.delenv("CI", raising=False)
    pytester.makeini("[pytest]\ntestpaths = .\nasyncio_default_fixture_loop_scope = function\n")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(TESTS)
    return pytester


def run(pytester: pytest.Pytester, *more: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", *more)


def test_what_is_missing_is_told_in_a_line_each(without: pytest.Pytester) -> None:
    ended = run(without, ".")
    assert ended.ret == 0
    ended.assert_outcomes(passed=8, skipped=2)
    ended.stdout.fnmatch_lines([
        "2 tests need g++: apt-get install g++",
        "1 tests need jq: apt-get install jq",
        "80.0% of the tests ran; of all tests at least 85% have to",
    ])  # fmt: skip


def test_a_run_of_all_tests_that_skips_too_many_fails(without: pytest.Pytester) -> None:
    assert run(without).ret == pytest.ExitCode.TESTS_FAILED
    assert run(without, "-k", "alone").ret == 0


def test_ci_has_what_every_test_needs(without: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    ended = run(without, ".")
    ended.assert_outcomes(passed=8, failed=1, errors=1)
    ended.stdout.fnmatch_lines(["*CI has to have what a test needs: needs g++, jq*"])


def test_no_test_asks_for_a_program_in_another_way() -> None:
    """One mechanism: what it does not see is not counted."""
    ways = ("skipif(shutil.which", "skipif(os.geteuid", "skipif(reading.", "importorskip(")
    files = [file for file in (ROOT / "tests").rglob("*.py") if file != Path(__file__)]
    assert [str(file) for file in files if any(way in file.read_text(encoding="utf-8") for way in ways)] == []
    assert {"bwrap", "chromium", "node"} <= PACKAGES.keys()
