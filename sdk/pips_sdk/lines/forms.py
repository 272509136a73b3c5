"""Actions from JSON, and the schema of all lines, read off the games' own values.

The other way, `record_json.to_json` writes a value. A game's wire names its types, and
their annotations say what a field holds. So there is no second list of fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin

from pips_referee.cards import CARDS, Card, Suit
from pips_referee.game import REGISTRY, Action, View
from pips_referee.wire import fields_of, get_wire, kind_of

_CARDS: Final = {card.code: card for card in CARDS}
_SUITS: Final = {suit.name[0]: suit for suit in Suit}
_PLAIN: Final = {bool: "true or false", int: "a whole number", str: "a text"}
_SCHEMAS: Final[dict[Any, dict[str, Any]]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    str: {"type": "string"},
    NoneType: {"type": "null"},
    bytes: {"type": "array", "items": {"type": "integer"}},
    Card: {"$ref": "#/$defs/card"},
    Suit: {"$ref": "#/$defs/suit"},
}


class WrongForm(ValueError):
    """A line that does not have its form; the text says where and what is due."""


@dataclass(frozen=True, slots=True)
class Types:
    """A game's types: options and view, and the unions of its actions and events."""

    options: Any
    view: Any
    action: Any
    event: Any


@cache
def types_of(game: str) -> Types:
    """The types that the game's wire names."""
    return Types(*get_args(type(get_wire(game)).__orig_bases__[0]))  # type: ignore[attr-defined]


def read_action(game: str, data: object) -> Action:
    """An action from its JSON; `WrongForm` says what is wrong with it."""
    action: Action = _read(types_of(game).action, data, "action")
    return action


def _read(hint: Any, data: Any, where: str) -> Any:
    """A value of an annotated type."""
    if hint in _PLAIN:
        if type(data) is not hint:
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
    if isinstance(hint, UnionType) or get_origin(hint) is Union:
        return _read_union(get_args(hint), data, where)
    return _read_fields(hint, data, where)


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
        return None if data is None else _read(next(hint for hint in choices if hint is not NoneType), data, where)
    by_kind = {kind_of(hint.__name__): hint for hint in choices}
    kind = data.get("kind") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in by_kind:
        raise WrongForm(f"{where}: an object with a `kind` of {', '.join(by_kind)} is due, not {_short(data)}")
    return _read_fields(by_kind[kind], data, where)


def _read_fields(hint: Any, data: Any, where: str) -> Any:
    hints = fields_of(hint)
    if not isinstance(data, dict) or data.keys() - {"kind"} != hints.keys():
        due = ", ".join(["kind", *hints])
        raise WrongForm(f"{where}: an object with {due} is due, not {_short(data)}")
    return hint(**{name: _read(hints[name], data[name], f"{where}.{name}") for name in hints})


def _short(data: object) -> str:
    said = repr(data)
    return said if len(said) <= 80 else f"{said[:77]}..."


# --- the schema


def schema() -> dict[str, Any]:
    """The JSON Schema of every line, in both directions."""
    definitions: dict[str, Any] = {
        "card": {"enum": list(_CARDS), "description": "rank A 2 ... 10 J Q K, then suit C D H S"},
        "suit": {"enum": list(_SUITS)},
    }
    for game in REGISTRY:
        types = types_of(game)
        definitions[f"{game}_options"] = _record(types.options)
        definitions[f"{game}_view"] = _record(types.view)
        definitions[f"{game}_action"] = {"anyOf": [_record(hint) for hint in get_args(types.action)]}
        definitions[f"{game}_event"] = {"anyOf": [_record(hint) for hint in get_args(types.event)]}
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
    """A dataclass as it is written: its fields, and its kind where it has none."""
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
    if isinstance(hint, UnionType) or get_origin(hint) is Union:
        return {"anyOf": [_schema_of(choice) for choice in choices]}
    return _record(hint)
