"""The check of a guest's bot: a match of every contest, against itself, not counted."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from pips.v1 import record_pb2, referee_pb2
from pips_referee.chance import SEED_BYTES
from pips_referee.game import get_game
from pips_referee.records.record import Header
from pips_tourney.arena.arena import Arena
from pips_tourney.arena.exchange import VoidMatch
from pips_tourney.night.plan.programme import Contest


async def problems_of(
    arena: Arena, player: str, contests: Sequence[Contest], clock: Mapping[str, int], plays: Sequence[str]
) -> list[str]:
    """The problems in a match of each contest; `plays` are the games the bot names."""
    found: list[str] = []
    for contest in contests:
        if plays and contest.game not in plays:
            found.append(f"{contest.label}: it plays {', '.join(plays)}")
            continue
        try:
            record = record_pb2.MatchRecord.FromString(await arena.play(_trial(player, contest, clock)))
        except VoidMatch:
            continue  # the machine's fault
        found += [f"{contest.label}: {fault.detail or fault.reason}" for fault in record.outcome.faults[:1]]
    return found


def _trial(player: str, contest: Contest, clock: Mapping[str, int]) -> referee_pb2.MatchOrder:
    game, seats = get_game(contest.game), range(contest.seats)
    names = tuple(f"{player} {seat + 1}" for seat in seats)
    match_id = f"check-{os.urandom(8).hex()}"
    header = Header(
        match_id, game, game.options(contest.options), names, os.urandom(SEED_BYTES), os.urandom(SEED_BYTES)
    )
    order = referee_pb2.MatchOrder(
        processes=[f"{player}/{contest.label}/0" for _ in seats],
        rng_seeds=[os.urandom(SEED_BYTES) for _ in seats],
        clock=referee_pb2.Clock(**clock),
    )
    header.write(order.header)
    return order
