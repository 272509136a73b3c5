"""`verify --rerun`: bots answer again, and a changed record is contradicted."""

from __future__ import annotations

import json

import pytest

from pips_referee.records.record import Header
from pips_tourney.night.log.kinds import ENDED
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import Row, open_store
from pips_tourney.night.night import last_night
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import standings_sha256
from tests.e2e.desk import Desk, finish
from tests.pips_tourney.forged import make_chain_anew
from tests.pips_tourney.in_process import play


def forge(desk: Desk, bots: set[str]) -> str:
    """Change answers in a match of these two, and all that follows; return its id."""
    with open_store(desk.folder / "night.db") as store:
        night = last_night(store)
        fixture = next(each for each in night.fixtures() if set(each.seating) == bots)
        header = Header.read(fixture.order(night.secret, {}).header)
        row = row_of(play(header, bytes(32)))
        values = ", ".join(f"{column} = ?" for column in Row._fields)
        store._connection.execute(f"UPDATE results SET {values} WHERE id = ?", (*row, row.id))
        night = last_night(store)
        (end,) = store.log(ENDED)
        said = {"digest": night.digest(), "standings_sha256": standings_sha256(standings(night))}
        store._connection.execute("UPDATE log SET payload = ? WHERE kind = 'end'", (json.dumps(end.payload | said),))
    make_chain_anew(desk.folder / "night.db")
    return row.id


@pytest.mark.long
def test_a_changed_record_is_contradicted_by_its_bot(desk: Desk) -> None:
    desk.league("greedy=greedy", "random=random", "fickle=fickle_bot.py", deals=1)
    finish(desk.begin("run", "night.toml", "--secret-file", "secret"))
    out, _ = finish(desk.begin("verify", "night.toml", "--rerun", "all"))
    assert "6 of 6 matches played again" in out
    assert "fickle is not deterministic: in " in out
    assert "is not what the bot says now, each time" not in out
    match = forge(desk, {"greedy", "random"})
    desk.tell("verify", "night.db")
    out, _ = finish(desk.begin("verify", "night.db", "--rerun", "all"), 1)
    assert f"match {match}: answer " in out and "is not what the bot says now, each time" in out


def test_what_cannot_be_played_again_is_said(desk: Desk) -> None:
    desk.league("greedy=greedy", "fickle=fickle_bot.py", deals=1)
    finish(desk.begin("run", "night.toml", "--secret-file", "secret"))
    with (desk.folder / "fickle_bot.py").open("a", encoding="utf-8") as file:
        file.write("# better\n")
    _, err = finish(desk.begin("verify", "night.toml", "--rerun"), 2)
    assert "no match can be played again: fickle: its files, command or environment have changed" in err
    _, err = finish(desk.begin("verify", "night.toml", "--rerun", "0"), 2)
    assert "0 is no number of matches; write 50, or all" in err
