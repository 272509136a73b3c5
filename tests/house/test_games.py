"""No shared file knows a game by its name: games are found by their entry points."""

from __future__ import annotations

import ast
import re
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_referee import installed
from pips_referee.cli import main
from pips_referee.errors import GameProblem
from pips_referee.game import REGISTRY, get_game

ROOT = Path(__file__).parents[2]
SHARED = ("referee", "sdk", "tournaments")
EXAMPLES = {
    "tournaments/pips_tourney/cli/groups.py", "tournaments/pips_tourney/doctor/trial.py",
}  # fmt: skip
"""Files that show a game to a person: an example, a help text, a league that ships."""
DRAWN = {
    "tournaments/pips_tourney/web/static/boards.js",
    "tournaments/pips_tourney/web/static/table.css", "sdk/js/conformance.js", "sdk/js/games.js",
    "sdk/js/index.js",
}  # fmt: skip
"""The pictures of the games' tables, and JavaScript's classes for typed messages."""
NAMES = re.compile("|".join(REGISTRY), re.IGNORECASE)


def code_of(file: Path) -> str:
    """A file without its docstrings and comments, which may show an example."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".py" or not NAMES.search(text):
        return text
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for child in getattr(node, "body", []) if isinstance(getattr(node, "body", None), list) else []:
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                child.value.value = ""
    return ast.unparse(tree)


def test_no_shared_file_names_a_game() -> None:
    shared = [
        file
        for room in SHARED
        for suffix in ("py", "js", "css", "html")
        for file in (ROOT / room).rglob(f"*.{suffix}")
        if not NAMES.search(str(file.relative_to(ROOT))) and not {"node_modules", "test"} & {*file.parts}
    ]
    naming = {str(file.relative_to(ROOT)) for file in shared if NAMES.search(code_of(file))}
    assert len(shared) > 200
    assert naming == EXAMPLES | DRAWN


class Wheel:
    """As much of a distribution as finding a game looks at."""

    def __init__(self, name: str, place: str) -> None:
        self.name, self.place = name, place

    def locate_file(self, path: str) -> str:
        return f"{self.place}/{path}"


@pytest.fixture
def wheels(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    """The entry points of wheels that seem to be installed, and no others."""
    points: list[EntryPoint] = []
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)
    monkeypatch.delenv(installed.VARIABLE, raising=False)
    monkeypatch.setattr(installed, "places", installed.places.__wrapped__)
    return points


def point(name: str, place: str, wheel: str, folder: str = "/site") -> EntryPoint:
    made = EntryPoint(name, place, installed.GROUP)
    vars(made).update(dist=Wheel(wheel, folder))
    return made


OURS = point("serpent", "x:S", "pips-tourney")


def test_two_wheels_with_one_name_are_refused_with_both_paths(wheels: list[EntryPoint]) -> None:
    wheels += [OURS, point("pig", "pig:GAME", "pig", "/here"), point("pig", "other:GAME", "other-pig", "/there")]
    with pytest.raises(GameProblem, match=r"named pig: other-pig in /there/ and pig in /here/. Uninstall one"):
        installed.places()


def test_our_games_come_first_and_keep_their_order(wheels: list[EntryPoint]) -> None:
    wheels += [point("ant", "ant:GAME", "ant"), point("b", "x:B", "pips-tourney"), point("a", "x:A", "pips-tourney")]
    assert [*installed.places()] == ["b", "a", "ant"]


def test_a_name_that_is_none_is_refused(wheels: list[EntryPoint]) -> None:
    wheels += [OURS, point("My Game", "mine:GAME", "mine")]
    with pytest.raises(GameProblem, match="'My Game': a name has small letters"):
        installed.places()


@pytest.mark.parametrize("place", ["pig", "pig : GAME", "pig:GAME [all]", "../pig:GAME", ".pig:GAME", "pig:GAME.rules"])
def test_a_place_that_is_none_is_refused(place: str, wheels: list[EntryPoint]) -> None:
    wheels += [OURS, point("pig", place, "pig", "/here")]
    with pytest.raises(GameProblem, match=r"pig in /here/ says that pig is '.*', which is not like pig:GAME"):
        installed.places()


def test_an_installation_from_before_the_entry_points_is_told_so(wheels: list[EntryPoint]) -> None:
    wheels += [point("pig", "pig:GAME", "pig")]
    with pytest.raises(GameProblem, match=r"without its games: install it again .*pip install -e ."):
        installed.places()


@pytest.mark.parametrize(
    ("place", "text", "said"),
    [
        ("broken:GAME", "raise ValueError('boom')", r"cannot be loaded: ValueError: boom. Mend it, or uninstall it"),
        ("broken:GAME", "(", "cannot be loaded: SyntaxError"),
        ("broken:GAME", "GAME = 1", "and it is 1$"),
        ("broken:GAME", "from pips_referee.games.serpent.rules import GAME", "its `name` is"),
        ("broken.one:GAME", "", "it has to be PACKAGE:GAME or PACKAGE.rules:GAME"),
    ],
)
def test_a_game_that_cannot_be_played_is_a_sentence(
    place: str, text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "__init__.py").write_text(text, encoding="utf-8")
    pig = (ROOT / "tests" / "games" / "pig" / "pig" / "__init__.py").read_text(encoding="utf-8")
    (tmp_path / "broken" / "one.py").write_text(pig.replace('"pig"', '"broken"'), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(installed, "places", lambda: {"broken": place})
    for module in ("broken", "broken.one"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(GameProblem, match=said):
        get_game("broken")
    ended = CliRunner().invoke(main, ["rules", "broken"])
    assert ended.exit_code == 2
    assert ended.stderr.startswith("Error: ")


def test_a_bots_process_is_told_and_looks_at_no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(installed.VARIABLE, "pig=pig:GAME hearts=hearts.rules:GAME")
    monkeypatch.setattr(installed, "places", installed.places.__wrapped__)
    monkeypatch.setattr("importlib.metadata.entry_points", None)
    assert [*installed.REGISTRY] == ["pig", "hearts"]
    assert installed.package_of("hearts") == "hearts"
    assert installed.told() == "pig=pig:GAME hearts=hearts.rules:GAME"
