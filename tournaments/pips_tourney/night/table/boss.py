"""The sample bot that every author wants to beat, and who is above it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from pips_tourney.night.plan.programme import Entrant
from pips_tourney.night.table.tables import ContestTable

BOSS: Final = "greedy"


def above_boss(table: ContestTable, entrants: Iterable[Entrant]) -> frozenset[str]:
    """The bots of one contest that are above `BOSS`, with 95 % at least.

    `BOSS` is recognised by its files, not by a bot's name in the league.
    """
    if table.contest is None or table.ratings is None:
        return frozenset()
    game = table.contest.game
    bosses = {entrant.name for entrant in entrants if entrant.fingerprints.get(game, "") == _fingerprint(game)}
    found = [each for one in table.ratings.differences for each in (one, one.reversed())]
    return frozenset(each.a for each in found if each.b in bosses and (each.low or 0) > 0)


@cache
def _fingerprint(game: str) -> str | None:
    """The fingerprint of `BOSS` in a game; None if the game has no such sample bot."""
    from pips_tourney.league.fingerprints import sample_fingerprint  # who opens a night loads no bot

    return sample_fingerprint(BOSS, game)
