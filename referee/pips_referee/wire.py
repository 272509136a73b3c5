"""The games' values as protobuf messages: the only place that knows rules and protobuf.

A game's `wire.py` holds a `GameWire` named `WIRE`. Writers fill a message in place.
Readers build the value, and raise `MalformedMessage` where the game cannot read the
message. The rules say what is *legal*.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from importlib import import_module
from operator import itemgetter
from typing import Any, Final, Generic, NamedTuple, TypeVar

from pips.v1 import game_pb2
from pips_referee.cards import CARDS, Card, Suit
from pips_referee.errors import MalformedMessage, UnknownGame
from pips_referee.game import REGISTRY, Action, Event, Options, View

ONE_CARD: Final = tuple(bytes((card,)) for card in CARDS)
"""The byte of a card, by the card."""
SUITS: Final = tuple(Suit)
OptionsT = TypeVar("OptionsT", bound=Options)
ViewT = TypeVar("ViewT", bound=View)
ActionT = TypeVar("ActionT", bound=Action)
EventT = TypeVar("EventT", bound=Event)


class Part(NamedTuple):
    """How a field of a message is set, and read; both take the message and its name."""

    put: Callable[[Any, str, Any], None] = setattr
    get: Callable[[Any, str], Any] = getattr


class Form(NamedTuple):
    """How a value of one class fills its member of a `oneof`, and is read from it.

    Both take the message with the `oneof`, and the member's name.
    """

    kind: type
    put: Callable[[Any, str, Any], None]
    get: Callable[[Any, str], Any]


def message(kind: type, **parts: Part) -> Form:
    """A member that is a message: its fields are the value's, in their order."""

    puts = [(field, part.put) for field, part in parts.items()]
    gets = [(field, part.get) for field, part in parts.items()]

    def put(out: Any, name: str, value: Any) -> None:
        member = getattr(out, name)
        member.SetInParent()  # it is there, even with nothing in it
        for field, put_part in puts:
            put_part(member, field, getattr(value, field))

    def get(sent: Any, name: str) -> Any:
        member = getattr(sent, name)
        return kind(*[get_part(member, field) for field, get_part in gets])

    return Form(kind, put, get)


def alone(kind: type, field: str, part: Part = Part()) -> Form:  # noqa: B008 - a constant
    """A member that is the value's only field."""
    return Form(
        kind, lambda out, name, value: part.put(out, name, getattr(value, field)), lambda *at: kind(part.get(*at))
    )


class OneOf:
    """The values that a message holds in its `oneof`, each class in its member."""

    def __init__(self, missing: str, **forms: Form) -> None:
        """`missing` is the mistake of a message in which no member is set."""
        self._missing, self._forms = missing, forms
        self._of = {form.kind: (name, form.put) for name, form in forms.items()}

    def write(self, value: Action | Event, out: Any) -> None:
        name, put = self._of[value.__class__]
        put(out, name, value)

    def read(self, sent: Any) -> Any:
        name = sent.WhichOneof("kind")
        if name is None:
            raise MalformedMessage(self._missing)
        return self._forms[name].get(sent, name)


class GameWire(ABC, Generic[OptionsT, ViewT, ActionT, EventT]):
    """One game's values to and from the messages of `game.proto`."""

    game: str
    """The game's name, which its members of those messages have."""
    actions: OneOf
    events: OneOf

    @abstractmethod
    def write_options(self, options: OptionsT, message: game_pb2.GameOptions) -> None: ...

    @abstractmethod
    def read_options(self, message: game_pb2.GameOptions) -> OptionsT: ...

    @abstractmethod
    def write_view(self, view: ViewT, message: game_pb2.GameView) -> None: ...

    @abstractmethod
    def read_view(self, message: game_pb2.GameView) -> ViewT: ...

    def write_action(self, action: ActionT, message: game_pb2.GameAction) -> None:
        self.actions.write(action, getattr(message, self.game))

    def read_action(self, message: game_pb2.GameAction) -> ActionT:
        action: ActionT = self.actions.read(getattr(message, self.game))
        return action

    def write_event(self, event: EventT, message: game_pb2.GameEvent) -> None:
        self.events.write(event, getattr(message, self.game))

    def read_event(self, message: game_pb2.GameEvent) -> EventT:
        event: EventT = self.events.read(getattr(message, self.game))
        return event


AnyWire = GameWire[Any, Any, Any, Any]


@cache
def get_wire(name: str) -> AnyWire:
    """The wire of that game; `UnknownGame` when there is none."""
    if name not in REGISTRY:
        raise UnknownGame(f"there is no game {name!r}; the games are {', '.join(REGISTRY)}")
    wire: AnyWire = import_module(f"pips_referee.games.{name}.wire").WIRE
    return wire


def read_cards(data: bytes, what: str) -> tuple[Card, ...]:
    """Cards from their bytes; `MalformedMessage` names the field."""
    try:
        if len(data) > 1:
            cards: tuple[Card, ...] = itemgetter(*data)(CARDS)  # a quarter quicker than one by one
            return cards
        return (CARDS[data[0]],) if data else ()
    except IndexError:
        byte = next(byte for byte in data if byte >= len(CARDS))
        raise MalformedMessage(f"{what}: {byte} is no card: a card is a byte from 0 to {len(CARDS) - 1}") from None


def read_card(data: bytes, what: str) -> Card:
    """Exactly one card."""
    if len(data) != 1:
        raise MalformedMessage(f"{what}: one card is one byte, not {len(data)}")
    return CARDS[data[0]] if data[0] < len(CARDS) else read_cards(data, what)[0]


def read_suit(number: int, what: str) -> Suit:
    """A suit from its number."""
    if number >= len(SUITS):
        raise MalformedMessage(f"{what}: {number} is no suit: a suit is a number from 0 to 3")
    return SUITS[number]


def read_suits(data: bytes, what: str) -> tuple[Suit, ...]:
    """Suits from their bytes."""
    return tuple([read_suit(byte, what) for byte in data])


def read_two(data: bytes, what: str) -> tuple[int, int]:
    """A roll of two dice from its bytes."""
    if len(data) != 2:
        raise MalformedMessage(f"{what}: a roll is two bytes, not {len(data)}")
    return data[0], data[1]


def in_bytes(read: Callable[[bytes, str], Any]) -> Part:
    """A field of bytes, one for each item of a tuple."""
    return Part(
        lambda out, name, items: setattr(out, name, bytes(items)), lambda sent, name: read(getattr(sent, name), name)
    )


def unless_none(part: Part) -> Part:
    """A field that is unset for None."""
    return Part(
        lambda out, name, value: None if value is None else part.put(out, name, value),
        lambda sent, name: part.get(sent, name) if sent.HasField(name) else None,
    )


PLAIN: Final = Part()
NUMBERS: Final = Part(
    lambda out, name, numbers: getattr(out, name).extend(numbers), lambda sent, name: tuple(getattr(sent, name))
)
CARD: Final = Part(
    lambda out, name, card: setattr(out, name, ONE_CARD[card]), lambda sent, name: read_card(getattr(sent, name), name)
)
CARD_TUPLE: Final = in_bytes(read_cards)
CARD_TUPLES: Final = Part(
    lambda out, name, tuples: getattr(out, name).extend(map(bytes, tuples)),
    lambda sent, name: tuple([read_cards(cards, name) for cards in getattr(sent, name)]),
)
DICE: Final = in_bytes(read_two)
SUIT: Final = Part(get=lambda sent, name: read_suit(getattr(sent, name), name))
SUIT_TUPLE: Final = in_bytes(read_suits)
