"""A game's values in the form that code generators need: records in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from pips_referee.cards import Card, Suit
from pips_referee.forms import fields_of, types_of
from pips_referee.game import get_game
from pips_referee.words import kind_of


@dataclass(frozen=True, slots=True)
class Values:
    """All records of a game, each after the records it contains."""

    game: str
    records: tuple[Any, ...]
    actions: tuple[Any, ...]
    events: tuple[Any, ...]
    names: dict[Any, str]
    """By record, its name in source code; a view is `View`, options are `Options`."""

    def is_written(self, record: Any) -> bool:
        """Whether a bot writes this record, instead of only reading it."""
        return record in self.actions


def values_of(game: str) -> Values:
    """Return the values of a game."""
    types = types_of(get_game(game))
    actions, events = types.actions, types.events
    records: dict[Any, None] = {}
    for hint in (*actions, *events, types.options, types.view):
        for record in _records_in(hint):
            records.setdefault(record)
    names = {record: record.__name__ for record in records} | {types.view: "View", types.options: "Options"}
    return Values(game, tuple(records), actions, events, names)


def _records_in(hint: Any) -> Iterator[Any]:
    """The records in a type, each after the records it contains."""
    if hint in (bool, int, str, NoneType, Card, Suit, Ellipsis):
        return
    if get_origin(hint) is not None or isinstance(hint, UnionType):
        for part in get_args(hint):
            yield from _records_in(part)
        return
    for part in fields_of(hint).values():
        yield from _records_in(part)
    yield hint


def item_of(hint: Any) -> Any:
    """The type of a list's items; None if the type is no list.

    A tuple of several values of one type counts as a list.
    """
    if get_origin(hint) is not tuple:
        return None
    items = {item for item in get_args(hint) if item is not Ellipsis}
    if len(items) != 1:
        raise TypeError(f"{hint} mixes types: it cannot be a list")
    return items.pop()


def given_of(hint: Any) -> Any:
    """The type of an optional value without None; None for other types."""
    if not isinstance(hint, UnionType) and get_origin(hint) is not Union:
        return None
    [given] = [part for part in get_args(hint) if part is not NoneType]
    return given


def kind_in_json(record: Any) -> str:
    """A record's `kind` in the line protocol."""
    return kind_of(record.__name__)
