"""A match step by step: each seat's expected result, its luck, its costly answers."""

from __future__ import annotations

from dataclasses import dataclass

from pips_referee.chance import Chance
from pips_referee.records.record import Record, replay
from pips_referee.worth import get_worth
from pips_tourney.analysis.analyse import CostlyDecision, worst_answers
from pips_tourney.analysis.luck import LuckyMoment, match_luck


@dataclass(frozen=True, slots=True)
class Course:
    """One match, step by step. Step 0 is the deal; step n + 1 is reply n."""

    value_sha256: str
    """The hash of the value function."""
    values: tuple[tuple[int, ...], ...]
    """By step, every seat's expected result with all cards known, in millionths."""
    luck: tuple[LuckyMoment, ...]
    totals: tuple[int, ...]
    """By seat, the luck of the complete match."""
    mistakes: tuple[tuple[int, CostlyDecision], ...]
    """The costliest first, each with the step of its answer."""


def course(record: Record, key: bytes, seconds: float) -> Course:
    """Follow a record's match step by step, for all seats.

    `key` draws the luck anew (`Secret.luck_key`). The rollouts take `seconds` of CPU
    time. `RecordError` if the record does not fit its match.
    """
    worth = get_worth(record.header.game.name)
    luck = match_luck(record, worth, key)
    steps = {
        (reply.seat, reply.number): number
        for number, reply in enumerate(replay(record).history, 1)
        if reply.fault is None and not reply.by_autopilot
    }
    mistakes = [(steps[each.decision.seat, each.decision.number], each) for each in worst_answers(record, seconds)]
    return Course(worth.sha256, expected(record), luck.moments, luck.totals, tuple(mistakes))


def expected(record: Record) -> tuple[tuple[int, ...], ...]:
    """Every seat's expected result after each step, in millionths of a win.

    The last entry is the actual result. `RecordError` if the record does not fit.
    """
    header, worth = record.header, get_worth(record.header.game.name)
    state, _ = header.game.start(header.options, len(header.names), Chance(header.seed))
    values = [worth.values(state)]
    for reply in replay(record).history:
        if reply.fault is None and reply.action is not None:
            state.apply(reply.action)
            values.append(worth.values(state))
        else:
            values.append(values[-1])
    return tuple(values)
