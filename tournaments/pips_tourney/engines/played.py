"""The outcome of a match in an arena, and its report to a job, for all engines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pips.v1 import record_pb2, referee_pb2
from pips_tourney.arena.arena import Arena
from pips_tourney.arena.loss import VoidMatch
from pips_tourney.engines import Job, Results
from pips_tourney.night.plan.fixtures import Fixture


class PlayedMatch(NamedTuple):
    """A record, or why the machine spoilt it."""

    record: bytes = b""
    void: str = ""
    failed: str = ""
    """The bot for whose sake it is void, if it is one alone."""
    output: Mapping[str, str] = {}
    """Last output by bot, for mistakes of which the record holds no evidence."""
    out_of_turn_us: Mapping[str, int] = {}
    """By bot, the CPU time that it used out of turn; empty if none."""


async def play(arena: Arena, order: referee_pb2.MatchOrder, seating: Sequence[str]) -> PlayedMatch:
    """Play a match of these bots; return all that the arena knows of it."""
    try:
        record = await arena.play(order)
    except VoidMatch as void:
        return PlayedMatch(void=str(void), failed=void.bot)
    burnt_us = dict(zip(seating, arena.out_of_turn_us(order.header.match_id), strict=False))
    printed = await last_words(arena, seating, order.processes, record)
    return PlayedMatch(record, output=printed, out_of_turn_us=burnt_us)


async def last_words(arena: Arena, seating: Sequence[str], processes: Sequence[str], record: bytes) -> dict[str, str]:
    """Return last output by bot, for mistakes of which the record holds no evidence."""
    faults = record_pb2.MatchRecord.FromString(record).outcome.faults
    unexplained = [fault.seat for fault in faults if not fault.evidence]
    output = {seating[seat]: await arena.output(processes[seat]) for seat in unexplained}
    return {bot: printed for bot, printed in output.items() if printed}


def hand_back(job: Job, fixture: Fixture, played: PlayedMatch, arena: str) -> None:
    """Report to a job what became of its match, the record last."""
    if not played.record:
        job.results.void(fixture, played.void, played.failed)
        return
    if played.output:
        job.results.output(fixture, dict(played.output))
    if played.out_of_turn_us:
        job.results.out_of_turn(fixture, dict(played.out_of_turn_us))
    job.results.arena(fixture, arena)
    job.results.record(fixture, played.record)


@dataclass(frozen=True, slots=True)
class Overheard:
    """Passes results on, and first informs a listener of each record."""

    results: Results
    hears: Callable[[Fixture, bytes], None]

    def record(self, fixture: Fixture, record: bytes) -> None:
        self.hears(fixture, record)
        self.results.record(fixture, record)

    def void(self, fixture: Fixture, why: str, bot: str = "") -> None:
        self.results.void(fixture, why, bot)

    def output(self, fixture: Fixture, output: dict[str, str]) -> None:
        self.results.output(fixture, output)

    def out_of_turn(self, fixture: Fixture, burnt_us: dict[str, int]) -> None:
        self.results.out_of_turn(fixture, burnt_us)

    def arena(self, fixture: Fixture, arena: str) -> None:
        self.results.arena(fixture, arena)
