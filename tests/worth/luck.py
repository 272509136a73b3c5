"""Certify the luck ledger: its mean over many deals in every game, and one joint test.

`make luck`. Greedy bots play every deal once, and the ledger of each match is made. The
seed is fixed here, before any run. Of each setting Hotelling's T-squared says how far
the seats' means are from 0; together they are tested at 1 % (Hotelling, "The
generalization of Student's ratio", Annals of Mathematical Statistics 2, 1931).
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from multiprocessing import Pool
from random import Random

import click
import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from pips_referee.chance import Chance
from pips_referee.game import Action, get_game
from pips_referee.worth import FULL, get_worth, results_of
from pips_sdk.search import house
from pips_tourney.analysis.luck import luck_of
from tests.worth.positions import BOTS, Setting

SEED = "the luck of 10,000 deals"
LEVEL = 0.01
LOOKED_AT = (
    Setting("serpent", 2, {}),
    Setting("serpent", 2, {"hands": 2}),
    Setting("wichita", 2, {}),
    Setting("wichita", 4, {}),
    Setting("pippip", 2, {"rules": "hervey", "hands": 1}),
    Setting("pippip", 4, {"rules": "hervey", "hands": 1}),
    Setting("dominion", 2, {"size": 3}),
    Setting("dominion", 3, {"size": 3}),
)


def luck_and_result(setting: Setting, number: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """By seat, the luck and the result of one match between greedy bots."""
    game = get_game(setting.game)
    options = game.options(setting.options)
    rng = Random(f"{SEED}/{setting}/{number}")
    seed, key = rng.randbytes(32), rng.randbytes(32)
    start = partial(game.start, options, setting.seats)
    state, _ = start(Chance(seed))
    policy = house(BOTS[setting.game], options, setting.seats)
    actions: list[Action | None] = []
    while state.to_ask is not None:
        action = policy(state)
        actions.append(action)
        state.apply(action)
    luck = luck_of(start, seed, actions, get_worth(setting.game), key).totals
    return luck, results_of(state.outcome().places)


def distance(lucks: NDArray[np.float64]) -> float:
    """Hotelling's T-squared of the seats' means; the last seat's follows."""
    free = lucks[:, :-1]
    mean = free.mean(axis=0)
    covariance = np.atleast_2d(np.cov(free, rowvar=False)) / len(free)
    return float(mean @ np.linalg.solve(covariance, mean))


@click.command()
@click.option("--deals", default=10_000, show_default=True, help="Deals of each setting.")
def main(deals: int) -> None:
    """Print the mean luck of every seat, and test that all are 0."""
    total, free = 0.0, 0
    with Pool(2) as pool:
        for setting in LOOKED_AT:
            found = pool.map(partial(luck_and_result, setting), range(deals), chunksize=8)
            lucks = np.array([luck for luck, _ in found]) / FULL * 100
            results = np.array([result for _, result in found]) / FULL * 100
            total += distance(lucks)
            free += setting.seats - 1
            options = ", ".join(f"{name} {value}" for name, value in setting.options.items())
            means = "  ".join([
                f"{lucks[:, seat].mean():+.2f} +-{1.96 * lucks[:, seat].std() / sqrt(deals):.2f}"
                for seat in range(setting.seats)
            ])  # fmt: skip
            told = np.corrcoef(lucks[:, 0], results[:, 0])[0, 1]
            click.echo(f"{setting.game}, {setting.seats} seats {options}: mean luck in percent of a win: {means}")
            click.echo(f"  its correlation with the result is {told:.2f}; {deals:,} deals")
    chance = chi2.sf(total, free)
    verdict = "as if all were 0" if chance > LEVEL else "NOT 0"
    click.echo(f"all together: T-squared {total:.1f} with {free} degrees of freedom, p = {chance:.3f}: {verdict}")


if __name__ == "__main__":
    main()
