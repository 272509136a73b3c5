"""What bots compute out of turn, and how they are stopped; with real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pips_referee.service.session import Session
from pips_referee.timing import pondering
from pips_referee.timing.pondering import Group

SPINS = """
import os, resource
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))  # so that they end by themselves, whatever becomes of the test
if os.fork(): print(flush=True)
while True: pass
"""
"""Two processes that compute."""
LEAVES = """
import os, resource
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
if not (child := os.fork()):
    os.setsid()
    if os.fork(): print(os.getpid(), flush=True)
    else: os.setpgid(0, 0)
while True: pass
"""
"""Three processes that compute.

The second leads a session of its own, the third is its child.
"""
SLEEPS = "print(flush=True); input()"


def started(code: str) -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    assert child.stdout is not None
    child.stdout.readline()
    with child:
        yield child
        os.killpg(child.pid, 9)


@pytest.fixture
def spinning() -> Iterator[int]:
    yield from (child.pid for child in started(SPINS))


@pytest.fixture
def sleeping() -> Iterator[int]:
    yield from (child.pid for child in started(SLEEPS))


@pytest.fixture
def spread() -> Iterator[list[int]]:
    """Processes of one tree, the root first."""
    for child in started(LEAVES):
        pids = sorted(pondering._tree(child.pid), key=child.pid.__ne__)
        yield pids
        for pid in pids[1:]:
            os.kill(pid, 9)


def cpu_s(pid: int) -> float:
    return time.clock_gettime((~pid << 3) | 2)


def run_for(pid: int, more_s: float) -> None:
    """Wait until a process has used that much CPU time."""
    end = cpu_s(pid) + more_s
    while cpu_s(pid) < end:
        time.sleep(0.001)


def test_what_runs_out_of_turn_is_seen_with_all_that_it_started(spinning: int) -> None:
    group = Group(spinning)
    assert group.burnt_us(0.0) == 0
    before = cpu_s(spinning)
    run_for(spinning, 0.2)
    burnt_us = group.burnt_us(0.0)
    assert burnt_us > 1.5e6 * (cpu_s(spinning) - before) - 50_000  # the other used about as much
    assert group.burnt_us(1000.0) == 0


def test_what_it_may_have_computed_in_turn_is_not_counted(spinning: int) -> None:
    group = Group(spinning)
    group.burnt_us(5.0)
    run_for(spinning, 0.1)
    assert group.burnt_us(5.0 + 60.0) == 0


def test_who_sleeps_burns_nothing_and_pauses_are_not_looked_at(sleeping: int, spinning: int) -> None:
    group = Group(sleeping)
    assert [group.burnt_us(0.0) for _ in range(3)] == [0, 0, 0]
    busy = Group(spinning)
    busy.burnt_us(0.0)
    busy.pause()
    run_for(spinning, 0.05)
    assert busy.burnt_us(0.0) == 0


def test_a_new_process_is_counted_from_when_it_is_seen(spinning: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pondering, "REFRESH", 1)
    group = Group(spinning)
    group.burnt_us(0.0)
    child = next(pid for pid in pondering._tree(spinning) if pid != spinning)
    del group._seen_s[child]
    group.burnt_us(0.0)
    assert child in group._seen_s
    group._seen_s[2**22 + 1] = 5.0  # one that has ended
    group.burnt_us(0.0)
    assert 2**22 + 1 not in group._seen_s


BRIEF = """
import os, resource, signal, sys, time
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
done = os.open("/proc/self/fd/0", os.O_WRONLY)
print(flush=True)
while True:
    if os.fork() == 0:
        end = time.process_time() + 0.06
        while time.process_time() < end: pass
        os.write(done, b"x")
        os._exit(0)
    try: os.waitpid(-1, 0)
    except ChildProcessError: pass
"""
"""Children one after the other; no process waits for their end.

So the kernel adds their time to no parent.
"""


@pytest.fixture
def brief(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """A process that starts children, and a file with a byte for each ended child."""
    done = tmp_path / "done"
    with done.open("wb") as file:
        child = subprocess.Popen(
            [sys.executable, "-c", BRIEF], stdin=file, stdout=subprocess.PIPE, start_new_session=True
        )
        assert child.stdout is not None
        child.stdout.readline()
        with child:
            yield child.pid, done
            os.killpg(child.pid, 9)


def test_brief_children_that_nobody_waits_for_are_counted_on_average(brief: tuple[int, Path]) -> None:
    pid, done = brief
    group = Group(pid)
    group.burnt_us(0.0, is_in_turn=False)
    before, burnt_us = done.stat().st_size, 0
    while (ended := done.stat().st_size - before) < 30:
        time.sleep(0.1)
        burnt_us += group.burnt_us(0.0, is_in_turn=False)
    assert 0.4 < burnt_us / 1e6 / (0.06 * ended) < 2.0


def test_in_turn_they_are_not(brief: tuple[int, Path]) -> None:
    group, began = Group(brief[0]), time.monotonic()
    burnt_us = 0
    for _ in range(20):
        time.sleep(0.05)
        burnt_us += group.burnt_us(2 * (time.monotonic() - began), is_in_turn=True)
    assert burnt_us == 0


def test_a_control_group_counts_them_all(tmp_path: Path) -> None:
    (tmp_path / "cpu.stat").write_text("usage_usec 100000\nuser_usec 7\n", encoding="ascii")
    group = Group(2**22 + 1, str(tmp_path))
    assert group.burnt_us(0.0) == 0
    (tmp_path / "cpu.stat").write_text("usage_usec 350000\nuser_usec 7\n", encoding="ascii")
    assert group.burnt_us(0.1, is_in_turn=False) == 150_000
    (tmp_path / "cpu.stat").unlink()
    assert group.burnt_us(0.1) == 0  # it has ended, and its group is gone


def test_where_too_many_are_born_they_are_found_by_the_tree(sleeping: int, monkeypatch: pytest.MonkeyPatch) -> None:
    births, numbers = pondering.Births(), iter([100, 100 + pondering.Births.MOST + 1, 50, 51])
    monkeypatch.setattr(pondering, "_newest_number", lambda: next(numbers))
    assert [births.since_last({sleeping}) for _ in range(4)] == [None, None, None, []]


def test_a_thread_is_not_a_child(spinning: int, monkeypatch: pytest.MonkeyPatch) -> None:
    births, child = pondering.Births(), next(pid for pid in pondering._tree(spinning) if pid != spinning)
    numbers = iter([child - 1, child])
    monkeypatch.setattr(pondering, "_newest_number", lambda: next(numbers))
    births._newest = child - 1
    assert births.since_last({spinning}) == []
    ((found, began_s),) = births.since_last({spinning}) or [(0, None)]
    assert found == child and (began_s is None or began_s <= time.monotonic())


def test_what_has_left_the_group_is_stopped_with_it_and_goes_on(spread: list[int]) -> None:
    group = Group(spread[0])
    assert len({os.getsid(pid) for pid in spread}) == 2
    for _ in range(2):
        group.stop()
        while {state(pid) for pid in spread} != {"T"}:
            time.sleep(0.001)
        group.go_on()
        for pid in spread:
            run_for(pid, 0.01)


def test_what_is_begun_while_others_are_stopped_is_stopped_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes on while a look finds new processes, but only up to the maximum."""
    trees, told = [{1, 2}, {1, 2, 3}, {1, 2, 3}], []
    monkeypatch.setattr(pondering, "_tree", lambda _: trees.pop(0))
    monkeypatch.setattr(os, "getpgid", lambda pid: 1 if pid == 1 else pid)
    monkeypatch.setattr(os, "killpg", lambda pid, number: told.append((-pid, number)))
    monkeypatch.setattr(os, "kill", lambda pid, number: told.append((pid, number)))
    group = Group(1)
    group.stop()
    assert [pid for pid, number in told if number == signal.SIGSTOP] == [-1, 2, -1, 3, -1]
    told.clear()
    group.go_on()
    assert sorted(told) == [(-1, signal.SIGCONT), (2, signal.SIGCONT), (3, signal.SIGCONT)]
    trees[:] = [set(range(1, most)) for most in range(3, 1000)]
    group.stop()
    assert len(trees) == 997 - pondering.MOST_ROUNDS


def test_a_group_is_stopped_and_goes_on(spinning: int) -> None:
    group = Group(spinning)
    group.stop()
    group.stop()
    pids = pondering._tree(spinning)
    assert len(pids) == 2
    while {state(pid) for pid in pids} != {"T"}:
        time.sleep(0.001)
    group.go_on()
    run_for(spinning, 0.01)
    Group(2**22 + 1).stop()  # what has ended needs no stopping


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]


class Recorded(Group):
    def __init__(self) -> None:
        super().__init__(0)
        self.signals: list[str] = []

    def stop(self) -> None:
        self.signals.append("stop")

    def go_on(self) -> None:
        self.signals.append("go on")

    def burnt_us(self, in_turn_s: float, *, is_in_turn: bool = True) -> int:
        return 7

    def pause(self) -> None:
        self.signals.append("pause")


def test_a_session_rests_when_it_owes_nothing_and_only_if_it_may_not_ponder() -> None:
    session, group = Session("a/0"), Recorded()
    session.group = group
    session.rest()
    assert group.signals == []
    session.may_ponder = False
    session.withdrawn[1, 1] = 0
    session.rest()
    assert group.signals == []
    session.withdrawn.clear()
    session.rest()
    assert group.signals == ["stop"]


def test_a_session_that_is_at_an_old_question_is_not_measured() -> None:
    session, group = Session("a/0"), Recorded()
    session.look_out_of_turn(1.0)
    session.group = group
    session.look_out_of_turn(1.0)
    session.withdrawn[1, 1] = 0
    session.look_out_of_turn(1.0)
    assert (group.signals, session.out_of_turn_us) == (["pause"], 7)
