"""A match as frames to be drawn one after another.

A frame says what happened, in words, and what changed on the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, Final

from pips_referee.game import Event, Options
from pips_referee.match import Fault, MatchOutcome
from pips_referee.records.record import Record
from pips_referee.records.record_json import to_json
from pips_referee.records.replay import Step, fault_text, get_text, steps
from pips_tourney.web.boards import new_board

Frame = dict[str, Any]
"""`say`, and `set`: the parts of the table that have changed.

If they apply, also: `kind` of the event, `seat` that answered, `ms` it took, `auto` if
the autopilot answered, `fault`.
"""
_SEAT: Final = re.compile(r"\bseat (\d+)\b")


class Camera:
    """Makes frames of the events in one match, as one seat or everybody sees them."""

    def __init__(self, game: str, options: Options, names: Sequence[str]) -> None:
        self._board = new_board(game, len(names), options)
        self._text = get_text(game)
        self._names = names
        self._shown: dict[str, Any] = {}

    @property
    def table(self) -> dict[str, Any]:
        """The complete table now."""
        return self._board.table

    def first(self) -> Frame:
        """The empty table."""
        return {"say": f"At the table: {', '.join(self._names)}", "set": self._changed()}

    def event(self, event: Event) -> Frame:
        """The next event, as seen by this camera."""
        told: Any = to_json(event)
        self._board.tell(told)
        return {"say": self.named(self._words(event, told)), "kind": told["kind"], "set": self._changed()}

    def fault(self, fault: Fault) -> Frame:
        """A seat's fault, which changes nothing on the table."""
        kind = {"seat": fault.seat, "kind": fault.kind.value}
        return {"say": f"{self._names[fault.seat]}: {fault_text(fault)}", "kind": "fault", "fault": kind, "set": {}}

    def outcome(self, outcome: MatchOutcome) -> Frame:
        """The end of the match."""
        ranked = sorted(zip(outcome.places, self._names, outcome.scores, strict=True), key=lambda row: row[0])
        say = "The match is over: " + ", ".join(f"{place}. {name} ({score})" for place, name, score in ranked)
        told = {"places": list(outcome.places), "scores": list(outcome.scores)}
        return {"say": say, "kind": "outcome", "outcome": told, "set": {}}

    def named(self, text: str) -> str:
        """The text with the bots' names in place of the seats."""
        return _SEAT.sub(lambda found: self._names[int(found[1])], text)

    def _words(self, event: Event, told: dict[str, Any]) -> str:
        text = self._text.event_text(event)
        if "plain" in self.table:
            return text
        if told["kind"] == "hand_scored":  # the board is drawn
            return text.splitlines()[-1]
        return "a new hand is dealt" if told["kind"] == "dealt" else text

    def _changed(self) -> dict[str, Any]:
        changed = {
            name: deepcopy(part) for name, part in self._board.table.items() if self._shown.get(name, _NO) != part
        }
        self._shown |= changed
        return changed


_NO: Final = object()


def replay_frames(record: Record, seat: int | None = None) -> list[Frame]:
    """All frames of a finished match: the complete truth, or what one seat saw.

    Raises `RecordError` for a record that cannot be replayed.
    """
    header = record.header
    camera = Camera(header.game.name, header.options, header.names)
    frames = [camera.first()]
    for step in steps(record):
        frames += _of_step(camera, step, seat)
    return [*frames, camera.outcome(record.outcome)]


def record_json(record: Record, seat: int | None) -> dict[str, Any]:
    """A match: its players and its frames, as seen from that seat."""
    return {
        "game": record.header.game.name,
        "title": record.header.game.title,
        "names": list(record.header.names),
        "seat": seat,
        "frames": replay_frames(record, seat),
    }


def last_frames(record: Record, seat: int | None = None) -> list[int]:
    """By step of the match, from its deal on, the last frame of the step."""
    places, last = [], 0
    for step in steps(record):
        last += step.reply is not None and step.reply.fault is not None
        last += len([event for event in step.events if seat is None or event.seen_by(seat) is not None])
        places.append(last)
    return places


def _of_step(camera: Camera, step: Step, seat: int | None) -> Iterator[Frame]:
    reply = step.reply
    about: Frame = {}
    if reply is not None:
        about = {"seat": reply.seat, "auto": True} if reply.by_autopilot else {"seat": reply.seat}
        if not reply.by_autopilot and seat in {None, reply.seat}:
            about["ms"] = reply.spent.used_us / 1000
        if reply.fault is not None:
            yield camera.fault(reply.fault) | about
            about = {}
    for event in step.events:
        seen = event if seat is None else event.seen_by(seat)
        if seen is not None:
            yield camera.event(seen) | about
            about = {}
