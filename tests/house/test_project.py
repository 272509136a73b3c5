"""The files that describe the project agree with one another."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_extra_all_has_every_other_extra_but_the_games_of_others() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    assert extras["all"] == [f"pips-tourney[{','.join(sorted(extras.keys() - {'all', 'openspiel'}))}]"]


def test_the_generator_of_an_installation_is_that_of_development() -> None:
    """`make proto` and `pip install` write the same code."""
    pinned = {need for need in PROJECT["build-system"]["requires"] if "==" in need}
    assert pinned <= set(PROJECT["project"]["optional-dependencies"]["dev"])


def test_pre_commit_runs_the_checks_of_make_check() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    [checks] = re.findall(r"^check:(.*?)##", makefile, re.MULTILINE)
    [listed] = re.findall(r"^CHECKS := (.*)$", makefile, re.MULTILINE)
    hooks = re.findall(r"entry: make .*(check-\w+)", (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert {*checks.replace("$(CHECKS)", listed).split()} == {*hooks, "check-hooks"}


def test_every_target_of_the_makefile_is_phony() -> None:
    """A file of the same name never hides a command."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    [phony] = re.findall(r"^\.PHONY:(.*)$", makefile, re.MULTILINE)
    assert set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE)) == set(phony.split())


def test_the_citation_is_of_this_version() -> None:
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert f"version: {PROJECT['project']['version']}" in lines
    assert f"license: {PROJECT['project']['license']}" in lines


def test_the_changelog_knows_the_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## \[(.+?)\]", changelog, re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert headings[1:2] in ([], [PROJECT["project"]["version"]])


SOURCES = ("referee", "sdk", "sample_bots", "tournaments")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def _docstring(package: str) -> str:
    [file] = (file for source in SOURCES for file in (ROOT / source).glob(f"{package.replace('.', '/')}/__init__.py"))
    return ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""


def _floors(package: str) -> list[set[str]]:
    """The layers of a package, lowest first."""
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    [layers] = [each["layers"] for each in contracts if each.get("containers") == [package]]
    return [set(re.findall(r"\w+", layer)) for layer in reversed(layers)]


def _out_of_order(rooms: Sequence[str], floors: Sequence[set[str]]) -> Iterator[str]:
    """What is wrong with a list of rooms, lowest first."""
    yield from (f"{room} is missing" for floor in floors for room in floor - {*rooms})
    yield from (f"{room} is no room" for room in rooms if sum(room in floor for floor in floors) != 1)
    yield from (f"{room} is named twice" for room in set(rooms) if rooms.count(room) > 1)
    heights = [at for room in rooms for at, floor in enumerate(floors) if room in floor]
    yield from (f"{rooms[at]} comes too late" for at in range(1, len(heights)) if heights[at] < heights[at - 1])


def test_the_picture_of_the_house_has_the_layers_that_are_checked() -> None:
    [picture] = re.findall(r"the rooms, lowest first:\n\n(.*?)```", ARCHITECTURE, re.DOTALL)
    rooms = [room for line in picture.splitlines() for room in re.split(r"  +(?=\S)", line.strip())[:-1]]
    assert list(_out_of_order(rooms, _floors("pips_tourney"))) == []


@pytest.mark.parametrize("package", ["pips_tourney", "pips_tourney.night"])
def test_a_docstring_lists_the_rooms_in_the_order_of_their_layers(package: str) -> None:
    listed = _docstring(package).partition("lowest first")[2].partition("It knows")[0]
    heads = [line.partition(":")[0] for line in listed.splitlines() if line.startswith("- ")] or [listed]
    rooms = re.findall(r"`(\w+)`", " ".join(heads))
    assert list(_out_of_order(rooms, _floors(package))) == []


def test_a_room_out_of_order_is_noticed() -> None:
    floors = [{"errors"}, {"files", "names"}]
    assert list(_out_of_order(["files", "errors"], floors)) == ["names is missing", "errors comes too late"]


def test_every_room_says_what_always_holds_there() -> None:
    """In one line; a game's rooms have those of `games`."""
    rooms = [
        ".".join(file.parent.relative_to(ROOT).parts[1:])
        for source in SOURCES
        for file in (ROOT / source).glob("pips_*/**/__init__.py")
        if not {"templates", "node_modules", "source", "dask", "boards"} & {*file.parts}
        and not re.search(r"/games/\w+/|pips_sample_bots/\w+/", file.as_posix())
    ]
    lines = {room: re.findall(r"^\*\*Invariant\*\*: \S.*\.$", _docstring(room), re.MULTILINE) for room in rooms}
    assert len(rooms) > 30
    assert {room: found for room, found in lines.items() if len(found) != 1} == {}
