"""Kits: a bot in JSON lines can be begun in each language, and says what it needs."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_referee.forms import codecs_of
from pips_referee.game import REGISTRY
from pips_sdk.lines.bridge import Bridge, begin
from pips_sdk.lines.speaker import Speaker
from pips_tourney.bots.find import find_bot
from pips_tourney.cli.bot import main
from pips_tourney.workshop.begin.kits import KITS, kit_folder, tools_missing
from pips_tourney.workshop.begin.new_bot import build_command, new_bot
from tests.conformance.lines_trial import words_in_lines
from tests.pips_sdk.lines.languages import spoken
from tests.records import new_header

MOST_LINES = 60
MOST_QUESTIONS = 60


@pytest.mark.parametrize("language", KITS)
def test_a_begun_bot_has_all_that_it_needs(language: str) -> None:
    files = {file.name: file.read_text(encoding="utf-8") for file in new_bot(Path("fox"), "wichita", language)}
    assert {"README.md", "bot.toml"} <= files.keys()
    bot = find_bot("fox")
    assert bot.games() == ("wichita",)
    assert "pips_sdk.lines" in bot.program("").command
    [source] = [name for name in files if name.lower().startswith("bot.") and name != "bot.toml"]
    readme = files["README.md"]
    assert f"A bot for Wichita in {KITS[language].language}. Its code is in `{source}`." in readme
    assert build_command(language) in readme
    assert ("Build it" in readme) == bool(build_command(language))
    assert not any(word in readme for word in ("my_bot", "GAME", "LANGUAGE", "SOURCE", "BUILDING"))
    assert len(files[source].splitlines()) <= MOST_LINES


@pytest.mark.parametrize("language", spoken(name for name in KITS if not KITS[name].build))
def test_a_begun_bot_answers_in_all_games(language: str) -> None:
    new_bot(Path("fox"), "serpent", language)
    bot = find_bot("fox").program("")
    program, said = begin(lambda: Speaker(words_in_lines(bot), bot.cwd, bot.env))
    with program:
        assert set(said.games) == set(REGISTRY)
        for table, game in enumerate(REGISTRY, 1):
            bridge, match = Bridge(program, said), new_header(game).new_match()
            start = {"type": "start", "table": table, "game": game, "rng_seed": "", "told": []}
            program.say_text(json.dumps(start), table)
            while not match.is_over and match.number < MOST_QUESTIONS:
                bridge.put(game, table, match.number, 0, match.question().view, ())
                [line] = program.exchange(float("inf"))
                answer = json.loads(line)
                assert (answer["table"], answer["number"]) == (table, match.number)
                assert match.answer(codecs_of(game).action.read(json.dumps(answer["action"]).encode())) is None


def test_the_command_says_how_to_build_it() -> None:
    ended = CliRunner().invoke(main, ["new", "my fox/cub", "--game", "pippip", "--language", "cpp"])
    assert ended.exit_code == 0, ended.output
    assert f"Build it:  (cd {shlex.quote('my fox/cub')} && g++ -std=c++17" in ended.output
    assert "namespace game = pips::pippip;" in Path("my fox/cub/bot.cpp").read_text(encoding="utf-8")
    assert "namespace pips::pippip {" in Path("my fox/cub/pips.hpp").read_text(encoding="utf-8")


def test_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda command: None)
    assert tools_missing("shell") == "It needs jq, which this machine does not have. On Debian: apt-get install jq"
    ended = CliRunner().invoke(main, ["new", "fox", "--game", "serpent", "--language", "go"])
    assert "It needs go, which this machine does not have." in ended.output
    monkeypatch.setattr(shutil, "which", lambda command: f"/bin/{command}")
    assert tools_missing("shell") == ""


def test_what_a_build_left_is_not_copied(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    shutil.copytree(kit_folder("rust"), folder / "kits" / "rust")
    for left in ("bot.exe", "Bot.class", ".gitignore"):
        (folder / "kits" / "rust" / left).write_bytes(b"\xff")
    monkeypatch.setattr("pips_tourney.workshop.begin.kits.TEMPLATES", folder / "kits")
    (folder / "kits" / "README.md").write_text("LANGUAGE", encoding="utf-8")
    assert sorted(file.name for file in new_bot(Path("fox"), "serpent", "rust")) == [
        "README.md",
        "bot.rs",
        "bot.toml",
    ]


def test_every_language_is_offered() -> None:
    ended = CliRunner().invoke(main, ["new", "fox", "--game", "serpent", "--language", "cobol"])
    assert ended.exit_code == 2
    assert "there are cpp, go, java, js, python, rust, shell, but no cobol" in " ".join(ended.output.split()).replace(
        "│ ", ""
    )
