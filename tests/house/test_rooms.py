"""Files, functions, classes and rooms stay small enough to be read.

What is larger stands in a list below, with its size. Nothing there may grow, and what
no longer needs its line loses it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.house.parsed import ROOT, SHARED, nodes, sources
from tests.house.size import files_of

pytestmark = SHARED
PACKAGES: Final = frozenset({"pips_referee", "pips_sdk", "pips_sample_bots", "pips_tourney"})
MOST_OF_A_FILE: Final = 400
MOST_OF_A_TEST: Final = 600
MOST_OF_A_FUNCTION: Final = 40
MOST_OF_A_CLASS: Final = 300
MOST_IMPORTED: Final = 14
MOST_INSIDE: Final = 59
"""Imports within functions: what is not always there, or makes a start slow."""
MOST_FOR_TYPES: Final = 15
"""Blocks of `TYPE_CHECKING`, for the same reasons."""
MOST_IN_A_ROOM: Final = 16
DEEPEST: Final = 2
"""How many folders a room may be below its package."""

CLASSES: Final = {
    "service/session.py": 344,  # a process, its losses and returns: one state
    "arena/arena.py": 352,  # starts, ends and matches of the same processes
    "engines/match_queue.py": 350,  # all that may be given out next
}
IMPORTERS: Final = {
    "arena/arena.py": 15,
    "browser/tab.py": 19,  # all that a tab can do, in one file for its worker
    "checks/check.py": 20,
    "checks/class_check.py": 28,
    "checks/same_deals.py": 18,
    "checks/scrimmage.py": 17,
    "duels/balance.py": 15,
    "duels/duel.py": 20,
    "lines/bridge.py": 15,
    "live/seats.py": 16,
    "match/lessons.py": 15,
    "pages/hand_in.py": 26,  # every page of a person's own
    "pages/site.py": 16,
    "place/child.py": 17,  # a process with a branch for each of its jobs
    "place/serve.py": 28,  # joins all routes of a place
    "play/asking.py": 15,
    "play/changed.py": 21,
    "play/estimate.py": 16,
    "web/server.py": 16,
}
ROOMS: Final = {
    "pips_sdk": 17,  # names that authors import, and those that sample bots do
}


def production() -> dict[str, list[ast.AST]]:
    """The nodes of the modules that are installed, by path from the root."""
    return {name: parsed for name, parsed in nodes().items() if name.split("/")[1] in PACKAGES}


def _lines(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _over(sizes: Mapping[str, int], most: int) -> dict[str, int]:
    return {name: size for name, size in sizes.items() if size > most}


def _short(name: str) -> str:
    """The last folder of a file, and its name."""
    return "/".join(Path(name).parts[-2:])


def _inside(parsed: list[ast.AST]) -> Iterator[ast.stmt | ast.Call]:
    """The imports within functions, each once."""
    functions = [node for node in parsed if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    spans = [(function.lineno, function.end_lineno or 0) for function in functions]
    for node in parsed:
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Call) and any(a <= node.lineno <= b for a, b in spans):
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield node
            elif str(getattr(node.func, "attr", getattr(node.func, "id", ""))).endswith("import_module"):
                yield from [node] if node.args and isinstance(node.args[0], ast.Constant) else []


def test_no_file_is_long() -> None:
    lines = {name: len(sources()[name].splitlines()) for name in production()}
    assert not _over(lines, MOST_OF_A_FILE)
    tests = [name for name in files_of(ROOT) if name.startswith("tests/") and name.endswith(".py")]
    lines = {name: len((ROOT / name).read_text(encoding="utf-8").splitlines()) for name in tests}
    assert not _over(lines, MOST_OF_A_TEST)


def test_no_function_is_long() -> None:
    lines = {
        f"{name}: {node.name}": _lines(node)
        for name, parsed in production().items()
        for node in parsed
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert not _over(lines, MOST_OF_A_FUNCTION)


def test_no_class_is_long_but_these() -> None:
    lines = {
        _short(name): _lines(node)
        for name, parsed in production().items()
        for node in parsed
        if isinstance(node, ast.ClassDef) and not node.col_offset and _lines(node) > MOST_OF_A_CLASS
    }
    _hold(lines, CLASSES)


def test_no_file_imports_many_of_ours_but_these() -> None:
    imported = {
        _short(name): len({
            node.module
            for node in parsed
            if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] in PACKAGES
        })
        for name, parsed in production().items()
    }  # fmt: skip
    _hold(_over(imported, MOST_IMPORTED), IMPORTERS)


def test_few_imports_are_within_functions_or_for_types() -> None:
    inside = [f"{name}: {ast.unparse(each)}" for name, parsed in production().items() for each in _inside(parsed)]
    assert len(inside) <= MOST_INSIDE, "\n".join(inside)
    blocks = [
        name
        for name, parsed in production().items()
        for node in parsed
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    ]
    assert len(blocks) <= MOST_FOR_TYPES, "\n".join(blocks)


def test_no_room_is_crowded_or_deep_but_these() -> None:
    modules = [Path(*Path(name).parts[1:]) for name in production() if "templates" not in name]
    rooms = Counter(str(module.parent) for module in modules if module.stem != "__init__")
    _hold(_over(rooms, MOST_IN_A_ROOM), ROOMS)
    assert [str(module) for module in modules if len(module.parts) - 2 > DEEPEST] == []


def _hold(sizes: Mapping[str, int], allowed: Mapping[str, int]) -> None:
    """Fail if anything new is too large, has grown, or needs its line no longer."""
    assert sorted(sizes) == sorted(allowed)
    grown = {name: size for name, size in sizes.items() if size > allowed[name]}
    assert not grown


@pytest.mark.parametrize("sizes", [{"a": 3, "b": 1}, {"a": 2}, {}])
def test_what_is_new_has_grown_or_is_gone_is_noticed(sizes: dict[str, int]) -> None:
    with pytest.raises(AssertionError):
        _hold(sizes, {"a": 1})
