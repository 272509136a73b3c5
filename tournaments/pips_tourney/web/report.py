"""A night in one file: all pages as of its end, and some replays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, Final

from pips_referee.records.record import read_record
from pips_tourney.night.log.store import Store, read_store
from pips_tourney.night.night import last_night
from pips_tourney.web.archive import Archive, ArchivedResult
from pips_tourney.web.match.matches import NoMatch, match_json
from pips_tourney.web.page import page
from pips_tourney.web.public import Public
from pips_tourney.web.scoreboard import night_json
from pips_tourney.web.season import has_season, season_json, when

FAULTS: Final = 6
"""The most matches with a fault that are included by default."""


def report(database: Path, wanted: Sequence[str], public: Public | None = None) -> str:
    """The page of a night, in one file.

    `wanted` are prefixes of ids of the matches to replay. By default these are a few
    interesting matches whose deals are over: first faults and, for every table, the
    last match of the two best bots.

    `public` limits the page to public parts. Raises `NoMatch`, `StoreError`.
    """
    with read_store(database) as store:
        archive = Archive(store)
        night = night_json(archive, archive.standings()) | {"when": when(store)}
        chosen = [_named(archive, begin) for begin in wanted] or _telling(archive, night)
        name = (lambda bot: bot) if public is None else public.name
        own = None if public is None else ()
        replays = {match_id: _views(database, store, match_id, name, own) for match_id in dict.fromkeys(chosen)}
        matches = [each.compact() for each in archive.played]
        if public is not None:
            night, matches = public.night(night), public.matches(matches)
            replays = {match_id: [*map(public.replay, views)] for match_id, views in replays.items()}
        about = {"mode": "report", "play": None, "night": night, "matches": matches, "replays": replays}
        if has_season(database) and (public is None or not public.aliases):  # aliases exist only for this night's bots
            about["season"] = season_json(database)
        return page(about, whole=True)


def bots_of(database: Path) -> list[str]:
    """The names of all bots of a night. Raises `StoreError` if there is none."""
    with read_store(database) as store:
        return [entrant.name for entrant in last_night(store).programme.entrants]


def _named(archive: Archive, begin: str) -> str:
    found = [match.fixture.match_id for match in archive.played if match.fixture.match_id.startswith(begin.lower())]
    if len(found) != 1:
        raise NoMatch(f"{len(found)} matches of this night have an id that begins with {begin}")
    return found[0]


def _telling(archive: Archive, night: dict[str, Any]) -> list[str]:
    chosen: list[str] = []
    for table in night["tables"]:
        if "game" in table:
            best = {row["bot"] for row in table["rows"][:2]}
            here = [match for match in archive.played if match.fixture.part == table["label"]]
            chosen += _last([match for match in here if archive.may_be_shown(match.fixture.match_id)], best)
    faults = [
        first[0]
        for table in night["tables"]
        for bot in table["bots"].values()
        for first in bot["first_faults"].values()
        if archive.may_be_shown(first[0])
    ]
    return chosen + faults[:FAULTS]


def _last(matches: Sequence[ArchivedResult], best: set[str]) -> list[str]:
    fitting = [match for match in matches if best <= {*match.fixture.seating} and not match.faults] or matches
    return [match.fixture.match_id for match in fitting[-1:]]


def _views(
    database: Path, store: Store, match_id: str, name: Callable[[str], str], own: Collection[str] | None
) -> list[dict[str, Any]]:
    """The complete truth, then each seat's view unless it is the same."""
    truth = match_json(database, match_id, None, name, own)
    seats = range(len(read_record(store.rows([match_id])[match_id].record).header.names))
    views = [match_json(database, match_id, seat, name, own) for seat in seats]
    return [truth] if all(_tables(view) == _tables(truth) for view in views) else [truth, *views]


def _tables(match: dict[str, Any]) -> list[Any]:
    return [frame["set"] for frame in match["frames"]]
