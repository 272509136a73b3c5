"""With answers under 100 ms a bot's process sits at one table at a time."""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest

from pips.v1 import referee_pb2
from pips_tourney.arena.arena import Arena
from pips_tourney.bots.executable import Executable
from pips_tourney.engines.choice import make_engine
from pips_tourney.engines.local import LocalEngine
from pips_tourney.league.read import read_league
from pips_tourney.night.plan.from_league import make_programme
from tests.pips_tourney.in_process import write_league


def no_program(process: str) -> Executable:
    raise AssertionError(process)


class Busy(Arena):
    """Plays nothing; counts at how many tables a process sits at once."""

    async def _play(self, order: referee_pb2.MatchOrder) -> bytes:
        seated = self.__dict__.setdefault("seated", Counter())
        seated.update(order.processes)
        self.__dict__["most"] = max(self.__dict__.get("most", 0), *seated.values())
        await asyncio.sleep(0)
        seated.subtract(order.processes)
        return b""


@pytest.mark.parametrize("alone", [True, False])
async def test_matches_of_one_process_wait_for_each_other(alone: bool) -> None:
    arena = Busy(0, no_program, 1.0, alone=alone)
    orders = [referee_pb2.MatchOrder(processes=pair) for pair in permutations(("a/x/0", "b/x/0", "c/x/0", "d/x/0"), 2)]
    assert await asyncio.gather(*map(arena.play, orders)) == [b""] * 12
    assert (arena.__dict__["most"] == 1) == alone


@pytest.mark.parametrize(("answer_ms", "alone"), [(99, True), (100, False), (0, False)])
def test_the_league_s_clock_decides(tmp_path: Path, answer_ms: int, alone: bool) -> None:
    league = read_league(write_league(tmp_path, "ada", "bo", more=f"clock = {{ answer_ms = {answer_ms} }}"))
    engine = make_engine(league, make_programme(league), 1)
    assert isinstance(engine, LocalEngine)
    assert engine.alone is alone
