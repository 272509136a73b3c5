"""A process that finds the course of one match for the screen.

It runs at idle priority: it takes from a running night what nobody else uses.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pips_referee.errors import PipsError
from pips_referee.record import Record, read_record
from pips_referee.replay import get_text
from pips_referee.worth import FULL, get_worth
from pips_tourney.analysis.course import Course, course
from pips_tourney.errors import TourneyError
from pips_tourney.night.night import last_night
from pips_tourney.night.store import read_store
from pips_tourney.reports.analysed import mistake_json
from pips_tourney.web.courses import NoCourse
from pips_tourney.web.frames import last_frames


def course_json(record: Record, found: Course) -> dict[str, Any]:
    """A course as JSON; results, luck and costs as parts of a win.

    `frames`: the last frame of every step, as everybody sees the match and as each
    seat saw it. `step` of a mistake is that of its answer.
    """
    text = get_text(record.header.game.name)
    seats = [None, *range(len(record.header.names))]
    return {
        "value_sha256": found.value_sha256,
        "frames": {"" if seat is None else str(seat): last_frames(record, seat) for seat in seats},
        "expected": [_parts(values) for values in found.values],
        "luck": [{"step": moment.reply + 1, "gains": _parts(moment.gains)} for moment in found.luck],
        "luck_in_all": _parts(found.totals),
        "mistakes": [
            mistake_json(mistake)
            | {
                "step": step,
                "said": text.action_text(mistake.decision.action),
                "better_said": text.action_text(mistake.better),
            }
            for step, mistake in found.mistakes
        ],
    }


def _parts(values: Sequence[int]) -> list[float]:
    return [round(value / FULL, 4) for value in values]


def stored_course(path: Path, match_id: str, seconds: float) -> dict[str, Any]:
    """The course of a match of a night, as JSON."""
    with read_store(path) as store:
        row = store.rows([match_id]).get(match_id)
        if row is None:
            raise NoCourse(f"there is no match {match_id}")
        record = read_record(row.record)
        worth = get_worth(record.header.game.name)
        key = last_night(store).secret.luck_key(match_id, worth.sha256)
    return course_json(record, course(record, key, seconds))


def main(words: Sequence[str]) -> None:
    """Print the course of one match: the database, the match, CPU seconds."""
    os.nice(19)
    with suppress(AttributeError, OSError):  # Linux has a class below all others
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    try:
        told = stored_course(Path(words[0]), words[1], float(words[2]))
    except (PipsError, TourneyError) as error:
        told = {"error": str(error)}
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1:])
