"""Elo and its error bars: pure functions from results to standings.

docs/ratings.md says what is computed and why.
"""

from pips_tourney.ratings.overall import Overall, overall
from pips_tourney.ratings.rate import only_elos, rate
from pips_tourney.ratings.sums import METHOD, Model
from pips_tourney.ratings.table import Circles, Difference, Meeting, Ranking, Rating, Ratings, SeatWorth
from pips_tourney.ratings.tally import Columns, Kind, ManyResults, Result

__all__ = [
    "METHOD",
    "Circles",
    "Columns",
    "Difference",
    "Kind",
    "ManyResults",
    "Meeting",
    "Model",
    "Overall",
    "Ranking",
    "Rating",
    "Ratings",
    "Result",
    "SeatWorth",
    "only_elos",
    "overall",
    "rate",
]
