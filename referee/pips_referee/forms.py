"""Values of games as JSON, with the form derived from their fields' annotations.

An object has a value's fields by name; its `kind` is the class. Cards are `QS`, suits
`S`. The text is that of `record_json.to_json`, without blanks. msgspec writes and
parses it. Messages from bots are parsed strictly: unknown fields are refused, so are
missing ones without a default, and all values must be within their bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum, EnumType
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import field as struct_field
from msgspec.json import Decoder, Encoder
from msgspec.structs import astuple

from pips_referee.cards import CARDS, SUITS, Card, Suit
from pips_referee.errors import GameProblem, MalformedMessage, PipsError
from pips_referee.game import AnyGame, Game, Value, View, get_game
from pips_referee.printable import plain
from pips_referee.words import kind_of

MOST: Final = 2**53
"""Whole numbers must be nearer to 0 than this: all languages can represent these."""
_ENCODE: Final = Encoder(enc_hook=attrgetter("code")).encode
_BY_CODE: Final[dict[Any, dict[Any, Any]]] = {
    Card: {card.code: card for card in CARDS},
    Suit: {suit.code: suit for suit in SUITS},
}
_CODED: Final = {Card: "a card such as QS", Suit: "a suit, one of C D H S,"}
_PLAIN: Final = {
    "int": "a whole number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}
_MISTAKE: Final = re.compile(
    r"Expected `(?P<type>\w+)(?P<null> \| null)?`(?P<bound>.*?)(?:, got .*)?|Object (?P<lacks>missing)?.*? field "
    r"`(?P<field>.*)`|(?P<word>Invalid (?:enum )?value) .*|.*",
    re.DOTALL,
)
"""The forms of msgspec's error messages."""
_PLACE: Final = re.compile(r"\A(.*?)(?: - at `\$((?:\.\w+|\[\d+\])*)`)?\Z", re.DOTALL)
"""An error message and the place of the error, at the end: bots' text may mimic one."""
_MANY_DIGITS: Final = re.compile(rb"\d{16}")


@dataclass(frozen=True, slots=True)
class Types:
    """The types of a game: options, view, and the kinds of actions and events."""

    options: Any
    view: Any
    actions: tuple[Any, ...]
    events: tuple[Any, ...]


@cache
def types_of(game: AnyGame) -> Types:
    """The types in `Game[View, Action | ..., Event | ...]`.

    `GameProblem` if they are not given, or if one of them has no JSON form.
    """
    bases = [base for kind in type(game).__mro__ for base in getattr(kind, "__orig_bases__", ())]
    named = next((get_args(base) for base in bases if get_origin(base) is Game), ())
    if len(named) != 3 or any(isinstance(kind, TypeVar) for kind in named):
        raise GameProblem(f"{type(game).__name__} has to derive from Game[VIEW, ACTION | ..., EVENT | ...]")
    view, actions, events = named[0], choices_of(named[1]), choices_of(named[2])
    for kinds in (actions, events):
        check_choices(kinds)
    for kind in (game.options_type, view):
        check_fields(kind)
    return Types(game.options_type, view, actions, events)


def check_choices(kinds: tuple[Any, ...]) -> None:
    """`GameProblem` unless `kind` tells these classes apart."""
    for kind in kinds:
        check_fields(kind)
        if "kind" in fields_of(kind):
            raise GameProblem(
                f"{kind.__name__}.kind: only a view has a `kind`; here it is the class: name it otherwise"
            )
    if len(_by_kind(kinds)) < len(kinds):
        raise GameProblem(f"two of {', '.join(kind.__name__ for kind in kinds)} have the same kind: rename one")


def check_fields(kind: Any) -> None:
    """`GameProblem` if values of that class cannot be written and read."""
    if not is_dataclass(kind) and not _is_value(kind):
        raise GameProblem(f"{kind!r} cannot travel: it is a `Value` or a frozen dataclass, or one of several")
    every = [field.name for field in fields(kind)] if is_dataclass(kind) else kind.__struct_fields__
    if by_name := {*every} - {*kind.__match_args__}:
        raise GameProblem(f"{kind.__name__}.{min(by_name)} is `kw_only`, and so would not travel: give it its place")
    for name, hint in bounded_fields(kind).items():
        check_field(hint, f"{kind.__name__}.{name}")


def check_field(hint: Any, where: str) -> None:
    """`GameProblem` if a field with that annotation cannot be written and read."""
    is_enum = isinstance(hint, type) and issubclass(hint, Enum)
    if get_origin(hint) is Annotated or is_enum:
        try:
            Decoder(hint, dec_hook=_read_coded)
        except TypeError as error:
            raise GameProblem(f"{where}: {error}") from None
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    items = tuple(item for item in get_args(hint) if item not in (Ellipsis, NoneType))
    if get_origin(hint) is tuple and items:
        for item in items:
            check_field(item, where)
    elif _is_union(hint) and len(items) == 1:
        check_field(items[0], where)
    elif _is_union(hint) and all(map(_is_value, items)):
        check_choices(items)
    elif _is_value(hint):
        check_fields(hint)
    elif hint not in (int, bool, str, Card, Suit) and not is_enum:
        raise GameProblem(
            f"{where}: {hint} cannot travel: fields are int, bool, str, enums, Card, Suit, other `Value`s, "
            f"tuples of these, or such a one or None"
        )


def _is_value(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Value)


def choices_of(hint: Any) -> tuple[Any, ...]:
    """The classes of a union, or the one class."""
    return get_args(hint) if _is_union(hint) else (hint,)


def _is_union(hint: Any) -> bool:
    return isinstance(hint, UnionType) or get_origin(hint) is Union


@cache
def _by_kind(choices: tuple[Any, ...]) -> dict[str, Any]:
    return {kind_of(hint.__name__): hint for hint in choices}


@cache
def fields_of(hint: Any) -> dict[str, Any]:
    """The types of a value's fields, by name."""
    if not hasattr(hint, "__match_args__"):
        raise TypeError(f"{hint!r} has no form in lines")
    every = get_type_hints(hint)
    return {name: every[name] for name in hint.__match_args__}


@cache
def bounded_fields(hint: Any) -> dict[str, Any]:
    """The types of a value's fields with their bounds, by name."""
    every = get_type_hints(hint, include_extras=True)
    return {name: every[name] for name in fields_of(hint)}


def _as_plain(value: Any) -> Any:
    """The characters of a card or suit; a NumPy number as a plain one."""
    return value.code if isinstance(value, Card | Suit) else value.item()


_ENCODE_ANY: Final = Encoder(enc_hook=_as_plain).encode


class _Nothing(Value):
    """Added to the only class of a codec, so that JSON has to name its `kind`."""

    def __post_init__(self) -> None:
        raise ValueError("Object missing required field `kind`")  # as if it were no class at all


class Codec:
    """Converts values of certain classes to and from JSON."""

    def __init__(self, kinds: tuple[Any, ...], what: str) -> None:
        self._what = what
        self._kinds = ", ".join(_by_kind(kinds))
        self._structs = {kind: _struct(kind) for kind in kinds}
        self._dataclasses = {struct: kind for kind, struct in self._structs.items() if struct is not kind}
        structs = tuple(self._structs.values())
        if structs[0].__struct_config__.tag is not None:
            structs += (_Nothing,)
        self.sent: Any = Union[structs]  # noqa: UP007 - of any number
        """The union of the classes that are written and read."""
        self._decode = Decoder(self.sent, dec_hook=_read_coded).decode

    def write(self, value: Any) -> bytes:
        """The JSON of a value; `TypeError` if it is of another class."""
        sent = self.to_send(value)
        try:
            return _ENCODE(sent)
        except AttributeError:  # it has a number that is not plain; looking for those takes longer
            return _ENCODE_ANY(sent)

    def write_all(self, values: Iterable[Any]) -> bytes:
        """The JSON of a list of values."""
        return _ENCODE([*map(self.to_send, values)])

    def to_send(self, value: Any) -> Any:
        """The value, or a struct for a dataclass; `TypeError` for other classes."""
        kind = value.__class__
        struct = self._structs.get(kind)
        if struct is None:
            raise TypeError(f"{value!r} is no {self._what} of the game")
        return value if struct is kind else struct(*[getattr(value, name) for name in kind.__match_args__])

    def read(self, data: bytes) -> Any:
        """Parse a value; `MalformedMessage` says what is wrong, and where."""
        try:
            value = self._decode(data)
            if _MANY_DIGITS.search(data):
                _check_numbers(Decoder().decode(data))
            return self.made_of(value)
        except Exception as error:  # noqa: BLE001 - a game's own values may raise anything: it is the sender's mistake
            said = str(error) if isinstance(error, ValueError | PipsError) else repr(error)
            raise MalformedMessage(plain(self._told(said, data))) from None

    def made_of(self, sent: Any) -> Any:
        """The game's value for a parsed one; a dataclass may refuse it."""
        kind = self._dataclasses.get(sent.__class__)
        return sent if kind is None else kind(*astuple(sent))

    def _told(self, error: str, data: bytes) -> str:
        """A plain sentence for msgspec's error message, with the wrong value."""
        try:
            value = Decoder().decode(data)
        except (ValueError, RecursionError) as problem:
            return f"{self._what}: the bytes are no JSON: {problem}"
        [(error, path)] = _PLACE.findall(error)
        found = _MISTAKE.fullmatch(error)
        assert found is not None
        field, kind = found["field"], found["type"]
        if path == ".kind" or (not path and (field == "kind" or kind == "object")):
            return f"{self._what}: an object with a `kind` of {self._kinds} is due, not {_short(value)}"
        with suppress(LookupError, TypeError, ValueError):  # a field that is given twice has two values
            for step in re.findall(r"\w+", path):
                value = value[int(step)] if isinstance(value, list) else value[step]
        if field:
            name = _cut(field)
            said = f"the field {name} is missing in" if found["lacks"] else f"there is no field {name}, as in"
        elif ((words := _words_at(self.sent, path)) and kind) or found["word"]:
            said = f"{words or 'another value'} is due, not"
        elif kind:
            said = f"{_PLAIN.get(kind, kind)}{' or null' if found['null'] else ''}{found['bound']} is due, not"
        else:  # a sentence of our own, or of the game's
            return f"{self._what}{path}: {error}"
        return f"{self._what}{path}: {said} {_short(value)}"


def _words_at(hint: Any, path: str) -> str:
    """The values allowed for an enum in that place; "" if there is no enum."""
    kinds = _parts(hint)
    for name in re.findall(r"\.(\w+)", path):
        kinds = [part for kind in kinds if _is_value(kind) for part in _parts(fields_of(kind).get(name))]
    enums: list[Any] = [kind for kind in kinds if isinstance(kind, EnumType)]
    words = [repr(member.value) for kind in enums for member in kind]
    return f"one of {', '.join([*words, *['None'] * (NoneType in kinds)])}" if words else ""


def _parts(hint: Any) -> list[Any]:
    """The types in a union, or the one type."""
    return [part for item in get_args(hint) for part in _parts(item)] or [hint]


def _short(value: object) -> str:
    try:
        return _cut(repr(value))
    except RecursionError:
        return "what nests so deep"


def _cut(said: str) -> str:
    said = plain(said)
    return said if len(said) <= 80 else f"{said[:77]}..."


def _check_numbers(whole: Any) -> None:
    """`ValueError` if `whole` contains a whole number that is too far from 0."""
    left = [whole]
    while left:
        value = left.pop()
        if isinstance(value, int):
            if not -MOST < value < MOST:
                raise ValueError(f"a whole number below {MOST} is due, not {_short(value)}")
        elif isinstance(value, list | dict):
            left += value.values() if isinstance(value, dict) else value


def _struct(kind: Any) -> Any:
    """The class to write a value as: its own, or a struct with the same fields."""
    if issubclass(kind, Value):
        return kind
    bases = (View, Value) if issubclass(kind, View) else (Value,)
    names: dict[str, Any] = {"__annotations__": bounded_fields(kind), "__module__": __name__}
    for field in fields(kind):
        if field.default is not MISSING:
            names[field.name] = field.default
        elif field.default_factory is not MISSING:
            names[field.name] = struct_field(default_factory=field.default_factory)
    made: Any = type(Value)
    return made(kind.__name__, bases, names)


def _read_coded(kind: Any, code: Any) -> Any:
    """The card or suit with those characters."""
    try:
        return _BY_CODE[kind][code]
    except (KeyError, TypeError):
        raise ValueError(f"{_CODED[kind]} is due, not {_short(code)}") from None


class Codecs:
    """The codecs of a game's values."""

    def __init__(self, types: Types) -> None:
        self.options = Codec((types.options,), "options")
        self.view = Codec((types.view,), "view")
        self.action = Codec(types.actions, "action")
        self.event = Codec(types.events, "event")
        view, event = self.view.sent, self.event.sent
        self._is_plain = all(issubclass(kind, Value) for kind in (types.view, *types.events))
        question: Any = tuple[view, tuple[event, ...]]  # type: ignore[valid-type]  # known only at run time
        self._decode = Decoder(question, dec_hook=_read_coded).decode

    def write_question(self, view: Any, events: Iterable[Any]) -> bytes:
        """The JSON of a view and the events before it."""
        if self._is_plain:  # saves a call for each event
            return _ENCODE((view, [*events]))
        return _ENCODE((self.view.to_send(view), [*map(self.event.to_send, events)]))

    def read_question(self, data: bytes) -> tuple[Any, Iterable[Any]]:
        """Parse a view and the events before it; may raise `MalformedMessage`."""
        try:
            view, events = self._decode(data)
        except ValueError as error:
            raise MalformedMessage(f"question: {error}") from None
        return (view, events) if self._is_plain else (self.view.made_of(view), map(self.event.made_of, events))


@cache
def codecs_of(game: str) -> Codecs:
    """The codecs for the values of the game with that name."""
    return Codecs(types_of(get_game(game)))
