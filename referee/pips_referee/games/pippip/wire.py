"""Pip-Pip!'s values as messages of pippip.proto."""

from __future__ import annotations

from typing import Final, assert_never

from pips.v1 import game_pb2
from pips_referee.cards import CARDS, Suit
from pips_referee.errors import MalformedMessage
from pips_referee.games.pippip.rules import GAME
from pips_referee.games.pippip.values import (
    FOSDICK,
    HERVEY,
    HOUSE,
    Call,
    Called,
    Cut,
    Dealt,
    DrawnForDeal,
    Drew,
    HandEnded,
    PippipAction,
    PippipEvent,
    PippipOptions,
    PippipView,
    Play,
    Played,
    StockTurned,
    TrickWon,
    TrumpsChanged,
)
from pips_referee.wire import GameWire, read_card, read_cards

_SUITS: Final = tuple(Suit)
_RULES_NUMBER: Final = {FOSDICK: 1, HERVEY: 2}
_RULES_NAME: Final = {0: FOSDICK, 1: FOSDICK, 2: HERVEY}
_WINDOWS_NUMBER: Final = {HOUSE: 0, FOSDICK: 2, HERVEY: 3}
_WINDOWS_NAME: Final = {0: HOUSE, 1: HOUSE, 2: FOSDICK, 3: HERVEY}
_KIND_NUMBER: Final = {"": 0, **{kind: number for number, kind in enumerate(GAME.kinds, 1)}}
_KIND_NAME: Final = {number: kind for kind, number in _KIND_NUMBER.items()}


class PippipWire(GameWire[PippipOptions, PippipView, PippipAction, PippipEvent]):
    def write_options(self, options: PippipOptions, message: game_pb2.GameOptions) -> None:
        out = message.pippip
        out.rules = _RULES_NUMBER[options.rules]  # type: ignore[assignment]  # enum fields take their number
        out.rounds = options.rounds
        out.windows = _WINDOWS_NUMBER[options.windows]  # type: ignore[assignment]
        if options.hands is not None:
            out.hands = options.hands

    def read_options(self, message: game_pb2.GameOptions) -> PippipOptions:
        sent = message.pippip
        if sent.rules not in _RULES_NAME:
            raise MalformedMessage(f"rules: there is no rule set number {sent.rules}")
        return PippipOptions(
            rules=_RULES_NAME[sent.rules],
            rounds=sent.rounds if sent.HasField("rounds") else 1,
            windows=_read_windows(sent.windows),
            hands=sent.hands if sent.HasField("hands") else None,
        )

    def write_view(self, view: PippipView, message: game_pb2.GameView) -> None:
        out = message.pippip
        out.seat = view.seat
        out.kind = _KIND_NUMBER[view.kind]  # type: ignore[assignment]
        out.hand_number = view.hand_number
        out.hands = view.hands
        out.dealer = view.dealer
        out.trumps = view.trumps
        if view.next_trumps is not None:
            out.next_trumps = view.next_trumps
        out.leader = view.leader
        out.trick = bytes(view.trick)
        out.hidden = bytes(view.hidden)
        out.face_up.extend(map(bytes, view.face_up))
        out.hand_counts.extend(view.hand_counts)
        out.drawing = view.drawing
        out.stock_count = view.stock_count
        out.rest = bytes(view.rest)
        out.played = view.played
        out.tricks.extend(view.tricks)
        out.points.extend(view.points)
        out.callable = bytes(view.callable)
        out.playable = bytes(view.playable)
        out.suit_limits = view.suit_limits
        out.last_call_rules = view.last_call_rules
        if view.windows != HOUSE:
            out.windows = _WINDOWS_NUMBER[view.windows]  # type: ignore[assignment]
            out.windows_left = view.windows_left

    def read_view(self, message: game_pb2.GameView) -> PippipView:
        sent = message.pippip
        if sent.kind not in _KIND_NAME:
            raise MalformedMessage(f"kind: there is no question number {sent.kind}")
        windows = sent.windows
        if len(sent.played) != len(CARDS):
            raise MalformedMessage(f"played: there are {len(CARDS)} cards to count, not {len(sent.played)}")
        return PippipView(  # by position: names cost a tenth
            sent.seat,
            _KIND_NAME[sent.kind],
            sent.hand_number,
            sent.hands,
            sent.dealer,
            _read_suit(sent.trumps, "trumps"),
            _read_suit(sent.next_trumps, "next_trumps") if sent.HasField("next_trumps") else None,
            sent.leader,
            read_cards(sent.trick, "trick"),
            read_cards(sent.hidden, "hidden"),
            tuple([read_cards(cards, "face_up") for cards in sent.face_up]),
            tuple(sent.hand_counts),
            sent.drawing,
            sent.stock_count,
            read_cards(sent.rest, "rest"),
            sent.played,
            tuple(sent.tricks),
            tuple(sent.points),
            _read_suits(sent.callable, "callable"),
            read_cards(sent.playable, "playable"),
            sent.suit_limits,
            sent.last_call_rules,
            _read_windows(windows) if windows else HOUSE,
            sent.windows_left if windows else 0,
        )

    def write_action(self, action: PippipAction, message: game_pb2.GameAction) -> None:
        out = message.pippip
        if isinstance(action, Call):
            out.call = bytes(action.suits)
        elif action.face_up:
            out.play_face_up = bytes((action.card,))
        else:
            out.play = bytes((action.card,))

    def read_action(self, message: game_pb2.GameAction) -> PippipAction:
        sent = message.pippip
        match sent.WhichOneof("kind"):
            case "play":
                return Play(read_card(sent.play, "play"))
            case "play_face_up":
                return Play(read_card(sent.play_face_up, "play_face_up"), True)
            case "call":
                return Call(_read_suits(sent.call, "call"))
            case _:
                raise MalformedMessage("a Pip-Pip! action is one of call, play, play_face_up; none is set")

    def write_event(self, event: PippipEvent, message: game_pb2.GameEvent) -> None:
        out = message.pippip
        match event:
            case Played(seat, card, face_up):
                played = out.played
                played.seat = seat
                played.card = bytes((card,))
                played.face_up = face_up
            case Drew(seat, card):
                out.drew.seat = seat
                if card is not None:
                    out.drew.card = bytes((card,))
            case TrickWon(seat, points):
                out.trick_won.seat = seat
                out.trick_won.points = points
            case Called(seat, suits):
                out.called.seat = seat
                out.called.suits = bytes(suits)
            case TrumpsChanged(trumps):
                out.trumps_changed = trumps
            case StockTurned(cards):
                out.stock_turned = bytes(cards)
            case DrawnForDeal(seats, cards):
                out.drawn_for_deal.seats.extend(seats)
                out.drawn_for_deal.cards = bytes(cards)
            case Cut(seat, card):
                out.cut.seat = seat
                out.cut.card = bytes((card,))
            case Dealt(hand_number, dealer, trumps, hands):
                dealt = out.dealt
                dealt.hand_number = hand_number
                dealt.dealer = dealer
                dealt.trumps = trumps
                dealt.hands.extend([bytes(hand or ()) for hand in hands])
            case HandEnded(hand_number, all_points):
                out.hand_ended.hand_number = hand_number
                out.hand_ended.points.extend(all_points)
            case _:
                assert_never(event)

    def read_event(self, message: game_pb2.GameEvent) -> PippipEvent:
        sent = message.pippip
        match sent.WhichOneof("kind"):
            case "played":
                return Played(sent.played.seat, read_card(sent.played.card, "card"), sent.played.face_up)
            case "drew":
                return Drew(sent.drew.seat, read_card(sent.drew.card, "card") if sent.drew.card else None)
            case "trick_won":
                return TrickWon(sent.trick_won.seat, sent.trick_won.points)
            case "called":
                return Called(sent.called.seat, _read_suits(sent.called.suits, "suits"))
            case "trumps_changed":
                return TrumpsChanged(_read_suit(sent.trumps_changed, "trumps_changed"))
            case "stock_turned":
                return StockTurned(read_cards(sent.stock_turned, "stock_turned"))
            case "drawn_for_deal":
                return DrawnForDeal(tuple(sent.drawn_for_deal.seats), read_cards(sent.drawn_for_deal.cards, "cards"))
            case "cut":
                return Cut(sent.cut.seat, read_card(sent.cut.card, "card"))
            case "dealt":
                dealt = sent.dealt
                hands = tuple([read_cards(hand, "hands") or None for hand in dealt.hands])
                return Dealt(dealt.hand_number, dealt.dealer, _read_suit(dealt.trumps, "trumps"), hands)
            case "hand_ended":
                return HandEnded(sent.hand_ended.hand_number, tuple(sent.hand_ended.points))
            case _:
                raise MalformedMessage("a Pip-Pip! event has one kind; none is set")


WIRE: Final = PippipWire()


def _read_windows(number: int) -> str:
    if number not in _WINDOWS_NAME:
        raise MalformedMessage(f"windows: there are no call windows number {number}")
    return _WINDOWS_NAME[number]


def _read_suit(number: int, what: str) -> Suit:
    if number >= len(_SUITS):
        raise MalformedMessage(f"{what}: {number} is no suit: a suit is a number from 0 to 3")
    return _SUITS[number]


def _read_suits(data: bytes, what: str) -> tuple[Suit, ...]:
    return tuple([_read_suit(byte, what) for byte in data])
