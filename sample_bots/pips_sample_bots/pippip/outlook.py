"""The expected result of a Pip-Pip! seat after an answer, from a small network.

It estimates by how many points the seat's lead over the others' mean will grow until
the hand ends. `sample_bots/learned/pippip` trains it. `cards.json` has the weights by
number of seats, as whole multiples of 1/`unit`. If there are several networks, their
mean is used.

Every suit goes through the same first layer. The second layer gets the sum of its
outputs, its output for the trumps to come, and the table.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pips_sdk.pippip import (
    CARDS,
    HEIGHT,
    PAIR_CARDS,
    Call,
    Card,
    PippipAction,
    PippipView,
    Suit,
    card_points,
    would_win,
)

FILE: Final = Path(__file__).with_name("cards.json")
SCALE: Final = 50.0
"""One unit of the network's output, in points."""
CALL_POINTS: Final = 50
PACK: Final = 104
HAND_CARDS: Final = 7
OF_SUIT: Final = [sorted([card for card in CARDS if card.suit == suit], key=HEIGHT.__getitem__) for suit in Suit]
"""The cards of each suit, in ascending order."""
DECIMALS: Final = 9
"""Values are rounded, so that equal answers are equal on every machine."""
Row = tuple[float, ...]
Numbers = NDArray[Any]


class After(NamedTuple):
    """What a seat knows after its answer, before it draws a card."""

    view: PippipView
    hidden: list[Card]
    open: list[Card]
    """Its own open cards."""
    card: Card | None
    """The card played; None after a call."""
    next_trumps: Suit
    """The trumps for the next trick."""
    is_set: bool
    """Whether a call has set the next trumps."""
    left: list[int]
    """By card, how many are in other hands or in the stock."""


def after(view: PippipView, action: PippipAction, left: list[int]) -> After:
    """What the seat knows after that answer."""
    hidden, face_up, trumps, card = [*view.hidden], [*view.face_up[view.seat]], view.next_trumps, None
    if isinstance(action, Call):
        for suit in action.suits:
            if view.last_call_rules or trumps is None:  # P9
                trumps = suit
            for one in PAIR_CARDS[suit]:
                hidden.remove(one)
                face_up.append(one)
    else:
        card = action.card
        (face_up if action.face_up else hidden).remove(card)
    return After(view, hidden, face_up, card, view.trumps if trumps is None else trumps, trumps is not None, left)


class Trick(NamedTuple):
    """The trick after the answer."""

    led: Suit | None
    points: int
    strength: int
    """The winning card's height, plus 13 for a trump; 0 before the lead."""
    is_mine: bool
    is_complete: bool


def trick_of(then: After) -> Trick:
    """The trick, with the card that was played."""
    view, card = then.view, then.card
    cards = view.trick if card is None else (*view.trick, card)
    if not cards:
        return Trick(None, 0, 0, False, False)
    seat, best = view.winning_seat, card
    if seat is not None and (card is None or not would_win(card, view.trick, view.trumps)):
        best = view.trick[(seat - view.leader) % len(view.points)]
    else:
        seat = view.seat
    assert best is not None
    strength = HEIGHT[best] + 13 * (best.suit == view.trumps)
    return Trick(
        cards[0].suit, sum(map(card_points, cards)), strength, seat == view.seat, len(cards) == len(view.points)
    )


def suit_inputs(then: After, trick: Trick, suit: Suit) -> Row:
    """Own and unseen cards by height; open kings and queens; the suit's role now."""
    view, (king, queen) = then.view, PAIR_CARDS[suit]
    mine = [then.hidden.count(card) for card in OF_SUIT[suit]]
    unseen = [then.left[card] for card in OF_SUIT[suit]]
    lying = [then.open.count(king), then.open.count(queen)]
    theirs = [cards for seat, cards in enumerate(view.face_up) if seat != view.seat and cards]
    limits = [view.suit_limit(seat, suit) for seat in range(len(view.points)) if seat != view.seat]
    held = sum(mine) + sum(lying)
    is_led = suit == trick.led and not trick.is_complete
    return (
        *mine, *unseen, *lying,
        sum([cards.count(king) for cards in theirs]), sum([cards.count(queen) for cards in theirs]),
        suit == (then.next_trumps if trick.is_complete else view.trumps), suit == then.next_trumps,
        is_led, sum(limits) / HAND_CARDS / len(limits), _void_seats(then, suit),
        held / 4, sum(unseen) / 10, not held, mine[10] > 0 and mine[9] > 0,
        is_led and not trick.is_mine, trick.strength / 13 if is_led and trick.is_mine else 0,
    )  # fmt: skip


def _void_seats(then: After, suit: Suit) -> int:
    """How many seats still to play to this trick have no card of the suit."""
    view = then.view
    if then.card is None:
        return 0
    seats = [(view.leader + place) % len(view.points) for place in range(len(view.trick) + 1, len(view.points))]
    return sum([not view.suit_limit(seat, suit) for seat in seats])


def table_inputs(then: After, trick: Trick) -> Row:
    """The stock, the size of the hand, the trick, and whose turn it is."""
    view, seats, laid = then.view, len(then.view.points), len(then.view.trick)
    plays, is_open = then.card is not None, not trick.is_complete
    points = trick.points / 20 if is_open else 0.0
    leads = is_open and trick.is_mine
    lying = sum(map(len, view.face_up)) - len(view.face_up[view.seat])
    return (
        view.drawing, view.stock_count / 90,
        (len(then.hidden) + len(then.open) + (plays and view.drawing)) / HAND_CARDS,
        not is_open, not is_open and trick.is_mine, points, leads, leads and trick.strength > 13,
        trick.strength / 26 if is_open else 0.0, (seats - laid - 1) / seats if plays else 0.0,
        not plays, not plays and view.leader == view.seat and not laid,
        view.drawing and view.stock_count < 2 * seats, view.last_call_rules, then.is_set,
        points if leads else 0.0, lying / 4, laid / seats,
    )  # fmt: skip


@cache
def networks(seats: int) -> list[CardNetwork]:
    """The weights for that number of seats, or for the largest number there is."""
    learned = json.loads(FILE.read_text(encoding="utf-8"))
    taught = {int(count): entries for count, entries in learned["networks"].items()}
    found = []
    for entry in taught[max([count for count in taught if count <= seats])]:
        ends = np.cumsum([rows * width for rows, width in entry["shapes"]])[:-1]
        layers = np.split(np.array(entry["weights"]) / learned["unit"], ends)
        found.append(CardNetwork(*map(np.reshape, layers, entry["shapes"])))
    return found


class CardNetwork(NamedTuple):
    """The weights and biases, layer by layer."""

    suit_weights: Numbers
    suit_bias: Numbers
    weights: Numbers
    bias: Numbers
    out: Numbers
    out_bias: Numbers

    def to_come(self, inputs: Numbers, next_trumps: Numbers, table: Numbers) -> Numbers:
        """The network's output by row; `inputs` are by row and suit."""
        suits = rectified(inputs @ self.suit_weights.T + self.suit_bias)
        rows = np.hstack([suits.sum(1), suits[range(len(suits)), next_trumps], table])
        return np.asarray(rectified(rows @ self.weights.T + self.bias) @ self.out[0] + self.out_bias[0])


class Outlook:
    """Estimates for one number of seats."""

    def __init__(self, seats: int) -> None:
        self.networks = networks(seats)

    def values(self, view: PippipView, actions: Sequence[PippipAction], left: list[int]) -> list[float]:
        """The estimated points after each answer: the seat's minus the others' mean."""
        known = [after(view, action, left) for action in actions]
        seen = [(then, trick_of(then)) for then in known]
        inputs = np.array([[suit_inputs(then, trick, suit) for suit in Suit] for then, trick in seen])
        table = np.array([table_inputs(then, trick) for then, trick in seen])
        next_trumps = np.array([then.next_trumps for then in known])
        to_come = np.mean([network.to_come(inputs, next_trumps, table) for network in self.networks], 0)
        points = np.array([sure(then, trick) for then, trick in seen])
        found: list[float] = (points + SCALE * to_come).round(DECIMALS).tolist()
        return found


def rectified(numbers: Numbers) -> Numbers:
    return np.maximum(numbers, 0)


def sure(then: After, trick: Trick) -> float:
    """The points that the answer certainly brings or costs at once."""
    points = 0.0
    if then.card is None:
        points = CALL_POINTS * (len(then.open) - len(then.view.face_up[then.view.seat])) / 2
    if trick.is_complete:
        points += trick.points if trick.is_mine else -trick.points / (len(then.view.points) - 1)
    return points
