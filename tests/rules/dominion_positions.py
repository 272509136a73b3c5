"""Positions of Dominion for tests: a playfield, who holds what, whose turn it is, and
luck as wished.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isqrt
from random import Random
from typing import TypeVar

import pytest

from pips_referee.cards import parse_cards
from pips_referee.errors import IllegalAction
from pips_referee.games.dominion.rules import DominionState
from pips_referee.games.dominion.values import PASS, DominionAction, DominionEvent, DominionOptions
from tests.rigged import RiggedChance

PLAYFIELD = """
    3S 5H 7C
    2D 4C 6H
    AS 8D 9C
"""
"""Cells 0, 2, 4, 6 and 8 lie upright.

Attacks: 0→3, 1→0 2, 2→5, 3→4, 4→1 7, 5→4, 6→3, 7→6 8, 8→5.
"""

EventT = TypeVar("EventT", bound=DominionEvent)


def position(
    held: Mapping[int, tuple[int, int]],
    *,
    cards: str = PLAYFIELD,
    seats: int = 2,
    turn: int = 0,
    stock: str = "",
    luck: Mapping[str, Sequence[int]] | None = None,
    max_rounds: int = 10,
    optional_army: bool = False,
) -> DominionState:
    """The beginning of a seat's turn.

    `held` is (seat, armies) by cell; the stock begins with the cards of `stock`.
    """
    playfield = parse_cards(cards)
    chance = RiggedChance({"playfield": playfield, "stock/0": parse_cards(stock), **(luck or {})})
    options = DominionOptions(isqrt(len(playfield)), max_rounds, optional_army=optional_army)
    state = DominionState(options, seats, chance)
    state.turn = turn
    for cell, (seat, armies) in held.items():
        state.owners[cell] = seat
        state.armies[cell] = armies
        state.had_armies[seat] = True
    state.proceed([])
    return state


def play(state: DominionState, *actions: DominionAction) -> list[DominionEvent]:
    """All events of these answers."""
    return [event for action in actions for event in state.apply(action)]


def play_out(
    state: DominionState, answer: Callable[[DominionState], DominionAction | None], rng: Random | None = None
) -> list[DominionEvent]:
    """To the end, with that answer wherever it gives one and a random one elsewhere."""
    rng = rng or Random(1)
    events: list[DominionEvent] = []
    while state.to_ask is not None:
        events += state.apply(answer(state) or state.sample_action(rng))
    return events


def pass_until(state: DominionState, seat: int, kind: str) -> None:
    """Everybody passes until that seat is asked that."""
    while asked(state) != (seat, kind):
        play(state, PASS)


def only(events: Sequence[DominionEvent], kind: type[EventT]) -> EventT:
    """The one event of its kind."""
    (event,) = [event for event in events if isinstance(event, kind)]
    return event


def asked(state: DominionState) -> tuple[int | None, str]:
    return state.to_ask, state.kind


def held(state: DominionState) -> dict[int, tuple[int, int]]:
    """(seat, armies) by occupied cell."""
    owners = enumerate(zip(state.owners, state.armies, strict=True))
    return {cell: (seat, armies) for cell, (seat, armies) in owners if seat is not None}


def refused(state: DominionState, action: DominionAction) -> tuple[str, str]:
    """The reason and the sentence; the state is as it was."""
    before = [state.view(seat) for seat in range(state.seats)]
    with pytest.raises(IllegalAction) as caught:
        state.apply(action)
    assert [state.view(seat) for seat in range(state.seats)] == before
    assert caught.value.action is action
    return str(caught.value.reason), caught.value.sentence
