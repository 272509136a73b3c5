"""The generated source for a bot in Java: Pips.java."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pips_referee.cards import Card, Suit
from pips_referee.forms import fields_of
from pips_referee.game import REGISTRY
from pips_sdk.lines.source.model import Values, given_of, item_of, kind_in_json, values_of

_TYPES = {bool: "boolean", int: "int", str: "String", Card: "Card", Suit: "Suit"}
_BOXES = {"boolean": "Boolean", "int": "Integer"}
_READERS = {bool: "Pips::flag", int: "Pips::whole", str: "Pips::text", Card: "Pips::card", Suit: "Pips::suit"}


def source() -> str:
    """Return the text of Pips.java: views, actions, events and options of all games."""
    runtime = Path(__file__).with_name("Runtime.java").read_text(encoding="utf-8").rstrip().removesuffix("}")
    return "\n".join([runtime, *(line for game in REGISTRY for line in _game(values_of(game))), "}", ""])


def _game(values: Values) -> Iterator[str]:
    yield f"    public static final class {values.game.capitalize()} {{"
    for record in values.records:
        yield from _record(values, record)
    yield from _choice(values, "Action extends Written", values.actions)
    yield from _choice(values, "Event", values.events)
    yield "        public abstract static class Bot extends AnyBot<Options, View, Action, Event> {"
    yield "            protected Bot() {"
    yield f'                super("{values.game}", Options::read, View::read, Action::read, Event::read);'
    yield "            }\n        }\n    }\n"


def _record(values: Values, record: Any) -> Iterator[str]:
    name, fields = values.names[record], fields_of(record)
    kinds = [kind for kind, all_of in (("Action", values.actions), ("Event", values.events)) if record in all_of]
    said = ", ".join(f"{_type(values, hint)} {_camel(field)}" for field, hint in fields.items())
    implements = f" implements {', '.join(kinds)}" if kinds else ""
    yield f"        public record {name}({said}){implements} {{"
    given = ",\n                        ".join(
        _read(values, hint, f'field(json, "{field}")') for field, hint in fields.items()
    )
    yield f"            static {name} read(Object json) {{"
    yield f"                return new {name}({given});"
    yield "            }"
    if values.is_written(record):
        parts = "".join(f' + ",\\"{field}\\":" + write({_camel(field)})' for field in fields)
        yield "\n            @Override\n            public String toJson() {"
        yield f'                return "{{\\"kind\\":\\"{kind_in_json(record)}\\""{parts} + "}}";'
        yield "            }"
    yield "        }\n"


def _choice(values: Values, head: str, choices: tuple[Any, ...]) -> Iterator[str]:
    name = head.split(maxsplit=1)[0]
    yield f"        public sealed interface {head} {{"
    yield f"            static {name} read(Object json) {{"
    yield '                String kind = text(field(json, "kind"));'
    yield "                return switch (kind) {"
    for choice in choices:
        yield f'                    case "{kind_in_json(choice)}" -> {values.names[choice]}.read(json);'
    yield '                    default -> throw new IllegalArgumentException("no value is a " + kind);'
    yield "                };\n            }\n        }\n"


def _camel(field: str) -> str:
    first, *rest = field.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _type(values: Values, hint: Any) -> str:
    if hint in _TYPES:
        return _TYPES[hint]
    if (item := item_of(hint)) is not None:
        return f"List<{_boxed(values, item)}>"
    if (given := given_of(hint)) is not None:
        return _boxed(values, given)
    return values.names[hint]


def _boxed(values: Values, hint: Any) -> str:
    """The type's boxed form, for values that may be null, and for items."""
    plain = _type(values, hint)
    return _BOXES.get(plain, plain)


def _read(values: Values, hint: Any, json: str) -> str:
    """An expression for the value of a JSON expression."""
    if hint in _READERS:
        return f"{_READERS[hint].replace('::', '.')}({json})"
    if item_of(hint) is not None or given_of(hint) is not None:
        return f"{_function(values, hint)}.apply({json})"
    return f"{values.names[hint]}.read({json})"


def _function(values: Values, hint: Any) -> str:
    """An expression for a function that reads the value from JSON."""
    if hint in _READERS:
        return _READERS[hint]
    if (item := item_of(hint)) is not None:
        return f"listOf({_function(values, item)})"
    if (given := given_of(hint)) is not None:
        return f"orNull({_function(values, given)})"
    return f"{values.names[hint]}::read"
