"""Positions of self-play, each with what its match came to: a model's examples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from random import Random

import numpy as np
from numpy.typing import NDArray

from pips_referee.chance import Chance
from pips_referee.game import AnyState, get_game
from pips_referee.worth import get_features
from pips_sample_bots.dominion import greedy_bot as dominion
from pips_sample_bots.pippip import greedy_bot as pippip
from pips_sample_bots.serpent import greedy_bot as serpent
from pips_sample_bots.wichita import greedy_bot as wichita
from pips_sdk.bot import Bot
from pips_sdk.search import house

BOTS: dict[str, type[Bot]] = {
    "serpent": serpent.GreedyBot,
    "wichita": wichita.GreedyBot,
    "pippip": pippip.GreedyBot,
    "dominion": dominion.GreedyBot,
}
SLIPS = 0.03
"""The part of answers that are random, so that positions differ more."""
A_MATCH = 12
"""Positions kept of one match."""


@dataclass(frozen=True)
class Setting:
    """A game as it is played: options, seats, and its share of the matches played."""

    game: str
    seats: int
    options: dict[str, object]
    share: int = 1


SETTINGS = {
    "serpent": [
        Setting("serpent", 2, {}, 6),
        Setting("serpent", 2, {"hands": 2}, 6),
        Setting("serpent", 2, {"hands": 24}),
    ],
    "wichita": [Setting("wichita", 2, {}, 8), *[Setting("wichita", seats, {}, 3) for seats in (3, 4, 6, 9)]],
    "pippip": [
        *[Setting("pippip", seats, {"rules": "hervey"}) for seats in (2, 3, 4)],
        *[Setting("pippip", seats, {"rules": "hervey", "hands": 1}, 2) for seats in (2, 3, 4)],
        *[Setting("pippip", seats, {"rules": "fosdick"}) for seats in (3, 4, 6)],
    ],
    "dominion": [
        Setting("dominion", 2, {"size": 3}, 4),
        Setting("dominion", 2, {}, 2),
        Setting("dominion", 3, {"size": 3}, 2),
        Setting("dominion", 3, {}, 2),
        Setting("dominion", 4, {}, 2),
        Setting("dominion", 6, {}),
    ],
}
UNSEEN = {
    "serpent": [Setting("serpent", 2, {"hands": 6})],
    "wichita": [Setting("wichita", 2, {"decks": 3}), Setting("wichita", 12, {})],
    "pippip": [
        Setting("pippip", 3, {"rules": "hervey", "hands": 1, "windows": "fosdick"}),
        Setting("pippip", 9, {"rules": "fosdick"}),
        Setting("pippip", 4, {"rules": "fosdick", "rounds": 2}),
    ],
    "dominion": [
        Setting("dominion", 2, {"size": 5}),
        Setting("dominion", 3, {"size": 3, "optional_army": True, "resigning": False}),
        Setting("dominion", 8, {"max_rounds": 40}),
    ],
}
"""Options that no model was fitted to; the values are looked at there, too."""


@dataclass(frozen=True)
class Pairs:
    """Pairs of seats in sampled positions.

    `differences` are features of one seat less those of the other, (pairs, features);
    `left` is what was left to play, `results` 1, 0.5 or 0 for the first seat, and
    `matches` the match of every pair: all of shape (pairs,).
    """

    differences: NDArray[np.float64]
    left: NDArray[np.float64]
    results: NDArray[np.float64]
    matches: NDArray[np.int64]


def pairs_of(setting: Setting, matches: int, seed: str) -> Pairs:
    """Play that many matches of greedy bots and take positions of each."""
    rows: list[tuple[int, ...]] = []
    left: list[int] = []
    results: list[float] = []
    numbers: list[int] = []
    for number in range(matches):
        kept, places = sampled(setting, Random(f"{seed}/{setting}/{number}"))
        for features, rest in kept:
            for one, other in combinations(range(setting.seats), 2):
                rows.append(tuple([a - b for a, b in zip(features[one], features[other], strict=True)]))
                left.append(rest)
                results.append((places[one] < places[other]) + (places[one] == places[other]) / 2)
                numbers.append(number)
    return Pairs(np.array(rows, float), np.array(left, float), np.array(results, float), np.array(numbers))


Kept = tuple[list[tuple[int, ...]], int]


def sampled(setting: Setting, rng: Random) -> tuple[list[Kept], tuple[int, ...]]:
    """The features of some positions of one match, and the places at its end."""
    module = get_features(setting.game)
    kept: list[Kept] = []
    state = None
    for number, state in enumerate(played(setting, rng), 1):  # a reservoir: each position is as likely
        place = len(kept) if len(kept) < A_MATCH else rng.randrange(number)
        if state.to_ask is not None and place < A_MATCH:
            kept[place : place + 1] = [(module.features(state), module.left(state))]
    assert state is not None
    return kept, state.outcome().places


def played(setting: Setting, rng: Random) -> Iterator[AnyState]:
    """Every position of a match between greedy bots that slip now and then."""
    game = get_game(setting.game)
    options = game.options(setting.options)
    policy = house(BOTS[setting.game], options, setting.seats)
    state, _ = game.start(options, setting.seats, Chance(rng.randbytes(32)))
    yield state
    while state.to_ask is not None:
        slips = rng.random() < SLIPS
        state.apply(state.sample_action(rng) if slips else policy(state))
        yield state
