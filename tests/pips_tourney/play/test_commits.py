"""Results are stored many to a commit.

Each commit is on disk before any watcher is informed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from pips_tourney.engines import PlayedMatch
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.league.read import read_league
from pips_tourney.night.log.store import Row, open_store
from pips_tourney.night.plan.fixtures import Fixture, fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.play.ledger import Ledger
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import play, write_league

SECRET = Secret(bytes(32))


class Told:
    """A watcher of results."""

    def __init__(self) -> None:
        self.groups: list[int] = []

    def stored(self, rows: Sequence[Row]) -> None:
        self.groups.append(len(rows))


def record(fixture: Fixture) -> bytes:
    return play(fixture.header(SECRET), bytes(32))


async def test_what_comes_together_is_one_commit(tmp_path: Path) -> None:
    schedule = list(fixtures(make_programme(read_league(write_league(tmp_path, "ada", "bo", "cy", deals=10)))))
    store, told = open_store(tmp_path / "night.db"), Told()
    statements: list[str] = []
    store._connection.set_trace_callback(statements.append)
    ledger = Ledger(store, MatchQueue(iter(()), store.stored, SECRET), told.stored)
    keeping = asyncio.create_task(ledger.keep())
    for fixture in schedule:
        ledger.take(fixture, PlayedMatch(record(fixture)))
    ledger.close()
    await keeping
    assert sum(told.groups) == len(schedule) == 60
    assert statements.count("COMMIT") == len(told.groups) == 1
    assert store.stored([fixture.match_id for fixture in schedule]) == {fixture.match_id for fixture in schedule}
    store.close()
