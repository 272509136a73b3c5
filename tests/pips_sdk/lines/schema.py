"""The schema of all lines, read off the games' own values (`pips_referee.forms`)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import NoneType
from typing import Any, Final, get_args, get_origin

from pips_referee.cards import CARDS, Card, Suit
from pips_referee.forms import choices_of, fields_of, types_of
from pips_referee.game import REGISTRY, View, get_game
from pips_referee.words import kind_of

_SCHEMAS: Final[dict[Any, dict[str, Any]]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    str: {"type": "string"},
    NoneType: {"type": "null"},
    Card: {"$ref": "#/$defs/card"},
    Suit: {"$ref": "#/$defs/suit"},
}


def schema() -> dict[str, Any]:
    """The JSON Schema of every line, in both directions."""
    definitions: dict[str, Any] = {
        "card": {"enum": [card.code for card in CARDS], "description": "rank A 2 ... 10 J Q K, then suit C D H S"},
        "suit": {"enum": [suit.name[0] for suit in Suit]},
    }
    for game in REGISTRY:
        types = types_of(get_game(game))
        definitions[f"{game}_options"] = _record(types.options)
        definitions[f"{game}_view"] = _record(types.view)
        definitions[f"{game}_action"] = {"anyOf": [_record(hint) for hint in types.actions]}
        definitions[f"{game}_event"] = {"anyOf": [_record(hint) for hint in types.events]}
    lines = {**_to_the_bot(), **_from_the_bot()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The line protocol of Pips",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in lines],
        "$defs": {**lines, **definitions},
    }


def _any(part: str) -> dict[str, Any]:
    return {"anyOf": [{"$ref": f"#/$defs/{game}_{part}"} for game in REGISTRY]}


def _to_the_bot() -> dict[str, Any]:
    whole, several = {"type": "integer"}, {"type": "array", "items": {"type": "integer"}}
    events = {"type": "array", "items": _any("event")}
    return {
        "start": _object({
            "type": {"const": "start"}, "table": whole, "game": {"enum": list(REGISTRY)}, "rules_version": whole,
            "options": _any("options"), "seats": whole, "seat": whole, "rng_seed": {"type": "string"}, "told": events,
        }),
        "question": _object(
            {
                "type": {"const": "question"}, "table": whole, "number": whole, "time_left_ms": whole,
                "view": _any("view"), "events": events,
            },
            {"legal": {"type": "array", "items": _any("action")}, "text": {"type": "string"}},
        ),
        "finish": _object({
            "type": {"const": "finish"}, "table": whole, "places": several, "scores": several, "events": events,
            "fault": {"type": "string"},
        }),
    }  # fmt: skip


def _from_the_bot() -> dict[str, Any]:
    whole, text, flag = {"type": "integer"}, {"type": "string"}, {"type": "boolean"}
    games = {"type": "array", "items": {"enum": list(REGISTRY)}, "minItems": 1}
    hello = _object(
        {"type": {"const": "hello"}, "games": games},
        {"name": text, "events": flag, "legal": flag, "text": flag, "one_table": flag},
    )
    return {
        "hello": hello,
        "answer": _object({"table": whole, "number": whole, "action": _any("action")}),
        "words": _object({"table": whole, "number": whole, "text": text}),
        "failure": _object({"table": whole, "number": whole, "failed": text}),
    }


def _object(needed: Mapping[str, Any], free: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {**needed, **(free or {})},
        "required": list(needed),
        "additionalProperties": False,
    }


def _record(hint: Any) -> dict[str, Any]:
    """A dataclass as it is written: its fields, and its kind if no field has it."""
    is_view = isinstance(hint, type) and issubclass(hint, View)
    kind = {"type": "string"} if is_view else {"const": kind_of(hint.__name__)}
    return _object({"kind": kind, **{name: _schema_of(field) for name, field in fields_of(hint).items()}})


def _schema_of(hint: Any) -> dict[str, Any]:
    if hint in _SCHEMAS:
        return _SCHEMAS[hint]
    choices = get_args(hint)
    if get_origin(hint) is tuple and choices[-1] is Ellipsis:
        return {"type": "array", "items": _schema_of(choices[0])}
    if get_origin(hint) is tuple:
        size = len(choices)
        return {
            "type": "array",
            "prefixItems": [_schema_of(item) for item in choices],
            "minItems": size,
            "maxItems": size,
        }
    if len(choices := choices_of(hint)) > 1:
        return {"anyOf": [_schema_of(choice) for choice in choices]}
    if issubclass(hint, Enum):
        return {"enum": [member.value for member in hint]}
    return _record(hint)
