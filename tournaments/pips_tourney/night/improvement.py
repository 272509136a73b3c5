"""Which bots of a season have improved: their last version against their first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pips_tourney.night.season import Season
from pips_tourney.ratings import Difference


class Improvement(NamedTuple):
    """A bot's last version less its first, both rated over the whole season."""

    bot: str
    first: int
    """The night in which the bot played for the first time."""
    last: int
    """The last night that it played."""
    difference: Difference


def versions(season: Season) -> dict[str, dict[int, str]]:
    """By bot and night, its name in the season."""
    found: dict[str, dict[int, str]] = {}
    for night, names in sorted(season.names.items()):
        for bot, name in names.items():
            found.setdefault(bot, {})[night] = name
    return found


def improvements(season: Season) -> list[Improvement]:
    """Each bot that has changed, the most improved first.

    Bots that never changed have not improved: their places move with those of the
    others.
    """
    return sorted(_improvements(season), key=lambda each: -_known(each.difference))


def _improvements(season: Season) -> Iterator[Improvement]:
    ratings = season.standings.all_tables[-1].ratings
    found = {} if ratings is None else {(each.a, each.b): each for each in ratings.differences}
    for bot, of in versions(season).items():
        first, last = of[min(of)], of[max(of)]
        if first == last:
            continue
        difference = found.get((last, first))
        if difference is None and (back := found.get((first, last))) is not None:
            difference = back.reversed()
        if difference is not None:
            yield Improvement(bot, min(of), max(of), difference)


def _known(of: Difference) -> float:
    """What is known of it: the difference, or one end of it."""
    return next((value for value in (of.elo, of.low, of.high) if value is not None), 0.0)
