"""Random answers that fit into a message, legal or not: fields within their bounds."""

from __future__ import annotations

from enum import Enum
from random import Random
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

from msgspec import Meta

from pips_referee.cards import CARDS, Card, Suit
from pips_referee.forms import MOST
from pips_referee.game import Action

USUAL_MOST: Final = 12
"""The largest number, and the largest length, if there is no bound."""
FAR: Final = MOST - 1
FARTHEST: Final = (2**31, 2**32, -FAR, FAR)
"""Numbers too large for fields of 32 bits, or just small enough for JSON."""


def any_action(kind: type[Action], rng: Random) -> Action:
    """A random answer of that class."""
    hints = get_type_hints(kind, include_extras=True)
    return kind(*[_any(hints[name], rng) for name in kind.__match_args__])


def _any(hint: Any, rng: Random, bounds: tuple[Meta, ...] = ()) -> Any:
    """A random value of an annotated type."""
    if get_origin(hint) is Annotated:
        inner, *metas = get_args(hint)
        return _any(inner, rng, tuple([meta for meta in metas if isinstance(meta, Meta)]))
    if get_origin(hint) is tuple:
        items = get_args(hint)
        if items[-1] is not Ellipsis:
            return tuple([_any(item, rng) for item in items])
        return tuple([_any(items[0], rng) for _ in range(_length(bounds, rng))])
    if get_origin(hint) in {Union, UnionType}:
        return _any(rng.choice(get_args(hint)), rng)
    if hint is int:
        return _number(bounds, rng)
    if hint is str:
        return "".join(rng.choices("aZ é0", k=_length(bounds, rng)))
    plain: dict[Any, Any] = {bool: (False, True), NoneType: (None,), Card: CARDS, Suit: tuple(Suit)}
    if hint in plain or issubclass(hint, Enum):
        return rng.choice(plain.get(hint) or [*hint])
    return any_action(hint, rng)


def _number(bounds: tuple[Meta, ...], rng: Random) -> int:
    """Most often near 0 or the bound, sometimes far; other bounds may be exceeded."""
    least = next((int(meta.ge) for meta in bounds if meta.ge is not None), -FAR)
    most = next((int(meta.le) for meta in bounds if meta.le is not None), FAR)
    if rng.random() < 0.2:
        return rng.choice((rng.randint(least, most), *FARTHEST))
    low = max(least, min(-USUAL_MOST, most - USUAL_MOST))
    return rng.randint(low, min(most, max(USUAL_MOST, low + USUAL_MOST)))


def _length(bounds: tuple[Meta, ...], rng: Random) -> int:
    least = next((meta.min_length for meta in bounds if meta.min_length is not None), 0)
    most = next((meta.max_length for meta in bounds if meta.max_length is not None), max(USUAL_MOST, least))
    return rng.randint(least, min(most, least + USUAL_MOST))
