"""Control groups as the kernel keeps them, in memory: for machines that have none.

They keep the rules of cgroup v2 that the project relies on. Controllers go from a group
to those below only if `cgroup.subtree_control` says so. A group that has controllers
below it holds no processes; only the topmost may. A group goes away only when it is
empty.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field

from pips_tourney.sandbox.counting.groups import GroupFiles

CONTROLLERS = ("cpuset", "cpu", "memory", "pids")
FILES_OF = {
    "memory": {"memory.max": "max", "memory.swap.max": "max", "memory.oom.group": "0", "memory.peak": "0",
               "memory.events": "low 0\nmax 0\noom 0\noom_kill 0\n"},
    "pids": {"pids.max": "max"},
    "cpuset": {"cpuset.cpus": ""},
    "cpu": {"cpu.weight": "100", "cpu.weight.nice": "0"},
}  # fmt: skip


def error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)


@dataclass
class Group:
    """One control group."""

    enabled: set[str] = field(default_factory=set)
    """Controllers that work in the groups below."""
    procs: list[int] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    usage_usec: int = 0


class FakeFiles(GroupFiles):
    """`GroupFiles` of a machine: mounts, this process's group, permissions."""

    def __init__(
        self,
        own: str = "/",
        controllers: tuple[str, ...] = CONTROLLERS,
        *,
        writable: str = "/",
        root: str = "/",
        place: str = "/sys/fs/cgroup",
    ) -> None:
        """Mount the group `root` at `place`; the user may write from `writable` on."""
        self.own, self.offered, self.writable, self.root, self.place = own, controllers, writable, root, place
        self.groups: dict[str, Group] = {"/": Group(enabled=set(controllers))}
        self.killed: list[str] = []
        path = ""
        for name in [part for part in own.split("/") if part]:
            path += f"/{name}"
            self.groups[path] = Group(enabled=set(controllers))
        self.groups[own].enabled = set(controllers) if own == "/" else set()
        self.groups[own].procs = [os.getpid()]

    def _name(self, path: str) -> str:
        relative = path.removeprefix(self.place).strip("/")
        return f"{self.root.rstrip('/')}/{relative}" if relative else self.root

    def _group(self, path: str) -> tuple[str, Group]:
        name = self._name(path)
        if name not in self.groups:
            raise error(errno.ENOENT, path)
        return name, self.groups[name]

    def _controllers(self, name: str) -> set[str]:
        return set(self.offered) if name == "/" else self.groups[os.path.dirname(name)].enabled  # noqa: PTH120

    def _check_write(self, name: str, path: str) -> None:
        if not (name + "/").startswith(self.writable.rstrip("/") + "/"):
            raise error(errno.EACCES, path)

    def read(self, path: str) -> str:
        if path == "/proc/self/mountinfo":
            return (
                "24 1 0:22 / /sys rw - sysfs sysfs rw\n"
                f"30 24 0:26 {self.root} {self.place} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
            )
        if path == "/proc/self/cgroup":
            return f"1:name=systemd:/\n0::{self.own}\n"
        folder, _, file = path.rpartition("/")
        name, group = self._group(folder)
        known = {
            "cgroup.controllers": " ".join(sorted(self._controllers(name))),
            "cgroup.subtree_control": " ".join(sorted(group.enabled)),
            "cgroup.procs": "".join(f"{pid}\n" for pid in group.procs),
            "cgroup.threads": "".join(f"{pid}\n" for pid in group.procs),
            "cpu.stat": f"usage_usec {group.usage_usec}\nuser_usec 0\n",
        }
        if name != "/":
            known["cgroup.type"] = "domain\n"
        for controller in self._controllers(name) if name != "/" else ():
            known |= FILES_OF[controller]
        if file not in known:
            raise error(errno.ENOENT, path)
        return group.values.get(file, known[file])

    def write(self, path: str, text: str) -> None:
        folder, _, file = path.rpartition("/")
        name, group = self._group(folder)
        self._check_write(name, path)
        if file == "cgroup.subtree_control":
            for word in text.split():
                if word[1:] not in self._controllers(name):
                    raise error(errno.ENOENT, path)
                if group.procs and name != "/":
                    raise error(errno.EBUSY, path)
                group.enabled.add(word[1:])
        elif file == "cgroup.procs":
            if group.enabled and name != "/":
                raise error(errno.EBUSY, path)
            pid = int(text) or os.getpid()
            for before in self.groups.values():
                if pid in before.procs:
                    before.procs.remove(pid)
            group.procs.append(pid)
        elif file == "cgroup.kill":
            self.killed.append(name)
            for other, below in self.groups.items():
                if (other + "/").startswith(name + "/"):
                    below.procs.clear()
        else:
            self.read(path)
            group.values[file] = text

    def make(self, path: str) -> None:
        name = self._name(path)
        if name in self.groups:
            raise error(errno.EEXIST, path)
        above = os.path.dirname(name)  # noqa: PTH120
        if above not in self.groups:
            raise error(errno.ENOENT, path)
        self._check_write(above, path)
        self.groups[name] = Group()

    def remove(self, path: str) -> None:
        name, group = self._group(path)
        if group.procs or self.folders(path):
            raise error(errno.EBUSY, path)
        del self.groups[name]

    def folders(self, path: str) -> list[str]:
        name, _ = self._group(path)
        return [other.rpartition("/")[2] for other in self.groups if other != "/" and os.path.dirname(other) == name]  # noqa: PTH120
