"""While matches are quick an arena has one more of them at its referee than there are tables."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Self

import pytest

from pips.v1 import referee_pb2
from pips_referee.match import FaultKind
from pips_referee.record import Header, write_record
from pips_tourney.arena import Arena
from pips_tourney.engines import local
from pips_tourney.engines.local import LocalEngine
from tests.pips_tourney.test_alone import no_program
from tests.pips_tourney.test_played import Told

TABLES = 2


class Counted(Arena):
    """Forgets no match; counts how many are there at once."""

    now = most = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def _play(self, order: referee_pb2.MatchOrder, contest: str) -> bytes:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.001)
        self.now -= 1
        self.played += 1
        header = Header.read(order.header)
        match = header.new_match()
        match.fault(1, FaultKind.TIMEOUT, "late", evidence="a clock")
        return write_record(header, match)


class Local(LocalEngine):
    def new_arena(self, number: int) -> Arena:
        assert super().new_arena(number).tables == TABLES
        arena = self.__dict__["arena"] = Counted(0, no_program, 1.0, self.alone)
        return arena


@pytest.mark.parametrize(
    ("quick_s", "alone", "most"), [(10.0, False, TABLES + 1), (0.0, False, TABLES), (10.0, True, TABLES)]
)
async def test_one_is_ordered_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick_s: float, alone: bool, most: int
) -> None:
    told = Told(tmp_path, deals=5)
    monkeypatch.setattr(local, "QUICK_S", quick_s)
    engine = Local(1, TABLES, 1.0, no_program, alone)
    await engine.play(told.job)
    assert sorted(told.records) == sorted(match.match_id for match in told.matches)
    assert engine.__dict__["arena"].most == most
