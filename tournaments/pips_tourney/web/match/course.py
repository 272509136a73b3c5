"""A match step by step as JSON for a page, on a server or in a tab."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pips_referee.records.record import Record
from pips_referee.records.replay import GameText, get_text
from pips_referee.worth import FULL
from pips_tourney.analysis.analyse import CostlyDecision
from pips_tourney.analysis.course import course
from pips_tourney.reports.analysed import mistake_json
from pips_tourney.web.match.frames import last_frames


def course_json(record: Record, key: bytes, seconds: float) -> dict[str, Any]:
    """The `course` of a match; results, luck and costs as fractions of a win.

    `frames` has the last frame of every step, as everybody sees the match and as each
    seat saw it. The `step` of a mistake is the step of its answer.
    """
    found, text = course(record, key, seconds), get_text(record.header.game.name)
    seats = [None, *range(len(record.header.names))]
    return {
        "value_sha256": found.value_sha256,
        "frames": {"" if seat is None else str(seat): last_frames(record, seat) for seat in seats},
        "expected": [_parts(values) for values in found.values],
        "luck": [{"step": moment.reply + 1, "gains": _parts(moment.gains)} for moment in found.luck],
        "luck_in_all": _parts(found.totals),
        "mistakes": [mistake_json(mistake) | said(text, mistake) | {"step": step} for step, mistake in found.mistakes],
    }


def said(text: GameText, mistake: CostlyDecision) -> dict[str, str]:
    """The answer and the better one in words."""
    return {"said": text.action_text(mistake.decision.action), "better_said": text.action_text(mistake.better)}


def _parts(values: Sequence[int]) -> list[float]:
    return [round(value / FULL, 4) for value in values]
