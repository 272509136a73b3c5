"""CPU time that a bot's processes use out of turn, and how they are stopped then.

Nothing is measured when a question or an answer travels. Ten times a second the CPU
time used is compared with the time in which the bot had something to answer. On one
core its turns cannot have taken more CPU time than that. At least the excess was used
out of turn.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

REFRESH: Final = 10
"""New processes are looked for at every tenth measurement."""
MOST_ROUNDS: Final = 100
"""Maximum passes to catch processes that started while others were being stopped."""


class Group:
    """The process that a launcher started, its process group, and all descendants."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._seen_s: dict[int, float] = {}
        self._used_s = 0.0
        self._looks = 0
        self._base: tuple[float, float] | None = None
        self._is_stopped = False
        self._strays: set[int] = set()
        """Stopped processes that have left the process group."""

    def pause(self) -> None:
        """Do not measure what is used until the next `burnt_us`."""
        self._base = None

    def burnt_us(self, in_turn_s: float) -> int:
        """CPU time used out of turn since the last call.

        `in_turn_s`: for how long the bot has had something to answer, in all.
        """
        self._look()
        base, self._base = self._base, (self._used_s, in_turn_s)
        if base is None:
            return 0
        return max(0, round(1e6 * (self._used_s - base[0] - (in_turn_s - base[1]))))

    def stop(self) -> None:
        """Stop every process until `go_on`, in whatever group or session it is."""
        if self._is_stopped:
            return
        self._is_stopped = True
        for _ in range(MOST_ROUNDS):
            self._signal(signal.SIGSTOP)
            found = {pid for pid in _tree(self._pid) - self._strays if not self._has(pid)}
            if not found:
                return
            _signal_all(found, signal.SIGSTOP)
            self._strays |= found

    def go_on(self) -> None:
        """Let the processes run again."""
        if self._is_stopped:
            self._is_stopped = False
            _signal_all(self._strays, signal.SIGCONT)
            self._strays.clear()
            self._signal(signal.SIGCONT)

    def _has(self, pid: int) -> bool:
        """Whether a process is in the process group, or has ended."""
        try:
            return os.getpgid(pid) == self._pid
        except OSError:
            return True

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, number)

    def _look(self) -> None:
        if self._looks % REFRESH == 0:
            for pid in _tree(self._pid) - self._seen_s.keys():
                with suppress(OSError):
                    self._seen_s[pid] = _cpu_s(pid)
        self._looks += 1
        for pid, seen_s in list(self._seen_s.items()):
            try:
                self._seen_s[pid] = cpu_s = _cpu_s(pid)
            except OSError:  # it has ended
                del self._seen_s[pid]
            else:
                self._used_s += cpu_s - seen_s


def _signal_all(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _cpu_s(pid: int) -> float:
    """CPU time of all threads; the number is as clock_getcpuclockid(3) makes it."""
    return time.clock_gettime((~pid << 3) | 2)


def _tree(root: int) -> set[int]:
    """A process and its descendants."""
    found: set[int] = set()
    waiting = {root}
    while waiting:
        pid = waiting.pop()
        found.add(pid)
        folder = f"/proc/{pid}/task"
        with suppress(OSError):
            for task in os.listdir(folder):  # noqa: PTH208 - a quarter of the price of paths
                waiting |= {int(child) for child in _read(f"{folder}/{task}/children").split()} - found
    return found


def _read(name: str) -> bytes:
    """A file of /proc, in less than half the time of `open`."""
    read, file = b"", os.open(name, os.O_RDONLY)
    try:
        while more := os.read(file, 4096):
            read += more
    finally:
        os.close(file)
    return read
