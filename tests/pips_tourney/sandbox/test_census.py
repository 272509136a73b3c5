"""Which processes belong to which tree below a keeper, and what a look reads."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from pips_tourney.sandbox import census as room
from pips_tourney.sandbox.census import MOST_NEW, Census, children_of, is_process, newest_number, read_tree
from pips_tourney.sandbox.processes import Process, look_at
from tests.patience import until

BRANCHES = """
import os, sys, subprocess, threading
for line in sys.stdin:
    if line == "child\\n":
        print(subprocess.Popen(["sleep", "600"]).pid, flush=True)
    elif line == "thread\\n":
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        print(flush=True)
    elif line == "from a thread\\n":
        def begin():
            print(subprocess.Popen(["sleep", "600"]).pid, flush=True)
            threading.Event().wait()
        threading.Thread(target=begin, daemon=True).start()
    elif line == "in its session\\n":
        subprocess.run([sys.executable, "-c", "import subprocess; print(subprocess.Popen(['sleep', '600']).pid)"])
"""


class Tree:
    """A process that starts others on command."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", BRANCHES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        self.root = self.process.pid

    def tell(self, what: str) -> str:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self) -> None:
        os.killpg(self.root, 9)
        self.process.communicate()


@pytest.fixture
def tree() -> Iterator[Tree]:
    tree = Tree()
    yield tree
    tree.end()


def threads_of(pid: int) -> list[int]:
    return [int(folder.name) for folder in Path(f"/proc/{pid}/task").iterdir()]


def pids(found: list[Process]) -> set[int]:
    return {process.pid for process in found}


@pytest.mark.parametrize("how", ["child", "from a thread"])
def test_what_was_started_since_the_last_look_is_found(tree: Tree, how: str) -> None:
    census = Census(os.getpid())
    had = {child.pid for child in psutil.Process().children(recursive=True)} - {tree.root}  # other tests' helpers
    for _ in range(3):
        trees, strays = census.take([tree.root])
        assert pids(trees[tree.root]) == {tree.root} and pids(strays) <= had
    child = int(tree.tell(how))
    trees, _ = census.take([tree.root])
    assert pids(trees[tree.root]) == {tree.root, child} == census.ever[tree.root]


def test_a_thread_is_no_process_but_is_counted(tree: Tree) -> None:
    census = Census(os.getpid())
    census.take([tree.root])
    tree.tell("thread")
    trees, _ = census.take([tree.root])
    assert [(process.pid, process.threads) for process in trees[tree.root]] == [(tree.root, 2)]
    (other,) = (name for name in threads_of(tree.root) if name != tree.root)
    assert is_process(tree.root) and not is_process(other) and not is_process(2**30)


def test_where_many_were_started_the_trees_are_read(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    census = Census(os.getpid())
    census.take([tree.root])
    child = int(tree.tell("child"))
    monkeypatch.setattr(room, "newest_number", lambda: newest_number() + MOST_NEW + 1)
    monkeypatch.setattr(census, "_consider", lambda number: pytest.fail(f"{number} was looked at"))
    trees, _ = census.take([tree.root])
    assert child in pids(trees[tree.root])


def test_after_the_last_number_the_first_comes_again(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    census = Census(os.getpid())
    census.take([tree.root])
    child = int(tree.tell("child"))
    monkeypatch.setattr(room, "newest_number", lambda: 301)
    trees, _ = census.take([tree.root])
    assert child in pids(trees[tree.root])


def test_one_that_has_ended_is_gone_and_its_number_is_another_s(tree: Tree) -> None:
    census = Census(os.getpid())
    child = int(tree.tell("child"))
    census.take([tree.root])
    census._began[child] -= 1  # as if it were another process of that number
    trees, _ = census.take([tree.root])
    assert pids(trees[tree.root]) == {tree.root}


def test_an_orphan_belongs_to_its_session_and_a_stray_to_nobody(tree: Tree) -> None:
    """This process plays the keeper: what it has started itself looks inherited."""
    census = Census(os.getpid())
    before = pids(census.take([tree.root])[1])  # pytest may have children of its own
    code = "import subprocess; subprocess.Popen(['sleep', '600']).wait()"
    with subprocess.Popen([sys.executable, "-c", code], start_new_session=True) as stray:
        try:
            until(lambda: bool(children_of(stray.pid)), "it starts nothing")
            came = pids(census.take([tree.root])[1]) - before
        finally:
            os.killpg(stray.pid, 9)
    assert stray.pid in came and len(came) == 2
    # The root has ended, as far as the census knows.
    until(lambda: pids(census.take([])[1]) - before == {tree.root}, "what was killed lives on")


def without_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "KEEPS_LISTS", False)


@pytest.mark.parametrize("make", [lambda _: None, without_lists], ids=["by the kernel's lists", "without them"])
def test_a_tree_is_read_to_its_leaves(
    tree: Tree, make: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    make(monkeypatch)
    child = int(tree.tell("child"))
    assert list(read_tree(tree.root)) == children_of(tree.root) == [child]
    assert tree.root in read_tree(os.getpid())


def test_foreign_processes_are_not_read(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files read do not grow with them: they are counted, not timed."""
    census = Census(os.getpid())
    census.take([tree.root])
    seen: list[int] = []

    def counted(pid: int) -> Process | None:
        seen.append(pid)
        return look_at(pid)

    monkeypatch.setattr(room, "look_at", counted)
    monkeypatch.setattr(room, "all_processes", lambda: pytest.fail("the whole of /proc was read"))
    monkeypatch.setattr(room, "newest_number", lambda: census._newest)
    census.take([tree.root])
    assert set(seen) <= {tree.root, *children_of(os.getpid())}
