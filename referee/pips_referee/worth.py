"""The value of a position: each seat's expected result, with all cards known.

A seat's result is the mean of its results against every other seat: 1 for a better
place, a half for the same, 0 for a worse one. A game's `worth.py` counts features of a
position. The model beside it, `worth.json`, gives them weights, which depend on how
much is left to play. Of two seats the one with the higher sum is more likely to do
better, as in logistic regression. All arithmetic uses whole numbers, so every machine
gets the same result.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cache
from hashlib import sha256
from itertools import pairwise
from operator import mul
from typing import Final, Protocol, cast

from pips_referee.errors import PipsError
from pips_referee.game import AnyState, get_game
from pips_referee.installed import package_of, part_in

FULL: Final = 1_000_000
"""The unit of a value: a millionth of a certain win."""
WEIGHT_UNIT: Final = 1 << 20
"""How many units of a weight make one logit; weights are whole numbers."""
STEPS: Final = 256
"""Steps of the logistic table in one logit."""
MOST_LOGITS: Final = 12
"""The end of the logistic table: beyond it a result is practically certain."""


class WorthError(PipsError):
    """A model that does not fit its game."""


class Features(Protocol):
    """The interface of a game's `worth.py`."""

    NAMES: tuple[str, ...]
    """What each feature counts, in order."""

    def features(self, state: AnyState) -> list[tuple[int, ...]]:
        """By seat, the features of a position with an open question."""

    def left(self, state: AnyState) -> int:
        """How much is left to play, in the game's own unit; at least 0."""


def get_features(game: str) -> Features:
    """The module that counts the game's features; `WorthError` if it has none."""
    if (module := part_in(package_of(game), "worth")) is None:
        raise WorthError(f"{game} has no value function: its package needs a module `worth` and the model `worth.json`")
    return cast(Features, module)


@dataclass(frozen=True, slots=True)
class Worth:
    """The value function of one game, fitted to matches of its sample bots."""

    game: str
    version: int
    sha256: str
    """The digest of the model's file, which identifies the function."""
    knots: tuple[int, ...]
    """The amounts left to play for which weights were fitted, ascending from 0."""
    weights: dict[int, tuple[tuple[int, ...], ...]]
    """By number of seats: at every knot, the weight of each feature."""

    def values(self, state: AnyState) -> tuple[int, ...]:
        """Every seat's expected result in millionths; they sum to half the seats.

        After the match, the result itself. With three or more seats each value is
        rounded down, so the sum may be lower by a millionth per seat.
        """
        if state.to_ask is None:
            return results_of(state.outcome().places)
        module = get_features(self.game)
        counted = module.features(state)
        weights = self.weights_at(len(counted), module.left(state))
        return mean_results([sum(map(mul, weights, row)) for row in counted])

    def weights_at(self, seats: int, left: int) -> Sequence[int]:
        """The weights for that moment, interpolated between the two nearest knots.

        For a number of seats that was not fitted, the nearest fitted one is used.
        """
        fitted = self.weights.get(seats) or self.weights[min(self.weights, key=lambda known: abs(known - seats))]
        after = bisect_right(self.knots, left)
        if after == len(self.knots):
            return fitted[-1]
        low, high = self.knots[after - 1], self.knots[after]
        part, whole = left - low, high - low
        return [a + (b - a) * part // whole for a, b in zip(fitted[after - 1], fitted[after], strict=True)]


def results_of(places: Sequence[int]) -> tuple[int, ...]:
    """Every seat's result in millionths, from the places of a match."""
    half = FULL // 2
    against = [sum([half * ((place <= other) + (place < other)) for other in places]) - half for place in places]
    return tuple([total // (len(places) - 1) for total in against])


def mean_results(sums: Sequence[int]) -> tuple[int, ...]:
    """Every seat's mean result in millionths, from the seats' weighted sums."""
    totals = [0] * len(sums)
    for seat, mine in enumerate(sums):
        for other in range(seat + 1, len(sums)):
            chance = logistic(mine - sums[other])
            totals[seat] += chance
            totals[other] += FULL - chance
    return tuple([total // (len(sums) - 1) for total in totals])


def logistic(weight: int) -> int:
    """The logistic function of a weighted difference, in millionths."""
    table = _table()
    place, part = divmod(abs(weight) * STEPS, WEIGHT_UNIT)
    chance = FULL
    if place + 1 < len(table):
        chance = table[place] + (table[place + 1] - table[place]) * part // WEIGHT_UNIT
    return chance if weight >= 0 else FULL - chance


@cache
def _table() -> tuple[int, ...]:
    """The logistic function at every step from 0; decimals round alike everywhere."""
    with localcontext() as context:
        context.prec = 20
        points = [Decimal(step) / STEPS for step in range(MOST_LOGITS * STEPS + 1)]
        return tuple([int(FULL / (1 + (-point).exp()) + Decimal("0.5")) for point in points])


@cache
def get_worth(game: str) -> Worth:
    """The value function shipped for that game; `WorthError` if it does not fit."""
    return read_worth(game, _shipped(game))


def worth_sha256(game: str) -> str:
    """The digest of that game's value function, without loading it; "" if none."""
    return sha256(_shipped(game)).hexdigest() if (get_game(game).room / "worth.json").is_file() else ""


def _shipped(game: str) -> bytes:
    get_features(game)
    return (get_game(game).room / "worth.json").read_bytes()


def read_worth(game: str, text: bytes) -> Worth:
    """Parse a model's file; `WorthError` says what does not fit."""
    names = list(get_features(game).NAMES)
    try:
        model = json.loads(text)
        knots = tuple(map(int, model["knots"]))
        weights = {
            int(seats): tuple([tuple(map(int, row)) for row in rows]) for seats, rows in model["weights"].items()
        }
        version, features = int(model["version"]), list(model["features"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise WorthError(
            f"the model of {game} cannot be read ({error!r}): make it again with `make lab WHAT=worth`"
        ) from error
    if features != names:
        raise WorthError(
            f"the model of {game} weighs {features}, but the game counts {names}: `make lab WHAT=worth` fits it"
        )
    if not weights or knots[:1] != (0,) or any(a >= b for a, b in pairwise(knots)):
        raise WorthError(
            f"the model of {game} needs weights, and knots that rise from 0: `make lab WHAT=worth` fits it"
        )
    if any(len(rows) != len(knots) or any(len(row) != len(names) for row in rows) for rows in weights.values()):
        raise WorthError(f"the model of {game} needs one weight a feature at each of its {len(knots)} knots")
    return Worth(game, version, sha256(text).hexdigest(), knots, weights)
