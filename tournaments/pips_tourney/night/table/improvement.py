"""The bots of a season that have improved: their last version against their first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from pips_tourney.night.table.season import Season
from pips_tourney.ratings.table import Difference

_VERSION: Final = re.compile(r"(.+) v([1-9]\d*)")


class Improvement(NamedTuple):
    """A bot's last version less its first, both rated over the complete season."""

    bot: str
    first: int
    """The first night in which the bot played."""
    last: int
    """The last night in which the bot played."""
    difference: Difference


def versions(season: Season) -> dict[str, dict[int, str]]:
    """By author and night, the season's name of the last bot that they played."""
    return {
        author: {night: season.names[night][bot] for night, bot in of.items()} for author, of in authors(season).items()
    }


def authors(season: Season) -> dict[str, dict[int, str]]:
    """By author and night, the last bot that they played.

    Authors have the names of their bots. In a place, `ada v2` is the second version of
    `ada`, and comes after it.
    """
    bots = sorted({bot for names in season.names.values() for bot in names}, key=_number)
    bases = Counter(_base(bot) for bot in bots)
    found: dict[str, dict[int, str]] = {}
    for bot in bots:
        author = _base(bot) if bases[_base(bot)] > 1 else bot
        found.setdefault(author, {}).update({night: bot for night, names in season.names.items() if bot in names})
    return {author: dict(sorted(of.items())) for author, of in sorted(found.items(), key=lambda each: min(each[1]))}


def _base(bot: str) -> str:
    named = _VERSION.fullmatch(bot)
    return named[1] if named else bot


def _number(bot: str) -> tuple[str, int]:
    named = _VERSION.fullmatch(bot)
    return (named[1], int(named[2])) if named else (bot, 1)


def improvements(season: Season) -> list[Improvement]:
    """Each bot that has changed, the most improved first.

    Bots that never changed are left out: they move only because others do.
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
    """The known part of a difference: its value, or one bound."""
    return next((value for value in (of.elo, of.low, of.high) if value is not None), 0.0)
