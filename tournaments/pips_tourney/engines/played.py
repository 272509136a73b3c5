"""The outcome of a match in an arena, and its report to a job, for all engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pips.v1 import record_pb2, referee_pb2
from pips_tourney.arena.arena import Arena
from pips_tourney.arena.loss import VoidMatch
from pips_tourney.engines import Job
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
    job.hears(fixture, played.record)
    job.results.record(fixture, played.record)
