"""The tables at the end of docs/record.md; `python -m tests.record_tables` writes them
from the games' definitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from inspect import cleandoc
from pathlib import Path
from textwrap import wrap
from types import NoneType
from typing import Any, get_args, get_origin

from pips_referee.cards import Card, Suit
from pips_referee.forms import fields_of
from pips_referee.game import REGISTRY, Action, Event, Options, View, get_game
from pips_referee.words import kind_of

ROOMS = "pips_referee.games"
WIDTH = 88
PAGE = Path(__file__).parent.parent / "docs" / "record.md"
MARK = "from the values' definitions. -->\n"
WORDS = {int: "number", str: "text", bool: "true or false", Card: "card", Suit: "suit"}


def values_of(game: str, base: type[object]) -> list[type]:
    """The game's classes derived from that base, in the order in which they were
    written.
    """
    found: dict[str, type] = {}
    for made in base.__subclasses__():
        if made.__module__.startswith(f"{ROOMS}.{game}."):
            found[made.__name__] = made
    return list(found.values())


def type_text(hint: Any) -> str:
    """`tuple[Card, ...] | None` as `[card, ...] or null`."""
    if get_origin(hint) is tuple:
        return f"[{', '.join('...' if part is Ellipsis else type_text(part) for part in get_args(hint))}]"
    if NoneType in get_args(hint):
        return f"{' or '.join(type_text(part) for part in get_args(hint) if part is not NoneType)} or null"
    return WORDS[hint] if hint in WORDS else kind_of(hint.__name__)


def fields_text(made: type) -> str:
    return "; ".join(f"`{name}` {type_text(hint)}" for name, hint in fields_of(made).items()) or "nothing"


def parts_of(hint: Any) -> Iterator[type]:
    """The classes named in a type."""
    for part in get_args(hint):
        yield from parts_of(part)
    if isinstance(hint, type) and hasattr(hint, "__match_args__"):
        yield hint


def inner_values(game: str, listed: list[type]) -> list[type]:
    """What the fields hold beyond the actions and events themselves."""
    found: dict[str, type] = {}
    for made in listed:
        for hint in fields_of(made).values():
            for part in parts_of(hint):
                found.setdefault(part.__name__, part)
    return [part for name, part in found.items() if name not in {made.__name__ for made in listed}]


def row(made: type, what: str) -> str:
    meaning = " ".join(cleandoc(made.__doc__ or "").split()).replace("None", "null")
    luck = ", luck" if getattr(made, "chance", False) else ""
    return f"| `{kind_of(made.__name__)}` | {what}{luck} | {fields_text(made)} | {meaning} |"


def _options_text(options: type[Options]) -> str:
    """The options, and those that a header names only when they are not at their
    defaults.
    """
    later = [f"`{field.name}`" for field in fields(options) if field.name in options.later]
    left_out = f" At its default a header leaves out {' and '.join(later)}." if later else ""
    return f"{fields_text(options)}.{left_out}"


def tables() -> str:
    lines: list[str] = []
    for name in REGISTRY:
        game = get_game(name)
        actions, events, views = (values_of(name, base) for base in (Action, Event, View))
        rows = [row(made, "action") for made in actions] + [row(made, "event") for made in events]
        rows += [row(made, "value") for made in inner_values(name, actions + events + views)]
        lines += [
            "",
            f"### {game.title} (`{name}`)",
            "",
            *wrap(
                f"Options: {_options_text(game.options_type)} Kinds of question: `{'`, `'.join(game.kinds)}`.", WIDTH
            ),
            "",
            *wrap(f"A view holds {fields_text(views[0])}.", WIDTH),
            "",
            "| `kind` | what | fields | meaning |",
            "|---|---|---|---|",
            *rows,
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    PAGE.write_text(text + mark + tables(), encoding="utf-8")
