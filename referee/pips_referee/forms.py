"""A game's values from JSON, as the annotations of their fields say.

`form_text.py` writes a value, in the form of `record_json.to_json`. The annotations of
a game's values say what a field holds. So there is no second list of fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import Meta, ValidationError, convert
from msgspec.json import Decoder

from pips_referee.cards import CARDS, Card, Suit
from pips_referee.errors import GameProblem
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
    """The types in `Game[View, Action | ..., Event | ...]`.

    `GameProblem` if they are not named there, or if one of them cannot travel.
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
    """`GameProblem` unless each of these values can be told apart by its `kind`."""
    for kind in kinds:
        check_fields(kind)
        if "kind" in fields_of(kind):
            raise GameProblem(
                f"{kind.__name__}.kind: only a view has a `kind`; here it is the class: name it otherwise"
            )
    if len(_by_kind(kinds)) < len(kinds):
        raise GameProblem(f"two of {', '.join(kind.__name__ for kind in kinds)} have the same kind: rename one")


def check_fields(kind: Any) -> None:
    """`GameProblem` if a value of that class cannot be written and read."""
    if not hasattr(kind, "__match_args__"):
        raise GameProblem(f"{kind!r} cannot travel: it is a `Value` or a frozen dataclass, or one of several")
    every = [field.name for field in fields(kind)] if is_dataclass(kind) else kind.__struct_fields__
    if by_name := {*every} - {*kind.__match_args__}:
        raise GameProblem(f"{kind.__name__}.{min(by_name)} is `kw_only`, and so would not travel: give it its place")
    for name, hint in _bounded_fields(kind).items():
        check_field(hint, f"{kind.__name__}.{name}")


def check_field(hint: Any, where: str) -> None:
    """`GameProblem` if a field of that annotation cannot be written and read."""
    if get_origin(hint) is Annotated:
        try:
            Decoder(_bounds(hint))
        except TypeError as error:
            raise GameProblem(f"{where}: {error}") from None
        hint = get_args(hint)[0]
    items = tuple(item for item in get_args(hint) if item not in (Ellipsis, NoneType))
    if get_origin(hint) is tuple and items:
        for item in items:
            check_field(item, where)
    elif _is_union(hint) and len(items) == 1:
        check_field(items[0], where)
    elif _is_union(hint) and all(hasattr(item, "__match_args__") for item in items):
        check_choices(items)
    elif isinstance(hint, type) and hasattr(hint, "__match_args__"):
        check_fields(hint)
    elif hint not in {*_PLAIN, bytes, Card, Suit} and not (isinstance(hint, type) and issubclass(hint, Enum)):
        raise GameProblem(
            f"{where}: {hint} cannot travel: fields are int, bool, str, bytes, enums, Card, Suit, other values, "
            f"tuples of these, or such a one or None"
        )


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
        if (member := _members(hint).get((type(data), data)) if type(data) in _PLAIN else None) is None:
            raise WrongForm(
                f"{where}: one of {', '.join([str(value) for _, value in _members(hint)])} is due, not {_short(data)}"
            )
        return member
    return read_fields(hint, data, where)


@cache
def _members(hint: type[Enum]) -> dict[Any, Enum]:
    return {(type(member.value), member.value): member for member in hint}


def _bounded(hint: Any, value: Any, where: str) -> Any:
    """A value whose annotation has bounds: `Annotated[int, msgspec.Meta(ge=0)]`."""
    try:
        return convert(value, _bounds(hint))
    except ValidationError as error:
        raise WrongForm(f"{where}: {error}") from None


@cache
def _bounds(hint: Any) -> Any:
    """The same for msgspec, which looks at the length of a tuple, and not into it."""
    kind, *bounds = get_args(hint)
    return Annotated[(tuple[Any, ...], *bounds)] if get_origin(kind) is tuple else hint


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
