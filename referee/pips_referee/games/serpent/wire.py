"""Serpent's values as messages of serpent.proto."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

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
from pips_referee.wire import ONE_CARD, GameWire, read_card, read_cards

EMPTY: Final = b"\xff"
"""A cell without a card. Rows fill from the left (S3): after it all are empty."""
_USUAL: Final = SerpentOptions()
_USUAL_MAX: Final = _USUAL.max_hands
_KIND_NUMBER: Final = {"": 0, **{kind: number for number, kind in enumerate(GAME.kinds, 1)}}
_LEAD_OF: Final[dict[bytes, SerpentAction]] = dict(zip(ONE_CARD, LEADS, strict=True))
_ANSWER_OF: Final[dict[bytes, SerpentAction]] = dict(zip(ONE_CARD, ANSWERS, strict=True))
_KIND_NAME: Final = {number: kind for kind, number in _KIND_NUMBER.items()}


class SerpentWire(GameWire[SerpentOptions, SerpentView, SerpentAction, SerpentEvent]):
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

    def write_action(self, action: SerpentAction, message: game_pb2.GameAction) -> None:
        out = message.serpent
        if isinstance(action, Lead):
            out.lead = ONE_CARD[action.card]
        elif isinstance(action, Answer):
            out.answer = ONE_CARD[action.card]
        elif isinstance(action, Give):
            out.give = bytes(action.cards)
        else:
            out.reveal = bytes(action.cards)

    def read_action(self, message: game_pb2.GameAction) -> SerpentAction:
        sent = message.serpent
        action = _LEAD_OF.get(sent.lead) or _ANSWER_OF.get(sent.answer)  # nearly every action is one of these
        if action is not None:
            return action
        match sent.WhichOneof("kind"):
            case "lead":
                return LEADS[read_card(sent.lead, "lead")]
            case "answer":
                return ANSWERS[read_card(sent.answer, "answer")]
            case "give":
                return Give(read_cards(sent.give, "give"))
            case "reveal":
                return Reveal(read_cards(sent.reveal, "reveal"))
            case _:
                raise MalformedMessage("a Serpent action is one of give, reveal, lead, answer; none is set")

    def write_event(self, event: SerpentEvent, message: game_pb2.GameEvent) -> None:
        out = message.serpent
        match event:
            case Played(seat, column, card, is_lead):
                played = out.played
                played.seat = seat
                played.column = column
                played.card = bytes((card,))
                played.is_lead = is_lead
            case Given(cards):
                out.given = bytes(cards)
            case Revealed(cards):
                out.revealed = bytes(cards)
            case Dealt(hand_number, director, hands):
                dealt = out.dealt
                dealt.hand_number = hand_number
                dealt.director = director
                if hands[0] is not None:
                    dealt.hand_0 = bytes(hands[0])
                if hands[1] is not None:
                    dealt.hand_1 = bytes(hands[1])
            case HandScored(hand_number, director, board, score, totals):
                scored = out.hand_scored
                scored.hand_number = hand_number
                scored.director = director
                scored.board = bytes(board)
                scored.points = score.points
                scored.pairs.extend(map(bytes, score.pairs))
                scored.runs.extend(map(bytes, score.runs))
                scored.totals.extend(totals)
            case _:
                assert_never(event)

    def read_event(self, message: game_pb2.GameEvent) -> SerpentEvent:
        sent = message.serpent
        match sent.WhichOneof("kind"):
            case "played":
                played = sent.played
                return Played(played.seat, played.column, read_card(played.card, "card"), played.is_lead)
            case "given":
                return Given(read_cards(sent.given, "given"))
            case "revealed":
                return Revealed(read_cards(sent.revealed, "revealed"))
            case "dealt":
                dealt = sent.dealt
                hand_0 = read_cards(dealt.hand_0, "hand_0") if dealt.HasField("hand_0") else None
                hand_1 = read_cards(dealt.hand_1, "hand_1") if dealt.HasField("hand_1") else None
                return Dealt(dealt.hand_number, dealt.director, (hand_0, hand_1))
            case "hand_scored":
                scored = sent.hand_scored
                pairs = tuple([_read_two(cells, "a pair's cells") for cells in scored.pairs])
                score = HandScore(scored.points, pairs, tuple(map(tuple, scored.runs)))
                board, totals = read_cards(scored.board, "board"), _read_two(scored.totals, "totals")
                return HandScored(scored.hand_number, scored.director, board, score, totals)
            case _:
                raise MalformedMessage("a Serpent event has one kind; none is set")


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
