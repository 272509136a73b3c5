"""The luck of a night: complete deals alone, the same again, and any change is seen."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from operator import itemgetter
from pathlib import Path

import pytest

from pips_tourney.analysis.chosen import NothingChosen
from pips_tourney.analysis.complete import chosen_records
from pips_tourney.analysis.ledger import LuckError, LuckLedger, night_luck
from pips_tourney.night.log.kinds import BEGUN
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from tests.pips_tourney.web.nights import small_night


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A night of all four games that is over."""
    return small_night(tmp_path_factory.mktemp("luck"), deals=1)


@pytest.fixture(scope="module")
def ledger(night: Path) -> LuckLedger:
    """Its luck."""
    with read_store(night) as store:
        return night_luck(last_night(store))


@pytest.mark.unmeasured
def test_every_match_has_its_luck_and_every_bot_its_sum(ledger: LuckLedger, night: Path) -> None:
    with read_store(night) as store:
        assert {entry.match for entry in ledger.entries} == set(store.ids())
    assert ledger.uncommitted == ()
    for rows in ledger.by_bot().values():
        assert {row.bot for row in rows} == {"ada", "bo", "cy"}
        assert [row.points for row in rows] == sorted([row.points for row in rows], reverse=True)
        assert all(row.usual > 0 for row in rows)


@pytest.mark.long
def test_several_processes_make_the_same_ledger(ledger: LuckLedger, night: Path) -> None:
    with read_store(night) as store:
        assert night_luck(last_night(store), processes=2) == ledger


def test_deals_that_are_still_being_played_are_left_out(tmp_path: Path) -> None:
    """Their luck would tell of cards that are still to be played with."""
    path = small_night(tmp_path, played=5, deals=1)
    with read_store(path) as store:
        night = last_night(store)
        counted = {entry.match for entry in night_luck(night).entries}
        assert len(counted) == 4
        chosen = [record.header.match_id for record in chosen_records(night, "ada")]
        assert counted >= set(chosen)
    (tmp_path / "one").mkdir()
    path = small_night(tmp_path / "one", played=1, deals=1)
    with read_store(path) as store:
        with pytest.raises(LuckError, match="every seating"):
            night_luck(last_night(store))
        with pytest.raises(NothingChosen, match="every seating"):
            list(chosen_records(last_night(store), "ada"))


def test_a_night_that_named_no_value_function_says_so(
    night: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nights from before there were any have the field neither."""
    monkeypatch.setattr("pips_tourney.analysis.ledger._redrawn", itemgetter(0))  # no luck, which is known elsewhere
    old = tmp_path / "old.db"
    old.write_bytes(night.read_bytes())
    with closing(sqlite3.connect(old)) as connection, connection:
        rows = connection.execute("SELECT seq, payload FROM log WHERE kind = ?", (BEGUN,)).fetchall()
        for seq, payload in rows:
            begun = {name: value for name, value in json.loads(payload).items() if name != "values"}
            connection.execute("UPDATE log SET payload = ? WHERE seq = ?", (json.dumps(begun), seq))
    with read_store(old) as store:
        assert set(night_luck(last_night(store)).uncommitted) == {"serpent", "wichita", "pippip", "dominion"}


def test_what_there_is_none_of_is_named(night: Path) -> None:
    with read_store(night) as store, pytest.raises(NothingChosen, match="there are ada, bo, cy"):
        list(chosen_records(last_night(store), "zed"))
