"""What a bot's processes may take, and who is counted."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pips_tourney.sandbox.limits import MB, Allowance, Limits
from pips_tourney.sandbox.processes import Census, Process, below, look_at


def process(pid: int = 1, cpu_s: float = 0.0, memory_mb: int = 1) -> Process:
    return Process(pid, 0, 0, cpu_s, memory_mb * MB, 0)


def test_all_of_a_tree_is_counted() -> None:
    allowance = Allowance(Limits(memory_mb=100, processes=2))
    assert allowance.excess([process(1, memory_mb=50), process(2, memory_mb=50)]) == ""
    assert "101 MB" in allowance.excess([process(1, memory_mb=50), process(2, memory_mb=51)])
    assert "3 processes" in allowance.excess([process(1), process(2), process(3)])
    assert allowance.excess([]) == ""


def test_time_is_for_the_matches_that_are_open_and_is_not_saved_up() -> None:
    allowance = Allowance(Limits(cpu_s=10))
    for _ in range(5):
        allowance.sit(1)
    assert allowance.excess([process(cpu_s=59)]) == ""
    assert "61 s and may for 10 s a match" in allowance.excess([process(cpu_s=61)])
    saver = Allowance(Limits(cpu_s=10))
    for _ in range(100):  # matches for which it hardly computed
        saver.sit(1)
        saver.sit(-1)
    assert saver.excess([process(cpu_s=9)]) == ""
    assert saver.excess([process(cpu_s=11)]) != ""


def test_time_of_a_child_that_has_ended_is_not_forgotten() -> None:
    allowance = Allowance(Limits(cpu_s=10))
    assert allowance.excess([process(1, cpu_s=1), process(2, cpu_s=8)]) == ""
    assert allowance.excess([process(1, cpu_s=1)]) == ""
    assert allowance.used_s == 9


def test_a_process_is_seen_as_it_is() -> None:
    me = look_at(os.getpid())
    assert me is not None
    assert (me.pid, me.parent, me.session) == (os.getpid(), os.getppid(), os.getsid(0))
    assert me.memory_bytes > 10 * MB
    assert me.cpu_s == pytest.approx(sum(os.times()[:4]), abs=0.5)
    assert look_at(2**30) is None


def test_what_is_below_is_found_at_any_depth() -> None:
    tree = [Process(pid, parent, 0, 0, 0, 0) for pid, parent in ((2, 1), (3, 2), (4, 3), (5, 0), (6, 5))]
    assert below({2}, tree) == {3, 4}
    assert below({1, 5}, tree) == {2, 3, 4, 6}


def test_a_census_follows_trees_and_reads_proc_anew_when_something_was_started() -> None:
    census = Census(os.getpid())
    code = (
        "import sys, subprocess; sys.stdin.readline(); subprocess.Popen(['sleep', '600']); print(flush=True); input()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None and child.stdout is not None
        for _ in range(2):
            trees, _ = census.take([child.pid])
            assert [process.pid for process in trees[child.pid]] == [child.pid]
        child.stdin.write(b"\n")
        child.stdin.flush()
        child.stdout.readline()
        trees, _ = census.take([child.pid])
        assert len(trees[child.pid]) == 2
        for process in trees[child.pid]:
            os.kill(process.pid, 9)
        child.wait()
        while census.take([child.pid])[0][child.pid]:
            pass  # the kernel is not done with the other one
