"""The outcome of a match in an arena, for all engines."""

from __future__ import annotations

from collections.abc import Sequence

from pips.v1 import record_pb2, referee_pb2
from pips_tourney.arena.arena import Arena
from pips_tourney.arena.exchange import NotBegun, VoidMatch
from pips_tourney.engines import PlayedMatch


async def play(arena: Arena, order: referee_pb2.MatchOrder, seating: Sequence[str]) -> PlayedMatch:
    """Play a match of these bots; return all that the arena knows about it."""
    try:
        record = await arena.play(order)
    except NotBegun:
        return PlayedMatch()
    except VoidMatch as void:
        return PlayedMatch(void=str(void), failed=void.bot)
    burnt_us = dict(zip(seating, arena.out_of_turn_us(order.header.match_id), strict=False))
    printed = await last_words(arena, seating, order.processes, record)
    return PlayedMatch(record, output=printed, out_of_turn_us=burnt_us)


async def last_words(arena: Arena, seating: Sequence[str], processes: Sequence[str], record: bytes) -> dict[str, str]:
    """Return last output by bot, for mistakes that left no evidence in the record."""
    faults = record_pb2.MatchRecord.FromString(record).outcome.faults
    unexplained = [fault.seat for fault in faults if not fault.evidence]
    output = {seating[seat]: await arena.output(processes[seat]) for seat in unexplained}
    return {bot: printed for bot, printed in output.items() if printed}
