"""Bots begun in every language, built and played: `make lab WHAT=languages`.

It needs compilers that CI does not have, so `make test` does not collect it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_referee.game import REGISTRY
from pips_sdk.lines.bridge import main as bridge
from pips_tourney.cli.bot import main
from pips_tourney.workshop.begin.kits import KITS, tools_missing
from pips_tourney.workshop.begin.new_bot import build_command, languages
from tests.conformance.__main__ import main as conformance
from tests.pips_sdk.lines.languages import CONFORMANCE, SAMPLES, begun


@pytest.mark.parametrize("language", KITS)
def test_nothing_is_missing(language: str) -> None:
    assert tools_missing(language) == ""


@pytest.mark.parametrize("game", REGISTRY)
@pytest.mark.parametrize("language", KITS)
def test_a_begun_bot_plays(language: str, game: str, tmp_path: Path) -> None:
    bot = begun(tmp_path / "my_bot", game, language)
    ended = CliRunner().invoke(main, ["check", str(bot), "--game", game, "--answer-ms", "5000"])
    assert ended.exit_code == 0, ended.output
    assert "ready for a league" in ended.output


@pytest.mark.parametrize("language", ["cpp", "java"])
def test_a_sample_without_types_plays(language: str, tmp_path: Path) -> None:
    bot = shutil.copytree(SAMPLES / language, tmp_path / "fox")
    [source] = [file.name for file in bot.glob("[bB]ot.[cj]*")]
    subprocess.run(["javac", source] if language == "java" else ["g++", "-o", "bot", source], cwd=bot, check=True)
    ended = CliRunner().invoke(main, ["check", str(bot), "--answer-ms", "5000"])
    assert ended.exit_code == 0, ended.output


def test_the_conformance_bot_in_java_speaks_the_protocol(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bridge(["--java"])
    (tmp_path / "Pips.java").write_text(capsys.readouterr().out, encoding="utf-8")
    shutil.copy(CONFORMANCE / "Bot.java", tmp_path)
    subprocess.run(["javac", "-Xlint:all", "-Werror", "Bot.java"], cwd=tmp_path, check=True)
    ended = CliRunner().invoke(conformance, [f"{sys.executable} -m pips_sdk.lines java -cp {tmp_path} Bot"])
    assert ended.exit_code == 0, ended.output


def test_a_league_of_all_languages(tmp_path: Path) -> None:
    """Within the limits, and under the filter of system calls."""
    bots = [begun(tmp_path / f"my_{language}", "serpent", language) for language in languages()]
    entries = "".join(f'[[bots]]\npath = "{bot.name}"\ntrusted = true\n' for bot in bots)
    (tmp_path / "night.toml").write_text(
        'games = ["serpent"]\narenas = 1\nsandbox = "limits"\n'
        f'clock = {{ answer_ms = 5000 }}\ndeals = {{ suite = "quick", count = 1 }}\n{entries}',
        encoding="utf-8",
    )
    ended = subprocess.run(
        [sys.executable, "-m", "pips_tourney", "run", "night.toml", "--json"],
        cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    [table] = json.loads(ended.stdout)["tables"]
    assert table["counted"] == len(bots) * (len(bots) - 1)
    assert not any(row["faults"] for row in table["rows"])


def test_every_compiler_is_used() -> None:
    assert {language for language in KITS if build_command(language)} == {"cpp", "go", "java", "rust"}
