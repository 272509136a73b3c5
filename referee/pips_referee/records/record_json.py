"""A match as JSON, one object per line; docs/record.md has the schema.

It is enough to verify the match without this code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import TypeAlias

from pips_referee.cards import Card, Suit
from pips_referee.match import Fault, MatchOutcome, Reply
from pips_referee.records.record import Header, Record
from pips_referee.records.replay import Step, steps
from pips_referee.words import kind_of

Json: TypeAlias = "bool | int | str | list[Json] | dict[str, Json] | None"
Line: TypeAlias = dict[str, Json]


def truth(record: Record) -> Iterator[Line]:
    """Everything: header; actions, faults, luck and events by step; outcome."""
    yield _header(record.header)
    for step in steps(record):
        if step.reply is not None:
            yield from _reply(step, step.reply)
        for drawn in step.drawn:
            yield {"line": "chance", "stream": drawn.stream, "drawn": to_json(drawn.outcome)}
        for event in step.events:
            yield {"line": "event", "event": to_json(event)}
    yield _outcome(record.outcome)


def seen(record: Record, seat: int) -> Iterator[Line]:
    """Everything one seat knew before the end: its questions, answers and events."""
    header = _header(record.header)
    del header["seed"], header["nonce"]
    yield header | {"seat": seat}
    for step in steps(record):
        if step.question is not None and step.question.seat == seat:
            yield {"line": "question", "question": step.question.number, "view": to_json(step.question.view)}
        if step.reply is not None and step.reply.seat == seat:
            yield from _reply(step, step.reply)
        for event in step.events:
            if (as_seen := event.seen_by(seat)) is not None:
                yield {"line": "event", "event": to_json(as_seen)}
    yield _outcome(record.outcome)


def to_json(value: object) -> Json:
    """A game's value as JSON.

    Cards are `QS`, suits `S`, an enum is its value, and a value its fields and its
    `kind`.
    """
    match value:
        case Card():
            return value.code
        case Suit():
            return value.name[0]
        case Enum():
            return to_json(value.value)
        case None | bool() | int() | str():
            return value
        case tuple() | list() | bytes():
            return [to_json(item) for item in value]
        case Mapping():
            return {str(key): to_json(item) for key, item in value.items()}
        case _:
            named: Line = {"kind": kind_of(value.__class__.__name__)}
            return named | _fields(value)


def _fields(value: object) -> Line:
    names: tuple[str, ...] | None = getattr(type(value), "__match_args__", None)
    if names is None:
        raise TypeError(f"{value!r} has no form in JSON")
    return {name: to_json(getattr(value, name)) for name in names}


def _header(header: Header) -> Line:
    return {
        "line": "header",
        "match_id": header.match_id,
        "game": header.game.name,
        "rules_version": header.game.rules_version,
        "options": {name: to_json(chosen) for name, chosen in header.options.named().items()},
        "seats": list(header.names),
        "seed": header.seed.hex(),
        "nonce": header.nonce.hex(),
        "commitment": header.commitment.hex(),
    }


def _reply(step: Step, reply: Reply) -> Iterator[Line]:
    """The action, if there is one, then the fault, if there is one."""
    spent = reply.spent
    time: Line = spent._asdict()
    if reply.action is not None:
        yield {
            "line": "action",
            "seat": reply.seat,
            "question": reply.number,
            "kind": step.question.kind if step.question is not None else None,
            "autopilot": reply.by_autopilot,
            "legal": reply.fault is None,
            **time,
            "action": to_json(reply.action),
        }
    if reply.fault is not None:
        yield {"line": "fault", **_fault(reply.fault), **time}


def _fault(fault: Fault) -> Line:
    return _fields(fault)


def _outcome(outcome: MatchOutcome) -> Line:
    return {
        "line": "outcome",
        "places": list(outcome.places),
        "scores": list(outcome.scores),
        "faults": [_fault(fault) for fault in outcome.faults],
        "questions": outcome.questions,
    }
