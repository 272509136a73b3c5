"""Each game's rulebook, playthroughs and names of luck are true and complete."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from pips_referee.chance import TracedChance
from pips_referee.game import REGISTRY, get_game
from tests.contract.cases import CASES, Case, chance
from tests.goldens.playthrough import FOLDER, path_of, playthrough

TESTS = Path(__file__).parents[1]
CLAUSE = re.compile(r"\*\*([A-Z]\d+(?:\.\d+)?)\*\*")
NAMED = re.compile(r"\b[A-Z]\d+(?:\.\d+)?\b")
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
every_game = pytest.mark.parametrize("name", REGISTRY)


def clauses(name: str) -> list[str]:
    return CLAUSE.findall(get_game(name).rulebook())


def rule_tests(name: str) -> Iterator[tuple[str, str]]:
    """The source of every rule test of a game, decorators and comments included, by its
    name.
    """
    for path in sorted((TESTS / "rules").glob(f"test_{name}*.py")):
        source = path.read_text(encoding="utf-8")
        lines = source.splitlines()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                yield node.name, "\n".join(lines[first - 1 : node.end_lineno])


@every_game
def test_clauses_are_numbered_once_and_in_order(name: str) -> None:
    found = clauses(name)
    assert len(found) > 10
    assert len(set(found)) == len(found)
    assert found == sorted(found, key=lambda clause: [int(number) for number in clause[1:].split(".")])


@every_game
def test_every_clause_has_a_test_that_names_it(name: str) -> None:
    named = {clause for _, source in rule_tests(name) for clause in NAMED.findall(source)}
    assert [clause for clause in clauses(name) if clause not in named] == []


@every_game
def test_rule_tests_name_only_clauses_there_are(name: str) -> None:
    known = set(clauses(name))
    letter, chapters = clauses(name)[0][0], {clause.split(".")[0] for clause in known}
    for test, source in rule_tests(name):
        named = [clause for clause in NAMED.findall(source) if clause[0] == letter and "." in clause]
        assert [clause for clause in named if clause not in known | chapters] == [], test


@every_case
def test_the_golden_playthrough(case: Case) -> None:
    """`python -m tests.goldens` makes it; read the changes before you commit."""
    path = path_of(case)
    assert path.is_file(), f"{path.name} is missing: python -m tests.goldens"
    assert playthrough(case) == path.read_text(encoding="utf-8")


def test_no_playthrough_is_left_over() -> None:
    assert sorted(FOLDER.glob("*.txt")) == sorted(map(path_of, CASES))


@every_case
def test_the_names_of_all_luck_are_documented(case: Case) -> None:
    """docs/chance.md lists them, so that a stranger can deal the match again."""
    document = (TESTS.parent / "docs" / "chance.md").read_text(encoding="utf-8")
    listed = re.findall(rf"^\| `{case.game_name}` \| `([^`]+)` \|", document, re.MULTILINE)
    patterns = [re.compile(re.sub(r"<\w+>", r"\\d+", name)) for name in listed]
    luck = TracedChance(chance(1))
    state, _ = case.start(luck)
    rng = Random(1)
    while state.to_ask is not None:
        state.apply(state.sample_action(rng))
    for drawn in luck.take_drawn():
        assert any(pattern.fullmatch(drawn.stream) for pattern in patterns), drawn.stream
