"""Values of games as the text of their JSON, at once.

The text is that of `record_json.to_json`, without blanks. A writer is made from the
annotations of a type, once. It knows what each field holds; `to_json` asks every value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from enum import Enum
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin

from pips_referee.cards import CARDS, Card, Suit
from pips_referee.forms import fields_of
from pips_referee.words import kind_of

Writer = Callable[[Any], str]
encode: Final = json.JSONEncoder(separators=(",", ":")).encode
"""A JSON value as text without blanks."""

_PLAIN: Final[dict[Any, Writer]] = {
    int: int.__repr__,
    bool: {True: "true", False: "false"}.__getitem__,
    str: encode,
    NoneType: lambda _: "null",
    Card: [f'"{card.code}"' for card in CARDS].__getitem__,
    Suit: [f'"{suit.name[0]}"' for suit in Suit].__getitem__,
    bytes: lambda value: f"[{','.join(map(str, value))}]",
}


def write(value: Any) -> str:
    """The text of an instance of a dataclass."""
    return _writer_of_class(value.__class__)(value)


def write_all(values: Iterable[Any]) -> str:
    """The text of a list of instances of dataclasses."""
    return f"[{','.join([_writer_of_class(value.__class__)(value) for value in values])}]"


@cache
def _writer_of(hint: Any) -> Writer:
    """The writer of a value of an annotated type."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    if get_origin(hint) is tuple:
        return _of_tuple(get_args(hint))
    if isinstance(hint, UnionType) or get_origin(hint) is Union:
        return _of_union(get_args(hint))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {each: encode(each.value) for each in hint}.__getitem__
    return _writer_of_class(hint)


def _of_tuple(items: tuple[Any, ...]) -> Writer:
    if items[-1] is Ellipsis:
        one = _writer_of(items[0])
        return lambda value: f"[{','.join(map(one, value))}]"
    every = [_writer_of(item) for item in items]
    return lambda value: f"[{','.join([of(item) for of, item in zip(every, value, strict=True)])}]"


def _of_union(choices: tuple[Any, ...]) -> Writer:
    others = [hint for hint in choices if hint is not NoneType]
    if len(others) > 1:  # dataclasses: each says its own kind
        return lambda value: "null" if value is None else write(value)
    one = _writer_of(others[0])
    return lambda value: "null" if value is None else one(value)


@cache
def _writer_of_class(hint: Any) -> Writer:
    """The writer of a dataclass: its kind, then its other fields."""
    hints = fields_of(hint)
    names = [*(name for name in ("kind",) if name in hints), *(name for name in hints if name != "kind")]
    begin = "" if "kind" in hints else f'"kind":"{kind_of(hint.__name__)}"'
    parts = [begin, *(f'"{name}":%s' for name in names)]
    template = f"{{{','.join(filter(None, parts))}}}"
    if not names:
        return lambda _: template
    get, writers = attrgetter(*names), [_writer_of(hints[name]) for name in names]
    if len(names) == 1:
        return lambda value: template % writers[0](get(value))
    return lambda value: template % tuple([of(part) for of, part in zip(writers, get(value), strict=True)])
