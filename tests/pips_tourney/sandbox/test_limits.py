"""The limits of a bot's processes, and how a process is seen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pips_tourney.sandbox.counting.processes import Process, below, is_dead_mark, look_at, own_mark, own_namespace
from pips_tourney.sandbox.limits import MB, Allowance, Limits, Usage


@pytest.mark.parametrize(
    ("least", "most", "says"),
    [
        (Usage(memory_bytes=100 * MB), Usage(memory_bytes=101 * MB), "it took 101 MB of memory and may take 100"),
        (Usage(processes=2), Usage(processes=3), "it had 3 processes and may have 2"),
        (Usage(threads=20), Usage(threads=21), "it had 21 threads and may have 20"),
        (Usage(cpu_s=10), Usage(cpu_s=11), "it computed for 11 s and may for 10 s a match"),
    ],
    ids=["memory", "processes", "threads", "time"],
)
def test_what_is_too_much_is_said_and_what_is_allowed_is_not(least: Usage, most: Usage, says: str) -> None:
    allowance = Allowance(Limits(memory_mb=100, processes=2, threads=20, cpu_s=10))
    assert allowance.excess(least) == ""
    assert allowance.excess(most) == says


def test_time_is_for_the_matches_that_are_open_and_is_not_saved_up() -> None:
    allowance = Allowance(Limits(cpu_s=10))
    for _ in range(5):
        allowance.sit(1)
    assert allowance.excess(Usage(cpu_s=59)) == ""
    assert "61 s and may for 10 s a match" in allowance.excess(Usage(cpu_s=61))
    saver = Allowance(Limits(cpu_s=10))
    for _ in range(100):  # matches with hardly any computation
        saver.sit(1)
        saver.sit(-1)
    assert saver.excess(Usage(cpu_s=9)) == ""
    assert saver.excess(Usage(cpu_s=11)) != ""


def test_time_of_a_child_that_has_ended_is_not_forgotten() -> None:
    allowance = Allowance(Limits(cpu_s=10))
    assert allowance.excess(Usage(cpu_s=9)) == ""
    assert allowance.excess(Usage(cpu_s=1)) == ""
    assert allowance.used_s == 9


def test_a_process_is_seen_as_it_is() -> None:
    me = look_at(os.getpid())
    assert me is not None
    assert (me.pid, me.parent, me.session) == (os.getpid(), os.getppid(), os.getsid(0))
    assert me.memory_bytes > 10 * MB
    assert me.cpu_s == pytest.approx(sum(os.times()[:4]), abs=0.5)
    assert me.threads == len(list(Path("/proc/self/task").iterdir()))
    assert look_at(2**30) is None


def test_what_is_below_is_found_at_any_depth() -> None:
    tree = [Process(pid, parent, 0, 0, 0, 0) for pid, parent in ((2, 1), (3, 2), (4, 3), (5, 0), (6, 5))]
    assert below({2}, tree) == {3, 4}
    assert below({1, 5}, tree) == {2, 3, 4, 6}


@pytest.mark.parametrize(
    ("mark", "is_dead"),
    [
        (f"{2**22 + 1}.1.{own_namespace()}", True),
        (f"{os.getpid()}.1.{own_namespace()}", True),  # the number belongs to another process by now
        (own_mark(), False),
        (f"{2**22 + 1}.1.5", False),  # another container's
        ("", False),
        ("1.2.x", False),
    ],
    ids=["dead", "its number is another's", "alive", "in another container", "empty", "no mark"],
)
def test_a_mark_tells_whether_its_process_lives(mark: str, is_dead: bool) -> None:
    assert is_dead_mark(mark) == is_dead
