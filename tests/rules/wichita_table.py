"""Positions of Wichita for its tests: rigged decks and rolls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from pips_referee.cards import Card, parse_cards
from pips_referee.errors import IllegalAction
from pips_referee.games.wichita.rules import GAME, WichitaState
from pips_referee.games.wichita.values import (
    Dice,
    DrawOn,
    Lay,
    WichitaAction,
    WichitaEvent,
)
from tests.rigged import RiggedChance

Rolls = Mapping[int, Sequence[Dice]]
BIG: Dice = (6, 6)


def start(deck: str, rolls: Rolls, seats: int = 2, **options: int) -> tuple[WichitaState, list[WichitaEvent]]:
    """A match that seat 0 begins, with a stock that begins with these cards and these
    rolls of each seat.
    """
    outcomes: dict[str, Sequence[object] | int] = {"deck": parse_cards(deck)}
    outcomes |= {f"first/{seat}/1": (1, 1) if seat else BIG for seat in range(seats)}
    outcomes |= {f"dice/{seat}/{number}": dice for seat in rolls for number, dice in enumerate(rolls[seat], 1)}
    return GAME.start(GAME.options(options), seats, RiggedChance(outcomes))


def by_rank(card: Card) -> tuple[int, int]:
    return card.rank, card.suit


def lay(*stacks: str) -> Lay:
    return Lay(tuple(parse_cards(stack) for stack in stacks))


def holding(cards: str, dice: Dice) -> WichitaState:
    """A match in which seat 0 has these cards in its hand and is asked what to lay
    after that roll.
    """
    state, _ = start("", {})
    state.hands[0], state.dice, state.kind = sorted(parse_cards(cards), key=by_rank), dice, "lay"
    return state


def pass_until(state: WichitaState, stock_size: int) -> list[WichitaEvent]:
    """Draw no more and lay nothing until the stock is no larger than that."""
    events: list[WichitaEvent] = []
    while state.stock_size > stock_size:
        events += state.apply(DrawOn(more=False) if state.kind == "draw" else Lay(()))
    return events


def reason(state: WichitaState, action: WichitaAction) -> tuple[str, str]:
    """The reason and sentence with which the action is refused; nothing changes."""
    before = [state.view(seat) for seat in range(len(state.hands))]
    with pytest.raises(IllegalAction) as caught:
        state.apply(action)
    assert [state.view(seat) for seat in range(len(state.hands))] == before
    assert caught.value.action is action
    return str(caught.value.reason), caught.value.sentence


def hands(state: WichitaState) -> list[str]:
    return [" ".join(card.code for card in hand) for hand in state.hands]


def over(state: WichitaState) -> WichitaState:
    """The match played to its end without laying anything."""
    while state.to_ask is not None:
        state.apply(DrawOn(more=False) if state.kind == "draw" else Lay(()))
    return state
