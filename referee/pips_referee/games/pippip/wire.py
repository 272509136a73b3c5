"""Pip-Pip!'s values as messages of pippip.proto."""

from __future__ import annotations

from typing import Final

from pips.v1 import game_pb2
from pips_referee.cards import CARDS
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
from pips_referee.wire import (
    CARD,
    CARD_TUPLE,
    NUMBERS,
    PLAIN,
    SUIT,
    SUIT_TUPLE,
    GameWire,
    OneOf,
    Part,
    alone,
    message,
    read_card,
    read_cards,
    read_suit,
    read_suits,
)

_RULES_NUMBER: Final = {FOSDICK: 1, HERVEY: 2}
_RULES_NAME: Final = {0: FOSDICK, 1: FOSDICK, 2: HERVEY}
_WINDOWS_NUMBER: Final = {HOUSE: 0, FOSDICK: 2, HERVEY: 3}
_WINDOWS_NAME: Final = {0: HOUSE, 1: HOUSE, 2: FOSDICK, 3: HERVEY}
_KIND_NUMBER: Final = {"": 0, **{kind: number for number, kind in enumerate(GAME.kinds, 1)}}
_KIND_NAME: Final = {number: kind for kind, number in _KIND_NUMBER.items()}


_SOME_HANDS: Final = Part(
    lambda out, name, hands: getattr(out, name).extend([bytes(hand or ()) for hand in hands]),
    lambda sent, name: tuple([read_cards(hand, name) or None for hand in getattr(sent, name)]),
)
"""The hands by seat; one that may not be seen is empty."""
_SEEN: Final = Part(
    lambda out, name, card: None if card is None else CARD.put(out, name, card),
    lambda sent, name: CARD.get(sent, name) if getattr(sent, name) else None,
)
"""A card, or nothing."""


class PippipWire(GameWire[PippipOptions, PippipView, PippipAction, PippipEvent]):
    game = GAME.name
    events = OneOf(
        "a Pip-Pip! event has one kind; none is set",
        drawn_for_deal=message(DrawnForDeal, seats=NUMBERS, cards=CARD_TUPLE),
        cut=message(Cut, seat=PLAIN, card=CARD),
        dealt=message(Dealt, hand_number=PLAIN, dealer=PLAIN, trumps=SUIT, hands=_SOME_HANDS),
        called=message(Called, seat=PLAIN, suits=SUIT_TUPLE),
        trumps_changed=alone(TrumpsChanged, "trumps", SUIT),
        played=message(Played, seat=PLAIN, card=CARD, face_up=PLAIN),
        drew=message(Drew, seat=PLAIN, card=_SEEN),
        trick_won=message(TrickWon, seat=PLAIN, points=PLAIN),
        stock_turned=alone(StockTurned, "cards", CARD_TUPLE),
        hand_ended=message(HandEnded, hand_number=PLAIN, points=NUMBERS),
    )

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
            read_suit(sent.trumps, "trumps"),
            read_suit(sent.next_trumps, "next_trumps") if sent.HasField("next_trumps") else None,
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
            read_suits(sent.callable, "callable"),
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
                return Call(read_suits(sent.call, "call"))
            case _:
                raise MalformedMessage("a Pip-Pip! action is one of call, play, play_face_up; none is set")


WIRE: Final = PippipWire()


def _read_windows(number: int) -> str:
    if number not in _WINDOWS_NAME:
        raise MalformedMessage(f"windows: there are no call windows number {number}")
    return _WINDOWS_NAME[number]
