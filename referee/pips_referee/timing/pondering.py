"""CPU time that a bot's processes use out of turn, and how they are stopped then.

Nothing is measured while a question or an answer travels. Ten times a second, CPU time
is compared with the time in which the bot had something to answer. On one core its
turns cannot have used more CPU time than that. So at least the excess was used out of
turn.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Container, Iterable
from contextlib import suppress
from typing import Final

REFRESH: Final = 10
"""New processes are looked for at every tenth measurement."""
TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.01
MOST_BRIEF_S: Final = 0.05
"""A process with less CPU time than this is taken for one of many short-lived ones."""
MOST_ROUNDS: Final = 100
"""Maximum passes to catch processes that started while others were being stopped."""


class Group:
    """The process that a launcher started, its process group, and all descendants."""

    def __init__(self, pid: int, folder: str = "") -> None:
        """`folder` is the folder of its control group, if any.

        The control group counts the CPU time of every process that was ever in it.
        """
        self._pid = pid
        self._folder = folder
        self._births = Births()
        self._brief: dict[int, float] = {}
        """By child born since the last look, its share of the core out of turn."""
        self._young: dict[int, float] = {}
        """By child still alive at the next look, its share of the core."""
        self._looked_s = 0.0
        self._seen_s: dict[int, float] = {}
        self._waited_s: dict[int, float] = {}
        """By process, the CPU time of children that it has waited for."""
        self._used_s = 0.0
        self._looks = 0
        self._base: tuple[float, float] | None = None
        self._is_stopped = False
        self._strays: set[int] = set()
        """Stopped processes that have left the process group."""

    def pause(self) -> None:
        """Ignore the CPU time used until the next `burnt_us`."""
        self._base = None

    def burnt_us(self, in_turn_s: float, *, is_in_turn: bool = True) -> int:
        """CPU time used out of turn since the last call, in microseconds.

        `in_turn_s` is the total time in which the bot has had something to answer.
        `is_in_turn` says whether it has now.
        """
        passed_s = self._look(is_in_turn=is_in_turn)
        base, self._base = self._base, (self._used_s, in_turn_s)
        if base is None:
            return 0
        known_s = max(0.0, self._used_s - base[0] - (in_turn_s - base[1]))
        return round(1e6 * (known_s + passed_s))

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

    def _look(self, *, is_in_turn: bool) -> float:
        """Measure the CPU time used; return the seconds of children that have ended.

        These are exact for children that their parent has waited for, otherwise
        estimated.
        """
        if self._folder:
            with suppress(OSError, ValueError, IndexError):
                told = _read(f"{self._folder}/cpu.stat")
                self._used_s = int(told.partition(b"usage_usec ")[2].split(None, 1)[0]) / 1e6
            return 0.0
        now = time.monotonic()
        passed_s, self._looked_s = now - self._looked_s, now
        ended_s = 0.0
        for pid, share in self._brief.items():
            if self._follow(pid, 0.0):
                self._young[pid] = share
            else:
                ended_s += share * passed_s
        self._brief.clear()
        self._find_children(now, is_in_turn=is_in_turn)
        waited_s, before_look_s = 0.0, self._used_s
        for pid, seen_s in list(self._seen_s.items()):
            try:
                self._seen_s[pid] = cpu_s = _cpu_s(pid)
                before_s, self._waited_s[pid] = self._waited_s.get(pid), _waited_s(pid)
            except OSError:  # it has ended
                del self._seen_s[pid]
                waited_s -= seen_s + self._waited_s.pop(pid, 0.0)
                ended_s += self._young.pop(pid, 0.0) * passed_s / 2
            else:
                self._used_s += cpu_s - seen_s
                waited_s += 0.0 if before_s is None else self._waited_s[pid] - before_s
        left_s = passed_s - (self._used_s - before_look_s)
        return max(min(ended_s, left_s), waited_s, 0.0)

    def _find_children(self, now: float, *, is_in_turn: bool) -> None:
        """Find new processes; those born since the last look are kept apart.

        A child that lives for less than the time between two looks is seen once or not
        at all. If it is seen at work, its share of the core counts for that complete
        time. That is too much for one child, but right on average. For a child seen
        twice, half of that time is missed. If others have come and gone, all the time
        counts. The kernel reports children's CPU time only to a parent that waits for
        them.
        """
        new = self._births.since_last(self._seen_s)
        if new is None or self._looks % REFRESH == 0:
            self._young.clear()
            for pid in _tree(self._pid) - self._seen_s.keys() - self._brief.keys():
                with suppress(OSError):
                    self._seen_s[pid] = cpu_s = _cpu_s(pid)
                    if new is None and not is_in_turn and 0 < cpu_s < MOST_BRIEF_S:
                        self._brief[pid] = 1.0
            for pid in self._brief:
                self._seen_s.pop(pid, None)
        for pid, began_s in new or ():
            with suppress(OSError):
                cpu_s = _cpu_s(pid)
                if began_s is None or is_in_turn or not cpu_s:
                    self._follow(pid, 0.0)
                else:
                    self._seen_s.pop(pid, None)
                    is_one_of_many = self._births.gone > 0
                    self._brief[pid] = 1.0 if is_one_of_many else min(1.0, cpu_s / max(TICK_S, now - began_s))
        self._looks += 1

    def _follow(self, pid: int, used_s: float) -> bool:
        """Count CPU time above `used_s` from now on; False if it has ended."""
        with suppress(OSError):
            _cpu_s(pid)
            self._seen_s[pid] = used_s
            return True
        return False


class Births:
    """Processes born since the last look, found by their numbers.

    The kernel assigns process numbers in ascending order.
    """

    MOST: Final = 64
    """If more new numbers than this were assigned, none of them is looked up."""

    def __init__(self) -> None:
        self._newest = 0
        self.gone = 0
        """How many of the last new numbers have no process or thread any more."""

    def since_last(self, parents: Container[int]) -> list[tuple[int, float | None]] | None:
        """The new children of these parents, each with its start if it can run.

        The start is a `time.monotonic` value. None if there are too many new numbers to
        look up.
        """
        last, self._newest = self._newest, _newest_number()
        if not last <= self._newest <= last + self.MOST:
            return None
        found, self.gone = [], self._newest - last
        for pid in range(last + 1, self._newest + 1):
            with suppress(OSError, ValueError, IndexError):
                state, parent, *rest = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
                self.gone -= 1
                if int(parent) in parents and b"\nTgid:\t%d\n" % pid in _read(f"/proc/{pid}/status"):
                    began_s = TICK_S * int(rest[17]) - _asleep_s()
                    found.append((pid, began_s if state == b"R" else None))
        return found


def _asleep_s() -> float:
    """How long the machine was suspended, in seconds.

    Start times of processes include this time; `time.monotonic` does not.
    """
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()


_told: list[float] = [0.0, 0]
"""When the newest number was last read, and that number.

All bots are checked at the same moment.
"""
SAME_S: Final = 0.02


def _newest_number() -> int:
    """The newest number of a process or thread."""
    now = time.monotonic()
    if now > _told[0] + SAME_S:
        _told[:] = now, int(_read("/proc/loadavg").rsplit(None, 1)[-1])
    return int(_told[1])


def _signal_all(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _cpu_s(pid: int) -> float:
    """CPU time of all threads; the clock's id is as in clock_getcpuclockid(3)."""
    return time.clock_gettime((~pid << 3) | 2)


def _waited_s(pid: int) -> float:
    """CPU time of the children that a process has waited for, and of their children."""
    return TICK_S * sum(map(int, _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[13:15]))


def _tree(root: int) -> set[int]:
    """A process and its descendants."""
    found: set[int] = set()
    waiting = {root}
    while waiting:
        pid = waiting.pop()
        found.add(pid)
        folder = f"/proc/{pid}/task"
        with suppress(OSError):
            for task in os.listdir(folder):  # noqa: PTH208 - four times as fast as paths
                waiting |= {int(child) for child in _read(f"{folder}/{task}/children").split()} - found
    return found


def _read(name: str) -> bytes:
    """Read a file in /proc, twice as fast as `open` does."""
    read, file = b"", os.open(name, os.O_RDONLY)
    try:
        while more := os.read(file, 4096):
            read += more
    finally:
        os.close(file)
    return read
