"""The generated header for a bot in C++: pips.hpp."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pips_referee.cards import Card, Suit
from pips_referee.forms import fields_of
from pips_referee.game import REGISTRY
from pips_sdk.lines.source.model import Values, given_of, item_of, kind_in_json, values_of

_PLAIN = {bool: "bool", int: "int", str: "std::string", Card: "Card", Suit: "Suit"}


def header() -> str:
    """Return the text of pips.hpp: views, actions, events and options of every game."""
    runtime = Path(__file__).with_name("runtime.hpp").read_text(encoding="utf-8")
    return "\n".join([runtime, *(line for game in REGISTRY for line in _namespace(values_of(game)))])


def _namespace(values: Values) -> Iterator[str]:
    yield f"namespace pips::{values.game} {{"
    for record in values.records:
        yield ""
        yield from _struct(values, record)
    for name, choices in (("Action", values.actions), ("Event", values.events)):
        yield f"\nusing {name} = std::variant<{', '.join(values.names[choice] for choice in choices)}>;"
    yield "\nstruct Game {"
    yield f'    static constexpr const char *name = "{values.game}";'
    yield from (f"    using {name} = pips::{values.game}::{name};" for name in ("View", "Options", "Action", "Event"))
    yield "};\n\nusing Bot = BotOf<Game>;"
    yield f"}}  // namespace pips::{values.game}\n"


def _struct(values: Values, record: Any) -> Iterator[str]:
    name, fields = values.names[record], fields_of(record)
    yield f"struct {name} {{"
    yield f'    static constexpr const char *json_kind = "{kind_in_json(record)}";'
    yield from (f"    {_type(values, hint)} {field}{{}};" for field, hint in fields.items())
    yield "};"
    unused = "" if fields else "[[maybe_unused]] "
    yield f"inline void read({unused}const Json &from, {unused}{name} &to) {{"
    yield from (f'    pips::read_field(from, "{field}", to.{field});' for field in fields)
    yield "}"
    if values.is_written(record):
        yield f"inline void write(std::string &to, {unused}const {name} &from) {{"
        yield f'    to += "{{\\"kind\\":\\"{kind_in_json(record)}\\"";'
        yield from (f'    pips::write_field(to, "{field}", from.{field});' for field in fields)
        yield "    to += '}';\n}"


def _type(values: Values, hint: Any) -> str:
    if hint in _PLAIN:
        return _PLAIN[hint]
    if (item := item_of(hint)) is not None:
        return f"std::vector<{_type(values, item)}>"
    if (given := given_of(hint)) is not None:
        return f"std::optional<{_type(values, given)}>"
    return values.names[hint]
