"""The additional sections of `standings --full`.

Who is better than whom, seats, draws, the deals' share, tie-breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from pips_referee.game import get_game
from pips_tourney.night.table.tables import ContestTable
from pips_tourney.night.table.why import why_better
from pips_tourney.ratings.table import Circles, Ratings, SeatWorth

ABREAST = 12
"""How many columns of the matrix fit side by side. The others follow below."""


def print_details(table: ContestTable, console: Console) -> None:
    """Print the details, or nothing before the first result that counts."""
    if table.ratings is None:
        return
    parts = [("probability that the row's bot is better than the column's", grid) for grid in _matrix(table)]
    if any(row.first is not None for row in table.rows):
        parts.append(("the chance to be the strongest of the rated bots", _firsts(table)))
    parts.append(("tie-breaks, in this order", _tie_breaks(table)))
    game = table.ratings if isinstance(table.ratings, Ratings) else None
    if game is not None:
        parts.append(("what a seat is worth", _seats(game)))
        parts += [
            ("head to head: the row's bot against the column's, in percent", grid) for grid in _head_to_head(table)
        ]
    if table.margins is not None:
        parts.append(("margins: the mean lead of a match, in points", _margins(table)))
    for title, grid in parts:
        console.print(Text(f"{table.label}: {title}", style="bold"))
        console.print(grid)
    for place in range(len(table.rows)):
        if (why := why_better(table, place)) is not None:
            console.print(
                Text(f"  {table.rows[place].bot} better than next, {chance(table.better_chance(place))}: {why}")
            )
    for line in [*(_lines(game) if game is not None else ()), *_fault_line(table)]:
        console.print(Text(f"  {line}"))


def chance(share: float | None) -> str:
    """A chance, never rounded to 0 or 1. Empty if it is unknown."""
    if share is None:
        return ""
    if share > 0.999:
        return "> 99.9 %"
    return "< 0.1 %" if share < 0.001 else f"{100 * share:.1f} %"


def _of_pairs(table: ContestTable, cell: Callable[[str, str], str]) -> Iterator[Grid]:
    """Grids with a cell for every pair of bots, `ABREAST` columns side by side."""
    names = [row.bot for row in table.rows]
    for first in range(0, len(names), ABREAST):
        others = names[first : first + ABREAST]
        grid = _grid("#", "bot", *(str(column) for column in range(first + 1, first + 1 + len(others))))
        for place, bot in enumerate(names, 1):
            grid.add_row(str(place), bot, *("-" if bot == other else cell(bot, other) for other in others))
        yield grid


def _matrix(table: ContestTable) -> Iterator[Grid]:
    ratings = table.ratings
    assert ratings is not None
    return _of_pairs(table, lambda bot, other: chance(ratings.difference(bot, other).better))


def _firsts(table: ContestTable) -> Grid:
    grid = _grid("#", "bot", "first")
    for at, row in enumerate(table.rows):
        grid.add_row(str(table.place(at)), row.bot, chance(row.first))
    return grid


def _head_to_head(table: ContestTable) -> Iterator[Grid]:
    assert isinstance(table.ratings, Ratings)
    met = table.ratings.meetings
    score = {(m.a, m.b): m.score for m in met} | {(m.b, m.a): 1 - m.score for m in met}
    return _of_pairs(table, lambda *pair: _percent(score.get(pair))) if met else iter(())


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"


def _tie_breaks(table: ContestTable) -> Grid:
    grid = _grid("#", "bot", "Elo", "direct encounter", "points")
    for at, row in enumerate(table.rows):
        marks = (f"{mark:.2f}" for mark in (row.direct, row.points))
        grid.add_row(str(table.place(at)), row.bot, row.text, *marks)
    return grid


def _seats(ratings: Ratings) -> Grid:
    grid = _grid("seats", "seat", "points", "Elo", "95 %")
    for seat in ratings.seats:
        grid.add_row(str(seat.size), str(seat.seat), f"{seat.points:.1%}", *_worth(seat))
    return grid


def _worth(seat: SeatWorth) -> tuple[str, str]:
    """`+12` and its interval, or why it has none; or `?`."""
    if seat.elo is None:
        return "?", seat.note
    known = seat.low is not None and seat.high is not None
    return f"{seat.elo:+z.0f}", f"{seat.low:+z.0f} to {seat.high:+z.0f}" if known else seat.note


def _lines(ratings: Ratings) -> list[str]:
    tie = ratings.draw / (2 + ratings.draw)
    lines = [] if ratings.circles is None else [_fit_line(ratings.circles)]
    lines.append(f"draws: {tie:.1%} between equals (Davidson's parameter {ratings.draw:.3g})")
    if ratings.deal_share is None:
        lines.append("the deals' share of the variance of results: not known, no deal was repeated")
    else:
        lines.append(f"the deals' share of the variance of results: {ratings.deal_share:.1%}")
    return lines


def _margins(table: ContestTable) -> Grid:
    """The margins, largest first."""
    assert table.margins is not None
    grid = _grid("#", "bot", "margin", "95 %", "more than next")
    bots = [row.bot for row in table.margins.rows if row.bot in table.rated]
    for place, bot in enumerate(bots, 1):
        margin = table.margin(bot)
        assert margin is not None
        known = margin.low is not None and margin.high is not None
        interval = f"{margin.low:+z.1f} to {margin.high:+z.1f}" if known else "too few deals"
        more = chance(table.margins.better[bot][bots[place]]) if known and place < len(bots) else ""
        grid.add_row(str(place), bot, f"{margin.mean:+z.1f}", interval, more)
    return grid


def _fault_line(table: ContestTable) -> list[str]:
    """The cost of a fault in margins, if any bot faulted."""
    if table.margins is None or table.contest is None or not any(each.faults for each in table.conduct.values()):
        return []
    return [f"margins: a match with a fault counts as lost by {get_game(table.contest.game).margin.points:g} points"]


def _fit_line(of: Circles) -> str:
    return f"results as far from any order as these: luck alone makes them with a chance of {of.fits:.2g}"


def _grid(*headings: str) -> Grid:
    grid = Grid()
    for heading in headings:
        grid.add_column(heading, justify="left" if heading == "bot" else "right", no_wrap=True)
    return grid
