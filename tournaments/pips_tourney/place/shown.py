"""What the pages of a place show of its night, as plain values."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from pips_tourney.errors import TourneyError
from pips_tourney.night.director import office
from pips_tourney.night.handed_in import handed_in
from pips_tourney.night.night import Night, last_night, nights
from pips_tourney.night.standings import standings
from pips_tourney.night.standings_json import as_json
from pips_tourney.night.store import Store, read_store
from pips_tourney.reports.exports import gradebook
from pips_tourney.reports.feedback import FeedbackPart, feedback
from pips_tourney.reports.matches import match_lines, matches

LISTED: Final = 200
"""Matches on a page, the last ones."""


def tables(database: Path) -> list[dict[str, Any]]:
    """The standings, a table for each contest; none before the first result."""
    if not database.is_file():
        return []
    with read_store(database) as store:
        return [] if (night := _begun(store)) is None else [*map(_table, as_json(standings(night))["tables"])]


def _table(table: dict[str, Any]) -> dict[str, Any]:
    rows = [
        {"bot": row["bot"], "matches": row["matches"], "elo": _elo(row["elo"]), "interval": _interval(row)}
        for row in table["rows"]
    ]
    return {**table, "rows": rows}


def _elo(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def _interval(row: dict[str, Any]) -> str:
    low, high = row["low"], row["high"]
    ends = "below" if low is None else _elo(low), "above" if high is None else _elo(high)
    return "" if low is None and high is None else " to ".join(ends)


def match_list(database: Path) -> list[str]:
    """The last matches, newest first, a line each."""
    if not database.is_file():
        return []
    with read_store(database) as store:
        return [*match_lines(matches(store)[-LISTED:])][::-1]


def about_bot(database: Path, bots: list[str]) -> list[FeedbackPart]:
    """What the night has to say of the newest of these bots that is in it."""
    if not database.is_file():
        return []
    with read_store(database) as store:
        night = _begun(store)
        known = set() if night is None else {entrant.name for entrant in night.programme.entrants}
        playing = [bot for bot in bots if bot in known]
        if night is None or not playing:
            return []
        return [part for page in feedback(night, standings(night), playing[-1:]) for part in page.sections]


def grades(database: Path) -> str:
    """The gradebook as CSV."""
    with read_store(database) as store:
        night = last_night(store)
        return gradebook(night, standings(night), (), handed_in(store))


def is_paused(database: Path) -> bool:
    """Whether the organiser has paused the night."""
    if not database.is_file():
        return False
    with read_store(database) as store:
        return (night := _begun(store)) is not None and night.decisions().paused is not None


def decide(database: Path, what: str, match: str = "", reason: str = "") -> str:
    """Carry out a decision of the organiser; returns what follows from it."""
    if not database.is_file():
        raise TourneyError("the night has not begun: wait a moment")
    with office(database) as at:
        match what:
            case "pause":
                return at.pause(reason)
            case "resume":
                return at.resume()
            case _:
                return at.annul(match, reason)


def _begun(store: Store) -> Night | None:
    return last_night(store) if nights(store) else None
