"""Control groups (cgroup v2), with which the kernel counts all resources of a bot.

No process can leave its group. The base group is the one in the league file. Without
one, it is this process's own group if that was delegated; for root it is a new group
below the topmost. Below the base, every keeper has a group with its mark, and below
that every process of a bot has one. In a group all memory counts: resident, shared,
files in memory, pipes and sockets. The rules are those of
https://docs.kernel.org/admin-guide/cgroup-v2.html.

The keeper imports this module and must start fast, so it imports few others.
"""

# No pathlib: its import would take longer than most of the others.
# ruff: noqa: PTH102, PTH106, PTH119, PTH120, PTH123

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from typing import Final

from pips_tourney.sandbox.counting.processes import all_processes, below, is_dead, is_dead_mark, signal_all

NEEDED: Final = ("memory", "pids")
USEFUL: Final = ("cpu", "cpuset")
RUNNER: Final = "pips-runner"
"""The group into which a runner moves the processes of its own group.

A group that has controllers below it may not contain processes.
"""
PREFIX: Final = "pips-"
MOST_TRIES: Final = 400
WAIT_S: Final = 0.005
"""Seconds between two tries to remove a group, and seconds until the last try."""
MB: Final = 1 << 20


class GroupError(Exception):
    """Why no control group is available."""


class GroupFiles:
    """The files of control groups and of /proc; raises the kernel's `OSError`."""

    def read(self, path: str) -> str:
        with open(path, encoding="utf-8") as file:
            return file.read()

    def write(self, path: str, text: str) -> None:
        with open(os.open(path, os.O_WRONLY | os.O_CLOEXEC), "wb", buffering=0) as file:
            file.write(text.encode())

    def make(self, path: str) -> None:
        os.mkdir(path)

    def remove(self, path: str) -> None:
        os.rmdir(path)

    def folders(self, path: str) -> list[str]:
        with os.scandir(path) as entries:
            return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]


FILES: Final = GroupFiles()


def find_base(given: str = "", files: GroupFiles = FILES, *, user: int | None = None) -> tuple[str, tuple[str, ...]]:
    """Prepare the base group for the bots' groups; return it and its controllers.

    Raises `GroupError` with the reason if no group is available.
    """
    places = _mounts(files)
    if not places:
        raise GroupError("no cgroup v2 file system is mounted")
    if given:
        if not any(_is_within(given, place) for _, place in places):
            raise GroupError(f"{given} is not below {places[0][1]}, where control groups are")
        return given, _make_ready(given, files)
    own = _own_group(files, places)
    candidates = [own] if own else []
    if (os.geteuid() if user is None else user) == 0:
        candidates.append(places[0][1])
    if not candidates:
        raise GroupError("this process's own control group cannot be seen")
    reasons = []
    for candidate in dict.fromkeys(candidates):
        try:
            return candidate, _make_ready(candidate, files)
        except GroupError as error:
            reasons.append(str(error))
    raise GroupError("; ".join(reasons))


def _mounts(files: GroupFiles) -> list[tuple[str, str]]:
    """Return the mounts of cgroup v2: the group at the root of each, and the folder."""
    found = []
    for line in files.read("/proc/self/mountinfo").splitlines():
        fields, _, kind = line.partition(" - ")
        if kind.startswith("cgroup2 "):
            found.append((fields.split()[3], fields.split()[4]))
    return found


def _own_group(files: GroupFiles, places: list[tuple[str, str]]) -> str:
    """Return the folder of this process's group; "" if it is not below a mount."""
    own = ""
    for line in files.read("/proc/self/cgroup").splitlines():
        if line.startswith("0::"):
            own = line.removeprefix("0::")
    for root, place in places:
        if own and _is_within(own, root):
            path = os.path.normpath(place + "/" + own.removeprefix(root))
            return os.path.dirname(path) if os.path.basename(path) == RUNNER else path
    return ""


def _make_ready(base: str, files: GroupFiles) -> tuple[str, ...]:
    """Switch on the controllers below a group; return those that work."""
    try:
        offered = files.read(f"{base}/cgroup.controllers").split()
    except OSError as error:
        raise GroupError(f"{base} is no control group that can be read ({error.strerror})") from None
    if missing := [name for name in NEEDED if name not in offered]:
        raise GroupError(f"{base} has no controller {' and '.join(missing)}")
    try:
        _make_room(base, files)
        files.write(f"{base}/cgroup.subtree_control", " ".join(f"+{name}" for name in NEEDED))
        for name in USEFUL:
            if name in offered:
                with suppress(OSError):  # one real-time process is enough for the kernel to refuse cpu
                    files.write(f"{base}/cgroup.subtree_control", f"+{name}")
        probe = f"{base}/{PREFIX}probe-{os.getpid()}"
        files.make(probe)
        files.remove(probe)
        return tuple(files.read(f"{base}/cgroup.subtree_control").split())
    except OSError as error:
        raise GroupError(f"{base} was not delegated to this user ({error.strerror})") from None


def _make_room(base: str, files: GroupFiles) -> None:
    """Move our processes out of a group into one below it.

    A group that has controllers below it may not contain processes; only the topmost
    may.
    """
    try:
        files.read(f"{base}/cgroup.type")
    except OSError:
        return  # the topmost group
    inside = {int(pid) for pid in files.read(f"{base}/cgroup.procs").split()}
    if not inside:
        return
    if foreign := inside - _family():
        raise GroupError(f"{base} holds {len(foreign)} processes that are not the runner's")
    with suppress(FileExistsError):
        files.make(f"{base}/{RUNNER}")
    for pid in inside:
        with suppress(ProcessLookupError):
            files.write(f"{base}/{RUNNER}/cgroup.procs", str(pid))


def _family() -> set[int]:
    """Return this process, its ancestors, descendants and session."""
    processes = all_processes()
    parents = {process.pid: process.parent for process in processes}
    family, one = set(), os.getpid()
    while one and one not in family:
        family.add(one)
        one = parents.get(one, 0)
    session = os.getsid(0)
    return (
        family | below({os.getpid()}, processes) | {process.pid for process in processes if process.session == session}
    )


def _is_within(path: str, place: str) -> bool:
    return place in ("/", path) or path.startswith(place.rstrip("/") + "/")


class BotGroup:
    """The group of one process of a bot and of all that it starts."""

    def __init__(self, path: str, files: GroupFiles = FILES) -> None:
        self.path, self.files = path, files

    def begin(self, memory_mb: int, tasks: int, core: int | None) -> None:
        """Make the group with its limits.

        Raises `OSError` if the machine lacks resources for it.
        """
        self.files.make(self.path)
        try:
            self.files.write(f"{self.path}/memory.max", str(memory_mb * MB))
            self.files.write(f"{self.path}/pids.max", str(tasks))
            for name, value in (("memory.swap.max", "0"), ("memory.oom.group", "1"), ("cpuset.cpus", str(core))):
                if name != "cpuset.cpus" or core is not None:
                    with suppress(OSError):  # some kernels lack swap, or the controller
                        self.files.write(f"{self.path}/{name}", value)
        except OSError:
            self.remove()
            raise

    def enter(self) -> None:
        """Move the calling process into the group, before it becomes the bot."""
        self.files.write(f"{self.path}/cgroup.procs", "0")

    def kill(self) -> None:
        """Kill all processes of the group at once."""
        try:
            self.files.write(f"{self.path}/cgroup.kill", "1")
        except FileNotFoundError:  # before Linux 5.14
            while pids := self.pids():
                signal_all(pids, signal.SIGKILL)
                if all(is_dead(pid) for pid in pids):
                    return
        except OSError:
            return

    def pids(self) -> list[int]:
        """Return the processes in the group."""
        try:
            return [int(number) for number in self.files.read(f"{self.path}/cgroup.procs").split()]
        except OSError:
            return []

    def cpu_s(self) -> float:
        """Return the CPU seconds of all processes that were ever in the group."""
        return self._value("cpu.stat", "usage_usec") / 1e6

    def was_out_of_memory(self) -> bool:
        """Return whether the kernel killed one of its processes at the memory limit."""
        return self._value("memory.events", "oom_kill") > 0

    def peak_mb(self) -> int:
        """Return the peak memory in MB, if the kernel records it."""
        with suppress(OSError, ValueError):
            return int(self.files.read(f"{self.path}/memory.peak")) // MB
        return 0

    def _value(self, name: str, key: str) -> int:
        with suppress(OSError, ValueError):
            for line in self.files.read(f"{self.path}/{name}").splitlines():
                word, _, value = line.partition(" ")
                if word == key:
                    return int(value)
        return 0

    def remove(self) -> bool:
        """Remove the group unless a process lives in it. Return whether it is gone."""
        try:
            self.files.remove(self.path)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True


class KeeperGroup:
    """A keeper's group, the parent of its bots' groups; `core` is the bots' core."""

    def __init__(self, path: str, core: int, files: GroupFiles = FILES) -> None:
        self.path, self.core, self.files = path, core, files
        self._made = 0
        self._ending: list[BotGroup] = []

    @staticmethod
    def begin(base: str, mark: str, core: int, files: GroupFiles = FILES) -> KeeperGroup:
        """Make the group below a base that `find_base` has prepared."""
        group = KeeperGroup(f"{base}/{PREFIX}{mark}", core, files)
        files.make(group.path)
        with suppress(OSError):  # no controller `cpu`
            files.write(f"{group.path}/cpu.weight.nice", str(os.getpriority(os.PRIO_PROCESS, 0)))
        controllers = files.read(f"{group.path}/cgroup.controllers").split()
        files.write(
            f"{group.path}/cgroup.subtree_control",
            " ".join(f"+{name}" for name in controllers if name in (*NEEDED, *USEFUL)),
        )
        return group

    def new(self, memory_mb: int, tasks: int) -> BotGroup:
        """Return a group for a process of a bot."""
        self._made += 1
        group = BotGroup(f"{self.path}/{self._made}", self.files)
        group.begin(memory_mb, tasks, self.core)
        return group

    def end(self, group: BotGroup) -> None:
        """Kill a bot's group and remove it, now or at the next `sweep`."""
        group.kill()
        self._ending.append(group)
        self.sweep()

    def sweep(self) -> None:
        """Remove the groups that have ended."""
        self._ending = [group for group in self._ending if not group.remove()]

    def close(self) -> None:
        """Kill and remove everything in the group, and the group."""
        clear_group(self.path, self.files)


def clear_group(path: str, files: GroupFiles = FILES) -> bool:
    """Kill all in a group and below it, and remove it; return whether it is gone."""
    for _ in range(MOST_TRIES):
        BotGroup(path, files).kill()
        if _remove_whole(path, files):
            return True
        time.sleep(WAIT_S)  # killed processes take a moment to disappear
    return False


def _remove_whole(path: str, files: GroupFiles) -> bool:
    with suppress(OSError):
        for name in files.folders(path):
            _remove_whole(f"{path}/{name}", files)
    return BotGroup(path, files).remove()


def clear_dead_groups(base: str, files: GroupFiles = FILES) -> list[str]:
    """Remove the groups of dead keepers, with their contents; return the paths."""
    gone = []
    with suppress(OSError):
        for name in files.folders(base):
            mark = name.removeprefix(PREFIX)
            if name.startswith(PREFIX) and is_dead_mark(mark):
                clear_group(f"{base}/{name}", files)
                gone.append(f"{base}/{name}")
    return gone
