"""Simulated leagues: bots with known strengths, cards with a known share of the luck.

A bot's performance in a match is the sum of its strength, the seat, the cards of the
seat (the same in every rotation of a deal) and the rest of the luck. Performances are
whole numbers, as points are, so ties happen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pips_tourney.ratings.fit.tally import Columns
from pips_tourney.schedule.league import round_robin


@dataclass(frozen=True, slots=True)
class World:
    """A field of bots and a game."""

    bots: int
    seats: int
    share: float
    """The cards' share of the variance of luck."""
    span: float = 1.6
    """The distance between the strongest and the weakest bot.

    In standard deviations of one performance's luck.
    """
    grid: float = 0.25
    """Performances are rounded to it."""
    first: float = 0.3
    """What the first seat is worth; the last is worth as much less."""
    taste: float = 0.0
    """The share of the variance of luck that cards have together with their bot."""

    gumbel: bool = False
    """Whether the rest of the luck is Gumbel's.

    Without cards, this is the world of Plackett and Luce.
    """

    drawn: tuple[float, ...] = ()
    """Strengths of bots, in the same unit, instead of even steps."""

    circle: float = 0.0
    """By how much a bot performs better for each opponent that it suits.

    It suits the next half of the bots, around the field; the others suit it.
    """

    @property
    def names(self) -> list[str]:
        return [f"bot{number}" for number in range(self.bots)]

    @property
    def strengths(self) -> np.ndarray:
        if self.drawn:
            return np.array(self.drawn)
        return np.linspace(-self.span / 2, self.span / 2, self.bots)

    @property
    def suits(self) -> np.ndarray:
        """(bots, bots) by how much a bot performs better against another."""
        ahead = (np.arange(self.bots) - np.arange(self.bots)[:, None]) % self.bots
        return self.circle * np.sign(np.where(ahead == 0, 0, self.bots / 2 - ahead))


def schedule(world: World, deals: int) -> tuple[np.ndarray, np.ndarray]:
    """The bot in each seat, and block numbers.

    (blocks, seats, seats) for every rotation of every deal; and (blocks * seats,).
    """
    number = {name: at for at, name in enumerate(world.names)}
    seating = np.array([[number[bot] for bot in p.seating] for p in round_robin(world.names, world.seats, deals)])
    return seating.reshape(-1, world.seats, world.seats), np.repeat(np.arange(len(seating) // world.seats), world.seats)


def performances(world: World, seating: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(blocks, rotations, seats) performances, in whole steps of the grid.

    In standard deviations of one performance's luck.
    """
    blocks, seats = len(seating), world.seats
    cards = rng.standard_normal((blocks, 1, seats)) * world.share**0.5
    luck = rng.gumbel(scale=6**0.5 / np.pi, size=seating.shape) if world.gumbel else rng.standard_normal(seating.shape)
    rest = luck * (1 - world.share - world.taste) ** 0.5
    performance = world.strengths[seating] + np.linspace(world.first, -world.first, seats) + cards + rest
    if world.circle:
        performance += world.suits[seating[..., :, None], seating[..., None, :]].sum(axis=-1)
    if world.taste:
        own = rng.standard_normal((blocks, world.bots)) * world.taste**0.5
        performance += np.take_along_axis(own, seating.reshape(blocks, -1), axis=1).reshape(seating.shape)
    return np.asarray(np.round(performance / world.grid) * world.grid)


def play(world: World, seating: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(blocks, rotations, seats) places."""
    points = performances(world, seating, rng)
    return np.asarray(1 + np.sum(points[..., None, :] > points[..., :, None], axis=-1))


def league(world: World, seating: np.ndarray, block: np.ndarray, rng: np.random.Generator) -> Columns:
    """One night."""
    places = play(world, seating, rng)
    return Columns(world.names, block, seating.reshape(-1, world.seats), places.reshape(-1, world.seats))
