"""Forecasts for a season's next or open night, and how good earlier ones were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.gate_table import rate_results
from pips_tourney.night.plan.live_schedule import LiveSchedule
from pips_tourney.night.plan.programme import Contest, Programme
from pips_tourney.night.plan.results import ContestResults
from pips_tourney.night.table.season import Season
from pips_tourney.ratings.fit.sums import Sums
from pips_tourney.ratings.forecast import TOLD, Forecast, forecast, standard_error
from pips_tourney.ratings.reckoning import NightPoints, Reckoning, among, joined, night_of, reckoned
from pips_tourney.ratings.table import Ratings
from pips_tourney.secret import Secret


class ContestForecast(NamedTuple):
    """The forecast for one contest."""

    label: str
    left: int
    """How many matches are still to come."""
    of: Forecast
    tells: float | None
    """The smallest gap in Elo that the night would detect in four of five cases."""
    deals_for_20: int | None
    """How many deals per combination would detect a gap of 20 Elo."""

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        of = self.of
        pairs = [
            {"a": of.bots[a], "b": of.bots[b]}
            | {name: round(float(getattr(of, name)[a, b]), 4) for name in ("score", "low", "high", "ahead")}
            for a, b in combinations(range(len(of.bots)), 2)
            if not np.isnan(of.score[a, b])
        ]
        bots = [{"bot": bot, "places": of.places[at].round(4).tolist()} for at, bot in enumerate(of.bots)]
        tells = {"tells_elo": self.tells, "deals_for_20_elo": self.deals_for_20}
        return {"label": self.label, "matches_left": self.left, **tells, "bots": bots, "pairs": pairs}


def forecasts(season: Season, coming: Programme | None = None) -> list[ContestForecast]:
    """Forecasts for the season's last night, contest by contest.

    A `coming` night is the last one if the season was read with it. Contests without
    any results are left out, because nothing is known of them. Contests with no match
    to come are left out, too.
    """
    left = _left(season.database) if coming is None else _known(coming)
    tables = zip(season.programme.contests, season.standings.tables, strict=True)
    return [
        _forecast(season, contest, table.ratings.sums, left[contest.label])
        for contest, table in tables
        if contest.label in left and isinstance(table.ratings, Ratings)
    ]


def reckonings(season: Season) -> Iterator[tuple[str, Reckoning]]:
    """By contest, the forecasts before each night but the first, and what happened."""
    for contest in season.programme.contests:
        before, nights = ContestResults(), list[NightPoints]()
        parts: list[Reckoning] = []
        for fold in season.parts.get(contest.label, {}).values():
            sums, earlier = (_sums(season, contest, each) for each in (fold, before))
            before.join(fold)
            if sums is None:
                continue
            if earlier is not None:
                parts.append(reckoned(earlier, nights, night_of(sums)))
            nights.append(night_of(sums))
        if parts:
            yield contest.label, joined(parts)


def reckoning_json(of: Reckoning) -> dict[str, Any]:
    """As JSON values."""
    models = [
        {"model": model, "log_loss": round(loss, 5)}
        | {"calibration": [[round(b.said, 4), round(b.came, 4), b.matches] for b in of.calibration(model)]}
        for model, loss in of.loss.items()
    ]
    firsts = [{"bots": bots, "chance": round(chance, 4)} for bots, chance in of.firsts]
    return {"models": models, "pairs": len(of.pairs), "held_90": round(of.held, 4), "firsts": firsts}


def _sums(season: Season, contest: Contest, fold: ContestResults) -> Sums | None:
    ratings = rate_results(season.programme, contest.label, [counted.result for counted in fold.results])
    return ratings.sums if isinstance(ratings, Ratings) else None


def _forecast(season: Season, contest: Contest, sums: Sums, left: list[Fixture]) -> ContestForecast:
    night = max(season.names)
    own = {name: bot for bot, name in season.names[night].items()}
    rated = {entrant.name for entrant in season.programme.players(contest) if entrant.rated}
    bots = [bot for bot in own if bot in rated]
    number = {own[bot]: at for at, bot in enumerate(bots)}
    to_come, points = np.zeros((len(bots),) * 2), np.zeros((len(bots),) * 2)
    for fixture in left:
        at = [number[bot] for bot in fixture.seating if bot in number]
        to_come[np.ix_(at, at)] += 1
    np.fill_diagonal(to_come, 0)
    tonight = season.parts.get(contest.label, {}).get(night)
    played = None if tonight is None else _sums(season, contest, tonight)
    if played is not None:
        points = among(bots, night_of(played))
    of = forecast(sums, bots, to_come, points)
    matches = float(to_come.sum() / max((to_come > 0).sum(), 1))
    tells = TOLD * standard_error(sums, len(bots), matches) if matches else None
    deals = None if tells is None else int(np.ceil(contest.deals * (tells / 20) ** 2))
    return ContestForecast(contest.label, len(left), of, None if tells is None else round(tells, 1), deals)


def _known(programme: Programme) -> Mapping[str, list[Fixture]]:
    """The matches of a night that was not begun, as if all bots were equal."""
    course = LiveSchedule(programme, Secret(b""), rehearsal=True)
    return {
        contest.label: [item for item in course.items(contest) if isinstance(item, Fixture) and not item.final]
        for contest in programme.contests
    }


def _left(database: Path) -> Mapping[str, list[Fixture]]:
    """The matches of an open night that are known but not played yet."""
    found: dict[str, list[Fixture]] = {}
    with read_store(database) as store:
        for step in last_night(store).walk():
            if step.row is None and step.kept and not step.fixture.final:
                found.setdefault(step.fixture.contest.label, []).append(step.fixture)
    return found
