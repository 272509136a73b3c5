"""Decisions a second through the whole contract: a real referee and real bot processes,
clocks and faults as always.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Final

from pips.v1 import record_pb2, referee_pb2
from pips_referee.game import get_game
from pips_referee.loop import fast_loop
from pips_referee.records.record import Header
from pips_tourney.arena.arena import Arena
from pips_tourney.bots.executable import sample_program
from pips_tourney.bots.tuning import TUNING
from tests.lab.bench.echo import round_trips
from tests.lab.bench.figures import ROUNDS, Figure, figure

TABLES: Final = (8, 64, 256)
FLOOR_SHARE: Final = 0.95
CLOCK: Final = referee_pb2.Clock(answer_ms=10_000)
Bots = tuple[str, str]
TWO: Final = ("a", "b")
"""The names of two processes."""
WARMING: Final = 10
"""Matches before anything is measured: the bots start."""
ONE_CORE, TWO_CORES, SCALING = 15_000, 51_000, 1.7
TIMES_THE_ECHO: Final = 7.7
"""What 51,000 are where the bare echo stream makes 6,600 round trips a second."""


def bench(*, quick: bool) -> Iterator[Figure]:
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        yield from runner.run(_bench(2 if quick else ROUNDS, 0.2 if quick else 1.0))


async def _bench(rounds: int, size: float) -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        return [*await _one_table(Path(folder), rounds, size), *await _many_tables(Path(folder), rounds, size)]


async def _one_table(folder: Path, rounds: int, size: float) -> list[Figure]:
    """As in a league with one table: nothing else is on its core."""
    core = min(os.sched_getaffinity(0))
    floors, own_floors, rates = [], [], []
    async with arena_of_samples(core) as arena:
        await decisions([arena], WARMING, 1)
        for _ in range(rounds):
            floors.append(round_trips(folder, core, int(4000 * size)))
            own_floors.append(round_trips(folder, core, int(4000 * size), clients=2, env=TUNING))
            rates.append(await decisions([arena], int(40 * size), 1))
    shares, own_shares = ([rate / one for rate, one in zip(rates, them, strict=True)] for them in (floors, own_floors))
    return [
        figure("bare echo stream, one core", "round trips/s", floors),
        figure("echo of two clients in turn, tuned as our processes are", "round trips/s", own_floors, floors=floors),
        figure("one table over gRPC, one core", "decisions/s", rates, floors=floors),
        figure("one table, as a share of the bare echo stream", "", shares, FLOOR_SHARE),
        figure("one table, as a share of the tuned echo of two", "", own_shares),
    ]


async def _many_tables(folder: Path, rounds: int, size: float) -> list[Figure]:
    """As many orders at once as there are tables."""
    cores = sorted(os.sched_getaffinity(0))
    floors: list[float] = []
    by_tables: dict[int, list[float]] = {tables: [] for tables in TABLES}
    both: list[float] = []
    alone: list[float] = []
    async with arena_of_samples(cores[0]) as first, arena_of_samples(cores[-1]) as second:
        await decisions([first, second], WARMING, 2)
        for _ in range(rounds):
            floors.append(round_trips(folder, cores[0], int(4000 * size)))
            for tables in TABLES:
                by_tables[tables].append(await decisions([first], int(400 * size), tables))
            alone.append(await decisions([first], int(400 * size), 64, bots=("a", "a")))
            both.append(await decisions([first, second], int(800 * size), 64))
    times = [rate / floor for rate, floor in zip(both, floors, strict=True)]
    scaling = [two / one for two, one in zip(both, by_tables[64], strict=True)]
    return [
        *(
            figure(
                f"{n} tables over gRPC, one core",
                "decisions/s",
                by_tables[n],
                ONE_CORE if n == 64 else None,
                floors=floors,
            )
            for n in TABLES
        ),
        figure("64 tables, both seats' bots in one process", "decisions/s", alone, floors=floors),
        figure("2 arenas of 64 tables, two cores", "decisions/s", both, TWO_CORES, floors=floors),
        figure("the same beside the bare echo stream on one core", "times", times, TIMES_THE_ECHO),
        figure("2 arenas beside 1", "times", scaling, SCALING),
    ]


def arena_of_samples(core: int) -> Arena:
    return Arena(core, lambda _: sample_program("random", "serpent", {}), 30.0)


async def decisions(arenas: Sequence[Arena], matches: int, tables: int, bots: Bots = TWO) -> float:
    """Decisions a second of `matches`, with `tables` at once in each arena. No bot may
    have faulted.
    """
    numbers, questions = iter(range(matches)), 0

    async def work(arena: Arena) -> None:
        nonlocal questions
        for _ in numbers:
            outcome = record_pb2.MatchRecord.FromString(await arena.play(_order(bots))).outcome
            assert not outcome.faults, outcome
            questions += outcome.questions

    start = perf_counter()
    await asyncio.gather(*(work(arena) for _ in range(tables) for arena in arenas))
    return questions / (perf_counter() - start)


_ids = count()


def _order(bots: Bots) -> referee_pb2.MatchOrder:
    number = next(_ids).to_bytes(32, "big")
    order = referee_pb2.MatchOrder(
        processes=[f"{bot}/serpent/0" for bot in bots], rng_seeds=[number, number[::-1]], clock=CLOCK
    )
    game = get_game("serpent")
    Header(number.hex(), game, game.options(), ("a", "b"), number, number).write(order.header)
    return order
