"""Which processes an arena may do without."""

from __future__ import annotations

import asyncio

import pytest

from pips_tourney.arena.roster import MOST_ALIVE, BotProcess, Roster
from pips_tourney.arena.starting import StartClock


@pytest.fixture
async def roster() -> Roster:
    return Roster()


def live(roster: Roster, process: str, *, hello: bool = True) -> str:
    roster.bots[process] = BotProcess(asyncio.get_running_loop().create_future(), StartClock(1), 0)
    if hello:
        roster.bots[process].hello.set_result(None)
    roster.use(process)
    return process


async def test_of_too_many_those_go_that_sat_down_longest_ago(roster: Roster) -> None:
    alive = [live(roster, f"bot{number}/serpent/0") for number in range(MOST_ALIVE)]
    assert roster.too_many() == []
    for process in [*alive[2:], alive[0]]:
        roster.seat(process, 1)
        roster.seat(process, -1)
    roster.seat(alive[2], 1)
    live(roster, "last/serpent/0", hello=False)
    live(roster, "late/serpent/0")
    assert roster.too_many() == [alive[1], alive[3]]
    roster.bots[alive[1]].unwanted = True
    assert roster.too_many() == [alive[3]]


async def test_a_process_sits_at_no_more_tables_than_it_said(roster: Roster) -> None:
    roster.limit("ada/serpent/0", 2)
    roster.limit("bo/serpent/0", 0)
    playing, most, go_on = 0, 0, asyncio.Event()

    async def play() -> None:
        nonlocal playing, most
        async with roster.at_table(["bo/serpent/0", "ada/serpent/0"]):
            playing += 1
            most = max(most, playing)
            await go_on.wait()
            playing -= 1

    matches = [asyncio.create_task(play()) for _ in range(5)]
    for _ in range(20):
        await asyncio.sleep(0)
    assert playing == 2
    go_on.set()
    await asyncio.gather(*matches)
    assert most == 2
