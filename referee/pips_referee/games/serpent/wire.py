"""Serpent's values as messages of serpent.proto."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pips.v1 import game_pb2
from pips_referee.cards import Card
from pips_referee.errors import MalformedMessage
from pips_referee.games.serpent.rules import GAME
from pips_referee.games.serpent.scoring import COLUMNS, HandScore
from pips_referee.games.serpent.values import (
    ANSWERS,
    EMPTY_CELLS,
    HANDS,
    LEADS,
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
    SerpentOptions,
    SerpentView,
)
from pips_referee.wire import (
    CARD,
    CARD_TUPLE,
    ONE_CARD,
    PLAIN,
    Form,
    GameWire,
    OneOf,
    alone,
    message,
    read_card,
    read_cards,
)

EMPTY: Final = b"\xff"
"""A cell without a card. Rows fill from the left (S3): after it all are empty."""
_USUAL: Final = SerpentOptions()
_USUAL_MAX: Final = _USUAL.max_hands
_KIND_NUMBER: Final = {"": 0, **{kind: number for number, kind in enumerate(GAME.kinds, 1)}}
_LEAD_OF: Final[dict[bytes, SerpentAction]] = dict(zip(ONE_CARD, LEADS, strict=True))
_ANSWER_OF: Final[dict[bytes, SerpentAction]] = dict(zip(ONE_CARD, ANSWERS, strict=True))
_KIND_NAME: Final = {number: kind for kind, number in _KIND_NUMBER.items()}


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


class SerpentWire(GameWire[SerpentOptions, SerpentView, SerpentAction, SerpentEvent]):
    game = GAME.name
    actions = OneOf(
        "a Serpent action is one of give, reveal, lead, answer; none is set",
        give=alone(Give, "cards", CARD_TUPLE),
        reveal=alone(Reveal, "cards", CARD_TUPLE),
        lead=alone(Lead, "card", CARD),
        answer=alone(Answer, "card", CARD),
    )
    events = OneOf(
        "a Serpent event has one kind; none is set",
        dealt=Form(Dealt, _put_dealt, _get_dealt),
        given=alone(Given, "cards", CARD_TUPLE),
        revealed=alone(Revealed, "cards", CARD_TUPLE),
        played=message(Played, seat=PLAIN, column=PLAIN, card=CARD, is_lead=PLAIN),
        hand_scored=Form(HandScored, _put_scored, _get_scored),
    )

    def write_options(self, options: SerpentOptions, message: game_pb2.GameOptions) -> None:
        message.serpent.max_tiebreaks = options.max_tiebreaks
        if options.hands != HANDS:
            message.serpent.hands = options.hands

    def read_options(self, message: game_pb2.GameOptions) -> SerpentOptions:
        sent = message.serpent
        return SerpentOptions(
            max_tiebreaks=sent.max_tiebreaks if sent.HasField("max_tiebreaks") else _USUAL.max_tiebreaks,
            hands=sent.hands if sent.HasField("hands") else HANDS,
        )

    def write_view(self, view: SerpentView, message: game_pb2.GameView) -> None:
        out = message.serpent
        out.seat = view.seat
        out.kind = _KIND_NUMBER[view.kind]  # type: ignore[assignment]  # enum fields take their number
        out.hand_number = view.hand_number
        out.director = view.director
        out.hidden = bytes(view.hidden)
        out.face_up = bytes(view.face_up)
        out.other_face_up = bytes(view.other_face_up)
        out.other_hidden_count = view.other_hidden_count
        out.my_row = _row_bytes(view.my_row)
        out.other_row = _row_bytes(view.other_row)
        if view.lead is not None:
            out.lead = ONE_CARD[view.lead]
        out.playable = bytes(view.playable)
        out.my_points = view.my_points
        out.other_points = view.other_points
        if view.hands != HANDS:
            out.hands = view.hands
        if view.max_hands != _USUAL_MAX:
            out.max_hands = view.max_hands

    def read_view(self, message: game_pb2.GameView) -> SerpentView:
        sent = message.serpent
        kind = _KIND_NAME.get(sent.kind)
        if kind is None:
            raise MalformedMessage(f"{sent.kind} is no kind of question")
        return SerpentView(  # by position: names cost a tenth
            sent.seat,
            kind,
            sent.hand_number,
            sent.director,
            read_cards(sent.hidden, "hidden"),
            read_cards(sent.face_up, "face_up"),
            read_cards(sent.other_face_up, "other_face_up"),
            sent.other_hidden_count,
            _read_row(sent.my_row),
            _read_row(sent.other_row),
            read_card(sent.lead, "lead") if sent.lead else None,
            read_cards(sent.playable, "playable"),
            sent.my_points,
            sent.other_points,
            sent.hands or HANDS,
            sent.max_hands or _USUAL_MAX,
        )

    def read_action(self, message: game_pb2.GameAction) -> SerpentAction:
        sent = message.serpent
        # nearly every action is one of these
        return _LEAD_OF.get(sent.lead) or _ANSWER_OF.get(sent.answer) or super().read_action(message)


WIRE: Final = SerpentWire()


def _row_bytes(row: tuple[Card | None, ...]) -> bytes:
    return bytes(row[: COLUMNS - row.count(None)]).ljust(COLUMNS, EMPTY)  # type: ignore[arg-type]  # no None among these


def _read_row(data: bytes) -> tuple[Card | None, ...]:
    if len(data) != COLUMNS:
        raise MalformedMessage(f"a row has {COLUMNS} cells, not {len(data)}")
    cards = read_cards(data.rstrip(EMPTY), "row")
    return cards + EMPTY_CELLS[len(cards)]


def _read_two(numbers: Sequence[int], what: str) -> tuple[int, int]:
    if len(numbers) != 2:
        raise MalformedMessage(f"{what} are two, not {len(numbers)}")
    return numbers[0], numbers[1]
