"""Processes as /proc shows them: descent, resources used, and how to end them all.

The keeper imports this module and must start fast, so it imports few others.
"""

# No pathlib: its import would take longer than most of the others.
# ruff: noqa: PTH110, PTH116, PTH123, PTH208

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple

_HAS_PROC: Final = hasattr(os, "sysconf")  # `pips-bot` imports this module on platforms without it
TICKS_A_SECOND: Final = os.sysconf("SC_CLK_TCK") if _HAS_PROC else 100
PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE") if _HAS_PROC else 4096
MARK: Final = "PIPS_KEEPER"
"""Variable that marks a keeper's processes: its number, start time and namespace."""
MARK_FILE: Final = "keeper"
"""File with the same mark, in an arena's folder."""
PREFIX: Final = "pips-"


class Process(NamedTuple):
    """A process as the kernel sees it; CPU time includes children it has waited for."""

    pid: int
    parent: int
    session: int
    cpu_s: float
    memory_bytes: int
    """Resident memory in bytes."""
    began: int
    """Start time in kernel ticks; with the number it identifies a process."""
    threads: int = 1


def look_at(pid: int) -> Process | None:
    """Return a living process; None if it has ended or only waits to be reaped."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            state, parent, _, session, *fields = stat.read().rpartition(b")")[2].split()
    except OSError:
        return None
    if state in b"ZX" and len(threads_of(pid)) < 2:
        return None  # with other threads alive, the process only looks dead
    ticks = sum(map(int, fields[7:11]))
    return Process(
        pid, int(parent), int(session), ticks / TICKS_A_SECOND, PAGE_BYTES * int(fields[17]),
        began=int(fields[15]), threads=int(fields[13]),
    )  # fmt: skip


def threads_of(pid: int) -> list[int]:
    """Return the living threads of a process."""
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def own_mark() -> str:
    """Return the mark of the calling process."""
    me = look_at(os.getpid())
    assert me is not None
    return f"{me.pid}.{me.began}.{own_namespace()}"


def folder_prefix() -> str:
    """Return the prefix of this process's temporary folders, which has its mark."""
    return f"{PREFIX}{'.'.join(f'{int(part):x}' for part in own_mark().split('.'))}-"


def is_dead(pid: int) -> bool:
    """Return whether no living process has that number."""
    return look_at(pid) is None


def is_dead_mark(mark: str) -> bool:
    """Return whether the process of that mark has ended.

    False for a process of another container, because it cannot be seen.
    """
    try:
        pid, began, namespace = map(int, mark.split("."))
    except ValueError:
        return False
    process = look_at(pid)
    return namespace == own_namespace() and (process is None or process.began != began)


def own_namespace() -> int:
    """Return the namespace in which process numbers are valid."""
    return os.stat("/proc/self/ns/pid").st_ino


def all_processes() -> list[Process]:
    """Return all living processes."""
    seen = [look_at(int(entry)) for entry in os.listdir("/proc") if entry.isdigit()]
    return [process for process in seen if process is not None]


def descendants(root: int) -> set[int]:
    """Return all living processes below `root`."""
    return below({root}, all_processes())


def below(roots: Collection[int], processes: Iterable[Process]) -> set[int]:
    """Return the numbers of the roots' descendants, without the roots."""
    parents = {process.pid: process.parent for process in processes}
    found = set(roots)
    while more := {pid for pid, parent in parents.items() if parent in found and pid not in found}:
        found |= more
    return found - set(roots)


def children_of(pid: int) -> list[int]:
    """Return a process's living children, from the kernel's list for each thread."""
    children: list[int] = []
    for thread in threads_of(pid):
        with suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as listed:
            children += map(int, listed.read().split())
    return children


def read_tree(root: int) -> Iterator[int]:
    """Yield the descendants of a process, parents first."""
    if not KEEPS_LISTS:  # the kernel has none (CONFIG_PROC_CHILDREN; most have)
        processes = {process.pid: process for process in all_processes()}
        yield from sorted(below({root}, processes.values()), key=lambda pid: processes[pid].began)
        return
    waiting, seen = [root], {root}
    while waiting:
        new = [pid for pid in children_of(waiting.pop(0)) if pid not in seen]
        seen.update(new)
        waiting += new
        yield from new


KEEPS_LISTS: Final = os.path.exists("/proc/thread-self/children")


def end_all() -> None:
    """End every descendant of this process."""
    while True:
        stopped = stop_all(lambda: descendants(os.getpid()))
        signal_all(stopped, signal.SIGKILL)
        while (ended := next_ended()) is not None:
            os.waitpid(ended, 0)
        if not stopped:
            return
        time.sleep(0.005)


def end_tree(root: int) -> None:
    """End a process and its descendants; its parent still has to wait for it."""
    signal_all(stop_all(lambda: {root} | descendants(root)), signal.SIGKILL)


def stop_all(find: Callable[[], set[int]]) -> set[int]:
    """Stop processes until `find` returns no new ones; return their numbers.

    A process could fork faster than it is killed, so all are stopped first.
    """
    stopped: set[int] = set()
    while found := find() - stopped:
        signal_all(found, signal.SIGSTOP)
        stopped |= found
    return stopped


def next_ended() -> int | None:
    """Return the next ended child of this process that is not yet reaped."""
    try:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return None if ended is None else ended.si_pid


def weigh_session(pid: int) -> bool:
    """Give the session of a process the weight of the process's niceness.

    Linux divides a core among sessions first: niceness alone counts only within a
    session. Return False if the caller should try again: without rights, the kernel
    accepts ten changes a second from all users together.
    """
    try:
        if nice := os.getpriority(os.PRIO_PROCESS, pid):
            with open(f"/proc/{pid}/autogroup", "w", encoding="ascii") as weight:
                weight.write(str(nice))
    except BlockingIOError:
        return False
    except OSError:
        pass  # it has ended, or this kernel has no weights of sessions
    return True


def signal_all(pids: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to processes; those that have ended meanwhile are ignored."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
