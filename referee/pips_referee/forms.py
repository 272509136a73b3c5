"""A game's values from JSON, as the annotations of their fields say.

`form_text.py` writes a value, in the form of `record_json.to_json`. The annotations of
a game's values say what a field holds. So there is no second list of fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

from msgspec import Meta, ValidationError, convert

from pips_referee.cards import CARDS, Card, Suit
from pips_referee.game import Action, AnyGame, Game, get_game
from pips_referee.words import kind_of

_CARDS: Final = {card.code: card for card in CARDS}
_SUITS: Final = {suit.name[0]: suit for suit in Suit}
_PLAIN: Final = {bool: "true or false", int: "a whole number", str: "a text"}
MOST: Final = 2**53
"""Every whole number is nearer to 0 than this: all languages can hold it."""


_Byte = Annotated[int, Meta(ge=0, le=255)]


class WrongForm(ValueError):
    """A value that does not have its form; the text says where and what is due."""


@dataclass(frozen=True, slots=True)
class Types:
    """A game's types: options and view, and its kinds of actions and events."""

    options: Any
    view: Any
    actions: tuple[Any, ...]
    events: tuple[Any, ...]


@cache
def types_of(game: AnyGame) -> Types:
    """The types in `Game[View, Action | ..., Event | ...]`."""
    bases = [base for kind in type(game).__mro__ for base in getattr(kind, "__orig_bases__", ())]
    view, action, event = get_args(next(base for base in bases if get_origin(base) is Game))
    return Types(game.options_type, view, choices_of(action), choices_of(event))


def choices_of(hint: Any) -> tuple[Any, ...]:
    """The classes of a union, or the one class."""
    return get_args(hint) if _is_union(hint) else (hint,)


def _is_union(hint: Any) -> bool:
    return isinstance(hint, UnionType) or get_origin(hint) is Union


def read_action(game: str, data: object) -> Action:
    """An action of a game from its JSON; `WrongForm` says what is wrong with it."""
    action: Action = read_one(types_of(get_game(game)).actions, data, "action")
    return action


def read_one(choices: tuple[Any, ...], data: object, where: str) -> Any:
    """A value of one of these classes, by its `kind`; `WrongForm` says the mistake."""
    by_kind = _by_kind(choices)
    kind = data.get("kind") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in by_kind:
        raise WrongForm(f"{where}: an object with a `kind` of {', '.join(by_kind)} is due, not {_short(data)}")
    return read_fields(by_kind[kind], data, where)


@cache
def _by_kind(choices: tuple[Any, ...]) -> dict[str, Any]:
    return {kind_of(hint.__name__): hint for hint in choices}


def _read(hint: Any, data: Any, where: str) -> Any:
    """A value of an annotated type."""
    if get_origin(hint) is Annotated:
        return _bounded(hint, _read(get_args(hint)[0], data, where), where)
    if hint in _PLAIN:
        if type(data) is not hint or (hint is int and not -MOST < data < MOST):
            raise WrongForm(f"{where}: {_PLAIN[hint]} is due, not {_short(data)}")
        return data
    if hint is Card or hint is Suit:
        table: Mapping[str, Any] = _CARDS if hint is Card else _SUITS
        if not isinstance(data, str) or data not in table:
            due = "a card such as QS" if hint is Card else "a suit, one of C D H S,"
            raise WrongForm(f"{where}: {due} is due, not {_short(data)}")
        return table[data]
    if get_origin(hint) is tuple:
        return _read_tuple(get_args(hint), data, where)
    if _is_union(hint):
        return _read_union(get_args(hint), data, where)
    if hint is bytes:
        return bytes(_read(tuple[_Byte, ...], data, where))
    if issubclass(hint, Enum):
        if (member := _members(hint).get(data) if type(data) in _PLAIN else None) is None:
            raise WrongForm(f"{where}: one of {', '.join(map(str, _members(hint)))} is due, not {_short(data)}")
        return member
    return read_fields(hint, data, where)


@cache
def _members(hint: type[Enum]) -> dict[Any, Enum]:
    return {member.value: member for member in hint}


def _bounded(hint: Any, value: Any, where: str) -> Any:
    """A value whose annotation has bounds: `Annotated[int, msgspec.Meta(ge=0)]`."""
    try:
        return convert(value, hint) if get_origin(get_args(hint)[0]) is None else value
    except ValidationError as error:
        raise WrongForm(f"{where}: {error}") from None


def _read_tuple(items: tuple[Any, ...], data: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(data, list):
        raise WrongForm(f"{where}: a list is due, not {_short(data)}")
    if items[-1] is Ellipsis:
        return tuple([_read(items[0], item, f"{where}[{place}]") for place, item in enumerate(data)])
    if len(data) != len(items):
        raise WrongForm(f"{where}: {len(items)} values are due, not {len(data)}")
    return tuple([_read(hint, item, f"{where}[{n}]") for n, (hint, item) in enumerate(zip(items, data, strict=True))])


def _read_union(choices: tuple[Any, ...], data: Any, where: str) -> Any:
    if NoneType in choices:
        rest = tuple([hint for hint in choices if hint is not NoneType])
        if data is None:
            return None
        return _read(rest[0], data, where) if len(rest) == 1 else read_one(rest, data, where)
    return read_one(choices, data, where)


def read_fields(hint: Any, data: Any, where: str) -> Any:
    """A value of that class; `WrongForm` says what is wrong."""
    hints = _bounded_fields(hint)
    due = hints.keys() | {"kind"}
    if not isinstance(data, dict) or data.keys() != due:
        raise WrongForm(f"{where}: an object with {', '.join(['kind', *hints])} is due, not {_short(data)}")
    if "kind" not in hints and data["kind"] != kind_of(hint.__name__):
        raise WrongForm(f"{where}: its kind is {kind_of(hint.__name__)}, not {_short(data['kind'])}")
    return hint(**{name: _read(hints[name], data[name], f"{where}.{name}") for name in hints})


@cache
def fields_of(hint: Any) -> dict[str, Any]:
    """The types of a value's fields, by name."""
    if not hasattr(hint, "__match_args__"):
        raise TypeError(f"{hint!r} has no form in lines")
    every = get_type_hints(hint)
    return {name: every[name] for name in hint.__match_args__}


@cache
def _bounded_fields(hint: Any) -> dict[str, Any]:
    """The same with the bounds of each field."""
    every = get_type_hints(hint, include_extras=True)
    return {name: every[name] for name in fields_of(hint)}


def _short(data: object) -> str:
    said = repr(data)
    return said if len(said) <= 80 else f"{said[:77]}..."
