"""Serpent's values as messages of serpent.proto."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pips_referee.cards import Card
from pips_referee.errors import MalformedMessage
from pips_referee.games.serpent.rules import GAME
from pips_referee.games.serpent.scoring import COLUMNS, HandScore
from pips_referee.games.serpent.values import (
    EMPTY_CELLS,
    HANDS,
    Dealt,
    HandScored,
    SerpentAction,
    SerpentEvent,
    SerpentOptions,
    SerpentView,
)
from pips_referee.wire import Form, GameWire, Part, read_cards

EMPTY: Final = b"\xff"
"""An empty cell. Rows fill from the left (S3), so all cells after it are empty."""


def _put_dealt(out: Any, name: str, dealt: Dealt) -> None:
    member = getattr(out, name)
    member.hand_number = dealt.hand_number
    member.director = dealt.director
    for seat, hand in enumerate(dealt.hands):
        if hand is not None:
            setattr(member, f"hand_{seat}", bytes(hand))


def _get_dealt(sent: Any, name: str) -> Dealt:
    member = getattr(sent, name)
    hand_0 = read_cards(member.hand_0, "hand_0") if member.HasField("hand_0") else None
    hand_1 = read_cards(member.hand_1, "hand_1") if member.HasField("hand_1") else None
    return Dealt(member.hand_number, member.director, (hand_0, hand_1))


def _put_scored(out: Any, name: str, scored: HandScored) -> None:
    member, score = getattr(out, name), scored.score
    member.hand_number = scored.hand_number
    member.director = scored.director
    member.board = bytes(scored.board)
    member.points = score.points
    member.pairs.extend(map(bytes, score.pairs))
    member.runs.extend(map(bytes, score.runs))
    member.totals.extend(scored.totals)


def _get_scored(sent: Any, name: str) -> HandScored:
    member = getattr(sent, name)
    pairs = tuple([_read_two(cells, "a pair's cells") for cells in member.pairs])
    score = HandScore(member.points, pairs, tuple(map(tuple, member.runs)))
    board, totals = read_cards(member.board, "board"), _read_two(member.totals, "totals")
    return HandScored(member.hand_number, member.director, board, score, totals)


def _row_bytes(row: tuple[Card | None, ...]) -> bytes:
    return bytes(row[: COLUMNS - row.count(None)]).ljust(COLUMNS, EMPTY)  # type: ignore[arg-type]  # no None among these


def _read_row(data: bytes, _: str) -> tuple[Card | None, ...]:
    if len(data) != COLUMNS:
        raise MalformedMessage(f"a row has {COLUMNS} cells, not {len(data)}")
    cards = read_cards(data.rstrip(EMPTY), "row")
    return cards + EMPTY_CELLS[len(cards)]


_ROW: Final = Part(_row_bytes, _read_row)


class SerpentWire(GameWire[SerpentOptions, SerpentView, SerpentAction, SerpentEvent]):
    """Serpent's rows and two of its events have their own forms."""


def _read_two(numbers: Sequence[int], what: str) -> tuple[int, int]:
    if len(numbers) != 2:
        raise MalformedMessage(f"{what} are two, not {len(numbers)}")
    return numbers[0], numbers[1]


WIRE: Final = SerpentWire(
    GAME,
    parts={"my_row": _ROW, "other_row": _ROW},
    usual={"hands": HANDS, "max_hands": SerpentOptions().max_hands},
    forms={
        "dealt": Form(Dealt, _put_dealt, _get_dealt),
        "hand_scored": Form(HandScored, _put_scored, _get_scored),
    },
)
