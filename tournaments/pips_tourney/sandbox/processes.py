"""What /proc tells of processes: who stands below whom, what they take; and how to end
them all.

For the keeper, which must start fast: nothing but a little of the standard library.
"""

# No pathlib: it would take longer to import than most of the rest.
# ruff: noqa: PTH116, PTH123, PTH208

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from typing import Final, NamedTuple

_HAS_PROC: Final = hasattr(os, "sysconf")  # `pips-bot` imports this on platforms without it
TICKS_A_SECOND: Final = os.sysconf("SC_CLK_TCK") if _HAS_PROC else 100
PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE") if _HAS_PROC else 4096
MARK: Final = "PIPS_KEEPER"
"""The variable by which what a keeper has started is known: its number, when it began,
and the namespace of both.
"""
MARK_FILE: Final = "keeper"
"""Holds the same in an arena's folder."""


class Process(NamedTuple):
    """A process as the kernel sees it; its CPU time has that of the children it has
    waited for.
    """

    pid: int
    parent: int
    session: int
    cpu_s: float
    memory_bytes: int
    """What of its memory is resident."""
    began: int
    """When it started, in the kernel's ticks: with the number it names a process for
    good.
    """
    threads: int = 1


def look_at(pid: int) -> Process | None:
    """A living process; None when it has ended, or is only waited for."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            state, parent, _, session, *fields = stat.read().rpartition(b")")[2].split()
    except OSError:
        return None
    if state in b"ZX" and not _has_living_threads(pid):
        return None
    ticks = sum(map(int, fields[7:11]))
    return Process(
        pid, int(parent), int(session), ticks / TICKS_A_SECOND, PAGE_BYTES * int(fields[17]),
        began=int(fields[15]), threads=int(fields[13]),
    )  # fmt: skip


def _has_living_threads(pid: int) -> bool:
    """A process whose first thread has ended looks dead while others go on."""
    try:
        return len(os.listdir(f"/proc/{pid}/task")) > 1
    except OSError:
        return False


def own_mark() -> str:
    """Of the process that asks."""
    me = look_at(os.getpid())
    assert me is not None
    return f"{me.pid}.{me.began}.{own_namespace()}"


def is_dead(pid: int) -> bool:
    """Whether there is no living process of that number."""
    return look_at(pid) is None


def is_dead_mark(mark: str) -> bool:
    """Whether the process of that mark has ended. One of another container cannot be
    seen: it is left alone.
    """
    try:
        pid, began, namespace = map(int, mark.split("."))
    except ValueError:
        return False
    process = look_at(pid)
    return namespace == own_namespace() and (process is None or process.began != began)


def own_namespace() -> int:
    """Within which numbers of processes mean something."""
    return os.stat("/proc/self/ns/pid").st_ino


def all_processes() -> list[Process]:
    """All living processes."""
    seen = [look_at(int(entry)) for entry in os.listdir("/proc") if entry.isdigit()]
    return [process for process in seen if process is not None]


def descendants(root: int) -> set[int]:
    """All living processes below `root`."""
    return below({root}, all_processes())


def below(roots: Collection[int], processes: Iterable[Process]) -> set[int]:
    """The numbers of those processes that descend from one of the roots,
    without these.
    """
    parents = {process.pid: process.parent for process in processes}
    found = set(roots)
    while more := {pid for pid, parent in parents.items() if parent in found and pid not in found}:
        found |= more
    return found - set(roots)


def end_all() -> None:
    """End every descendant of this process."""
    while True:
        stopped = _stop(lambda: descendants(os.getpid()))
        signal_all(stopped, signal.SIGKILL)
        while (ended := next_ended()) is not None:
            os.waitpid(ended, 0)
        if not stopped:
            return
        time.sleep(0.005)


def end_tree(root: int) -> None:
    """End a process and its descendants; whoever started it has to wait for it."""
    signal_all(_stop(lambda: {root} | descendants(root)), signal.SIGKILL)


def _stop(find: Callable[[], set[int]]) -> set[int]:
    """Stop what is found, until nothing more is: what forks faster than it is killed is
    stopped first.
    """
    stopped: set[int] = set()
    while found := find() - stopped:
        signal_all(found, signal.SIGSTOP)
        stopped |= found
    return stopped


def next_ended() -> int | None:
    """The next ended child of this process, not yet reaped."""
    try:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return None if ended is None else ended.si_pid


def signal_all(pids: Iterable[int], number: signal.Signals) -> None:
    """What has ended meanwhile is no matter."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
