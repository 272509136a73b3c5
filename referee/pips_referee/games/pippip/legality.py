"""Why an action is illegal in Pip-Pip!: a reason, and a sentence for a person."""

from __future__ import annotations

from collections import Counter
from typing import Final, Protocol

from pips_referee.cards import Card, Suit
from pips_referee.errors import IllegalAction
from pips_referee.games.pippip.values import CALL, PLAY, Call, PippipAction, Play, Reason


class Position(Protocol):
    """What the checks read of a match: the open question and the hands."""

    kind: str
    turn: int
    trumps: Suit
    hidden: list[list[Card]]
    face_up: list[tuple[Card, ...]]
    callable: tuple[Suit, ...]
    playable: tuple[Card, ...]


def check(state: Position, action: PippipAction) -> None:
    """Raise `IllegalAction` with the first reason found, if there is one."""
    if action.__class__ is not _ACTION_OF.get(state.kind):
        sentence = f"{action!r} does not answer a question to {state.kind or 'nobody'}"
        raise IllegalAction(Reason.WRONG_KIND, action, sentence)
    if isinstance(action, Play):
        _check_play(state, action)
    elif action.suits:
        _check_call(state, action)


def _check_play(state: Position, action: Play) -> None:
    cards = state.face_up[state.turn] if action.face_up else state.hidden[state.turn]
    if action.card.__class__ is not Card or action.card not in cards:  # P12; an int may be equal
        where = "face up before the seat" if action.face_up else "hidden in the hand"
        raise IllegalAction(Reason.NOT_IN_HAND, action, f"there is no {action.card} {where}")
    if action.card not in state.playable:  # P5
        fitting = " ".join(map(str, state.playable))
        sentence = f"{action.card} does not follow suit: play one of {fitting}"
        raise IllegalAction(Reason.MUST_FOLLOW, action, sentence)


def _check_call(state: Position, action: Call) -> None:
    for suit in action.suits:
        if suit.__class__ is not Suit:  # an int may be equal
            raise IllegalAction(Reason.NO_PAIR, action, f"{suit} is no suit")
    if missing := Counter(action.suits) - Counter(state.callable):
        suit = min(missing)
        if suit == state.trumps:  # P7
            raise IllegalAction(Reason.TRUMPS_ALREADY, action, f"{suit} is trumps now and cannot be called")
        raise IllegalAction(Reason.NO_PAIR, action, f"no unused king and queen of {suit} in hand for that call")


_ACTION_OF: Final[dict[str, type[PippipAction]]] = {CALL: Call, PLAY: Play}
