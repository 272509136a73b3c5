"""Serpent for a terminal: the defender's row above, the director's below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from pips_referee.cards import Card
from pips_referee.games.serpent.scoring import COLUMNS
from pips_referee.games.serpent.values import (
    GIVE,
    HANDS,
    REVEAL,
    Answer,
    Dealt,
    Give,
    Given,
    HandScored,
    Lead,
    Played,
    Reveal,
    Revealed,
    SerpentAction,
    SerpentEvent,
    SerpentView,
)

EMPTY_CELL: Final = "·"
DIRECTOR_LEADS, DEFENDER_LEADS = "↑", "↓"


def view_text(view: SerpentView) -> str:
    """The table as that seat sees it, and the question to it."""
    director, defender = (view.my_row, view.other_row) if view.is_director else (view.other_row, view.my_row)
    names = ("you", "other") if view.is_director else ("other", "you")
    role = "you direct" if view.is_director else "you defend"
    lines = [
        f"{_hand_title(view.hand_number)}, {role}; you have {view.my_points} points, the other {view.other_points}",
        *board_lines(director, defender, *names),
        f"your hand: {_cards(view.hidden) or 'nothing'} hidden, {_cards(view.face_up) or 'nothing'} face up",
        f"the other: {view.other_hidden_count} hidden, {_cards(view.other_face_up) or 'nothing'} face up",
        _question_text(view),
    ]
    return "\n".join(lines)


def event_text(event: SerpentEvent) -> str:
    """What happened, in one line; for a finished hand the scored board."""
    match event:
        case Dealt(hand_number, director, hands):
            held = [f"seat {seat} holds {'?' if hand is None else _cards(hand)}" for seat, hand in enumerate(hands)]
            return f"{_hand_title(hand_number)}, seat {director} directs: {'; '.join(held)}"
        case Given(cards):
            return f"the director gives {_cards(cards)}"
        case Revealed(cards):
            return f"the director turns up {_cards(cards)}"
        case Played(seat, column, card, is_lead):
            return f"seat {seat} {'leads' if is_lead else 'answers'} {card} in column {column + 1}"
        case HandScored():
            return hand_text(event)
        case _:
            assert_never(event)


def action_text(action: SerpentAction) -> str:
    """The answer in a few words."""
    match action:
        case Give(cards):
            return f"give {_cards(cards)}"
        case Reveal(cards):
            return f"turn up {_cards(cards)}"
        case Lead(card):
            return f"lead {card}"
        case Answer(card):
            return f"answer {card}"
        case _:
            assert_never(action)


def hand_text(scored: HandScored) -> str:
    """A finished hand: the board, each pair and run with its points, and the totals."""
    board, score, director = scored.board, scored.score, scored.director
    groups = [("pair", cells) for cells in score.pairs] + [("run", cells) for cells in score.runs]
    lines = [
        f"{_hand_title(scored.hand_number)} is over",
        *board_lines(board[:COLUMNS], board[COLUMNS:], f"seat {director}", f"seat {1 - director}"),
        *[
            f"  {len(cells):2} for the {name} {_cards(_in_order([board[cell] for cell in cells]))}"
            for name, cells in groups
        ],
        f"seat {director} scores {score.points}; seat 0 has {scored.totals[0]} points, seat 1 has {scored.totals[1]}",
    ]
    return "\n".join(lines)


def board_lines(
    director: Sequence[Card | None], defender: Sequence[Card | None], director_name: str, defender_name: str
) -> list[str]:
    """Three lines: the defender's row, arrows from each lead to its answer (S3), the
    director's row."""
    arrows = [(DIRECTOR_LEADS, DEFENDER_LEADS)[column % 2] for column in range(COLUMNS)]
    width = max(len(director_name), len(defender_name))
    rows = [
        (defender_name, [EMPTY_CELL if card is None else str(card) for card in defender]),
        ("", arrows),
        (director_name, [EMPTY_CELL if card is None else str(card) for card in director]),
    ]
    return [f"  {name:{width}}" + "".join(f"{cell:>5}" for cell in cells) for name, cells in rows]


def _question_text(view: SerpentView) -> str:
    cards = _cards(view.playable)
    column = 1 + sum(card is not None for card in view.my_row)
    match view.kind:
        case "give":
            return f"give the defender three of {cards}"
        case "reveal":
            return f"turn up three of {cards}"
        case "lead":
            return f"lead in column {column}: {cards}"
        case "answer":
            return f"answer {view.lead} in column {column}: {cards}"
        case _:
            return "you are not asked"


def _hand_title(hand_number: int) -> str:
    return f"hand {hand_number}" + (" (tie-break)" if hand_number > HANDS else "")


def _cards(cards: Iterable[Card]) -> str:
    return " ".join(map(str, cards))


def _in_order(cards: list[Card]) -> list[Card]:
    """The cards by rank; a stretch that wraps past the king begins below it (S6)."""
    ordered = sorted(cards, key=lambda card: card.rank)
    gaps = [place for place in range(1, len(ordered)) if ordered[place].rank - ordered[place - 1].rank > 1]
    return ordered[gaps[0] :] + ordered[: gaps[0]] if gaps else ordered


def situation(view: SerpentView) -> str:
    """The kind of situation: the question, the part of the hand, and the role."""
    role = "director" if view.is_director else "defender"
    if view.kind in {GIVE, REVEAL}:
        return view.kind
    filled = sum(card is not None for card in view.my_row)
    when = "first columns" if filled < 2 else "middle columns" if filled < 4 else "last columns"
    return f"{view.kind}, {role}, {when}"
