"""The JavaScript SDK: its own tests, and what pips-bot writes for it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from pips_referee.game import REGISTRY
from pips_tourney.bots.find import find_bot
from pips_tourney.workshop.begin.new_bot import js_sdk, new_bot
from tests.needs import needs
from tests.patience import PATIENCE_S

pytestmark = needs("node")


def node_test(*files: Path) -> str:
    """The output of `node --test`."""
    ended = subprocess.run(
        ["node", "--test", *map(str, files)], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_its_own_tests() -> None:
    assert node_test(js_sdk() / "test" / "sdk.test.js")


@pytest.mark.parametrize("game", REGISTRY)
def test_a_new_bot_passes_its_own_tests_and_is_found(game: str, tmp_path: Path) -> None:
    folder = tmp_path / "first_one"
    written = new_bot(folder, game, "js")
    assert {file.name for file in written} == {"README.md", "package.json", "first_one.js", "first_one.test.js"}
    assert node_test(folder / "first_one.test.js")
    bot = find_bot(str(folder))
    assert (bot.name, bot.games()) == ("first_one", (game,))
    for file in written:
        assert not any(word in file.read_text(encoding="utf-8") for word in ("my_bot", "MyBot", "GAME", "JS_SDK"))


def test_sample_bots_say_what_they_play() -> None:
    folder = js_sdk().parents[1] / "sample_bots" / "js"
    assert set(find_bot(str(folder / "random_bot.js")).games()) == set(REGISTRY)
    assert find_bot(str(folder / "cautious_bot.js")).games() == ("serpent", "pippip")


def test_a_copy_without_the_contract_says_so(tmp_path: Path) -> None:
    """Some versions of npm copy a dependency that is a folder."""
    for file in (*js_sdk().glob("*.js"), js_sdk() / "package.json"):
        shutil.copy(file, tmp_path)
    (tmp_path / "node_modules").symlink_to(js_sdk() / "node_modules")
    (tmp_path / "mine.js").write_text('import { run } from "./index.js";\nrun();\n', encoding="utf-8")
    ended = subprocess.run(["node", "mine.js"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert f"mine.js: there is no pips/v1 beside {tmp_path}/: npm copied the SDK; npm install --inst" in ended.stderr


def test_its_version_is_the_projects() -> None:
    from importlib.metadata import version

    package = json.loads((js_sdk() / "package.json").read_text(encoding="utf-8"))
    assert package["version"] == version("pips-tourney")
