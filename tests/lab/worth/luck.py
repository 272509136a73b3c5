"""Certify the luck ledger: its mean over many deals in every game, and one joint test.

lab `luck`. Greedy bots play every deal once, and the ledger of each match is made. The
seed is fixed here, before any run. Of each setting Hotelling's T-squared says how far
the seats' means are from 0; together they are tested at 1 % (Hotelling, "The
generalization of Student's ratio", Annals of Mathematical Statistics 2, 1931). What a
setting gave is kept in a file named after its model, so a run that stopped goes on.
"""

from __future__ import annotations

import json
from functools import partial
from hashlib import sha256
from math import sqrt
from multiprocessing import Pool
from pathlib import Path
from random import Random

import click
import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from pips_referee.chance import Chance
from pips_referee.game import REGISTRY, Action, get_game
from pips_referee.worth import FULL, get_worth, results_of
from pips_sdk.search import house
from pips_tourney.analysis.luck import LUCK_VERSION, luck_of
from tests.lab.worth.positions import BOTS, Setting

SEED = "the luck of 10,000 deals"
LEVEL = 0.01
FOLDER = Path("build/luck")
CHUNK = 500
"""Deals of one file."""
LOOKED_AT = (
    Setting("serpent", 2, {}),
    Setting("serpent", 2, {"hands": 2}),
    Setting("wichita", 2, {}),
    Setting("wichita", 3, {}),
    Setting("pippip", 2, {"rules": "hervey", "hands": 1}),
    Setting("pippip", 4, {"rules": "hervey", "hands": 1}),
    Setting("dominion", 2, {"size": 3}),
    Setting("dominion", 3, {"size": 3, "max_rounds": 20}),
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


def kept(setting: Setting, first: int) -> NDArray[np.int64]:
    """(deals, 2, seats) luck and results of one chunk; played if they were not yet."""
    what = f"{SEED} {setting} {get_worth(setting.game).sha256} {LUCK_VERSION} {first} {CHUNK}"
    path = FOLDER / f"{setting.game}-{setting.seats}-{first}-{sha256(what.encode()).hexdigest()[:12]}.json"
    if not path.exists():
        found = [luck_and_result(setting, number) for number in range(first, first + CHUNK)]
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(found), encoding="utf-8")
        fresh.rename(path)
    return np.array(json.loads(path.read_text(encoding="utf-8")))


def line_of(setting: Setting, lucks: NDArray[np.float64], results: NDArray[np.float64]) -> str:
    """A line of the table; luck and results in percent of a win."""
    options = ", ".join(f"{name} {value}" for name, value in setting.options.items())
    half = 1.96 * lucks.std(axis=0) / sqrt(len(lucks))
    means = ", ".join(f"{mean:+.2f} ± {by:.2f}" for mean, by in zip(lucks.mean(axis=0), half, strict=True))
    told = np.corrcoef(lucks[:, 0], results[:, 0])[0, 1]
    chance = chi2.sf(distance(lucks), setting.seats - 1)
    return f"| {setting.game} | {setting.seats} | {options} | {means} | {chance:.2f} | {told:.2f} |"


@click.command()
@click.option("--deals", default=10_000, show_default=True, help="Deals of each setting, in five hundreds.")
@click.option("--game", type=click.Choice(REGISTRY), help="Only this game.")
@click.option("--processes", default=2, show_default=True, help="Processes at work at once.")
def main(deals: int, game: str | None, processes: int) -> None:
    """Print the mean luck of every seat, and test that all are 0."""
    total, free = 0.0, 0
    settings = [setting for setting in LOOKED_AT if game in (None, setting.game)]
    click.echo(f"seed '{SEED}', ledger version {LUCK_VERSION}, {deals:,} deals a setting; values:")
    for name in dict.fromkeys(setting.game for setting in settings):
        click.echo(f"  {name} {get_worth(name).sha256}")
    click.echo("| game | seats | options | mean luck by seat, percent of a win | p | correlation with the result |")
    with Pool(processes) as pool:
        for setting in settings:
            found = np.concatenate(pool.map(partial(kept, setting), range(0, deals, CHUNK), chunksize=1))
            lucks, results = found[:, 0] / FULL * 100, found[:, 1] / FULL * 100
            total += distance(lucks)
            free += setting.seats - 1
            click.echo(line_of(setting, lucks, results))
    chance = chi2.sf(total, free)
    verdict = "as if all were 0" if chance > LEVEL else "NOT 0"
    click.echo(f"all together: T-squared {total:.1f} with {free} degrees of freedom, p = {chance:.3f}: {verdict}")


if __name__ == "__main__":
    main()
