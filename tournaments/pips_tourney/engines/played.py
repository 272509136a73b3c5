"""What became of a match in an arena, and how a job is told: alike wherever
arenas run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pips.v1 import record_pb2, referee_pb2
from pips_tourney.arena.arena import Arena, VoidMatch
from pips_tourney.engines import Job, Results
from pips_tourney.night.programme import Fixture


class PlayedMatch(NamedTuple):
    """A record, or why the machine spoilt it."""

    record: bytes = b""
    void: str = ""
    output: Mapping[str, str] = {}
    """By bot that made a mistake of which the record holds no evidence, what its
    process printed last.
    """
    out_of_turn_us: Mapping[str, int] = {}
    """By bot, the CPU time that it used out of turn; empty for none."""


async def play(arena: Arena, order: referee_pb2.MatchOrder, seating: Sequence[str]) -> PlayedMatch:
    """Play a match of these bots, and ask the arena for all that it knows of it beside
    the record.
    """
    try:
        record = await arena.play(order)
    except VoidMatch as void:
        return PlayedMatch(void=str(void))
    burnt_us = dict(zip(seating, arena.out_of_turn_us(order.header.match_id), strict=False))
    return PlayedMatch(record, "", await last_words(arena, seating, order.processes, record), burnt_us)


async def last_words(arena: Arena, seating: Sequence[str], processes: Sequence[str], record: bytes) -> dict[str, str]:
    """The end of what its process printed, by bot that made a mistake of which the
    record holds no evidence.
    """
    faults = record_pb2.MatchRecord.FromString(record).outcome.faults
    unexplained = [fault.seat for fault in faults if not fault.evidence]
    output = {seating[seat]: await arena.output(processes[seat]) for seat in unexplained}
    return {bot: printed for bot, printed in output.items() if printed}


def hand_back(job: Job, fixture: Fixture, played: PlayedMatch, arena: str) -> None:
    """Tell a job what became of its match, the record last."""
    if not played.record:
        job.results.void(fixture, played.void)
        return
    if played.output:
        job.results.output(fixture, dict(played.output))
    if played.out_of_turn_us:
        job.results.out_of_turn(fixture, dict(played.out_of_turn_us))
    job.results.arena(fixture, arena)
    job.results.record(fixture, played.record)


@dataclass(frozen=True, slots=True)
class Overheard:
    """Results on their way, with somebody who hears of each record first."""

    results: Results
    hears: Callable[[Fixture, bytes], None]

    def record(self, fixture: Fixture, record: bytes) -> None:
        self.hears(fixture, record)
        self.results.record(fixture, record)

    def void(self, fixture: Fixture, why: str) -> None:
        self.results.void(fixture, why)

    def output(self, fixture: Fixture, output: dict[str, str]) -> None:
        self.results.output(fixture, output)

    def out_of_turn(self, fixture: Fixture, burnt_us: dict[str, int]) -> None:
        self.results.out_of_turn(fixture, burnt_us)

    def arena(self, fixture: Fixture, arena: str) -> None:
        self.results.arena(fixture, arena)
