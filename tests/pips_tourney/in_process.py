"""An engine for tests: random players in this process, in whatever order and with what
mishaps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from pips_referee.chance import Chance
from pips_referee.match import FaultKind, Spent
from pips_referee.records.record import Header, write_record
from pips_tourney.engines import EngineError, Job, PlayedMatch
from pips_tourney.night.plan.fixtures import Fixture

Mix = Callable[[list[Fixture]], list[Fixture]]


def as_taken(fixtures: list[Fixture]) -> list[Fixture]:
    return fixtures


def shuffled(fixtures: list[Fixture]) -> list[Fixture]:
    return Random(7).sample(fixtures, len(fixtures))


@dataclass
class InProcessEngine:
    """Takes `at_once` matches and hands them back in the order that `mix` gives them;
    fails after `most`.
    """

    at_once: int = 8
    most: int | None = None
    mix: Mix = field(default=as_taken)
    voids: int = 0
    redealt: list[Fixture] = field(default_factory=list)
    """The matches that were void for the sake of a bot, which saw all their cards."""
    redeals: int = 0
    broken: frozenset[str] = frozenset()
    """Bots that crash at their first question."""
    played: list[str] = field(default_factory=list)

    async def play(self, job: Job) -> None:
        shift = 0
        while await job.queue.begin(shift):
            taken = [fixture for _ in range(self.at_once) if (fixture := job.queue.take()) is not None]
            if not taken:
                shift += not await job.queue.more()
                continue
            for fixture in self.mix(taken):
                if self.most is not None and len(self.played) >= self.most:
                    raise EngineError("the engine was told to stop")
                if self.voids:
                    self.voids -= 1
                    job.results(fixture, PlayedMatch(void="the machine sneezed"))
                    continue
                order = job.order(fixture)
                if len(self.redealt) < self.redeals:
                    self.redealt.append(fixture)
                    job.results(fixture, PlayedMatch(void="ada: no reply from its model", failed="ada"))
                    continue
                record = play(Header.read(order.header), bytes(order.rng_seeds[0]), None, self.broken)
                job.results(fixture, PlayedMatch(record))
                self.played.append(fixture.match_id)


def play(header: Header, rng_seed: bytes, crash_at: int | None = None, broken: frozenset[str] = frozenset()) -> bytes:
    """The record of a match of random players; at its question `crash_at` the asked
    seat crashes, and so does every bot that is broken.
    """
    match, luck, asked = header.new_match(), Chance(rng_seed), 0
    while (seat := match.to_ask) is not None:
        asked += 1
        if asked == crash_at or header.names[seat] in broken:
            match.fault(seat, FaultKind.CRASH, "", "exit status 3", "Segmentation fault", Spent(100 * asked))
        else:
            action = match.state.sample_action(luck.stream(f"{seat}/{match.number}"))
            match.answer(action, Spent(100 * asked))
    return write_record(header, match)


LEAGUE = """
name = "Test night"
game = "serpent"
deals = { count = %(deals)s }
bots = [%(bots)s]
"""


def write_league(folder: Path, *bots: str, deals: int = 2, more: str = "") -> Path:
    """A league file of bots that are the sample bot `random` under these names."""
    entries = ", ".join(f'{{ name = "{bot}", sample = "random" }}' for bot in bots)
    path = folder / "night.toml"
    path.write_text(LEAGUE % {"deals": deals, "bots": entries} + more, encoding="utf-8")
    return path
