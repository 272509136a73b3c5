"""Every command of the README and the docs is run, as a reader would: page by page, in
one folder, in order.

A fenced block with a file's name beside its language (```toml league.toml) is written
into that folder first. Where a page asks for more than a test may take, fewer matches
are played; what cannot be run stands here with its reason.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from click.testing import CliRunner

from pips_referee.cli import main as referee
from pips_tourney.cli.bot import main as bot
from pips_tourney.cli.tourney import main as tourney
from tests.needs import need
from tests.patience import PATIENCE_S

ROOT: Final = Path(__file__).parents[2]
NEW: Final = "sdk/pips_sdk/templates"
PAGES: Final = [
    "README.md", "CONTRIBUTING.md", "sdk/js/README.md", f"{NEW}/python/README.md", f"{NEW}/js/README.md",
    *sorted(f"docs/{page.name}" for page in ROOT.glob("docs/*.md")),
]  # fmt: skip
SLOW: Final = {"docs/analysis.md", f"{NEW}/python/README.md"}
"""These pages take a minute each: `make test-long`."""
MAINS: Final = {"pips-bot": bot, "pips-referee": referee, "pips-tourney": tourney}
COMMANDS: Final = ("cp", "make", "mkdir", "node", "npm", "pip", *MAINS, "pytest")

FEWER: Final = {
    "USUAL_SAMPLE": "greedy",
    "-n 200": "-n 2",
    "-n 100": "-n 2",
    "-n 20": "-n 2",
    "play my_bot greedy": "play my_bot greedy -n 2",
    "watch my_bot greedy": "watch my_bot greedy --delay 0",
    "compare my_bot old_bot/my_bot.py": "compare my_bot old_bot/my_bot.py --max-deals 10",
    "pips-tourney run": "pips-tourney run --arenas 1",
    "count = 10 ": "count = 1 ",
    "deals = 5 ": "deals = 1 ",
    "--seconds 60": "--seconds 1",
    "FILE": "kept/*",
}
"""What is asked for, and what a test does instead."""

ELSEWHERE: Final = {
    "pips-referee check-game my_game": "tests/games/test_laws.py checks games that are installed",
    "pytest my_game": "the same runs the tests of a new game",
    "pips-bot workshop": "tests/pips_tourney/workshop/test_runtime.py installs it from a folder",
    "pips-bot new-game": "tests/house/test_wheel.py begins a game, installs it and plays a night of it",
    "pips-bot play random random --game my_game": "the same test plays it",
    "pips-bot new my_player --game my_game": "tests/games/test_pig.py begins a bot for a game that is installed",
    "pips-bot play openspiel:connect_four/mcts": "needs the extra openspiel; tests/pips_referee/openspiel plays it",
    "pips-tourney run spiel.toml": "needs the extra openspiel; make lab WHAT=openspiel plays such a night",
    "pips-tourney balance my_game": "tests/pips_tourney/workshop/test_balance.py judges a game",
    "pips-bot play my_player random": "the same",
    "pips-tourney run my_night.toml": "tests/house/test_wheel.py plays such a night",
    "pip install": "tests/house/test_wheel.py installs the project into an empty environment",
    "make league-night": "`make test-machines` runs it on bare machines",
    "make test": "the same, and it runs this test",
    "make bench": "measures for minutes, on a machine that does nothing else",
    "pips-tourney run first": "tests/house/test_wheel.py plays it from the wheel",
    "make lab WHAT=peers": "installs other people's libraries",
    "make check": "`make test` runs it first of all",
    "pips-tourney serve": "serves until it is stopped; `make place` starts it",
    "pips-bot submit": "needs a place; tests/e2e/test_course.py hands in by it",
    "pips-tourney run league.toml --web": "serves until the night is over; the tests of the pages start it",
    "pips-tourney check": "ends with 1 where a machine has findings; tests/pips_tourney/doctor runs it",
    "pips-bot join": "needs a night that is hosted; tests/e2e/test_remote.py joins some",
    'cp "$(python': "a shell's words; tests/house/test_wheel.py has the files in the wheel",
    "pips-tourney run lessons.toml": "tests/pips_tourney/analysis/test_dataset.py learns from a short night",
    "pips-tourney export lessons.db": "the same test exports its decisions",
    "pips-bot play bot.py greedy -n 4000": "the same test plays what has learned",
    "pips-tourney run learned.toml": "the same test enters it in a league",
    "pips-tourney export class.db --as moodle": "needs the file of Moodle; place/test_grades.py fills one in",
    "pips-tourney analyse": "tests/pips_tourney/cli/test_analyse.py makes ledgers of nights",
    "pips-bot human": "waits for a person; tests/house/test_platforms.py plays it",
}
"""Beginnings of commands that are not run here, and who runs them."""


LOST_BY_A_FAULT: Final = re.compile(r"\blost (\d+|a) match(es)?\b.* by a fault|\b[1-9]\d* lost by a fault")
"""What `play` and `check` say of a bot that does not work; both end well all the same.
No page shows such a bot.
"""

A_NIGHT: Final = "pips-tourney run league.toml"
BEFORE: Final = {
    "README.md": [A_NIGHT],
    f"{NEW}/python/README.md": ["pips-bot new my_bot --game serpent"],
    f"{NEW}/js/README.md": ["pips-bot new my_bot --game serpent --language js"],
    "docs/analysis.md": ["pips-bot new my_bot --game serpent"],
    "docs/record.md": ["pips-bot play random greedy --game serpent -n 2 --in-process --save kept"],
    "docs/web.md": [A_NIGHT],
}
"""What a page takes for granted; a league file is there for all."""
LEAGUE: Final = """
games = ["serpent"]
deals = { suite = "quick", count = 1 }
bots = [{ name = "greedy", sample = "greedy" }, { name = "random", sample = "random" }]
"""


class Block(NamedTuple):
    """A fenced block: a file to be written, or commands."""

    file: str
    text: str


def blocks(page: str) -> Iterator[Block]:
    text = (ROOT / page).read_text(encoding="utf-8")
    for indent, info, body in re.findall(r"^( *)```([^\n]*)\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL):
        words = info.split()
        plain = re.sub(f"^{indent}", "", body, flags=re.MULTILINE)
        if len(words) == 2 and words[0] in ("python", "text", "toml"):
            yield Block(words[1], plain)
        elif words in ([], ["sh"]):
            yield Block("", plain)


def commands(block: Block) -> Iterator[str]:
    """The lines of a block that are commands, without the comments behind them."""
    for line in block.text.splitlines():
        command = re.sub(r"^(\w+=\S+ )+", "", re.split(r"\s{2,}|\s+# ", line)[0].removeprefix("$ "))
        if not block.file and command.partition(" ")[0] in COMMANDS:
            yield command


def elsewhere(command: str) -> bool:
    return any(command == begin or command.startswith(f"{begin} ") for begin in ELSEWHERE)


def fewer(text: str) -> str:
    for asked, instead in FEWER.items():
        text = text.replace(asked, instead)
    return text


def run(command: str, folder: Path) -> None:
    words = [word for part in shlex.split(fewer(command).replace("...", "")) for word in _unfolded(part, folder)]
    status, said = (
        _in_this_process(words, folder)
        if words[0] in MAINS and {"run", "--rerun"}.isdisjoint(words)
        else _run(words, folder)
    )
    told = f"{' '.join(words)}\n{said}"
    assert status in _statuses(words, folder), told
    assert not LOST_BY_A_FAULT.search(said), told


def _statuses(words: list[str], folder: Path) -> tuple[int, ...]:
    if words[:2] == ["pips-bot", "compare"]:
        return 0, 1, 3  # a verdict
    if words[0] == "pytest" and (folder / "my_bot" / "test_mistakes.py").exists():
        return (1,)  # red until the mistakes are mended
    return (0,)


def _in_this_process(words: list[str], folder: Path) -> tuple[int, str]:
    """Most commands take less time than an interpreter needs to start."""
    with chdir(folder):
        ended = CliRunner(env={"COLUMNS": "100"}).invoke(MAINS[words[0]], words[1:], catch_exceptions=False)
    return ended.exit_code, ended.output


def _run(words: list[str], folder: Path) -> tuple[int, str]:
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
    env.pop("MAKEFLAGS", None)
    ended = subprocess.run(
        words, cwd=ROOT if words[0] == "make" else folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    return ended.returncode, ended.stdout


def _unfolded(word: str, folder: Path) -> list[str]:
    """As a shell would: a pattern becomes the first file that it fits."""
    return [str(min(folder.glob(word)).relative_to(folder))] if "*" in word else [word]


def is_told(page: str) -> bool:
    return any(True for block in blocks(page) for _ in commands(block))


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.long if page in SLOW else ()) for page in PAGES if is_told(page)],
)
def test_every_command_works(page: str, tmp_path: Path) -> None:
    told = [command for block in blocks(page) for command in commands(block)]
    if any(command.startswith("node") for command in told):
        need("node")
    if any("submissions/*" in block.text for block in blocks(page)):
        need("bwrap")
    (tmp_path / "sdk").symlink_to(ROOT / "sdk")
    (tmp_path / "league.toml").write_text(LEAGUE, encoding="utf-8")
    for command in BEFORE.get(page, []):
        run(command, tmp_path)
    for block in blocks(page):
        if block.file:
            (tmp_path / block.file).parent.mkdir(exist_ok=True)
            (tmp_path / block.file).write_text(fewer(block.text), encoding="utf-8")
        for command in commands(block):
            if not elsewhere(command):
                run(command, tmp_path)


def test_every_reason_is_needed() -> None:
    told = [command for page in PAGES for block in blocks(page) for command in commands(block)]
    for begin in ELSEWHERE:
        assert any(command.startswith(begin) for command in told), begin
    texts = [block.text for page in PAGES for block in blocks(page)]
    for asked in FEWER:
        assert any(asked in text for text in texts), asked
