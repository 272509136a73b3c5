"""The control of a deal that is played once: the bot `greedy` plays it with itself.

Ratings take from every result what the control says of the deal's luck
(ratings/control.py). The match is played by the rules themselves, in this process.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from pips_referee.chance import Chance
from pips_referee.game import AnyGame, Options
from pips_tourney.bots.samples import sample_class, sample_sha256

if TYPE_CHECKING:
    from pips_referee.record import Header
    from pips_sdk.search import Policy

PLAYER: Final = "greedy"
"""The sample bot that has all seats."""


def control_of(header: Header) -> tuple[int, ...]:
    """The control of a match: the scores by seat where the player has all seats."""
    return control_scores(header.game, header.options, len(header.names), header.seed)


def control_scores(game: AnyGame, options: Options, seats: int, seed: bytes) -> tuple[int, ...]:
    """The same from the seed of a deal."""
    policy = _policy(game.name, options, seats)
    state, _ = game.start(options, seats, Chance(seed))
    while state.to_ask is not None:
        state.apply(policy(state))
    return tuple(state.outcome().scores)


def player_sha256(game: str) -> str:
    """The SHA-256 of the player's file: another one may play otherwise."""
    return sample_sha256(game, PLAYER)


@cache
def _policy(game: str, options: Options, seats: int) -> Policy:
    from pips_sdk.search import house  # who only reads a night needs no bots

    return house(sample_class(game, PLAYER), options, seats)
