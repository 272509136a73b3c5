"""NIGHT may be left out of every command that takes one, by one rule.

Then it is the only night in the folder. Where there are more, or none, the command
says so.
"""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from pips_tourney.cli.tourney import main
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import open_store
from pips_tourney.night.plan.fixtures import fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import play, write_league

SECRET = Secret(b"\x01" * 32)
SHORT = 'games = [{ name = "serpent", options = { hands = 2 } }]'
WORDS = {
    "add": ["greedy"],
    "analyse": ["--bot", "ada", "--seconds", "1"],
    "annul": ["MATCH", "--reason", "a power cut"],
    "audit": [],
    "explain": ["MATCH"],
    "export": ["--as", "csv"],
    "matches": [],
    "pause": [],
    "replay-match": ["MATCH", "--reason", "a power cut"],
    "report": ["-o", "pages"],
    "resume": [],
    "standings": [],
    "status": [],
    "verify": [],
    "withdraw": ["ada", "--reason", "its author asks"],
}
"""By command that takes a NIGHT, what else it must be given."""
SERVES = {"serve"}
"""Without a NIGHT it serves the tables at which one plays, as its help says."""
ENDS_WITH = {"audit": 1, "verify": 1}
"""They find that these nights have no end."""
FIRST = {"resume": "pause"}
"""A command that undoes another one."""


def begun(folder: Path, name: str) -> str:
    """Begin a night and play its first match; return the match."""
    with open_store(folder / name) as store:
        league = write_league(folder, "ada", "bo", deals=1)
        text = league.read_text(encoding="utf-8").replace('game = "serpent"', SHORT)
        league.write_text(text, encoding="utf-8")
        programme = make_programme(read_league(league))
        begin(store, programme, SECRET)
        schedule = list(fixtures(programme))
        for fixture in schedule:
            store.add([row_of(play(fixture.header(SECRET), SECRET.rng_seed(fixture.match_id, 0)))])
    return schedule[0].match_id


def typed(command: str, match: str) -> Result:
    words = [match[:12] if word == "MATCH" else word for word in WORDS[command]]
    return CliRunner().invoke(main, [command, *words], catch_exceptions=False)


def takes_a_night(command: click.Command) -> bool:
    return any("NIGHT" in (each.make_metavar(click.Context(command)) or "") for each in command.params)


def test_these_are_all_commands_that_take_a_night() -> None:
    context = click.Context(main)
    commands = {name: main.get_command(context, name) for name in main.list_commands(context)}
    assert {name for name, of in commands.items() if of is not None and takes_a_night(of)} == WORDS.keys() | SERVES


@pytest.mark.parametrize("command", WORDS)
def test_the_only_night_need_not_be_named(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    match = begun(tmp_path, "night.db")
    for each in (FIRST.get(command), command):
        if each is not None:
            ended = typed(each, match)
            assert ended.exit_code == ENDS_WITH.get(each, 0), (each, ended.output)
            assert "which night" not in ended.output


@pytest.mark.parametrize("command", WORDS)
def test_of_none_and_of_two_the_command_says_so(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ended = typed(command, "3f2a")
    assert ended.exit_code == 2 and "there is no night in this folder: name one" in ended.output
    begun(tmp_path, "one.db")
    match = begun(tmp_path, "two.db")
    ended = typed(command, match)
    assert ended.exit_code == 2 and "which night? There are one.db, two.db: name one" in ended.output


def test_a_night_alone_is_no_match(tmp_path: Path) -> None:
    begun(tmp_path, "night.db")
    ended = CliRunner().invoke(main, ["explain", str(tmp_path / "night.db")])
    assert ended.exit_code == 2 and "it takes a MATCH" in ended.stderr


def test_a_night_is_no_league(tmp_path: Path) -> None:
    begun(tmp_path, "night.db")
    ended = CliRunner().invoke(main, ["run", str(tmp_path / "night.db"), "--dry-run"])
    assert ended.exit_code == 2 and "it is no text in UTF-8, as a league file is" in ended.stderr


def test_texts_need_authors(tmp_path: Path) -> None:
    ended = CliRunner().invoke(main, ["check", "-o", str(tmp_path / "texts")])
    assert ended.exit_code == 2 and "-o needs a LEAGUE" in ended.stderr
