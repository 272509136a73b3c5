"""Which processes belong to which tree below a keeper."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

from pips_tourney.sandbox.counting import processes as room
from pips_tourney.sandbox.counting.inspection import trees_of
from pips_tourney.sandbox.counting.processes import Process, children_of, read_tree, threads_of
from tests.patience import until

BRANCHES = """
import sys, subprocess, threading
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


def pids(found: list[Process]) -> set[int]:
    return {process.pid for process in found}


@pytest.mark.parametrize("how", ["child", "from a thread"])
def test_what_a_root_starts_is_in_its_tree(tree: Tree, how: str) -> None:
    had = {child.pid for child in psutil.Process().children(recursive=True)} - {tree.root}  # other tests' helpers
    trees, strays = trees_of(os.getpid(), [tree.root])
    assert pids(trees[tree.root]) == {tree.root} and pids(strays) <= had
    child = int(tree.tell(how))
    assert pids(trees_of(os.getpid(), [tree.root])[0][tree.root]) == {tree.root, child}


def test_a_thread_is_no_process_but_is_counted(tree: Tree) -> None:
    tree.tell("thread")
    trees, _ = trees_of(os.getpid(), [tree.root])
    assert [(process.pid, process.threads) for process in trees[tree.root]] == [(tree.root, 2)]
    assert len(threads_of(tree.root)) == 2


def test_an_orphan_belongs_to_its_session_and_a_stray_to_nobody(tree: Tree) -> None:
    """This process plays the keeper: what it has started itself looks inherited."""
    before = pids(trees_of(os.getpid(), [tree.root])[1])  # pytest may have children of its own
    code = "import subprocess; subprocess.Popen(['sleep', '600']).wait()"
    with subprocess.Popen([sys.executable, "-c", code], start_new_session=True) as stray:
        try:
            until(lambda: bool(children_of(stray.pid)), "it starts nothing")
            came = pids(trees_of(os.getpid(), [tree.root])[1]) - before
            assert stray.pid in came and len(came) == 2
            inherited, strays = trees_of(stray.pid, [os.getsid(stray.pid)])
            assert pids(inherited[stray.pid]) == {*children_of(stray.pid)} and not strays
        finally:
            os.killpg(stray.pid, 9)
    # The root has ended, as far as the keeper knows.
    until(lambda: pids(trees_of(os.getpid(), [])[1]) - before == {tree.root}, "what was killed lives on")


@pytest.mark.parametrize("lists", [True, False], ids=["by the kernel's lists", "without them"])
def test_a_tree_is_read_to_its_leaves(tree: Tree, lists: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "KEEPS_LISTS", lists)
    child = int(tree.tell("child"))
    assert list(read_tree(tree.root)) == children_of(tree.root) == [child]
    assert tree.root in read_tree(os.getpid())
