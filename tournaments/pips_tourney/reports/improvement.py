"""Who improved most over a season, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from pips_referee.printable import plain
from pips_tourney.night.table.improvement import Improvement, improvements
from pips_tourney.night.table.season import Season
from pips_tourney.ratings.table import Difference

HEADING = "Who improved most: the last version against the first, both rated over all nights"
NOBODY = "No bot has changed between the nights, or too little was played to tell who improved."


def improvement_lines(season: Season) -> Iterator[str]:
    """A line for each bot that has changed, the most improved first."""
    found = improvements(season)
    yield HEADING if found else NOBODY
    width = max((len(each.bot) for each in found), default=0)
    for each in found:
        yield plain(f"  {each.bot:{width}}  nights {each.first} to {each.last}  {_text(each)}")


def _text(each: Improvement) -> str:
    of = each.difference
    if of.bound:
        end = of.low if of.bound == ">" else of.high
        side = "more than" if of.bound == ">" else "less than"
        value = "how much is not known" if end is None else f"{side} {end:+z.0f} Elo, with 95 %"
    elif of.elo is None:
        value = f"how much is not known: {of.note}"
    elif of.low is None or of.high is None:
        value = f"{of.elo:+z.0f} Elo; how sure that is, is not known yet: {of.note}"
    else:
        value = f"{of.elo:+z.0f} Elo, with 95 % between {of.low:+z.0f} and {of.high:+z.0f}"
    return value + _better(of)


def _better(of: Difference) -> str:
    return "" if of.better is None else f"; better with a probability of {of.better:.0%}"
