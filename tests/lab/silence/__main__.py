"""How well a bot can tell from the time whether its opponent had a choice:
`python -m tests.lab.silence`.

An observer plays Serpent at one table. Between two questions to it the opponent answers
a card and leads the next one. At its lead it nearly always has a choice; its answer was
chosen or the only one, which tells of its hand. The figure is the area under the ROC
curve of "it took longer, so there was a choice": 0.5 is guessing, 1 is certainty. Each
line is one opponent.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from pips.v1 import referee_pb2
from pips_referee.game import get_game
from pips_referee.games.serpent.values import Played
from pips_referee.records.record import Header, Record, read_record, replay
from pips_tourney.arena.arena import Arena
from pips_tourney.bots.executable import Executable, program, sample_program
from pips_tourney.system import own_cores

BOTS: Final = Path(__file__).with_name("bots")
PROCESSES: Final = ("observer/serpent/0", "opponent/serpent/0")
STARTUP_S: Final = 60.0
CARDS_BETWEEN: Final = 2
OPPONENTS: Final = {"asleep for 1 ms": "1", "search": "", "asleep for 20 ms": "20"}


class Gap(NamedTuple):
    """The time in seconds between an answer of the observer's and its next question."""

    took_s: float
    had_choice: bool


def area(gaps: Sequence[Gap]) -> float:
    """Under the ROC curve: how often a gap with a choice is the longer of two, one of
    each kind.
    """
    chosen = [gap.took_s for gap in gaps if gap.had_choice]
    forced = [gap.took_s for gap in gaps if not gap.had_choice]
    if not chosen or not forced:
        raise ValueError("there are no gaps of one kind: play more matches")
    won = sum((one > other) + (one == other) / 2 for one in chosen for other in forced)
    return won / (len(chosen) * len(forced))


def gaps_of(record: Record, times: Sequence[tuple[float, float]]) -> Iterator[Gap]:
    """The waits of one match: `times` has when the observer (seat 0) was asked and had
    answered, by its questions.
    """
    match = replay(record)
    own = [at for at, reply in enumerate(match.history) if reply.seat == 0]
    for number, (at, after) in enumerate(pairwise(own)):
        start, end = match.history[at].log_start, match.history[after].log_start
        between = match.log[start:end]
        cards = [event for event in between if isinstance(event, Played) and event.seat == 1]
        if len(cards) == CARDS_BETWEEN == len(between) - 1:
            yield Gap(times[number + 1][0] - times[number][1], had_choice=after - at > CARDS_BETWEEN)


async def measure(think_ms: str, matches: int) -> list[Gap]:
    """The gaps in `matches` against a bot that takes `think_ms`; "" is `search`."""
    with tempfile.TemporaryDirectory() as folder:
        times = Path(folder) / "times"
        programs = {
            PROCESSES[0]: _bot("observer", TIMES=str(times)),
            PROCESSES[1]: _bot("sleeping", THINK_MS=think_ms) if think_ms else sample_program("search", "serpent", {}),
        }
        gaps: list[Gap] = []
        async with Arena(own_cores()[-1], programs.__getitem__, STARTUP_S) as arena:
            for number in range(matches):
                times.write_text("", encoding="ascii")
                record = read_record(await arena.play(_order(number)))
                assert not record.outcome.faults, record.outcome.faults
                rows = [line.split() for line in times.read_text(encoding="ascii").splitlines()]
                gaps += gaps_of(record, [(float(asked), float(answered)) for _, asked, answered in rows])
        return gaps


def _bot(name: str, **env: str) -> Executable:
    return program(["python", str(BOTS / f"{name}_bot.py")], BOTS, {"PYTHONPATH": os.pathsep.join(sys.path), **env})


def _order(number: int) -> referee_pb2.MatchOrder:
    luck = number.to_bytes(32, "big")
    game = get_game("serpent")
    order = referee_pb2.MatchOrder(processes=PROCESSES, clock=referee_pb2.Clock(answer_ms=10_000))
    order.rng_seeds.extend([luck, luck[::-1]])
    header = Header(luck.hex(), game, game.options({"max_tiebreaks": 0}), ("observer", "opponent"), luck, luck)
    header.write(order.header)
    return order


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.silence", description="What silences tell.")
    parser.add_argument("--matches", type=int, default=12, help="of each opponent")
    arguments = parser.parse_args()
    for opponent, think_ms in OPPONENTS.items():
        gaps = asyncio.run(measure(think_ms, arguments.matches))
        print(f"{opponent:<18} AUC {area(gaps):.2f} ({len(gaps)} gaps)", flush=True)


if __name__ == "__main__":
    main()
