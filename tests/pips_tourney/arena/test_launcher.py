"""What a launcher writes to its keeper, and when."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pips_tourney.arena.arena import Arena
from pips_tourney.arena.exchange import ArenaLost
from pips_tourney.arena.ground import Ground, KeeperProcess
from pips_tourney.arena.launcher import SEATS_S, Launcher
from pips_tourney.sandbox.limits import Limits
from pips_tourney.sandbox.tiers import NO_SANDBOX, Sandbox, Tier


class Pipe(KeeperProcess):
    """Stands in for the pipe to a keeper: what was written, write by write."""

    def __init__(self) -> None:
        self.writes: list[list[dict[str, Any]]] = []

    def write(self, commands: bytes) -> None:
        self.writes.append([json.loads(line) for line in commands.splitlines()])


def launcher_to(pipe: Any) -> Launcher:
    return Launcher(pipe, lambda _: None, lambda: None)


async def test_the_seats_of_a_moment_are_one_write() -> None:
    launcher = launcher_to(pipe := Pipe())
    for by in (1, 1, -1):
        launcher.seat("ada/serpent/0", by)
    assert pipe.writes == []
    await asyncio.sleep(2 * SEATS_S)
    assert [[(command["do"], command["by"]) for command in write] for write in pipe.writes] == [
        [("seat", 1), ("seat", 1), ("seat", -1)]
    ]
    launcher.seat("ada/serpent/0", 1)
    await asyncio.sleep(2 * SEATS_S)
    assert len(pipe.writes) == 2


async def test_other_commands_wait_for_nothing_and_come_after_the_seats_before_them() -> None:
    launcher = launcher_to(pipe := Pipe())
    launcher.seat("ada/serpent/0", 1)
    launcher.stop("bo/serpent/0")
    launcher.show("ada/serpent/0")
    assert [[command["do"] for command in write] for write in pipe.writes] == [["seat", "stop"], ["show"]]
    await asyncio.sleep(2 * SEATS_S)
    assert len(pipe.writes) == 2


class KilledKeeper(Pipe):
    """A keeper that was killed while it wrote its second event."""

    async def events(self) -> AsyncIterator[bytes]:
        yield b'{"event": "started", "name": "ada/serpent/0", "pid": 7}\n'
        yield b'{"event": "ended", "name": "ada/ser'

    def close(self) -> None:
        """It has ended."""

    async def ended(self) -> None:
        """It has."""


async def test_the_torn_last_event_of_a_killed_keeper_is_none() -> None:
    events: list[str] = []
    lost: list[bool] = []
    launcher = Launcher.begin(KilledKeeper(), lambda event: events.append(event["event"]), lambda: lost.append(True))
    await launcher.close()
    assert (events, lost) == (["started"], [True])


class OnKilledKeeper(Ground):
    """Where no process is started."""

    def __init__(self) -> None:
        self.keeper = KilledKeeper()

    async def begin_keeper(self, folder: Path, core: int) -> KilledKeeper:
        return self.keeper


@pytest.mark.parametrize(
    ("sandbox", "serve_also", "same"),
    [(NO_SANDBOX, (), True), (NO_SANDBOX, ("--bots", "host:1"), False), (Sandbox(Tier.LIMITS, Limits()), (), False)],
)
async def test_a_referee_s_addresses_are_random_where_something_holds_bots_in(
    sandbox: Sandbox, serve_also: tuple[str, ...], same: bool
) -> None:
    ground = OnKilledKeeper()
    with pytest.raises(ArenaLost):
        async with Arena(
            0, lambda _: pytest.fail("no bot starts"), 1, sandbox=sandbox, serve_also=serve_also, ground=ground
        ):
            pass
    assert ground.keeper.writes[0][0]["same_addresses"] is same
