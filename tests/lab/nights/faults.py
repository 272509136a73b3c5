"""The faults of a simulated machine, drawn from a seed: what, when, how hard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from pips.v1 import player_pb2
from pips_referee.service.tokens import issue_token
from pips_tourney.arena.folder import REFEREE
from pips_tourney.arena.refusals import MOST_REFUSALS
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.errors import TourneyError
from pips_tourney.night.director import office
from tests.lab.nights.bots import Process
from tests.lab.nights.disk import FULL, READ_ONLY
from tests.lab.nights.keeper import SimulatedKeeper
from tests.lab.nights.leagues import LEAGUES
from tests.lab.nights.machine import CLOCK, POINTS, Machine
from tests.lab.nights.network import Cut

MOST_FAULTS: Final = 7
NEAR: Final = 5
"""A fault close to another comes within so many passings of its point."""
DISK: Final = ("write", "sync")


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """A fault: in which run, at which passing of which point, of which kind.

    `which` chooses among what it can hit and says how hard it is, from 0 to 1.
    """

    run: int
    point: str
    number: int
    kind: str
    which: float

    def __str__(self) -> str:
        when = f"{self.number / 1000:.2f} s" if self.point == CLOCK else f"{POINTS[self.point]} {self.number}"
        return f"run {self.run + 1}, at {when}: {KINDS[self.kind].words} ({self.which:g})"


@dataclass(frozen=True, slots=True)
class FaultKind:
    """A kind of fault: in words, what it does, and whose fault it is."""

    words: str
    happen: Callable[[Machine, float], bool]
    """Returns whether there was something to hit."""
    is_bots: bool = False
    """It may cost bots the matches that they are at."""
    is_directors: bool = False
    """It may change the standings by what was decided."""
    league: str = ""
    """In which kind of night it happens; "" for all."""
    ends_run: bool = False
    """The run ends with it, and another goes on."""
    points: tuple[str, ...] = tuple(point for point in (CLOCK, *POINTS) if point not in DISK)
    """Where it can come."""


def _one(machine: Machine, which: float, *, guests: bool = False) -> Process | None:
    bots = machine.bots(guests=guests)
    return bots[int(which * len(bots))] if bots else None


def _keeper(machine: Machine, which: float) -> SimulatedKeeper | None:
    return machine.keepers[int(which * len(machine.keepers))] if machine.keepers else None


def _keeper_dies(machine: Machine, which: float) -> bool:
    if (keeper := _keeper(machine, which)) is None:
        return False
    event = b'{"event": "ended", "name": "ada/serpent/0", "how": "killed by SIGKILL", "output": "..."}\n'
    keeper.die(event[: int(which * 1000) % len(event)])
    return True


def _keeper_hangs(machine: Machine, which: float) -> bool:
    if (keeper := _keeper(machine, which)) is None:
        return False
    keeper.hangs_until_s = machine.now() + 5 * which
    return True


def _referee_dies(machine: Machine, which: float) -> bool:
    keeper = _keeper(machine, which)
    if keeper is None or REFEREE not in keeper.children:
        return False
    keeper.end(keeper.children[REFEREE], "killed by SIGKILL")
    return True


def _for_a_while(name: str, most: float) -> Callable[[Machine, float], bool]:
    """Change a figure of the machine for a second."""

    def happen(machine: Machine, which: float) -> bool:
        machine.slow(name, most * which)
        asyncio.get_running_loop().call_later(1.0, machine.slow, name, Machine.CALM[name])
        return True

    return happen


def _refuse(machine: Machine, which: float) -> bool:
    machine.refuses = 1 + int(2 * which)
    return True


def _no_memory(machine: Machine, which: float) -> bool:
    """The machine takes a bot's process, and refuses the next: no more than bots may
    be refused.
    """
    bot = _one(machine, which)
    for keeper in machine.keepers:
        if bot is not None and keeper.children.get(bot.name) is bot:
            name = ProcessName.parse(bot.name).bot
            if machine.refused[name] + 2 > MOST_REFUSALS:
                return False
            machine.refused[name] += 1
            machine.refuses = 1
            keeper.end(bot, "killed by SIGKILL", lack="the kernel ended it for want of memory")
            return True
    return False


def _suspend(machine: Machine, which: float) -> bool:
    machine.stand_still(60 * which)
    return True


def _jump(machine: Machine, which: float) -> bool:
    machine.now.wall_ahead_s += 2 * 86_400 * (which - 0.5)
    return True


def _bot_dies(machine: Machine, which: float) -> bool:
    bot = _one(machine, which)
    for keeper in machine.keepers:
        if bot is not None and keeper.children.get(bot.name) is bot:
            keeper.end(bot, "killed by SIGSEGV")
            return True
    return False


def _cut(machine: Machine, which: float) -> bool:
    bot = _one(machine, which)
    if bot is None or bot.line is None:
        return False
    bot.line.cut()
    return True


def _guest_cut(machine: Machine, which: float) -> bool:
    guest = _one(machine, which, guests=True)
    if guest is None or guest.line is None:
        return False
    guest.line.cut()
    machine.losses[guest.name] += 1
    return True


def _guest_leaves(machine: Machine, which: float) -> bool:
    author = machine.authors[int(which * len(machine.authors))]
    machine.losses[author.process_name] += 1
    return author.leave(60 * which)


def _worker_dies(machine: Machine, which: float) -> bool:
    return machine.cluster is not None and machine.cluster.lose(which)


def _half_open(machine: Machine, which: float) -> bool:
    bot = _one(machine, which)
    if bot is None or bot.line is None:
        return False
    bot.line.to_referee.is_silent = True
    return True


def _hang(machine: Machine, which: float) -> bool:
    if (bot := _one(machine, which)) is None:
        return False
    bot.hangs = True
    asyncio.get_running_loop().call_later(30 * which, setattr, bot, "hangs", False)
    return True


def _dial_twice(machine: Machine, which: float) -> bool:
    """Another stream at a bot's door says hello with a token of its own making."""
    doors = machine.network.doors()
    if not doors:
        return False
    line = machine.network.dial(doors[int(which * len(doors))])
    token = issue_token(bytes(32), "ada/serpent/0", 9)
    hello = player_pb2.Hello(protocol_version=1, bot_name="another", games=["serpent"], token=token)
    line.to_referee.send(player_pb2.PlayRequest(hello=hello).SerializeToString())
    return True


def _dial_again(machine: Machine, which: float) -> bool:
    """Another stream says hello with the token and without the key of the first."""
    bot = _one(machine, which)
    if bot is None or bot.hello is None or bot.line is None:
        return False
    hello = player_pb2.Hello()
    hello.CopyFrom(bot.hello)
    hello.session_key = b""
    try:
        line = machine.network.dial(machine.network.lines[bot.line])
    except (Cut, KeyError):
        return False
    line.to_referee.send(player_pb2.PlayRequest(hello=hello).SerializeToString())
    return True


def _disk(error: int) -> Callable[[Machine, float], bool]:
    def happen(machine: Machine, which: float) -> bool:
        disk = machine.disk
        disk.trouble = {"write": error, "sync": error}
        if machine.disk_mends_s is not None and machine.loop is not None:
            machine.loop.call_later(machine.disk_mends_s * which, disk.trouble.clear)
        return True

    return happen


def _killed(machine: Machine, which: float) -> bool:
    machine.kill()
    return True


def _power(machine: Machine, which: float) -> bool:
    machine.kill(Random(which))
    return True


def _pause(machine: Machine, which: float) -> bool:
    """The director pauses the night, and resumes it a while later."""
    database = machine.home / "night.db"

    def resume() -> None:
        try:
            with office(database) as desk:
                desk.resume()
        except TourneyError:  # the disk has failed: the director makes room, and tries again
            machine.disk.trouble.clear()
            if not machine.is_killed:
                asyncio.get_running_loop().call_later(1.0, resume)

    if not database.exists():
        return False
    try:
        with office(database) as desk:
            desk.pause("simulated")
    except TourneyError:  # it is paused already, or nothing has begun
        return False
    asyncio.get_running_loop().call_later(0.5 + 5 * which, resume)
    return True


_ANYWHERE: Final = (CLOCK, *POINTS)
KINDS: Final[Mapping[str, FaultKind]] = {
    "keeper-dies": FaultKind("a keeper is killed, perhaps in the middle of an event", _keeper_dies),
    "keeper-hangs": FaultKind("a keeper hangs for a while", _keeper_hangs),
    "referee-dies": FaultKind("a referee is killed", _referee_dies),
    "slow-network": FaultKind("messages take longer for a second", _for_a_while("delay_s", 0.2)),
    "slow-start": FaultKind("bots start late", _for_a_while("slow_start_s", 4.0)),
    "slow-disk": FaultKind("commits take long for a second", _for_a_while("disk_s", 3.0)),
    "refused": FaultKind("the machine refuses to start bots", _refuse),
    "no-memory": FaultKind("the machine takes a bot's process, and refuses the next", _no_memory),
    "suspended": FaultKind("the machine stands still", _suspend),
    "clock-jumps": FaultKind("the clock on the wall jumps", _jump),
    "disk-full": FaultKind("the disk is full", _disk(FULL), ends_run=True, points=DISK),
    "read-only": FaultKind("the disk can only be read", _disk(READ_ONLY), ends_run=True, points=DISK),
    "killed": FaultKind("the runner is killed", _killed, ends_run=True, points=_ANYWHERE),
    "power-fails": FaultKind(
        "the power fails: what was not synced is lost or torn", _power, ends_run=True, points=_ANYWHERE
    ),
    "stranger": FaultKind("a stranger says hello at a bot's door", _dial_twice),
    "dialled-again": FaultKind("a second stream shows a bot's token", _dial_again),
    "paused": FaultKind("the director pauses and resumes the night", _pause),
    "guest-cut": FaultKind("a guest's stream is cut", _guest_cut, league="hosted"),
    "guest-leaves": FaultKind("an author leaves, and joins again later", _guest_leaves, is_bots=True, league="hosted"),
    "worker-dies": FaultKind("a cluster's worker dies, and another begins", _worker_dies, league="cluster"),
    "bot-dies": FaultKind("a bot's process is killed", _bot_dies, is_bots=True),
    "cut": FaultKind("a bot's stream is cut", _cut, is_bots=True),
    "half-open": FaultKind("what a bot sends is lost without a word", _half_open, is_bots=True),
    "hangs": FaultKind("a bot hangs", _hang, is_bots=True),
}


@dataclass(frozen=True, slots=True)
class Story:
    """A night's story: of which kind it is, and what happens in it."""

    league: str
    seed: int
    """The luck of its machine."""
    faults: tuple[Fault, ...]

    def __str__(self) -> str:
        return "\n  ".join([f"{LEAGUES[self.league].words} ({self.league})", *map(str, self.faults)])


def draw(seed: int, passed: Callable[[str], Mapping[str, int]]) -> Story:
    """Draw a story; `passed` tells how often an undisturbed night passes each point.

    Each night has few kinds of faults, drawn from all (swarm testing): so some nights
    have many of one kind.
    """
    luck = Random(seed)
    league = luck.choices(list(LEAGUES), [kind.weight for kind in LEAGUES.values()])[0]
    kinds = [kind for kind in sorted(KINDS) if KINDS[kind].league in ("", league)]
    if LEAGUES[league].is_place:  # its pages pause a night, and they are not simulated
        kinds.remove("paused")
    if luck.random() < 0.7:  # then the standings must be those of an undisturbed night
        kinds = [kind for kind in kinds if not KINDS[kind].is_bots]
    own = [kind for kind in kinds if KINDS[kind].league == league]
    kinds = luck.sample(kinds, luck.randint(1, 6))
    if own and luck.random() < 0.5:
        kinds += own
    drawn: list[Fault] = []
    for _ in range(luck.randint(1, MOST_FAULTS)):
        drawn.append(_fault(luck, kinds, passed(league), drawn[-1] if drawn else None))
    faults = sorted(set(drawn))
    runs = 0
    for at, fault in enumerate(faults):  # a later run has faults if something ends the one before it
        faults[at] = replace(fault, run=min(fault.run, runs))
        runs = max(runs, faults[at].run + KINDS[fault.kind].ends_run)
    return Story(league, seed, tuple(sorted(faults)))


def _fault(luck: Random, kinds: Sequence[str], passed: Mapping[str, int], before: Fault | None) -> Fault:
    """Draw a fault; four of ten come close after the one before it."""
    kind, which = luck.choice(kinds), round(luck.random(), 4)
    if before is not None and before.point in KINDS[kind].points and luck.random() < 0.4:
        return replace(before, number=before.number + luck.randrange(NEAR), kind=kind, which=which)
    point = luck.choice(KINDS[kind].points)
    most = max(1, passed.get(point, 1))
    number = 1 + int(most * luck.random() ** luck.choice((1, 1, 3)))  # a third of them early
    return Fault(luck.choice((0, 0, 0, 1, 1, 2)), point, number, kind, which)
