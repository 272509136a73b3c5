"""The games' values as protobuf messages; no other module knows both.

A game's `wire.py` defines a `GameWire` named `WIRE`. Without one its values travel as
JSON by name (`PlainWire`). The annotation and the message decide how a field is
written; a wire names the exceptions. Writers fill a message in place. Readers build the
value, and raise `MalformedMessage` if the game cannot read the message. Whether the
value is *legal* is up to the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import chain
from operator import attrgetter, itemgetter
from types import NoneType
from typing import Any, Final, Generic, NamedTuple, TypeVar, get_args

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

from pips.v1 import game_pb2
from pips_referee.cards import CARDS, SUITS, Card, Suit
from pips_referee.errors import MalformedMessage
from pips_referee.forms import codecs_of, fields_of
from pips_referee.game import Action, AnyGame, Event, Options, View, get_game
from pips_referee.installed import package_of, part_in
from pips_referee.words import kind_of

ONE_CARD: Final = tuple(bytes((card,)) for card in CARDS)
"""The byte of a card, by the card."""
OptionsT = TypeVar("OptionsT", bound=Options)
ViewT = TypeVar("ViewT", bound=View)
ActionT = TypeVar("ActionT", bound=Action)
EventT = TypeVar("EventT", bound=Event)


class Part(NamedTuple):
    """How to write a field, and to read it with its name; None means unchanged."""

    write: Callable[[Any], Any] | None = None
    read: Callable[[Any, str], Any] | None = None
    usual: Any = ...
    """The value that is written as unset, 0 or empty."""
    unset: Any = ...
    """The value for an unset field that may also be set to 0."""
    repeated: bool = False
    field: str = ""
    """The field's name in the message, if it differs."""


class Form(NamedTuple):
    """How a value of one class is written to its member of a `oneof`, and read back.

    Both functions take the message with the `oneof`, and the member's name.
    """

    kind: type
    put: Callable[[Any, str, Any], None]
    get: Callable[[Any, str], Any]


def message(kind: type, fields: Descriptor, special: Mapping[str, Part]) -> Form:
    """The form of a member whose message has the value's fields.

    The two functions are compiled, like those of a dataclass: a view is written and
    read at every decision, and a loop over its fields takes twice as long.
    """
    known: dict[str, Any] = {"kind": kind}
    puts, gets = ["member = getattr(out, name)", "member.SetInParent()"], []
    for at, (attribute, hint) in enumerate(fields_of(kind).items()):
        part = special.get(attribute) or _part(hint, fields.fields_by_name[attribute])
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
    exec(f"{text}\n    return kind({', '.join(gets)})", known)  # noqa: S102 - only text made here
    return Form(kind, known["put"], known["get"])


def _member(member: FieldDescriptor, kinds: Iterable[type], names: Mapping[type, str]) -> Form:
    """The form of a `oneof` member: a message, or the value's only field."""
    [kind] = [each for each in kinds if (names.get(each) or kind_of(each.__name__)) == member.name]
    if member.message_type is not None:
        return message(kind, member.message_type, {})
    [(attribute, hint)] = fields_of(kind).items()
    part = _part(hint, member)
    write, read = part.write or _as_it_is, part.read or _as_it_is
    return Form(
        kind,
        lambda out, name, value: setattr(out, name, write(getattr(value, attribute))),
        lambda sent, name: kind(read(getattr(sent, name), name)),
    )


def _as_it_is(value: Any, _: str = "") -> Any:
    return value


def _part(hint: Any, field: FieldDescriptor) -> Part:
    """How a field with that annotation is written to that field of a message."""
    choices = get_args(hint)
    if NoneType in choices:
        [given] = [choice for choice in choices if choice is not NoneType]
        return _part(given, field)._replace(usual=None, unset=None if field.has_presence else ...)
    if field.enum_type is not None:
        part = _words(field.enum_type, "" if field.name == "kind" else None)
    elif field.default_value == []:  # a repeated field
        part = NUMBERS if choices[0] in {int, bool} else CARD_TUPLES
    elif field.type == field.TYPE_BYTES:
        part = _BYTES.get(hint) or _rows(choices[0] if choices else hint, one=not choices)
    else:
        part = SUIT if hint is Suit else PLAIN
    return part


def _rows(kind: type, *, one: bool) -> Part:
    """A value, or a tuple of values, written with one byte for each field."""
    names = tuple(fields_of(kind))
    width, values = len(names), attrgetter(*names)

    def read(data: bytes, name: str) -> Any:
        if len(data) % width:
            raise MalformedMessage(f"{name}: {width} bytes each, but there are {len(data)}")
        return tuple(map(kind, *(data[column::width] for column in range(width))))

    def read_one(data: bytes, name: str) -> Any:
        if len(data) != width:
            raise MalformedMessage(f"{name}: {width} bytes, not {len(data)}")
        return kind(*data)

    if one:
        return Part(lambda value: bytes(values(value)), read_one)
    return Part(lambda rows: bytes(chain.from_iterable(map(values, rows))), read)


class OneOf:
    """Values in the `oneof` of a message: each class has its member."""

    def __init__(self, missing: str, forms: Mapping[str, Form]) -> None:
        """`missing` is the error text if no member is set."""
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
    """Converts one game's values to and from the messages of `game.proto`."""

    def __init__(
        self,
        game: AnyGame,
        *,
        parts: Mapping[str, Part] = {},
        usual: Mapping[str, Any] = {},
        forms: Mapping[str, Form] = {},
        names: Mapping[type, str] = {},
    ) -> None:
        """Take the exceptions to what follows from the classes and the messages.

        For the view, `parts` are fields not written as their annotations say, and
        `usual` are values that are left out. `forms` are members of actions and events.
        `names` are those members that are not named after their class.
        """
        self._name = game.name
        sent: list[Any] = [each.DESCRIPTOR.fields_by_name[game.name].message_type for each in _MESSAGES]
        options, view, action, event = get_args(type(self).__orig_bases__[0])  # type: ignore[attr-defined]
        self._options = message(options, sent[0], _defaults(options, sent[0]))
        left_out = {
            name: _part(fields_of(view)[name], sent[1].fields_by_name[name])._replace(usual=value)
            for name, value in usual.items()
        }
        self._views = message(view, sent[1], {**parts, **left_out})
        actions, events = (
            {member.name: forms.get(member.name) or _member(member, kinds, names) for member in each.fields}
            for each, kinds in zip(sent[2:], (get_args(action), get_args(event)), strict=True)
        )
        self._actions = OneOf(f"a {game.title} action is one of {', '.join(actions)}; none is set", actions)
        self._events = OneOf(f"a {game.title} event has one kind; none is set", events)

    def write_options(self, options: OptionsT, message: game_pb2.GameOptions) -> None:
        self._options.put(message, self._name, options)

    def read_options(self, message: game_pb2.GameOptions) -> OptionsT:
        options: OptionsT = self._options.get(message, self._name)
        return options

    def write_view(self, view: ViewT, message: game_pb2.GameView) -> None:
        self._views.put(message, self._name, view)

    def read_view(self, message: game_pb2.GameView) -> ViewT:
        view: ViewT = self._views.get(message, self._name)
        return view

    def write_action(self, action: ActionT, message: game_pb2.GameAction) -> None:
        self._actions.write(action, getattr(message, self._name))

    def fit_action(self, action: ActionT, message: game_pb2.GameAction) -> None:
        """Write a bot's action; `MalformedMessage` if the message cannot hold it."""
        try:
            self.write_action(action, message)
        except Exception as error:  # noqa: BLE001 - a field, or a game's own writer, may raise anything
            raise MalformedMessage(f"action: {error}") from None

    def read_action(self, message: game_pb2.GameAction) -> ActionT:
        action: ActionT = self._actions.read(getattr(message, self._name))
        return action

    def write_event(self, event: EventT, message: game_pb2.GameEvent) -> None:
        self._events.write(event, getattr(message, self._name))

    def read_event(self, message: game_pb2.GameEvent) -> EventT:
        event: EventT = self._events.read(getattr(message, self._name))
        return event


AnyWire = GameWire[Any, Any, Any, Any]


_NO_OPTIONS: Final = b'{"kind":"options"}'


class PlainWire(AnyWire):
    """The wire of a game without one: JSON by name, in the messages' `other`.

    The text is that of the line protocol (docs/lines.md).
    """

    def __init__(self, game: AnyGame) -> None:
        self._codecs = codecs_of(game.name)
        self._options_type = game.options_type

    def write_options(self, options: Any, message: game_pb2.GameOptions) -> None:
        message.other = self._codecs.options.write(options)

    def read_options(self, message: game_pb2.GameOptions) -> Any:
        """Read options; a match from before the game had any gets the defaults."""
        return self._options_type() if message.other == _NO_OPTIONS else self._codecs.options.read(message.other)

    def write_view(self, view: Any, message: game_pb2.GameView) -> None:
        message.other = self._codecs.view.write(view)

    def read_view(self, message: game_pb2.GameView) -> Any:
        return self._codecs.view.read(message.other)

    def write_action(self, action: Any, message: game_pb2.GameAction) -> None:
        message.other = self._codecs.action.write(action)

    def read_action(self, message: game_pb2.GameAction) -> Any:
        return self._codecs.action.read(message.other)

    def write_event(self, event: Any, message: game_pb2.GameEvent) -> None:
        message.other = self._codecs.event.write(event)

    def read_event(self, message: game_pb2.GameEvent) -> Any:
        return self._codecs.event.read(message.other)


@cache
def plain_wire(game: str) -> PlainWire:
    """The JSON wire for that game."""
    return PlainWire(get_game(game))


@cache
def get_wire(name: str) -> AnyWire:
    """The wire of that game; `UnknownGame` if there is none."""
    module = part_in(package_of(name), "wire")
    wire: AnyWire = plain_wire(name) if module is None else module.WIRE
    return wire


def read_cards(data: bytes, what: str) -> tuple[Card, ...]:
    """Parse cards from bytes; `MalformedMessage` names the field."""
    try:
        if len(data) > 1:
            cards: tuple[Card, ...] = itemgetter(*data)(CARDS)  # a quarter faster than one by one
            return cards
        return (CARDS[data[0]],) if data else ()
    except IndexError:
        byte = next(byte for byte in data if byte >= len(CARDS))
        raise MalformedMessage(f"{what}: {byte} is no card: a card is a byte from 0 to {len(CARDS) - 1}") from None


def read_card(data: bytes, what: str) -> Card:
    """Parse exactly one card."""
    if len(data) != 1:
        raise MalformedMessage(f"{what}: one card is one byte, not {len(data)}")
    return CARDS[data[0]] if data[0] < len(CARDS) else read_cards(data, what)[0]


def read_suit(number: int, what: str) -> Suit:
    """The suit with that number."""
    if number >= len(SUITS):
        raise MalformedMessage(f"{what}: {number} is no suit: a suit is a number from 0 to 3")
    return SUITS[number]


def read_suits(data: bytes, what: str) -> tuple[Suit, ...]:
    """Parse suits from bytes."""
    return tuple([read_suit(byte, what) for byte in data])


def read_two(data: bytes, what: str) -> tuple[int, int]:
    """Parse a roll of two dice from bytes."""
    if len(data) != 2:
        raise MalformedMessage(f"{what}: a roll is two bytes, not {len(data)}")
    return data[0], data[1]


def _words(enum: EnumDescriptor, unspecified: str | None) -> Part:
    """How to write an enum by name; `unspecified` is the meaning of 0, if any."""
    prefix = f"{enum.name}_".lower()
    name_of = {value.number: value.name.lower().removeprefix(prefix) for value in enum.values}
    number_of = {name: number for number, name in name_of.items() if number}
    if unspecified is None:
        del name_of[0]
    else:
        name_of[0] = unspecified
        number_of.setdefault(unspecified, 0)

    def read(number: int, name: str) -> str:
        if (word := name_of.get(number)) is None:
            raise MalformedMessage(f"{name}: {number} means nothing")
        return word

    return Part(number_of.__getitem__, read)


def _defaults(kind: Any, fields: Descriptor) -> dict[str, Part]:
    """How to write options: unset means the default; later options are then unset."""
    usual = kind()
    parts = {}
    for name, hint in fields_of(kind).items():
        default, field = getattr(usual, name), fields.fields_by_name[name]
        part = _part(hint, field)
        if field.enum_type is not None:
            part = _words(field.enum_type, default)
        elif field.has_presence:
            part = part._replace(unset=default)
        parts[name] = part._replace(usual=default) if name in kind.later else part
    return parts


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
_BYTES: Final[dict[Any, Part]] = {
    Card: CARD, tuple[Card, ...]: CARD_TUPLE, tuple[Suit, ...]: SUIT_TUPLE, tuple[int, ...]: BYTES,
    tuple[int, int]: DICE,
}  # fmt: skip
"""How to write a field of bytes, by its annotation."""
_MESSAGES: Final = (game_pb2.GameOptions, game_pb2.GameView, game_pb2.GameAction, game_pb2.GameEvent)
