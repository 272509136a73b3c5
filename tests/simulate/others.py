"""What Ordo and BayesElo give for the same matches: `python -m tests.simulate.others`.

Neither program is a package of Debian or PyPI. So their published formulas are fitted
here, each with its program's defaults, on matches that sample bots played
(real_deals.py). Error bars are those of independent matches, as both programs take
them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from scipy.optimize import minimize

from pips_tourney.ratings import Ratings, Result, rate
from tests.simulate.real_deals import Field, deals_of, play_all
from tests.simulate.worth import SAMPLES

ORDO: Final = np.log(0.76 / 0.24) / 202
"""Ordo's logistic: 202 points are an expected score of 76 % (option -z)."""
BAYES: Final = np.log(10) / 400
ADVANTAGE, DRAW, VIRTUAL_DRAWS = 32.8, 97.3, 2.0
"""BayesElo's defaults: White's advantage, its width of draws, its prior."""


LEAST_DRAW: Final = 0.1
"""The width of draws where there was none: virtual draws still have a chance."""


class Games(NamedTuple):
    """Pairs of matches by number of bot: the lower seat is White, as in the export."""

    white: np.ndarray
    black: np.ndarray
    score: np.ndarray
    """White's: 1, 1/2 or 0."""


def games_of(results: Sequence[Result], names: Sequence[str]) -> Games:
    rows = []
    for result in results:
        for a, b in combinations(range(len(result.bots)), 2):
            ahead = np.sign(result.places[b] - result.places[a])
            rows.append((names.index(result.bots[a]), names.index(result.bots[b]), (1 + ahead) / 2))
    white, black, score = zip(*rows, strict=True)
    return Games(np.array(white), np.array(black), np.array(score, float))


class Fitted(NamedTuple):
    """Elos with mean 0, and half of their 95 % intervals for independent matches."""

    elo: np.ndarray
    half: np.ndarray


def ordo(games: Games, bots: int) -> Fitted:
    """The Elos at which every bot's expected points are its points.

    That is the likeliest fit of a logistic in which a tie is half a win.
    """

    def loss(elo: np.ndarray) -> float:
        lead = ORDO * (elo[games.white] - elo[games.black])
        return float(np.sum(np.logaddexp(0, -lead) * games.score + np.logaddexp(0, lead) * (1 - games.score)))

    return _fitted(loss, bots, 1.0)


def bayeselo(games: Games, bots: int, advantage: float, draw: float) -> Fitted:
    """Likeliest Elos with virtual draws, in the scale that BayesElo prints.

    The virtual draws of a bot are against its opponents, in the proportion of their
    matches.
    """
    met = np.zeros((bots, bots))
    np.add.at(met, (games.white, games.black), 1.0)
    met += met.T
    virtual = VIRTUAL_DRAWS * met / met.sum(axis=1, keepdims=True)
    one, other = np.triu_indices(bots, 1)

    def loss(elo: np.ndarray) -> float:
        lead = elo[games.white] - elo[games.black] + advantage
        level = elo[one] - elo[other]
        weight = (virtual + virtual.T)[one, other]
        return -float(_chances(lead, games.score, draw).sum() + weight @ _chances(level, np.full(len(one), 0.5), draw))

    ratio = 10 ** (-draw / 400)
    return _fitted(loss, bots, 4 * ratio / (1 + ratio) ** 2)


def _chances(lead: np.ndarray, score: np.ndarray, draw: float) -> np.ndarray:
    """The logarithms of the chances of these scores."""
    won, lost = (1 / (1 + np.exp(-BAYES * (sign * lead - draw))) for sign in (1, -1))
    return np.asarray(np.log(np.where(score == 1, won, np.where(score == 0, lost, np.maximum(1 - won - lost, 1e-12)))))


def likeliest(games: Games, bots: int) -> tuple[float, float]:
    """White's advantage and the width of draws that fit best (`mm 1 1`)."""

    def loss(of: np.ndarray) -> float:
        lead = of[games.white] - of[games.black] + of[bots]
        return -float(_chances(lead, games.score, abs(of[bots + 1]) + 1e-3).sum()) + 1e-6 * float(
            (of[:bots] ** 2).sum()
        )

    found = minimize(loss, np.array([0.0] * bots + [ADVANTAGE, DRAW])).x
    return float(found[bots]), max(float(abs(found[bots + 1])), LEAST_DRAW)


def _fitted(loss: Callable[[np.ndarray], float], bots: int, scale: float) -> Fitted:
    """The least loss; errors are those of its second derivatives."""
    ridge = 1e-9

    def pinned(elo: np.ndarray) -> float:
        return loss(elo) + ridge * float(elo @ elo)

    elo = np.asarray(minimize(pinned, np.zeros(bots), method="BFGS", options={"gtol": 1e-7}).x)
    step, unit = 1.0, np.eye(bots)
    hessian = np.array(
        [
            [
                sum(a * b * loss(elo + step * (a * unit[i] + b * unit[j])) for a in (1, -1) for b in (1, -1))
                / (4 * step**2)
                for j in range(bots)
            ]
            for i in range(bots)
        ]
    )
    mean = np.eye(bots) - 1 / bots
    errors = np.sqrt(np.diag(mean @ np.linalg.pinv(hessian, rcond=1e-6, hermitian=True) @ mean))
    return Fitted(scale * (elo - elo.mean()), scale * 1.96 * errors)


def table(game: str, deals: int) -> list[str]:
    """Lines of Markdown: every bot's Elo by each way, with mean 0."""
    field = Field(game, SAMPLES)
    results = [
        Result(f"{number}/{at}", seats, places)
        for number, deal in enumerate(deals_of(field, deals))
        for at, matches in enumerate(deal)
        for seats, places, _ in matches
    ]
    ours = rate(results)
    names = [row.bot for row in ours.rows]
    games = games_of(results, names)
    fitted = likeliest(games, len(names))
    ways = [ordo(games, len(names)), bayeselo(games, len(names), ADVANTAGE, DRAW), bayeselo(games, len(names), *fitted)]
    ties = 100 * float((games.score == 0.5).mean())
    lines = [
        f"{game}: {len(results)} matches, {ties:.1f} % ties; fitted advantage {fitted[0]:.1f}, draw {fitted[1]:.1f}",
        "",
    ]
    lines += ["| bot | Pips | Ordo | BayesElo | BayesElo, `mm 1 1` |", "| -- | -- | -- | -- | -- |"]
    for at, name in enumerate(names):
        cells = (f"{way.elo[at]:+.1f} ± {way.half[at]:.1f}" for way in ways)
        lines.append(f"| {name} | {_ours(ours, name)} | {' | '.join(cells)} |")
    return lines


def _ours(ratings: Ratings, bot: str) -> str:
    row = ratings[bot]
    if row.elo is None or row.low is None or row.high is None:
        return row.text
    return f"{row.elo - 1500:+.1f} ± {(row.high - row.low) / 2:.1f}"


def main(words: Sequence[str]) -> int:
    deals = int(words[0]) if words else 100
    if play_all({Field(game, SAMPLES): deals for game in ("serpent", "wichita")}, 60.0, 2):
        return 1
    for game in ("serpent", "wichita"):
        print("\n".join(["", *table(game, deals)]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
