"""Wichita as one seat may imagine it: the other hands, the stock, and all dice to come.

Unseen cards are dealt uniformly among the deals that agree with the seat's hand, the
sizes of the other hands and the ranks laid down. Nothing else is known of a hand (W9).
A view does not say which suits were laid, and no rule needs them. Here the lowest are
assumed.
"""

from __future__ import annotations

from pips_referee.cards import CARDS, Card
from pips_referee.chance import Chance, Rng
from pips_referee.games.wichita.rules import WichitaState
from pips_referee.games.wichita.values import WichitaView, by_rank


def imagine(view: WichitaView, chance: Chance, rng: Rng) -> WichitaState:
    """A state of one imagined world; `chance` is for the dice to come."""
    state: WichitaState = object.__new__(WichitaState)  # set below, without a shuffle
    state.chance, state.decks = chance, view.decks
    state.rolls = [0] * len(view.points)
    state.hands = []
    unseen = _unseen(view, rng)
    for seat, size in enumerate(view.hand_sizes):
        if seat == view.seat:
            state.hands.append([*view.hand])
        else:
            state.hands.append(sorted(unseen[:size], key=by_rank))
            del unseen[:size]
    state.stock, state.stock_size = unseen, view.stock_size
    state.points, state.laid = [*view.points], [*view.laid]
    state.dice, state.player = view.dice, view.player
    state.to_ask, state.kind = view.seat, view.kind
    return state


def redeal(state: WichitaState, chance: Chance, rng: Rng) -> WichitaState:
    """The state with its stock in another order; `chance` is for the dice to come."""
    twin = state.copy()
    twin.chance = chance
    stock = sorted(state.stock[len(state.stock) - state.stock_size :])
    rng.shuffle(stock)
    twin.stock = stock
    return twin


def _unseen(view: WichitaView, rng: Rng) -> list[Card]:
    """The cards in the other hands and the stock, shuffled."""
    unseen = list(CARDS * view.decks)
    for card in view.hand:
        unseen.remove(card)
    unseen.sort(key=by_rank)
    first = 0
    for laid, left in zip(view.laid, view.unseen, strict=True):
        del unseen[first : first + laid]
        first += left
    rng.shuffle(unseen)
    return unseen
