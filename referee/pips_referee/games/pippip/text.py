"""Pip-Pip! for a terminal: the seats, the trick, and each event in a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from pips_referee.games.pippip.values import (
    CALL,
    Call,
    Called,
    Cut,
    Dealt,
    DrawnForDeal,
    Drew,
    HandEnded,
    PippipAction,
    PippipEvent,
    PippipView,
    Play,
    Played,
    StockTurned,
    TrickWon,
    TrumpsChanged,
)


def view_text(view: PippipView) -> str:
    """The table as that seat sees it, and the question to it."""
    lines = [
        f"hand {view.hand_number} of {view.hands}, dealt by seat {view.dealer}; {_trumps_text(view)}",
        _stock_text(view),
        f"  {'':13}{'points':>7}{'tricks':>7}{'cards':>6}  face up",
        *[_seat_text(view, seat) for seat in range(len(view.points))],
        f"this trick: {_trick_text(view)}",
        f"your hand: {_words(view.hidden) or 'nothing'} hidden, {_words(view.face_up[view.seat]) or 'nothing'} face up",
        _question_text(view),
    ]
    return "\n".join(lines)


def event_text(event: PippipEvent) -> str:
    """A line that says what happened."""
    match event:
        case DrawnForDeal(seats, cards):
            return "the deal is drawn for: " + _by_seat(zip(seats, cards, strict=True))
        case Cut(seat, card):
            return f"seat {seat} cuts {card}"
        case Dealt(hand_number, dealer, trumps, hands):
            held = [f"seat {seat} holds {'?' if hand is None else _words(hand)}" for seat, hand in enumerate(hands)]
            return f"hand {hand_number}, dealt by seat {dealer}, trumps {trumps}: {'; '.join(held)}"
        case Called(seat, suits):
            return f"seat {seat} calls Pip-Pip! {_words(suits)}"
        case TrumpsChanged(trumps):
            return f"trumps are {trumps} now"
        case Played(seat, card, face_up):
            return f"seat {seat} plays {card}{' from those face up' if face_up else ''}"
        case Drew(seat, card):
            return f"seat {seat} draws {'a card' if card is None else card}"
        case TrickWon(seat, points):
            return f"seat {seat} takes the trick, {_count(points, 'point')}"
        case StockTurned(cards):
            return f"the rest of the stock lies face up: {_words(cards)}"
        case HandEnded(hand_number, all_points):
            return f"hand {hand_number} is over: " + _by_seat(enumerate(all_points))
        case _:
            assert_never(event)


def action_text(action: PippipAction) -> str:
    """The answer in a few words."""
    match action:
        case Call(()):
            return "call nothing"
        case Call(suits):
            return f"call {_words(suits)}"
        case Play(card, face_up):
            return f"play {card}{' from those face up' if face_up else ''}"
        case _:
            assert_never(action)


def _trumps_text(view: PippipView) -> str:
    changing = "" if view.next_trumps is None else f", {view.next_trumps} from the next lead on"
    return f"trumps {view.trumps}{changing}"


def _stock_text(view: PippipView) -> str:
    if view.rest:
        return f"the rest of the stock lies face up: {_words(view.rest)}"
    return f"{_count(view.stock_count, 'card')} in the stock"


def _seat_text(view: PippipView, seat: int) -> str:
    name = f"seat {seat}{' (you)' if seat == view.seat else ''}"
    numbers = f"{view.points[seat]:7}{view.tricks[seat]:7}{view.hand_counts[seat]:6}"
    return f"  {name:13}{numbers}  {_words(view.face_up[seat])}".rstrip()


def _trick_text(view: PippipView) -> str:
    if not view.trick:
        return f"seat {view.leader} leads"
    seats = len(view.points)
    played = _by_seat(((view.leader + place) % seats, card) for place, card in enumerate(view.trick))
    return f"{played}; seat {view.winning_seat} is winning"


def _question_text(view: PippipView) -> str:
    match view.kind:
        case "call":
            return f"call any of these pairs, in any order, or nothing: {_words(view.callable)}"
        case "play":
            both = [card for card in view.playable if card in view.hidden and card in view.face_up[view.seat]]
            choice = f" ({_words(both)} hidden or face up)" if both else ""
            return f"{'follow with' if view.trick else 'lead'} one of: {_words(view.playable)}{choice}"
        case _:
            return "you are not asked"


def _by_seat(entries: Iterable[tuple[int, object]]) -> str:
    return ", ".join(f"seat {seat} {entry}" for seat, entry in entries)


def _words(values: Iterable[object]) -> str:
    return " ".join(map(str, values))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def situation(view: PippipView) -> str:
    """The kind of situation: the kind of question, and the part of the hand."""
    when = "while cards are drawn" if view.drawing else "in the last tricks"
    if view.kind == CALL:
        return f"call, {when}"
    place = "lead" if not view.trick else "last card" if len(view.trick) + 1 == len(view.points) else "follow"
    return f"{place}, {when}"
