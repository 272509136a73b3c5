"""A decision shown beforehand: the table that would be, and nothing kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_tourney.cli.tourney import main
from pips_tourney.night.director import DirectorError, Office, office
from pips_tourney.night.log.store import open_store, read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.preview import preview
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.tables import OVERALL
from tests.pips_tourney.web.nights import final_night, play_round, small_night

pytestmark = pytest.mark.unmeasured  # other tests reach these lines

FINAL = "serpent, final"


@pytest.fixture
def night(tmp_path: Path) -> Path:
    return small_night(tmp_path)


def log_of(night: Path) -> list[tuple[str, object]]:
    with read_store(night) as store:
        return [(entry.kind, entry.payload) for entry in store.log()]


def table_of(night: Path) -> list[tuple[str, str, str]]:
    with read_store(night) as store:
        tables = standings(last_night(store)).all_tables
    return [(table.label, row.bot, row.text) for table in tables for row in table.rows]


def test_what_is_shown_is_what_comes(night: Path) -> None:
    before, was = log_of(night), table_of(night)
    shown = preview(night, lambda at: at.withdraw("cy", "why", from_start=True))
    assert "nothing that it played counts" in shown.told and log_of(night) == before
    assert {(each.contest, each.bot, each.elo) for each in shown.moved if each.place is not None} == set(was)
    with office(night) as at:
        at.withdraw("cy", "why", from_start=True)
    then = {(each.contest, each.bot, each.later_elo) for each in shown.moved if each.later_place is not None}
    assert then == set(table_of(night)) != set(was)


def test_the_table_over_all_games_is_shown_too(night: Path) -> None:
    shown = preview(night, lambda at: at.withdraw("cy", "why", from_start=True))
    over = {each.bot: each for each in shown.moved if each.contest == OVERALL}
    assert over["cy"].later_place is None and over["ada"].later_place is not None
    assert over["cy"].line.endswith("; then out of the table")


def test_a_final_that_goes_and_one_that_comes(tmp_path: Path) -> None:
    path = final_night(tmp_path, 'final = { name = "knockout", bots = 4, deals = 2 }')
    with open_store(path) as store:
        while play_round(store):
            pass
    was = {bot for label, bot, _ in table_of(path) if label == FINAL}

    def withdraw(at: Office) -> str:
        return "".join(at.withdraw(bot, "why", from_start=True) for bot in ("bo", "cy", "dee", "eve"))

    gone = [each for each in preview(path, withdraw).moved if each.contest == FINAL]
    assert {each.bot for each in gone} == was and len(was) == 4
    assert all(each.place is not None and each.later_place is None for each in gone)
    with office(path) as at:
        withdraw(at)
    assert FINAL not in {label for label, _, _ in table_of(path)}
    come = [each for each in preview(path, reinstate).moved if each.contest == FINAL]
    assert {each.bot for each in come} == was
    assert all(each.place is None and each.later_place is not None for each in come)


def reinstate(at: Office) -> str:
    return "".join(at.reinstate(bot, "why") for bot in ("bo", "cy", "dee", "eve"))


def test_a_match_that_is_not_there_is_named(night: Path) -> None:
    with pytest.raises(DirectorError, match="no match of this night"):
        preview(night, lambda at: at.annul("ffffffff", "why"))


@pytest.mark.parametrize("command", ["annul", "replay-match", "withdraw"])
def test_the_terminal_shows_it_too(night: Path, command: str) -> None:
    with read_store(night) as store:
        match = next(store.ids())
    before = log_of(night)
    words = [command, str(night), "cy" if command == "withdraw" else match, "--reason", "why", "--preview"]
    ran = CliRunner().invoke(main, words)
    assert ran.exit_code == 0, ran.output
    assert "It would say: " in ran.output and ran.output.endswith("Nothing was decided.\n") and "place 1" in ran.output
    assert log_of(night) == before
