"""The default text of games: the names of their values and fields, in words.

It replaces a game's `text.py` (`GameText` in records/replay.py). An action's text
differs from that of every other action, so that a reply can be parsed.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cache
from typing import Any

from pips_referee.cards import Card, Suit
from pips_referee.printable import plain


@cache
def kind_of(class_name: str) -> str:
    """`hand_scored` for HandScored."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", class_name).lower()


def action_text(action: Any) -> str:
    """`bid: count 3, face 5`; with a single field only `pick 3`."""
    names = type(action).__match_args__
    kind = _words(kind_of(type(action).__name__))
    if len(names) == 1:
        return f"{kind} {_value(getattr(action, names[0]))}"
    return f"{kind}: {_fields(action, names)}" if names else kind


def event_text(event: Any) -> str:
    """`seat 0 rolled: die 5`; the seat comes first if the event has one."""
    names = [name for name in type(event).__match_args__ if name != "seat"]
    who = f"seat {event.seat} " if len(names) < len(type(event).__match_args__) else ""
    what = f"{who}{_words(kind_of(type(event).__name__))}"
    return f"{what}: {_fields(event, names)}" if names else what


def view_text(view: Any) -> str:
    """A line for each field, then the question."""
    lines = [f"{_words(name)}: {_value(getattr(view, name))}" for name in _seen(view)]
    return "\n".join([*lines, f"You are asked: {_words(view.kind)}" if view.kind else "You are not asked."])


def situation(view: Any) -> str:
    """The kind of question."""
    return str(view.kind)


def _seen(view: Any) -> list[str]:
    return [name for name in type(view).__match_args__ if name not in ("seat", "kind")]


def _fields(value: Any, names: Any) -> str:
    return ", ".join([f"{_words(name)} {_value(getattr(value, name))}" for name in names])


def _value(value: Any) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case Card() | Suit() | str() | int():
            return plain(str(value.value if isinstance(value, Enum) and not isinstance(value, (Card, Suit)) else value))
        case tuple() | bytes():
            items = [f"({_value(item)})" if isinstance(item, tuple) else _value(item) for item in value]
            return " ".join(items) if items else "none"
        case _:
            return f"({action_text(value)})"


def _words(name: str) -> str:
    return name.replace("_", " ")
