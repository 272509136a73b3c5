"""Which processes below a keeper belong to which tree, looked up at every look.

The kernel numbers processes upwards. Those started since the last look lie between the
last number then and the last number now. Only these and the known processes are looked
at. So a look costs the same beside ten foreign processes as beside a thousand.

The keeper imports this module and must start fast: little of the standard library.
"""

# No pathlib: it would take longer to import than most of the rest.
# ruff: noqa: PTH123, PTH208

from __future__ import annotations

from collections.abc import Collection, Iterator
from os import listdir
from typing import Final

from pips_tourney.sandbox.processes import Process, all_processes, below, look_at

MOST_NEW: Final = 64
"""If more numbers than this were given out since the last look, trees are read."""
WHOLE: Final = 50
"""After this many looks the trees are read in any case."""


class Census:
    """The processes of each tree below a keeper, which is the subreaper of all."""

    def __init__(self, keeper: int) -> None:
        self._keeper = keeper
        self._newest = 0
        self._looks = 0
        self._began: dict[int, int] = {}
        """Start time of each known process; with its number, its identity."""
        self._owner: dict[int, int] = {}
        """By process, the root of its tree."""
        self.ever: dict[int, set[int]] = {}
        """By root, all process numbers ever seen in its tree."""

    def take(self, roots: Collection[int]) -> tuple[dict[int, list[Process]], list[Process]]:
        """Return each root's living processes, itself included, and the strays.

        An orphan belongs to the root whose session it is in. A stray has left both its
        parent and its session, or its root has ended.
        """
        new = self._new_numbers()
        unknown = [root for root in roots if root not in self._owner]
        if new is None:
            self._read_trees(roots)
        else:
            self._read_trees(unknown)
            for number in new:
                self._consider(number)
        self._read_orphans(roots)
        return self._living(frozenset(roots))

    def forget(self, root: int) -> None:
        """Forget a root that has ended and whose tree nobody asks for any longer."""
        self.ever.pop(root, None)

    def _new_numbers(self) -> range | None:
        """Return the numbers given out since the last look; None to read trees."""
        last, self._newest = self._newest, newest_number()
        self._looks += 1
        if self._looks % WHOLE == 1 or not last <= self._newest <= last + MOST_NEW:
            return None
        return range(last + 1, self._newest + 1)

    def _read_trees(self, roots: Collection[int]) -> None:
        for root in roots:
            for pid in (root, *read_tree(root)):
                if pid not in self._owner and (process := look_at(pid)) is not None:
                    self._add(process, root)

    def _consider(self, number: int) -> None:
        """Add the process of a new number if its parent is known."""
        process = look_at(number)
        if process is None or number in self._owner or process.parent not in self._owner:
            return
        if is_process(number):
            self._add(process, self._owner[process.parent])

    def _read_orphans(self, roots: Collection[int]) -> None:
        """Add the orphans that the keeper has inherited, with all their descendants."""
        for pid in children_of(self._keeper):
            if pid in self._owner or pid in roots or (process := look_at(pid)) is None:
                continue
            self._add(process, process.session)
            for lower in read_tree(pid):
                if lower not in self._owner and (found := look_at(lower)) is not None:
                    self._add(found, process.session)

    def _add(self, process: Process, root: int) -> None:
        self._owner[process.pid], self._began[process.pid] = root, process.began
        if process.pid == root or root in self.ever:
            self.ever.setdefault(root, set()).add(process.pid)

    def _living(self, roots: frozenset[int]) -> tuple[dict[int, list[Process]], list[Process]]:
        trees: dict[int, list[Process]] = {root: [] for root in roots}
        strays = []
        for pid, root in list(self._owner.items()):
            process = look_at(pid)
            if process is None or process.began != self._began[pid]:
                del self._owner[pid], self._began[pid]
            elif root not in roots or self._has_left(process, roots):
                strays.append(process)
            else:
                trees[root].append(process)
        return trees, strays

    def _has_left(self, process: Process, roots: frozenset[int]) -> bool:
        return process.parent == self._keeper and process.pid not in roots and process.session not in roots


def newest_number() -> int:
    """Return the number given last to a process or thread in this namespace."""
    with open("/proc/loadavg", "rb") as loadavg:
        return int(loadavg.read().rsplit(None, 1)[-1])


def is_process(number: int) -> bool:
    """Return whether the number is a process, and not a further thread of one."""
    try:
        with open(f"/proc/{number}/status", "rb") as status:
            return int(status.read().partition(b"\nTgid:")[2].split(None, 1)[0]) == number
    except (OSError, ValueError, IndexError):
        return False


def children_of(pid: int) -> list[int]:
    """Return a process's living children, from the kernel's list for each thread."""
    found: list[int] = []
    if not KEEPS_LISTS:
        return [process.pid for process in all_processes() if process.parent == pid]
    try:
        for task in listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as children:
                found += map(int, children.read().split())
    except OSError:  # it has ended meanwhile
        return found
    return found


def read_tree(root: int) -> Iterator[int]:
    """Yield the descendants of a process, parents first."""
    if not KEEPS_LISTS:  # one walk instead of one for each process
        yield from sorted(below({root}, all_processes()))
        return
    waiting, seen = [root], {root}
    while waiting:
        for pid in children_of(waiting.pop(0)):
            if pid not in seen:
                seen.add(pid)
                waiting.append(pid)
                yield pid


def _kernel_keeps_lists() -> bool:
    """Return whether the kernel lists children (CONFIG_PROC_CHILDREN; most do)."""
    try:
        with open("/proc/thread-self/children", "rb"):
            return True
    except OSError:
        return False


KEEPS_LISTS: Final = _kernel_keeps_lists()
