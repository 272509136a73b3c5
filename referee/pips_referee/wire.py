"""The games' values as protobuf messages: the only place that knows rules and protobuf.

A game's `wire.py` holds a `GameWire` named `WIRE`. Writers fill a message in place.
Readers build the value, and raise `MalformedMessage` where the game cannot read the
message. The rules say what is *legal*.
"""

from __future__ import annotations

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
    """How a field is written, and read with its name; None: as it is."""

    write: Callable[[Any], Any] | None = None
    read: Callable[[Any, str], Any] | None = None
    usual: Any = ...
    """The value for which it is unset, or 0, or empty."""
    unset: Any = ...
    """The value of a field that is unset and may also be set to 0."""
    repeated: bool = False
    field: str = ""
    """The message's name for it, where the value has another."""


class Form(NamedTuple):
    """How a value of one class fills its member of a `oneof`, and is read from it.

    Both take the message with the `oneof`, and the member's name.
    """

    kind: type
    put: Callable[[Any, str, Any], None]
    get: Callable[[Any, str], Any]


def message(kind: type, /, **parts: Part) -> Form:
    """A member that is a message: its fields are the value's, in their order.

    The two functions are compiled, as those of a dataclass are: a view is written and
    read at every decision, and a loop over its fields takes twice the time.
    """
    known: dict[str, Any] = {"kind": kind}
    puts, gets = ["member = getattr(out, name)", "member.SetInParent()"], []
    for at, (attribute, part) in enumerate(parts.items()):
        field = part.field or attribute
        known |= {f"write{at}": part.write, f"read{at}": part.read, f"usual{at}": part.usual, f"unset{at}": part.unset}
        write = f"write{at}(value.{attribute})" if part.write else f"value.{attribute}"
        puts.append(f"member.{field}.extend({write})" if part.repeated else f"member.{field} = {write}")
        if part.usual is not ...:
            puts[-1] = f"if value.{attribute} != usual{at}: {puts[-1]}"
        read = f"read{at}(member.{field}, '{field}')" if part.read else f"member.{field}"
        if part.unset is not ...:
            read = f"{read} if member.HasField('{field}') else unset{at}"
        elif part.usual is not ...:
            read = f"{read} if member.{field} else usual{at}"
        gets.append(read)
    lines = ["def put(out, name, value):", *puts, "def get(sent, name):", "member = getattr(sent, name)"]
    text = "\n".join(line if line.startswith("def") else f"    {line}" for line in lines)
    exec(f"{text}\n    return kind({', '.join(gets)})", known)  # noqa: S102 - nobody else's text
    return Form(kind, known["put"], known["get"])


def alone(kind: type, field: str, part: Part = Part()) -> Form:  # noqa: B008 - a constant
    """A member that is the value's only field."""
    write, read = part.write or _as_it_is, part.read or _as_it_is
    return Form(
        kind,
        lambda out, name, value: setattr(out, name, write(getattr(value, field))),
        lambda sent, name: kind(read(getattr(sent, name), name)),
    )


def _as_it_is(value: Any, _: str = "") -> Any:
    return value


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


class GameWire(Generic[OptionsT, ViewT, ActionT, EventT]):
    """One game's values to and from the messages of `game.proto`."""

    game: str
    """The game's name, which its members of those messages have."""
    options: Form
    views: Form
    actions: OneOf
    events: OneOf

    def write_options(self, options: OptionsT, message: game_pb2.GameOptions) -> None:
        self.options.put(message, self.game, options)

    def read_options(self, message: game_pb2.GameOptions) -> OptionsT:
        options: OptionsT = self.options.get(message, self.game)
        return options

    def write_view(self, view: ViewT, message: game_pb2.GameView) -> None:
        self.views.put(message, self.game, view)

    def read_view(self, message: game_pb2.GameView) -> ViewT:
        view: ViewT = self.views.get(message, self.game)
        return view

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


def words(*names: str, first: int = 0) -> Part:
    """An enum: each name has its number, in their order from `first` on."""
    number_of, name_of = {name: number for number, name in enumerate(names, first)}, dict(enumerate(names, first))

    def read(number: int, name: str) -> str:
        if (word := name_of.get(number)) is None:
            raise MalformedMessage(f"{name}: {number} means nothing")
        return word

    return Part(number_of.__getitem__, read)


PLAIN: Final = Part()


NUMBERS: Final = Part(read=lambda numbers, _: tuple(numbers), repeated=True)
BYTES: Final = Part(bytes, lambda data, _: tuple(data))
CARD: Final = Part(ONE_CARD.__getitem__, read_card)
CARD_TUPLE: Final = Part(bytes, read_cards)
CARD_TUPLES: Final = Part(
    lambda tuples: [*map(bytes, tuples)],
    lambda sent, name: tuple([read_cards(cards, name) for cards in sent]),
    repeated=True,
)
DICE: Final = Part(bytes, read_two)
SUIT: Final = Part(read=read_suit)
SUIT_TUPLE: Final = Part(bytes, read_suits)
