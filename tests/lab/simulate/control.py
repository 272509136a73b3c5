"""What a control variate brings where deals are played once, and if intervals hold.

Sample bots play real deals (real_deals.py), and the bot `greedy` plays each of them
against itself. Leagues are drawn from these deals, with replacement, in one rotation
each. A simulated world says the same for bots that the control knows well or hardly.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import combinations, product

import numpy as np

from pips_referee.game import get_game
from pips_tourney.night.control import control_scores
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.tally import Columns
from tests.lab.simulate import real_deals
from tests.lab.simulate.coverage import limit, values
from tests.lab.simulate.leagues import World, schedule
from tests.lab.simulate.real_deals import CHUNK, Field, deals_of, play_all

ALIKE = (("greedy", 0.0), ("greedy", 0.1), ("search", 0.0))
"""Bots that play somewhat as the control's player does, as good ones mostly do."""
CLOSE = (("greedy", 0.1), ("greedy", 0.25), ("cautious", 0.1))
GAMES = ("serpent", "wichita")
POOL = 400
"""Deals of every pair that leagues are drawn from."""
A_LEAGUE = 100
WIDEST = 0.87
"""What is promised of the widths of intervals among bots that are alike."""


def control_of(field: Field, deal: int) -> list[tuple[int, ...]]:
    """The control's scores in that deal, by combination of bots."""
    game = get_game(field.game)
    options = game.options({})
    seeds = [
        sha256(f"{field.game} {combination} {deal}".encode()).digest()
        for combination in combinations(field.names, field.seats)
    ]
    return [control_scores(game, options, field.seats, seed) for seed in seeds]


def controls(field: Field, deals: int) -> np.ndarray:
    """(deals, combinations, seats), kept in a file beside the deals."""
    path = real_deals.FOLDER / f"control-{field.path(0).stem}-{deals}.json"
    if not path.exists():
        with ProcessPoolExecutor(2) as pool:
            found = list(pool.map(partial(control_of, field), range(deals), chunksize=20))
        path.write_text(json.dumps(found), encoding="utf-8")
    return np.array(json.loads(path.read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True)
class Pool:
    """Deals that were played in both rotations: D deals, C combinations, k seats."""

    names: list[str]
    seating: np.ndarray
    """(D, C, k, k) by rotation and seat."""
    places: np.ndarray
    """(D, C, k, k)"""
    control: np.ndarray
    """(D, C, k)"""

    def league(self, deals: np.ndarray, *, control: bool) -> Columns:
        """These deals of every pair, each in one rotation, in turn."""
        at = np.arange(len(deals))[:, None]
        tables = np.arange(self.seating.shape[1])[None, :]
        turn = (at + tables) % self.seating.shape[2]
        seats = self.seating.shape[3]
        chosen = deals[:, None], tables, turn
        block = np.arange(len(deals) * tables.size)
        beside = self.control[deals].reshape(-1, seats) if control else None
        return Columns(
            self.names, block, self.seating[chosen].reshape(-1, seats), self.places[chosen].reshape(-1, seats), beside
        )

    def whole(self) -> Columns:
        """All deals in both rotations."""
        deals, tables, turns, seats = self.seating.shape
        block = np.repeat(np.arange(deals * tables), turns)
        return Columns(self.names, block, self.seating.reshape(-1, seats), self.places.reshape(-1, seats))


def pool_of(field: Field, deals: int) -> Pool:
    """The deals of a field; they are played if they were not yet."""
    play_all({field: deals}, 60.0, 2)
    names, played = sorted(field.names), list(deals_of(field, deals))
    seating = [[[[names.index(bot) for bot in who] for who, _, _ in each] for each in deal] for deal in played]
    places = [[[placed for _, placed, _ in each] for each in deal] for deal in played]
    return Pool(names, np.array(seating), np.array(places), controls(field, deals))


def pool_table(leagues: int, rng: np.random.Generator) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown, and whether each line keeps its promise."""
    yield (
        "| game and bots | deals | ratings | differences | ± Elo | without: ratings | differences | ± Elo | width |",
        True,
    )
    yield "|---|---|---|---|---|---|---|---|---|", True
    for game, bots in product(GAMES, (ALIKE, CLOSE)):
        field = Field(game, bots)
        pool = pool_of(field, max(POOL // CHUNK, 1) * CHUNK)
        truth = values(rate(pool.whole()), pool.names)[:, 0]
        held: list[list[np.ndarray]] = [[], []]
        widths: list[list[np.ndarray]] = [[], []]
        for _ in range(leagues):
            deals = rng.integers(0, len(pool.seating), A_LEAGUE)
            for which, control in enumerate((True, False)):
                _, low, high = values(rate(pool.league(deals, control=control)), pool.names).T
                held[which].append((low <= truth) & (truth <= high))
                widths[which].append((high - low) / 2)
        what = f"{game}: {', '.join(field.names)}"
        yield _line(what, held, widths, len(pool.names), WIDEST if bots is ALIKE else 1.0)


def _line(
    what: str, held: list[list[np.ndarray]], widths: list[list[np.ndarray]], bots: int, widest: float
) -> tuple[str, bool]:
    cells, kept = [what, str(A_LEAGUE)], True
    for which in (0, 1):
        shares = np.mean(held[which], axis=0)
        parts = shares[:bots].mean(), shares[bots:].mean()
        kept &= which == 1 or all(0.93 <= part <= 0.97 for part in parts)
        cells += [f"{100 * part:.1f} %" for part in parts] + [f"{np.median(widths[which]):.0f}"]
    ratio = float(np.median(np.array(widths[0]) / np.array(widths[1])))
    return "| " + " | ".join([*cells, f"{ratio:.2f}"]) + " |", kept and ratio <= widest


WORLDS = [World(4, 2, 0.0), World(4, 2, 0.5), World(8, 2, 0.3), World(6, 4, 0.3)]


def world_league(world: World, rng: np.random.Generator) -> tuple[Columns, Columns]:
    """One league of deals that are played once, with controls and without."""
    seating = schedule(world, A_LEAGUE)[0]
    rows = len(seating)
    seated = seating[np.arange(rows), np.arange(rows) % world.seats]
    seats = np.linspace(world.first, -world.first, world.seats)
    cards = seats + rng.standard_normal(seated.shape) * world.share**0.5
    rest = rng.standard_normal((2, *seated.shape)) * (1 - world.share) ** 0.5
    points = np.round((cards + world.strengths[seated] + rest[0]) / world.grid)
    control = np.round((cards + rest[1]) / world.grid).astype(int)
    places = 1 + np.sum(points[:, None, :] > points[:, :, None], axis=-1)
    plain = Columns(world.names, np.arange(rows), seated, places)
    return replace(plain, control=control), plain


def world_table(leagues: int, rng: np.random.Generator) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown, and whether each line keeps its promise."""
    yield "| world | deals | ratings | differences | ± Elo | without: ratings | differences | ± Elo | width |", True
    yield "|---|---|---|---|---|---|---|---|---|", True
    for world in WORLDS:
        truth = limit(world, rng)
        held: list[list[np.ndarray]] = [[], []]
        widths: list[list[np.ndarray]] = [[], []]
        for _ in range(leagues):
            for which, columns in enumerate(world_league(world, rng)):
                _, low, high = values(rate(columns), world.names).T
                held[which].append((low <= truth) & (truth <= high))
                widths[which].append((high - low) / 2)
        what = f"{world.bots} bots, {world.seats} seats, deal share {world.share}"
        yield _line(what, held, widths, world.bots, 1.02)
