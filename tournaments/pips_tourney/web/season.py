"""A season for the screen: its nights, the places in each, and who has improved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from time import monotonic, time
from typing import Any, Final

from pips_tourney.night.log.earlier_nights import moved_aside
from pips_tourney.night.log.kinds import BEGUN
from pips_tourney.night.log.store import Store
from pips_tourney.night.night import last_night
from pips_tourney.night.table.forecast import forecasts, reckoning_json, reckonings
from pips_tourney.night.table.improvement import authors, improvements, versions
from pips_tourney.night.table.season import Season, read_season, season_stores
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import as_json

Json = dict[str, Any]
SHOWN: Final = ("label", "game", "counted", "scheduled", "rows")
"""The parts of a night's table that the page needs."""
PATIENCE: Final = 50.0
"""A season is cached for this many times the time that reading it took."""


def has_season(database: Path) -> bool:
    """Whether there are earlier nights, moved aside from that file."""
    return bool(moved_aside(database))


def when(store: Store) -> dict[str, str]:
    """The days on which the night began, and on which its last result came, in UTC."""
    begun = store.log(BEGUN)[-1].at
    return {"begun": begun[:10], "ended": max((at for _, at in store.arenas().values()), default=begun)[:10]}


def season_json(database: Path) -> Json:
    """All nights with their tables, the bots with their versions, and the forecasts.

    Raises `StoreError`.
    """
    season = read_season(database)
    return {
        "nights": [_night(number, store) for number, store in season_stores(database)],
        "bots": list(_bots(season)),
        "improved": _improved(season),
        "forecast": [each.as_json() for each in forecasts(season)],
        "reckoning": [{"label": label} | reckoning_json(found) for label, found in reckonings(season)],
        "made": round(time()),
    }


def _night(number: int, store: Store) -> Json:
    night = last_night(store)
    tables = as_json(standings(night))["tables"]
    shown = [{part: table[part] for part in SHOWN if part in table} for table in tables]
    over = night.is_ended()
    return {"number": number, "file": store.path.name, "over": over, "when": when(store), "tables": shown}


def _bots(season: Season) -> Iterator[Json]:
    """Every bot of any night, with the number of its version by night.

    A bot that has changed is a new version; one that returns is the old version.
    """
    rows = {row.bot: row for row in season.standings.all_tables[-1].rows}
    played = authors(season)
    for bot, of in versions(season).items():
        names = list(dict.fromkeys(of.values()))
        row = rows.get(of[max(of)])
        rated = None if row is None else {"elo": row.elo, "low": row.low, "high": row.high}
        own = {"bot": bot, "names": played[bot]}
        yield own | {"versions": {night: names.index(name) + 1 for night, name in of.items()}, "season": rated}


def _improved(season: Season) -> list[Json]:
    """Each bot's last version compared with its first, on the scale of the season."""
    return [
        {"bot": each.bot}
        | {part: getattr(each.difference, part) for part in ("elo", "low", "high", "better")}
        | {"from": each.first, "to": each.last}
        for each in improvements(season)
    ]


class SeasonPages:
    """The season of a served night, read on request.

    Reading all nights takes time, so the answer is cached for a while.
    """

    def __init__(self, database: Path, clock: Callable[[], float] = monotonic) -> None:
        self._database = database
        self._clock = clock
        self._lock = Lock()
        self._made: Json | None = None
        self._due = 0.0

    def is_there(self) -> bool:
        """Whether there are other nights."""
        return has_season(self._database)

    def json(self) -> Json:
        """A recent state of the season. Raises `StoreError`."""
        with self._lock:
            begun = self._clock()
            if self._made is None or begun >= self._due:
                self._made = season_json(self._database)
                now = self._clock()
                self._due = now + PATIENCE * (now - begun)
            return self._made
