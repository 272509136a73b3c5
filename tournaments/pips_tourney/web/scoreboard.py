"""The night as JSON for the screen.

Standings, pairs, and the conduct of every bot.
"""

from __future__ import annotations

from typing import Any

from pips_tourney.night.plan.results import Conduct
from pips_tourney.night.table.boss import above_boss
from pips_tourney.night.table.standings_json import as_json
from pips_tourney.night.table.tables import ContestTable, Standings
from pips_tourney.reports.margins import margin_lines
from pips_tourney.web.archive import Archive, Meetings

Json = dict[str, Any]


def night_json(archive: Archive, standings: Standings) -> Json:
    """Everything except the matches themselves.

    `upto` is the number of the last result in the archive.
    """
    programme = archive.night.programme
    whole = as_json(standings, timings=True)
    for shown, table in zip(whole["tables"], standings.all_tables, strict=True):
        label = table.label
        shown["bots"] = {bot: _conduct(table.conduct.get(bot, Conduct())) for bot in sorted(table.rated)}
        if table.contest is not None:
            met = archive.meetings[label]
            shown |= {"against": _against(met), "seat_points": _seat_points(met, table.contest.seats)}
            shown["notes"] = _notes(table)
            above = above_boss(table, programme.entrants)
            shown["rows"] = [row | {"above_boss": row["bot"] in above} for row in shown["rows"]]
    return whole | {
        "decided": [f"{note.kind} {note.about}: {note.why}" for note in standings.decisions],
        "bots": [entrant.name for entrant in programme.entrants if entrant.rated],
        "games": {table.label: table.contest.game for table in standings.tables if table.contest is not None},
        "over": archive.night.is_ended(),
        "upto": archive.played[-1].number if archive.played else 0,
        "scheduled": sum(table.scheduled for table in standings.tables),
        "played": sum(table.played for table in standings.tables),
        "clock": dict(programme.clock),
    }


def _notes(table: ContestTable) -> list[str]:
    notes = ["in the order of margins: the mean lead of a match, in points"] if table.ordered_by == "points" else []
    notes += margin_lines(table)
    if table.waiting:
        notes.append(f"{table.waiting} played matches count when their deals are complete")
    if table.for_nobody:
        notes.append(f"{table.for_nobody} played matches count for nobody: a bot of theirs was withdrawn too early")
    return notes + [f"{bot} was {why}" for bot, why in sorted(table.withdrawn.items())]


def _conduct(conduct: Conduct) -> Json:
    """Faults by kind, with the first match of each, and answer times."""
    return {
        "faults": dict(sorted(conduct.faults.items())),
        "first_faults": {kind: list(first) for kind, first in sorted(conduct.first_faults.items())},
        "median_ms": conduct.quantile_ms(0.5),
        "p99_ms": conduct.quantile_ms(0.99),
    }


def _against(met: Meetings) -> Json:
    """By bot and opponent: how many matches the bot was placed above, level, below."""
    whole: Json = {}
    for (bot, opponent), record in met.against.items():
        whole.setdefault(bot, {})[opponent] = record
    return whole


def _seat_points(met: Meetings, seats: int) -> Json:
    """By bot and seat: mean points (a match is worth 1), and matches."""
    whole: Json = {}
    for (bot, seat), (points, matches) in met.seats.items():
        here = whole.setdefault(bot, [[None, 0]] * seats)
        here[seat] = [round(points / matches / (seats - 1), 4), int(matches)]
    return whole
