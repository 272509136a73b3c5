"""What a match by margin is worth beside by result: `make lab WHAT=margins`.

Sample bots play thousands of deals (real_deals.py). How many matches by result tell two
bots apart as surely as one by margin? And do the intervals of margins hold on parts of
these deals what all of them say?
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from pips_referee.game import REGISTRY, get_game
from pips_tourney.ratings.margins import rate_scores
from pips_tourney.ratings.table import Margins
from tests.lab.simulate.real_deals import Field, deals_of, play_all

CLOSE: Final = (("greedy", 0.1), ("greedy", 0.25), ("cautious", 0.1))
"""Three bots, and how many of their answers are random. The first two are close."""
SAMPLES: Final = (("random", 0.0), ("cautious", 0.0), ("greedy", 0.0), ("search", 0.0))
DEALS: Final = {"serpent": (3400, 400), "wichita": (3400, 400), "pippip": (3400, 100), "dominion": (1400, 100)}
"""By game: deals of the close field, and of the sample bots."""
PARTS: Final = (10, 20, 50)
DRAWS: Final = 2000


class Meetings(NamedTuple):
    """The deals in which two bots met: the first bot's points and leads, one a deal."""

    points: np.ndarray
    """(deals,) the mean share of the points that are above a half, from -1/2 to 1/2."""
    leads: np.ndarray
    """(deals,) the mean lead in scales, each match cut at the cap."""


def meetings(field: Field, deals: int) -> dict[tuple[str, str], Meetings]:
    """By pair of bots, its deals."""
    scale = get_game(field.game).margin
    found: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for deal in deals_of(field, deals):
        for matches in deal:
            for one, other in combinations(sorted(matches[0][0], key=field.names.index), 2):
                points, leads = [], []
                for seating, places, scores in matches:
                    a, b = seating.index(one), seating.index(other)
                    points.append((int(places[a] < places[b]) - int(places[a] > places[b])) / 2)
                    leads.append(np.clip((scores[a] - scores[b]) / scale.points, -scale.cap, scale.cap))
                of_points, of_leads = found.setdefault((one, other), ([], []))
                of_points.append(float(np.mean(points)))
                of_leads.append(float(np.mean(leads)))
    return {pair: Meetings(*map(np.array, both)) for pair, both in found.items()}


def worth(of: Meetings, rng: np.random.Generator) -> tuple[float, float, float] | None:
    """How many matches by result one by margin is worth, with a 95 % interval.

    It is the ratio of the squared means in standard deviations; the interval is that of
    a bootstrap over deals. None where the points never differ between deals.
    """
    if of.points.std() == 0 or of.leads.std() == 0:
        return None

    def ratio(points: np.ndarray, leads: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            by_margin = (leads.mean(axis=-1) / leads.std(axis=-1)) ** 2
            by_result = (points.mean(axis=-1) / points.std(axis=-1)) ** 2
            return np.asarray(np.nan_to_num(by_margin / by_result, nan=1.0, posinf=np.inf))

    found = []
    for _ in range(DRAWS // 50):
        drawn = rng.integers(0, len(of.points), (50, len(of.points)))
        found.append(ratio(of.points[drawn], of.leads[drawn]))
    low, high = np.quantile(np.concatenate(found), (0.025, 0.975))
    return float(ratio(of.points, of.leads)), float(low), float(high)


def worth_lines(field: Field, deals: int) -> Iterator[str]:
    """Lines of Markdown: what a match by margin is worth, pair by pair."""
    scale, rng = get_game(field.game).margin.points, np.random.default_rng(2026)
    for (one, other), of in meetings(field, deals).items():
        root = len(of.points) ** 0.5
        points = f"{100 * (0.5 + of.points.mean()):.1f} ± {196 * of.points.std() / root:.1f} %"
        leads = f"{scale * of.leads.mean():+.1f} ± {1.96 * scale * of.leads.std() / root:.1f}"
        told = worth(of, rng)
        shown = "-" if told is None else f"{told[0]:.2f} ({told[1]:.2f} to {told[2]:.2f})"
        if told is not None and not told[2] < 100:  # the points alone hardly say who is better
            shown = f"over {told[1]:.2f}"
        yield f"| {field.game} | {one}, {other} | {len(of.points)} | {points} | {leads} | {shown} |"


def arrays(field: Field, deals: int) -> tuple[np.ndarray, np.ndarray]:
    """Seating (deals, combinations, L, k), by sorted name, and scores in scales."""
    names, scale = sorted(field.names), get_game(field.game).margin.points
    played = list(deals_of(field, deals))
    seating = [[[[names.index(bot) for bot in who] for who, _, _ in each] for each in deal] for deal in played]
    scores = [[[scored for _, _, scored in each] for each in deal] for deal in played]
    return np.array(seating), np.array(scores, float) / scale


def covered(field: Field, deals: int, part: int) -> tuple[float, float]:
    """The share of intervals of parts that hold what all deals say, and its error."""
    seating, scores = arrays(field, deals)

    def rated(first: int, last: int) -> Margins:
        chosen = [
            (seating[first:last].reshape(-1, *seating.shape[2:]), scores[first:last].reshape(-1, *scores.shape[2:]))
        ]
        return rate_scores(sorted(field.names), chosen, get_game(field.game).margin.cap)

    whole = rated(0, deals)
    true = {row.bot: row.margin for row in whole.rows}
    held = []
    for first in range(0, deals - part + 1, part):
        found = rated(first, first + part)
        held.append(np.mean([_holds(row.low, true[row.bot], row.high) for row in found.rows]))
    return float(np.mean(held)), float(np.std(held) / len(held) ** 0.5)


def _holds(low: float | None, value: float, high: float | None) -> bool:
    assert low is not None and high is not None
    return low <= value <= high


def coverage_lines(field: Field, deals: int) -> Iterator[str]:
    """Lines of Markdown: whether the intervals of parts hold."""
    for part in PARTS:
        held, error = covered(field, deals, part)
        blocks = deals * len(list(combinations(field.names, field.seats)))
        shares = f"{100 * held:.1f} ± {196 * error:.1f} %"
        yield f"| {field.game} | {blocks} | {part} | {deals // part} | {shares} |"


def main(words: Sequence[str]) -> int:
    minutes = float(words[0]) if words else 60.0
    close = {Field(game, CLOSE): DEALS[game][0] for game in REGISTRY}
    samples = {Field(game, SAMPLES): DEALS[game][1] for game in REGISTRY}
    if missing := play_all(close | samples, minutes, 2):
        print(f"{missing} hundreds of deals are still to be played: run this again, it goes on from here")
        return 1
    print("| game | bots | deals | points | lead, points | worth of a match |\n| -- | -- | -- | -- | -- | -- |")
    for field, deals in (samples | close).items():
        print("\n".join(worth_lines(field, deals)), flush=True)
    print("\n| game | deals | a part | parts | margins |\n| -- | -- | -- | -- | -- |")
    for field, deals in close.items():
        print("\n".join(coverage_lines(field, deals)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
