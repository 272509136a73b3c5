"""The faults of a simulated machine, drawn from a seed: what, when, how hard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from pips.v1 import player_pb2
from pips_referee.tokens import issue_token
from pips_tourney.arena.arena import REFEREE
from pips_tourney.night.director import DirectorError, office
from tests.nights.machine import Machine, Process
from tests.nights.network import Cut

MOST_FAULTS: Final = 6
NIGHT_S: Final = 2.0
"""Faults come within so many seconds of a run's beginning."""


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """A fault: in which run, how many seconds after its beginning, of which kind.

    `which` chooses among what it can hit and says how hard it is, from 0 to 1.
    """

    run: int
    at_s: float
    kind: str
    which: float

    def __str__(self) -> str:
        return f"run {self.run}, {self.at_s:.2f} s: {KINDS[self.kind].words} ({self.kind}, {self.which:.3f})"


class Killed(KeyboardInterrupt):
    """The runner's process ends at once; a loop lets it pass."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fault: in words, what it does, and whose fault it is."""

    words: str
    happen: Callable[[Machine, float], None]
    is_bots: bool = False
    """It may cost bots the matches that they are at."""


def _one(machine: Machine, which: float) -> Process | None:
    bots = machine.bots()
    return bots[int(which * len(bots))] if bots else None


def _keeper_dies(machine: Machine, which: float) -> None:
    if machine.launchers:
        machine.launchers[int(which * len(machine.launchers))].die()


def _referee_dies(machine: Machine, which: float) -> None:
    if machine.launchers:
        launcher = machine.launchers[int(which * len(machine.launchers))]
        if REFEREE in launcher.children:
            launcher.end(launcher.children[REFEREE], "killed by SIGKILL")


def _for_a_while(name: str, value: Callable[[float], float]) -> Callable[[Machine, float], None]:
    """Change a figure of the machine for a second."""

    def happen(machine: Machine, which: float) -> None:
        before = Machine.CALM[name]
        setattr(machine, name, value(which))
        asyncio.get_running_loop().call_later(1.0, setattr, machine, name, before)

    return happen


def _refuse(machine: Machine, which: float) -> None:
    machine.refuses = 1 + int(2 * which)


def _suspend(machine: Machine, which: float) -> None:
    machine.now.pass_s(60 * which)


def _bot_dies(machine: Machine, which: float) -> None:
    if (bot := _one(machine, which)) is not None:
        for launcher in machine.launchers:
            if launcher.children.get(bot.name) is bot:
                launcher.end(bot, "killed by SIGSEGV")
                return


def _cut(machine: Machine, which: float) -> None:
    if (bot := _one(machine, which)) is not None and bot.line is not None:
        bot.line.cut()


def _half_open(machine: Machine, which: float) -> None:
    if (bot := _one(machine, which)) is not None and bot.line is not None:
        bot.line.to_referee.is_silent = True


def _hang(machine: Machine, which: float) -> None:
    if (bot := _one(machine, which)) is not None:
        bot.hangs = True
        asyncio.get_running_loop().call_later(30 * which, setattr, bot, "hangs", False)


def _dial_twice(machine: Machine, which: float) -> None:
    """Another stream at a bot's door says hello with a token of its own making."""
    doors = machine.network.doors()
    if not doors:
        return
    line = machine.network.dial(doors[int(which * len(doors))])
    token = issue_token(bytes(32), "ada/serpent/0", 9)
    hello = player_pb2.Hello(protocol_version=1, bot_name="another", games=["serpent"], token=token)
    line.to_referee.send(player_pb2.PlayRequest(hello=hello).SerializeToString())


def _dial_again(machine: Machine, which: float) -> None:
    """Another stream says hello with the token and without the key of the first."""
    bot = _one(machine, which)
    if bot is None or bot.hello is None or bot.line is None:
        return
    hello = player_pb2.Hello()
    hello.CopyFrom(bot.hello)
    hello.session_key = b""
    try:
        line = machine.network.dial(machine.network.lines[bot.line])
    except (Cut, KeyError):
        return
    line.to_referee.send(player_pb2.PlayRequest(hello=hello).SerializeToString())


def _disk(trouble: str) -> Callable[[Machine, float], None]:
    def happen(machine: Machine, _: float) -> None:
        machine.disk_trouble = trouble

    return happen


def _killed(machine: Machine, _: float) -> None:
    machine.on_kill(b"")
    raise Killed


def _torn(machine: Machine, which: float) -> None:
    machine.on_kill(Random(which).randbytes(1 + int(8000 * which)))
    raise Killed


def _pause(machine: Machine, which: float) -> None:
    """The director pauses the night, and resumes it a while later."""

    def resume() -> None:
        with office(machine.database) as desk:
            desk.resume()

    if machine.database.exists():
        try:
            with office(machine.database) as desk:
                desk.pause("simulated")
        except DirectorError:
            return  # it is paused already
        asyncio.get_running_loop().call_later(0.5 + 5 * which, resume)


KINDS: Final[Mapping[str, Kind]] = {
    "keeper-dies": Kind("a keeper ends, and all its processes", _keeper_dies),
    "referee-dies": Kind("a referee is killed", _referee_dies),
    "slow-network": Kind("messages take longer for a second", _for_a_while("delay_s", lambda which: 0.2 * which)),
    "slow-start": Kind("bots start late", _for_a_while("slow_start_s", lambda which: 4 * which)),
    "slow-disk": Kind("commits take long for a second", _for_a_while("disk_s", lambda which: 3 * which)),
    "refused": Kind("the machine refuses to start bots", _refuse),
    "suspended": Kind("the machine stands still", _suspend),
    "disk-full": Kind("the disk is full at the next commit", _disk("PRAGMA max_page_count = 1")),
    "read-only": Kind("the database is read-only at the next commit", _disk("PRAGMA query_only = 1")),
    "killed": Kind("the runner is killed", _killed),
    "torn": Kind("the machine fails during a commit, whose bytes are torn", _torn),
    "stranger": Kind("a stranger says hello at a bot's door", _dial_twice),
    "dialled-again": Kind("a second stream shows a bot's token", _dial_again),
    "paused": Kind("the director pauses and resumes the night", _pause),
    "bot-dies": Kind("a bot's process is killed", _bot_dies, is_bots=True),
    "cut": Kind("a bot's stream is cut", _cut, is_bots=True),
    "half-open": Kind("what a bot sends is lost without a word", _half_open, is_bots=True),
    "hangs": Kind("a bot hangs", _hang, is_bots=True),
}


def draw(seed: int) -> list[Fault]:
    """Draw a story of faults, in the order in which they happen."""
    luck = Random(seed)
    kinds = sorted(KINDS)
    if luck.random() < 0.6:  # then the standings must be those of an undisturbed night
        kinds = [kind for kind in kinds if not KINDS[kind].is_bots]
    return sorted(
        Fault(luck.randrange(2), round(NIGHT_S * luck.random(), 4), luck.choice(kinds), round(luck.random(), 4))
        for _ in range(luck.randint(1, MOST_FAULTS))
    )


def happen(machine: Machine, fault: Fault, done: dict[str, int]) -> None:
    """Let it happen, and count what was hit."""
    done[fault.kind] = done.get(fault.kind, 0) + 1
    what: Any = KINDS[fault.kind].happen
    what(machine, fault.which)
