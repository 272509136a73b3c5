"""A process that analyses matches for the screen.

At idle priority it uses only CPU time that a running night leaves. In a place, where
people wait for it, it gets a share.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from pips_referee.errors import PipsError
from pips_referee.records.record import read_record, replay
from pips_referee.records.replay import get_text
from pips_referee.worth import get_worth
from pips_tourney.analysis.analyse import analyse
from pips_tourney.analysis.chosen import NothingChosen
from pips_tourney.analysis.complete import chosen_records
from pips_tourney.analysis.decided import Decision
from pips_tourney.analysis.ledger import night_luck
from pips_tourney.errors import TourneyError
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import Night, last_night
from pips_tourney.reports.analysed import analysis_json
from pips_tourney.web.match.course import course_json, said
from pips_tourney.web.match.frames import last_frames

NICE: Final = 5
"""The niceness at a place: behind the pages, but before a night."""


def night_course(night: Night, match_id: str, seconds: float) -> dict[str, Any]:
    """The steps of a match of a night, as JSON; `NothingChosen` if there is none."""
    row = night.store.rows([match_id]).get(match_id)
    if row is None:
        raise NothingChosen(f"there is no match {match_id}")
    record = read_record(row.record)
    key = night.secret.luck_key(match_id, get_worth(record.header.game.name).sha256)
    return course_json(record, key, seconds)


def bot_json(night: Night, bot: str, seconds: float) -> list[dict[str, Any]]:
    """A bot's mistakes, by kind of table, with the frame of each question.

    Only deals that were played in every seating count. `seconds` is the CPU time of all
    rollouts.
    """
    found = analyse(chosen_records(night, bot), bot, seconds)
    shown = analysis_json(found)
    for table, told in zip(found, shown, strict=True):
        text = get_text(table.table.game.name)
        for mistake, about in zip(table.mistakes, told["mistakes"], strict=True):
            about.update(said(text, mistake), frame=frame_of(night, mistake.decision))
        for loss, about in zip(table.situations, told["situations"], strict=True):
            about["examples"] = [
                example | {"frame": frame_of(night, decision)}
                for decision, example in zip(loss.examples[:1], about["examples"], strict=False)
            ]
    return shown


def frame_of(night: Night, decision: Decision) -> int:
    """The frame of the complete match that shows the question."""
    record = read_record(night.store.rows([decision.match])[decision.match].record)
    asked = decision.seat, decision.number
    history = replay(record).history
    step = next(step for step, reply in enumerate(history) if (reply.seat, reply.number) == asked)
    return last_frames(record)[step]


def luck_json(night: Night) -> dict[str, Any]:
    """The effect of luck on a night's bots, by contest, in points of their matches."""
    ledger = night_luck(night)
    contests = {contest: [row._asdict() for row in rows] for contest, rows in ledger.by_bot().items()}
    return {"contests": contests, "uncommitted": list(ledger.uncommitted)}


def lesson(path: Path, seconds: float, what: str, of: str) -> Any:
    """The requested analysis: of a `match`, of a `bot`, or of `luck`."""
    with read_store(path) as store:
        night = last_night(store)
        if what == "match":
            return night_course(night, of, seconds)
        return bot_json(night, of, seconds) if what == "bot" else luck_json(night)


def main(words: Sequence[str]) -> None:
    """Print an analysis as JSON.

    The arguments are the database, CPU seconds, kind and subject, and perhaps `idle`.
    """
    is_idle = words[4:] == ["idle"]
    os.nice(19 if is_idle else NICE)
    with suppress(AttributeError, OSError):  # Linux has a class below all others
        os.sched_setscheduler(0, os.SCHED_IDLE if is_idle else os.SCHED_OTHER, os.sched_param(0))
    try:
        told = {"found": lesson(Path(words[0]), float(words[1]), words[2], words[3])}
    except (PipsError, TourneyError) as error:
        told = {"error": str(error)}
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1:])
