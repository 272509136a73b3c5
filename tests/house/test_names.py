"""One name, one thing: a class name stands in one module, or here with its reason."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from pips_tourney.cli.groups import BOT, TOURNEY
from tests.house.parsed import SHARED as TOGETHER
from tests.house.parsed import nodes

HOUSE = Path(__file__).parents[2]
PACKAGES = ("referee", "sdk", "sample_bots", "tournaments")
SHARED = {
    "each game's room has its own": {"Dealt", "Drew", "Position", "Reason"},
    "each game has a sample bot of this strength": {"CautiousBot", "GreedyBot", "SearchBot"},
    "an event of two games: a card was played": {"Played"},
    "random bytes, and what carries messages": {"Stream"},
}


def _classes() -> Iterator[tuple[str, str]]:
    for file, parsed in nodes().items():
        if "/templates/" not in file:
            yield from ((node.name.lstrip("_"), file) for node in parsed if isinstance(node, ast.ClassDef))


@TOGETHER
def test_a_class_name_means_one_thing() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for name, file in _classes():
        places[name].append(file)
    assert {"Arena", "Match", "Night"} <= set(places)  # the modules were found
    shared = set().union(*SHARED.values())
    assert {name: files for name, files in places.items() if len(files) > 1 and name not in shared} == {}
    assert {name for name in shared if len(places[name]) < 2} == set()  # no reason outlives its names


def test_every_command_that_a_text_names_is_there() -> None:
    there = {
        f"pips-{program} {name}"
        for program, groups in (("tourney", TOURNEY), ("bot", BOT))
        for commands in groups.values()
        for name in commands
    }
    texts = [*HOUSE.glob("*.md"), *(HOUSE / "docs").rglob("*.md")]
    texts += [
        file
        for package in PACKAGES
        for ending in ("py", "js", "html", "md")
        for file in (HOUSE / package).rglob(f"*.{ending}")
        if "node_modules" not in file.parts
    ]
    named = {
        (str(file.relative_to(HOUSE)), command)
        for file in texts
        for command in re.findall(r"(?<=`)pips-(?:tourney|bot) [a-z][a-z-]*", file.read_text(encoding="utf-8"))
    }
    assert len(texts) > 300 and len(named) > 100
    assert {(file, command) for file, command in named if command not in there} == set()
