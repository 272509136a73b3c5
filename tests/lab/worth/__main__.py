"""Fit the value functions anew: lab `worth`, or of one game with GAME=serpent.

It plays matches of the bot `greedy`, fits `worth.json` of each game, and prints how
well the values come true in fresh matches. `--check` prints that alone.
"""

from __future__ import annotations

import json
from functools import partial
from multiprocessing import Pool

import click
import numpy as np

from pips_referee.game import REGISTRY, get_game
from pips_referee.worth import FULL, WEIGHT_UNIT, Worth, get_features, get_worth, logistic
from tests.lab.worth.fitting import KNOTS, Reliability, fit, reliability
from tests.lab.worth.positions import SETTINGS, UNSEEN, Pairs, Setting, pairs_of

VERSION = 2
CHUNKS = 8
CHECKED = 3
"""One match in this number is played to look at the fit."""


def gathered(pool: object, setting: Setting, matches: int, seed: str) -> Pairs:
    """Pairs of that many matches, played in parts by the pool's processes."""
    parts = pool.map(partial(_part, setting, max(1, matches // CHUNKS), seed), range(CHUNKS))  # type: ignore[attr-defined]
    return together(parts)


def _part(setting: Setting, matches: int, seed: str, number: int) -> Pairs:
    return pairs_of(setting, matches, f"{seed}/{number}")


def together(parts: list[Pairs]) -> Pairs:
    """All pairs in one; the matches of each part have numbers of their own."""
    starts = np.cumsum([0, *[part.matches.max() + 1 for part in parts[:-1]]])
    return Pairs(
        np.concatenate([part.differences for part in parts]),
        np.concatenate([part.left for part in parts]),
        np.concatenate([part.results for part in parts]),
        np.concatenate([part.matches + start for part, start in zip(parts, starts, strict=True)]),
    )


def fitted(game: str, pool: object, matches: int) -> str:
    """The text of a new model for that game."""
    knots = KNOTS[game]
    weights = {}
    for seats in sorted({setting.seats for setting in SETTINGS[game]}):
        mine = [setting for setting in SETTINGS[game] if setting.seats == seats]
        pairs = together([gathered(pool, setting, matches * setting.share, "fit") for setting in mine])
        weights[str(seats)] = [[round(weight * WEIGHT_UNIT) for weight in row] for row in fit(pairs, knots)]
    names = list(get_features(game).NAMES)
    model = {"version": VERSION, "features": names, "knots": knots, "weights": weights}
    return json.dumps(model, indent=1) + "\n"


def looked_at(worth: Worth, setting: Setting, pool: object, matches: int) -> Reliability:
    """How well the shipped values come true in fresh matches of that setting."""
    pairs = gathered(pool, setting, matches, "check")
    chances = [
        logistic(round(float(row @ np.array(worth.weights_at(setting.seats, int(left))))))
        for row, left in zip(pairs.differences, pairs.left, strict=True)
    ]
    return reliability(np.array(chances) / FULL, pairs)


def show(setting: Setting, found: Reliability) -> None:
    """One setting's reliability, as lines of the table."""
    options = ", ".join(f"{name} {value}" for name, value in setting.options.items()) or "as usual"
    click.echo(f"{setting.game}, {setting.seats} seats, {options}: Brier score {found.brier:.4f}")
    for each in found.bins:
        said, came, error = 100 * each.said, 100 * each.came, 196 * each.error
        click.echo(f"  said {said:5.1f} %, came {came:5.1f} % (+-{error:.1f}), {each.pairs:,} pairs")


@click.command()
@click.option("--game", type=click.Choice(REGISTRY), help="Only this game.")
@click.option("--matches", default=800, show_default=True, help="Matches of a share of a setting.")
@click.option("--check", is_flag=True, help="Fit nothing; say how well the shipped model fits.")
def main(game: str | None, matches: int, check: bool) -> None:
    """Fit the value functions, and say how well they fit."""
    with Pool(2) as pool:
        for name in [game] if game else REGISTRY:
            if not check:
                path = get_game(name).room / "worth.json"
                path.write_text(fitted(name, pool, matches), encoding="utf-8")
                get_worth.cache_clear()
            worth = get_worth(name)
            click.echo(f"{name}: version {worth.version}, sha256 {worth.sha256}")
            for setting in [*SETTINGS[name], *UNSEEN[name]]:
                show(setting, looked_at(worth, setting, pool, max(CHUNKS, matches * setting.share // CHECKED)))


if __name__ == "__main__":
    main()
