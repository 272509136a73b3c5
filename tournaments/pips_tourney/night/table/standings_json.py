"""Standings as JSON values, and their hash for the log of an ended night."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Any

from pips_tourney.night.plan.results import Conduct
from pips_tourney.night.plan.stages import PlayedRound
from pips_tourney.night.table.tables import ContestTable, Standings
from pips_tourney.night.table.why import why_better
from pips_tourney.ratings.overall import Overall
from pips_tourney.ratings.stopping import Verdict
from pips_tourney.ratings.table import Ratings
from pips_tourney.secret import canonical


def as_json(of: Standings, *, timings: bool = False, brackets: bool = True) -> dict[str, Any]:
    """Standings as JSON values; without timings, the same results give the same values.

    Without `brackets`, knockouts are ordered by rating, no pair has a margin, no bot is
    marked as unfenced or as a copy, and no chance is explained. The log of an ended
    night hashes them in this form.
    """
    nights = [night._asdict() | {"left_out": list(night.left_out)} for night in of.nights]
    return {
        **({"nights": nights} if nights else {}),
        "league": of.league,
        "complete": of.complete,
        "decisions": [note._asdict() for note in of.decisions],
        "tables": [_table_json(table, timings=timings, brackets=brackets) for table in of.all_tables],
        **({"models": [asked.as_json() for asked in of.models]} if timings and of.models else {}),
    }


def public_tables(of: Standings) -> list[dict[str, Any]]:
    """The tables for everybody, without the organiser's reasons for withdrawals."""
    shown = ("label", "game", "played", "scheduled", "rows")
    return [
        {key: table[key] for key in shown if key in table} | {"withdrawn": sorted(table.get("withdrawn", {}))}
        for table in as_json(of)["tables"]
    ]


def standings_sha256(of: Standings) -> str:
    """The hash of the standings in an ended night's log."""
    return sha256(canonical(as_json(of, brackets=False))).hexdigest()


def _table_json(table: ContestTable, *, timings: bool, brackets: bool) -> dict[str, Any]:
    table = table if brackets else replace(table, by_rating=True, unfenced=frozenset(), copies=())
    contest, ratings = table.contest, table.ratings
    about = {"label": table.label, "scheduled": table.scheduled, "played": table.played, "counted": table.counted}
    if contest is not None:
        about |= {"game": contest.game, "seats": contest.seats, "options": dict(contest.options)}
    if table.ordered_by == "points":
        about |= {"ordered_by": "points"}
    if table.withdrawn:
        about |= {"withdrawn": dict(sorted(table.withdrawn.items()))}
    if table.rounds:
        about |= {"rounds": [_round_json(played, explained=brackets) for played in table.rounds]}
    if table.verdict is not None:
        about |= {"stop": _verdict_json(table.verdict)}
    if isinstance(ratings, Ratings):
        about |= _game_json(ratings)
    if isinstance(ratings, Overall):
        missing = {bot: list(games) for bot, games in ratings.missing.items() if bot in table.rated}
        about |= {"games": list(ratings.games), "missing": missing}
    if isinstance(ratings, Ratings):
        met = [_plain(meeting) for meeting in ratings.meetings if {meeting.a, meeting.b} <= table.rated]
        about |= {"head_to_head": met}
        if ratings.circles is not None:
            about |= {"circles": _plain(ratings.circles)}
    if ratings is not None:
        about |= {
            "deals": ratings.deals,
            "differences": [
                _plain(difference) for difference in ratings.differences if {difference.a, difference.b} <= table.rated
            ],
        }
    return about | {
        "rows": [_row_json(table, place, timings=timings, explained=brackets) for place in range(len(table.rows))]
    }


def _game_json(ratings: Ratings) -> dict[str, Any]:
    """The properties of the game."""
    return {
        "draw": ratings.draw,
        "deal_share": ratings.deal_share,
        "seat_advantage": [_plain(seat) for seat in ratings.seats],
    }


def _round_json(played: PlayedRound, *, explained: bool) -> dict[str, Any]:
    points = played.points
    tables = [
        [{"bot": bot, "points": None if points is None else _rounded(points.get(bot))} for bot in table]
        for table in played.round.tables
    ]
    shown: dict[str, Any] = {"tables": tables, "byes": list(played.round.byes)}
    if explained and played.by_seed:
        shown["by_seed"] = list(played.by_seed)
    return shown | ({"through": list(played.through)} if played.round.advance else {})


def _verdict_json(verdict: Verdict) -> dict[str, Any]:
    pairs = [
        {"better": pair.better, "worse": pair.worse, "decided": pair.decided, "deals_needed": pair.deals_needed}
        for pair in verdict.pairs
    ]
    said = {"deals": verdict.deals, "settled": verdict.settled, "last": verdict.last, "pairs": pairs}
    if verdict.round:
        for shown, pair in zip(pairs, verdict.pairs, strict=True):
            shown |= {"given_up": pair.given_up, "more": pair.more}
        said |= {"round": verdict.round, "total": verdict.total}
    return said


def _row_json(table: ContestTable, place: int, *, timings: bool, explained: bool) -> dict[str, Any]:
    row = table.rows[place]
    conduct = table.conduct.get(row.bot, Conduct())
    shown = {
        "rank": table.place(place),
        **_plain(row),
        "points_percent": round(100 * row.points / row.matches, 2) if row.matches else None,
        "better_than_next": table.better_chance(place),
        "faults": dict(sorted(conduct.faults.items())),
    }
    if row.bot in table.unfenced:
        shown |= {"unfenced": True}
    if (same := table.same_as(row.bot)) is not None:
        shown |= {"same_files_as": same}
    if explained and (why := why_better(table, place)) is not None:
        shown |= {"why": why}
    if (margin := table.margin(row.bot)) is not None:
        shown |= {"margin": margin._asdict()}
    if table.ratings is None:
        del shown["ranks"]
    if timings:
        shown |= {"median_ms": _rounded(conduct.quantile_ms(0.5)), "p99_ms": _rounded(conduct.quantile_ms(0.99))}
        shown |= {"out_of_turn_ms": _rounded(conduct.out_of_turn_us / 1000)}
    return shown


def _plain(value: Any) -> dict[str, Any]:
    """A flat dataclass as JSON values."""
    return {name: list(part) if isinstance(part := getattr(value, name), tuple) else part for name in value.__slots__}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
