"""A new bot runs as it is written, and so does its test."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from runpy import run_path

import pytest

from pips_referee.game import REGISTRY
from pips_tourney.bots.find import find_bot
from pips_tourney.bots.found import BotProblem
from pips_tourney.workshop.begin import new_bot as module
from pips_tourney.workshop.begin.kits import KITS
from pips_tourney.workshop.begin.new_bot import class_name, js_sdk, languages, new_bot, what_is_missing
from tests.needs import needs

MOST_LINES = 40


@pytest.mark.parametrize("game", REGISTRY)
def test_a_new_bot_passes_its_own_tests(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = new_bot(Path("bots/first_one"), game, "python")
    assert [file.name for file in written] == ["README.md", "first_one.py", "pytest.ini", "test_first_one.py"]
    assert find_bot("bots/first_one").games() == (game,)
    monkeypatch.syspath_prepend("bots/first_one")
    monkeypatch.delitem(sys.modules, "first_one", raising=False)
    tests = {name: test for name, test in run_path(str(written[3])).items() if name.startswith("test_")}
    assert len(tests) == 3
    for test in tests.values():
        test()


@pytest.mark.unmeasured
def test_its_tests_run_inside_of_a_project_with_settings_of_its_own(folder: Path) -> None:
    (folder / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\naddopts = ["--import-mode=importlib"]\nfilterwarnings = ["error"]\n'
    )
    new_bot(Path("my_bot"), "wichita", "python")
    for words, place in ((["my_bot"], folder), ([], folder / "my_bot")):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
        ended = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
        assert ended.returncode == 0 and "3 passed" in ended.stdout, ended.stdout + ended.stderr


@pytest.mark.parametrize("game", REGISTRY)
def test_it_is_short_and_speaks_of_itself(game: str) -> None:
    [readme, bot, _, test] = new_bot(Path("first_one"), game, "python")
    code = bot.read_text(encoding="utf-8")
    assert "class FirstOne(" in code
    assert "run(FirstOne)" in code
    assert sum(bool(line.strip()) for line in code.splitlines()) <= MOST_LINES
    text = readme.read_text(encoding="utf-8")
    assert f"pips-bot human {game}" in text
    assert "pips-bot play first_one greedy" in text
    for file in (readme, bot, test):
        assert not any(word in file.read_text(encoding="utf-8") for word in ("my_bot", "MyBot", "GAME_TITLE"))


@pytest.mark.parametrize(
    ("name", "game", "expected"),
    [("my_bot", "serpent", "MyBot"), ("x2", "serpent", "X2"), ("serpent_bot", "serpent", "MySerpentBot")],
)
def test_the_name_of_its_class(name: str, game: str, expected: str) -> None:
    assert class_name(name, game) == expected


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("My-Bot", r"^'My-Bot' cannot be the name of a module: .* a letter first, such as my_bot$"),
        ("2fast", r"^'2fast' cannot be the name of a module: .* a letter first$"),
        ("lambda", r"^lambda is a word of Python's own: give the bot another name, such as lambda_bot$"),
        ("random", r"^a file random\.py would hide the module random that Python needs"),
        ("pips_sdk", r"^a file pips_sdk\.py would hide the module pips_sdk"),
        ("greedy", r"^greedy is the name of a sample bot: give yours another, such as my_greedy$"),
    ],
)
def test_names_that_will_not_do(name: str, told: str, folder: Path) -> None:
    with pytest.raises(BotProblem, match=told):
        new_bot(Path(name), "serpent", "python")
    assert list(folder.iterdir()) == []


def test_nothing_is_written_over(folder: Path) -> None:
    (folder / "mine").mkdir()
    with pytest.raises(BotProblem, match="mine is there already, and nothing is written over"):
        new_bot(Path("mine"), "serpent", "python")


def test_only_languages_that_work_are_offered() -> None:
    assert languages() == sorted(["js", "python", *KITS])


def test_names_of_python_are_free_in_javascript() -> None:
    assert "lambda.js" in [file.name for file in new_bot(Path("lambda"), "serpent", "js")]


def test_what_javascript_lacks_here(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    assert what_is_missing("python", folder) == ""
    monkeypatch.setattr(shutil, "which", lambda command: None)
    assert what_is_missing("js", folder).startswith("It needs Node 18 or later")
    monkeypatch.setattr(shutil, "which", lambda command: f"/bin/{command}")
    assert what_is_missing("js", folder) == f"It needs some packages, once: npm install --prefix {folder}"
    (folder / "node_modules").mkdir()
    assert what_is_missing("js", folder) == ""


@needs("node")
def test_an_installed_sdk_without_packages_is_put_beside_the_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `npm install` brings is linked; nothing is written into the SDK's folder."""
    packages = js_sdk() / "node_modules"
    monkeypatch.setattr(module, "_is_ready", lambda sdk: False)
    mine = Path("mine")
    new_bot(mine, "serpent", "js")
    assert json.loads((mine / "package.json").read_text(encoding="utf-8"))["dependencies"] == {
        "pips-sdk": "file:pips-sdk"
    }
    assert what_is_missing("js", mine) == "It needs some packages, once: npm install --prefix mine"
    (mine / "node_modules").mkdir()
    for package in packages.iterdir():
        (mine / "node_modules" / package.name).symlink_to(package)
    (mine / "node_modules" / "pips-sdk").symlink_to(Path("..", "pips-sdk"), target_is_directory=True)
    assert (mine / "pips-sdk" / "pips" / "v1" / "referee.proto").is_file()
    assert find_bot("mine").games() == ("serpent",)


def test_without_links_npm_is_left_to_find_the_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError("a privilege is not held")

    monkeypatch.setattr(Path, "symlink_to", refused)
    monkeypatch.setattr(module, "_is_ready", lambda sdk: True)
    [package] = [file for file in new_bot(Path("mine"), "serpent", "js") if file.name == "package.json"]
    assert json.loads(package.read_text(encoding="utf-8"))["dependencies"] == {"pips-sdk": f"file:{js_sdk()}"}
    assert list(Path("mine/node_modules").iterdir()) == []
