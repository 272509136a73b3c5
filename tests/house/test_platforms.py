"""Every command of README, the tutorial and the teachers' first hour, on other systems.

They are simulated: all that Linux alone has is taken away (`tests/without_posix`), for
Windows all that Unix alone has, and output is in cp1252. Each system has one process.
`tests/e2e/test_here.py` compares a night there with one of processes;
`tests/e2e/test_join_anywhere.py` joins a night from there.
"""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from pips_tourney.system import ELSEWHERE
from pips_tourney.workshop.begin.new_bot import js_sdk
from tests.needs import is_here
from tests.unmeasured import unmeasured

ROOT = Path(__file__).parents[2]
WITHOUT_POSIX = ROOT / "tests" / "without_posix"
JS = js_sdk().parents[1] / "sample_bots" / "js" / "random_bot.js"
SYSTEMS = ("macos", "windows")
PAGES = ("README.md", "docs/tutorial.md", "docs/teachers.md")
COMMANDS = """
pips-bot new my_bot --game serpent
pips-bot play my_bot greedy -n 4 --save kept
pips-bot play my_bot random -n 4 --in-process
pips-bot watch my_bot greedy --delay 0
pips-bot check my_bot
pips-bot check my_bot --league league.toml
pips-bot compare my_bot my_bot/my_bot.py --in-process --max-deals 4
pips-bot compare my_bot random --max-deals 4
pips-bot analyse kept --seconds 1
pips-bot join --help
pips-bot submit --help
pips-bot workshop --help
pips-referee rules serpent
pips-tourney new other.toml
pips-tourney run league.toml
pips-tourney standings league.db --full
pips-tourney standings league.db --json
pips-tourney verify league.db
pips-tourney matches league.db
pips-tourney explain league.db MATCH
pips-tourney audit league.db
pips-tourney report league.db -o pages
pips-tourney export league.db --as gradebook
pips-tourney analyse league.db --bot my_bot --seconds 1
pips-tourney annul league.db MATCH --reason test
pips-tourney annul league.db MATCH --undo
pips-tourney pause league.db
pips-tourney resume league.db
pips-tourney withdraw league.db random --reason test
pips-tourney withdraw league.db random --undo
pips-tourney status league.db
pips-tourney commit other.toml
pips-tourney serve --help
pips-tourney replay league.db MATCH --all
pips-bot ask league.db MATCH --seat 0 --question 1
pips-bot ask league.db MATCH my_bot --seat 0 --question 1
"""
REFUSED = f"""
pips-tourney serve league.toml
pips-tourney check league.toml
pips-tourney run strangers.toml
pips-bot check {JS}
pips-bot play {JS} random -n 2 --game serpent
"""
"""These need Linux, and say so."""
LEAGUE = """
games = ["serpent"]
deals = 2
bots = [{ name = "my_bot", path = "my_bot", trusted = true }, { name = "random", sample = "random" }]
"""
STRANGERS = """
games = ["serpent"]
deals = 2
bots = ["my_b*", { name = "random", sample = "random" }]
"""
SCRIPT = """
import gc, importlib, shlex, sqlite3, sys, traceback
def run(line):
    if "MATCH" in line:
        from contextlib import closing
        with closing(sqlite3.connect("league.db")) as connection:
            line = line.replace("MATCH", connection.execute("SELECT id FROM results").fetchone()[0][:10])
    words = shlex.split(line)
    module = {"pips-bot": "pips_tourney.cli.bot", "pips-referee": "pips_referee.cli",
              "pips-tourney": "pips_tourney.cli.tourney"}[words[0]]
    print("$", line, flush=True)
    try:
        importlib.import_module(module).main(words[1:], prog_name=words[0])
    except SystemExit as ended:
        print("ended by", int(ended.code or 0), flush=True)
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        print("ended by", 99, flush=True)
if __name__ == "__main__":
    for line in open(sys.argv[1]).read().split(chr(10)):
        if line:
            run(line)
"""


def python(folder: Path, system: str, *words: str) -> str:
    """What Python prints on such a machine."""
    there = {"PYTHONPATH": str(WITHOUT_POSIX), "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}
    ended = subprocess.run(
        [sys.executable, *words], cwd=folder, env={**unmeasured(), **there, "PIPS_SIMULATED": system}, input="",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="cp1252", check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


@pytest.fixture(scope="module", params=[pytest.param("macos", marks=pytest.mark.long), "windows"])
def said(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """By command, its exit code and what it printed."""
    folder = tmp_path_factory.mktemp(request.param)
    files = {"commands": COMMANDS + REFUSED, "script.py": SCRIPT, "league.toml": LEAGUE, "strangers.toml": STRANGERS}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    parts = re.split(r"^\$ (.*)$", python(folder, request.param, "script.py", "commands"), flags=re.MULTILINE)[1:]
    found = {}
    for line, printed in zip(parts[::2], parts[1::2], strict=True):
        [code] = re.findall(r"^ended by (\d+)$", printed, re.MULTILINE)
        found[line] = int(code), printed
    assert len(found) == len([line for line in (COMMANDS + REFUSED).splitlines() if line])
    return found


@pytest.mark.parametrize("system", SYSTEMS)
def test_nothing_of_linux_is_there(tmp_path: Path, system: str) -> None:
    print_it = "import os, sys; print(hasattr(os, 'sched_getaffinity'), os.path.exists('/proc/self/x'), sys.platform)"
    platform = {"macos": "darwin", "windows": "elsewhere"}[system]
    assert python(tmp_path, system, "-c", print_it) == f"False False {platform}\n"
    assert system == "macos" or python(tmp_path, system, "-c", "import os; print(hasattr(os, 'fork'))") == "False\n"


def test_every_command_runs(said: dict[str, tuple[int, str]]) -> None:
    refused = {line for line in REFUSED.splitlines() if line}
    wrong = {line: printed for line, (code, printed) in said.items() if line not in refused and code not in (0, 1, 3)}
    assert [*wrong.items()] == []
    assert not any("Traceback" in printed for _, printed in said.values())
    assert "my_bot is ready for a league." in said["pips-bot check my_bot"][1]
    assert "Played in this process, without a clock: " in said["pips-bot play my_bot greedy -n 4 --save kept"][1]
    assert "NO CLOCK: " in said["pips-tourney run league.toml"][1]
    assert said["pips-tourney verify league.db"][0] == 0


def test_what_needs_linux_says_so_in_one_sentence(said: dict[str, tuple[int, str]]) -> None:
    for line in filter(None, REFUSED.splitlines()):
        code, printed = said[line]
        assert code == 2, (line, printed)
        absent = "node is not installed on this machine" if str(JS) in line and not is_here("node") else ""
        assert printed.count(absent or ELSEWHERE) == 1, (line, printed)


@cache
def documented() -> set[str]:
    """The commands of the pages, by their first two words."""
    found = set()
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        found |= {" ".join(each) for each in re.findall(r"\b(pips-(?:bot|tourney|referee)) ([a-z]+)\b", text)}
    return found


def test_every_documented_command_is_run_here() -> None:
    run = {" ".join(line.split()[:2]) for line in (COMMANDS + REFUSED).splitlines() if line}
    interactive = {"pips-bot human", "pips-tourney invite"}
    assert documented() - run - interactive == set()
