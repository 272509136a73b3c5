"""Dominion's playfield and battles: reach, the turned card, losses and odds.

A cell is its number, row by row from the top left: `size * row + column`, from 0 on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Final

from pips_referee.cards import QUEEN, Card
from pips_referee.game import Outcome, Value, places_of

SIZES: Final = (3, 4, 5)
MORE_THAN_ALL_ARMIES: Final = 1000
FULL: Final = 13
"""The natural strength at which a territory has no room left (D2)."""


def is_vertical(cell: int, size: int) -> bool:
    """Whether the card lies upright: its narrow ends are up and down (D1)."""
    return (cell // size + cell % size) % 2 == 0


@cache
def neighbours(cell: int, size: int) -> tuple[int, ...]:
    """The cells above, left, right and below that are on the playfield."""
    return _above(cell, size) + _beside(cell, size) + _below(cell, size)


@cache
def reach(cell: int, size: int) -> tuple[int, ...]:
    """The cells at the narrow ends of the card: armies on it can attack these (D4)."""
    return _above(cell, size) + _below(cell, size) if is_vertical(cell, size) else _beside(cell, size)


def _above(cell: int, size: int) -> tuple[int, ...]:
    return (cell - size,) if cell >= size else ()


def _below(cell: int, size: int) -> tuple[int, ...]:
    return (cell + size,) if cell + size < size * size else ()


def _beside(cell: int, size: int) -> tuple[int, ...]:
    column = cell % size
    return ((cell - 1,) if column else ()) + ((cell + 1,) if column + 1 < size else ())


NEIGHBOURS: Final = {size: [neighbours(cell, size) for cell in range(size**2)] for size in SIZES}
"""`neighbours` by size, then by cell."""


def room(card: Card, armies: int) -> int:
    """How many more armies the territory can take (D2); 0 also at strength 14."""
    return max(FULL - card.rank - armies, 0)


@cache
def modifier(turned: Card, card: Card) -> int:
    """How the turned card changes a playfield card's strength in battle (D5)."""
    same_colour = card.is_red == turned.is_red
    if turned.rank == QUEEN:
        return int(same_colour)
    if turned.rank == card.rank:
        return 2 if same_colour else -2
    return 0


def strength(card: Card, armies: int, turned: Card | None) -> int:
    """A territory's strength in battle (D2, D5); natural if no card is turned."""
    return card.rank + armies + (modifier(turned, card) if turned is not None else 0)


def losses(lead: int, attackers: int, defenders: int) -> tuple[int, int]:
    """The armies that attacker and defender lose (D6).

    `lead` is the attacker's total, advantage included, minus the defender's.
    """
    return (0, min(lead, defenders)) if lead > 0 else (min(-lead, attackers), 0)


def standing(owners: Sequence[int | None], armies: Sequence[int], resigned: Sequence[bool]) -> Outcome:
    """Places by territories, then armies (D11); seats that resigned are last (D12).

    If one seat occupies everything, all others share second place.
    """
    territories = [owners.count(seat) for seat in range(len(resigned))]
    total = [0] * len(resigned)
    for owner, count in zip(owners, armies, strict=True):
        if owner is not None:
            total[owner] += count
    ranks = [
        -1 if out else MORE_THAN_ALL_ARMIES * cells + count
        for out, cells, count in zip(resigned, territories, total, strict=True)
    ]
    return Outcome(places_of(ranks), tuple(territories))


def deployment_limits(dice: tuple[int, int]) -> tuple[int, int]:
    """The highest rank to deploy on, and the most armies (D10).

    The number of armies is the larger of the numbers on the undersides of the dice.
    """
    return sum(dice), 7 - min(dice)


class Odds(Value):
    """The outcomes of one battle as probabilities and mean losses."""

    win: float
    """The probability that the attacker's total is higher."""
    tie: float
    loss: float
    conquest: float
    """The probability that the defender loses all armies on the cell."""
    defeat: float
    """The probability that the attacker loses all armies on the cell."""
    own_losses: float
    """The attacker's mean loss, in armies."""
    enemy_losses: float
    """The defender's mean loss, in armies."""


@cache
def odds(advantage: int, attackers: int, defenders: int) -> Odds:
    """The odds of an attack at that advantage (D6), by armies on both territories."""
    win = tie = loss = conquest = defeat = own = enemy = 0
    for difference, ways in _WAYS.items():
        lead = difference + advantage
        own_lost, enemy_lost = losses(lead, attackers, defenders)
        win += ways * (lead > 0)
        tie += ways * (lead == 0)
        loss += ways * (lead < 0)
        conquest += ways * (enemy_lost == defenders)
        defeat += ways * (own_lost == attackers)
        own += ways * own_lost
        enemy += ways * enemy_lost
    return Odds(*[count / _ALL_WAYS for count in (win, tie, loss, conquest, defeat, own, enemy)])


_WAYS: Final = Counter(one + two - three - four for one, two, three, four in product(range(1, 7), repeat=4))
"""By the attacker's two dice minus the defender's, how many rolls give that."""
_ALL_WAYS: Final = 6**4
