"""A place's unrated matches: scrimmages, and the bots' time at a person's table.

A scrimmage is some deals against one other bot. A person plays one match. All play in
the league's sandbox.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any, Final

from pips.v1 import referee_pb2
from pips_referee.records.record import Header, read_record
from pips_tourney.arena.arena import Arena
from pips_tourney.arena.exchange import ArenaLost, VoidMatch
from pips_tourney.bots.found import BotProblem
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.league.league import League
from pips_tourney.league.read import read_league_for
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.sandbox.tiers import Sandbox
from pips_tourney.system import own_cores
from pips_tourney.workshop.checks.class_check import OfLeague
from pips_tourney.workshop.duels.duel import Duel, Scoresheet, Wanted, plan_duel
from pips_tourney.workshop.duels.human import ANSWER_S, GUEST
from pips_tourney.workshop.duels.in_process import Spoilt
from pips_tourney.workshop.duels.play import START_S
from pips_tourney.workshop.duels.play_report import result_lines
from pips_tourney.workshop.problems import start_problem

DEALS: Final = 20
BUDGET_S: Final = 20.0
"""Seconds that one core plays, starts included, shared by the games of the league.

At a person's seat it is the time in which the bots have to answer.
"""


def scrimmage(path: Path, one: Mapping[str, Any], other: Mapping[str, Any], private: Iterable[Path]) -> dict[str, Any]:
    """Play two bots in each game of a league: `lines`, and a match that was `lost`.

    `one` and `other` are entries of its `bots`. The lines are for the author of `one`.
    `lost` is the first match that it lost, as a record in base 64, or "". Bots cannot
    read `private` paths.

    Raises `LeagueError`, `SandboxError`, and `Spoilt` when the machine failed.
    """
    league = read_league_for(path.absolute(), one, other).installed().with_contents()
    try:
        duels = [*_duels(league)]
        lines, lost = asyncio.run(_play_all(duels, league.sandbox(private)))
    except (ArenaLost, VoidMatch) as error:
        raise Spoilt(str(error)) from None
    except BotProblem as problem:
        lines, lost = str(problem).splitlines(), b""
    return {"against": other["name"], "lines": lines, "lost": b64encode(lost).decode()}


def _duels(league: League) -> Iterator[Duel]:
    one, other = league.file.bots
    programme = make_programme(league)
    for contest in programme.contests:
        wanted = Wanted(None, DEALS, contest.game, contest.seats, contest.options)
        duel = plan_duel(OfLeague(one.name, league, one), OfLeague(other.name, league, other), wanted)
        yield replace(duel, programme=replace(duel.programme, clock=programme.clock))


async def _play_all(duels: list[Duel], sandbox: Sandbox) -> tuple[list[str], bytes]:
    """The results in words, and the first match that was lost; b"" if there is none."""
    lines, lost = list[str](), b""
    for duel in duels:
        sheet, until = Scoresheet(duel), monotonic() + BUDGET_S / len(duels)
        async with Arena(own_cores()[-1], duel.program_of, START_S, sandbox=sandbox) as arena:
            for fixture in duel.fixtures():
                if monotonic() > until:
                    break
                if failures := await arena.start(fixture.processes):
                    raise BotProblem("\n".join(start_problem(failures[0]).lines()))
                record = await arena.play(duel.order(fixture))
                sheet.add(fixture, record)
                places = dict(zip(fixture.seating, read_record(record).outcome.places, strict=True))
                own, others = (places[name] for name in duel.names)
                lost = lost or (record if own > others else b"")
        lines += [f"{duel.game.title}:"] if len(duels) > 1 else []
        lines += result_lines(sheet)
    return lines, lost


def seat_person(
    path: Path, bot: Mapping[str, Any], header: Header, private: Iterable[Path], tell: Callable[[str, bytes], None]
) -> bytes:
    """Play a match of a bot with a person, who is called `GUEST`; returns its record.

    The bot, an entry of a league's `bots`, has all other seats. `tell` is called with
    address and token for the person's seat. The bot cannot read `private` paths.

    Raises `LeagueError`, `SandboxError`, `BotProblem`, and `Spoilt` when the machine
    failed.
    """
    league = read_league_for(path.absolute(), bot).installed().with_contents()
    try:
        return asyncio.run(_play_with_person(league, header, league.sandbox(private), tell))
    except (ArenaLost, VoidMatch) as error:
        raise Spoilt(str(error)) from None


async def _play_with_person(
    league: League, header: Header, sandbox: Sandbox, tell: Callable[[str, bytes], None]
) -> bytes:
    [entry] = league.file.bots
    game, names = header.game.name, header.names
    clock = referee_pb2.Clock(answer_ms=1000 * ANSWER_S)
    luck = [sha256(header.seed + bytes([seat])).digest() for seat in range(len(names))]
    processes = [str(ProcessName(name, game, "0")) for name in names]
    order = referee_pb2.MatchOrder(processes=processes, rng_seeds=luck, clock=clock)
    header.write(order.header)
    bots = [process for process, name in zip(processes, names, strict=True) if name != GUEST]
    async with Arena(
        own_cores()[-1], lambda _: league.program(entry, game), START_S, sandbox=sandbox, ponder=False,
        remote=frozenset({GUEST}),
    ) as arena:  # fmt: skip
        if failures := await arena.start(bots):
            raise BotProblem("\n".join(start_problem(failures[0]).lines()))
        if game not in arena.games[bots[0]]:
            raise Spoilt(f"{entry.name} does not play {header.game.title}")
        tell(*await arena.admit(GUEST))
        return await arena.play(order)
