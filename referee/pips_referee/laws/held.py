"""The contents of a state, and the first difference between two values."""

from __future__ import annotations

import re
from collections import deque
from enum import Enum
from random import Random
from typing import Any, Final

from pips_referee.chance import Chance

_PLAIN: Final = (int, str, bytes, type(None), float, Enum)
_ADDRESS: Final = re.compile(r" at 0x[0-9a-f]+")
_MOST_SHOWN: Final = 200
"""The most characters of a value in a message."""


def held(state: object) -> dict[str, Any]:
    """Everything in a state, by attribute, in a form that can be compared."""
    return {name: _frozen(getattr(state, name), (id(state),)) for name in _attributes(state)}


def hidden(state: object) -> dict[str, Any]:
    """Everything in a state except the luck still to come."""
    return {name: value for name, value in held(state).items() if not isinstance(getattr(state, name), Chance)}


def unlike_inside(one: object, other: object) -> bool:
    """Whether two states differ in more than the luck still to come."""
    names = _attributes(one)
    return names != _attributes(other) or any(
        getattr(one, name) != getattr(other, name) for name in names if not isinstance(getattr(one, name), Chance)
    )


def shown(value: object) -> Any:
    """A view or an event as it is now, in a form that can be compared."""
    return _frozen(value)


def _attributes(value: object) -> list[str]:
    slots: list[str] = []
    for kind in type(value).__mro__:
        named = vars(kind).get("__slots__", ())
        slots += [named] if isinstance(named, str) else named
    names = {*slots, *vars(value)} if hasattr(value, "__dict__") else {*slots}
    return sorted(name for name in names if name not in {"__dict__", "__weakref__"} and hasattr(value, name))


def _frozen(value: Any, inside: tuple[int, ...] = ()) -> Any:
    """A copy of a value, with its mutable parts; `inside` are the values around it."""
    if isinstance(value, _PLAIN):
        return value
    if id(value) in inside:
        return "what it is in"
    around = (*inside, id(value))
    match value:
        case list() | tuple() | deque():
            return [_frozen(part, around) for part in value]
        case dict():
            return {key: _frozen(part, around) for key, part in value.items()}
        case bytearray():
            return bytes(value)
        case set() | frozenset():
            return frozenset(value)
        case Chance():
            return value.seed
        case Random():
            return value.getstate()
        case _ if callable(value):
            return value
        case _:
            parts = {name: _frozen(getattr(value, name), around) for name in _attributes(value)}
            return parts or _ADDRESS.sub("", repr(value))


def difference(one: Any, other: Any) -> str:
    """The first difference between two values: `points[1] is 3, not 4`; "" if none."""
    return "" if one == other else _difference(one, other, "")


def _difference(one: Any, other: Any, path: str) -> str:
    names = getattr(type(one), "__match_args__", ())
    pairs: list[tuple[str, Any, Any]]
    if type(one) is type(other) and names:
        pairs = [(f"{path}.{name}", getattr(one, name), getattr(other, name)) for name in names]
    elif isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        pairs = [(f"{path}.{name}", part, other[name]) for name, part in one.items()]
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple) and type(one) is type(other):
        if len(one) != len(other):
            return f"{path.removeprefix('.') or 'it'} has {len(one)} parts, not {len(other)}"
        pairs = [(f"{path}[{place}]", part, other[place]) for place, part in enumerate(one)]
    else:
        return f"{path.removeprefix('.') or 'it'} is {_short(one)}, not {_short(other)}"
    for inner, part, another in pairs:
        if part != another:
            return _difference(part, another, inner)
    return f"{path.removeprefix('.') or 'it'} is not equal to itself"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
