"""Pip-Pip! as one seat may imagine it: other hands, the stock, and all luck to come.

Unseen cards are dealt uniformly among the deals that agree with the sizes of the hands
and with `suit_limits`. Each suit has its own limit. So the limits ignore that a card
drawn later has only one suit. If shuffled cards hardly ever agree, cards are exchanged
until they do, which is close to uniform.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pips_referee.cards import CARDS, Card, Suit
from pips_referee.chance import Chance, Rng
from pips_referee.games.pippip.rules import PippipState
from pips_referee.games.pippip.values import CALL, FOSDICK, HERVEY, SUITS, PippipOptions, PippipView

SHUFFLES: Final = 10
"""How many shuffled deals are tried before cards are exchanged."""


def imagine(view: PippipView, chance: Chance, rng: Rng) -> PippipState:
    """A state of one imagined world; `chance` is for the hands to come."""
    seat, seats = view.seat, len(view.points)
    rules = FOSDICK if view.last_call_rules else HERVEY
    state = PippipState(PippipOptions(rules, windows=view.windows), seats, chance)
    state.hands, state.hand_number, state.dealer = view.hands, view.hand_number, view.dealer
    state.trumps, state.next_trumps = view.trumps, view.next_trumps
    state.leader, state.turn, state.to_ask, state.kind = view.leader, seat, seat, view.kind
    state.trick, state.tricks, state.points = [*view.trick], [*view.tricks], [*view.points]
    state.played = bytearray(view.played)
    state.limits = [bytearray(view.suit_limits[at : at + SUITS]) for at in range(0, SUITS * seats, SUITS)]
    state.drawing, state.rest = view.drawing, view.rest
    state.face_up = [*view.face_up]
    state.hidden, state.deck = deal(view, rng)
    state.drawn = 0
    state.windows_left = _windows_left(view)
    state.callable, state.playable = view.callable, view.playable
    return state


def redeal(state: PippipState, chance: Chance, rng: Rng) -> PippipState:
    """The state with its stock in another order; `chance` is for the hands to come."""
    twin = state.copy()
    twin.chance = chance
    stock = sorted(state.deck[state.drawn :])
    rng.shuffle(stock)
    twin.deck, twin.drawn = stock, 0
    return twin


def _windows_left(view: PippipView) -> int:
    """How many seats may call now (P7, P13)."""
    if view.kind != CALL:
        return 0
    if view.windows == FOSDICK:
        return view.windows_left
    seats = len(view.points)
    return 1 if any(view.played) else seats - (view.seat - view.leader) % seats


def deal(view: PippipView, rng: Rng) -> tuple[list[list[Card]], list[Card]]:
    """The hidden cards by seat, and the stock."""
    unseen = _unseen(view)
    sizes = [count - len(lying) for count, lying in zip(view.hand_counts, view.face_up, strict=True)]
    sizes[view.seat] = 0
    owners = [seat for seat, size in enumerate(sizes) for _ in range(size)]
    for _ in range(SHUFFLES):
        rng.shuffle(unseen)
        if not _Excess(unseen, owners, view.suit_limits).total:
            break
    else:
        _exchange(unseen, owners, view.suit_limits, rng)
    hidden = []
    for size in sizes:
        hidden.append(sorted(unseen[:size]))
        del unseen[:size]
    hidden[view.seat] = list(view.hidden)
    return hidden, unseen


def _unseen(view: PippipView) -> list[Card]:
    """The cards in the other hands and the stock."""
    left = [2 - played for played in view.played]
    for cards in (view.hidden, view.rest, *view.face_up):
        for card in cards:
            left[card] -= 1
    return [card for card in CARDS for _ in range(left[card])]


class _Excess:
    """The room of every owner for each suit, and how many cards exceed all limits."""

    def __init__(self, cards: Sequence[Card], owners: Sequence[int], limits: Sequence[int]) -> None:
        self.room = list(limits)
        self.total = 0
        for card, owner in zip(cards, owners, strict=False):
            self.put(owner, card.suit)

    def put(self, owner: int, suit: Suit) -> None:
        place = len(Suit) * owner + suit
        self.total += self.room[place] <= 0
        self.room[place] -= 1

    def take(self, owner: int, suit: Suit) -> None:
        place = len(Suit) * owner + suit
        self.room[place] += 1
        self.total -= self.room[place] <= 0


def _exchange(cards: list[Card], owners: Sequence[int], limits: Sequence[int], rng: Rng) -> None:
    """Swap cards at random until no limit is exceeded and all cards were moved.

    No swap increases the excess. The true deal satisfies all limits, so the swaps come
    to an end.
    """
    excess = _Excess(cards, owners, limits)
    moves = 2 * len(cards)
    while moves > 0 or excess.total:
        moves -= 1
        one, other = rng.randrange(len(owners)), rng.randrange(len(cards))
        before = excess.total
        _swap(cards, owners, excess, one, other)
        if excess.total > before:
            _swap(cards, owners, excess, one, other)


def _swap(cards: list[Card], owners: Sequence[int], excess: _Excess, one: int, other: int) -> None:
    first, second = cards[one], cards[other]
    cards[one], cards[other] = second, first
    excess.take(owners[one], first.suit)
    excess.put(owners[one], second.suit)
    if other < len(owners):  # otherwise the card lies in the stock
        excess.take(owners[other], second.suit)
        excess.put(owners[other], first.suit)
