"""A bot's decisions: what it knew, what it answered, and the true position."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pips_referee.chance import Chance
from pips_referee.game import Action, AnyGame, AnyState, Options, View
from pips_referee.records.record import Record, replay
from pips_referee.records.replay import get_text


@dataclass(frozen=True, slots=True)
class Decision:
    """One answer that a bot gave to a question with a choice."""

    match: str
    seat: int
    number: int
    """The question's number within its seat, from 1."""
    view: View
    action: Action
    state: AnyState
    """The position before the answer, with all cards; it must not be changed."""
    situation: str
    """The kind of situation, in words."""


def decisions(record: Record, bot: str) -> Iterator[Decision]:
    """The decisions of every seat of that bot, in the order of the match.

    Faults and the autopilot's answers are left out. `RecordError` if the record does
    not fit its match.
    """
    header = record.header
    text = get_text(header.game.name)
    state, _ = header.game.start(header.options, len(header.names), Chance(header.seed))
    for reply in replay(record).history:
        if reply.fault is not None or reply.action is None:
            continue
        if header.names[reply.seat] == bot and not reply.by_autopilot:
            view = state.view(reply.seat)
            action, before = reply.action, state.copy()
            yield Decision(header.match_id, reply.seat, reply.number, view, action, before, text.situation(view))
        state.apply(reply.action)


@dataclass(frozen=True, slots=True)
class KindOfTable:
    """Game, options and number of seats: equal tables can be analysed together."""

    game: AnyGame
    options: Options
    seats: int

    @staticmethod
    def of(record: Record) -> KindOfTable:
        """The table of a record."""
        return KindOfTable(record.header.game, record.header.options, len(record.header.names))
