"""Weighs every territory by its armies and threats, and makes the best move at once.

The functions read a view or, in playouts, the state itself: Dominion hides nothing that
they need.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, Protocol

from pips_sdk import run
from pips_sdk.dominion import (
    Advance,
    Attack,
    Card,
    Conquer,
    Declare,
    Deploy,
    DominionAction,
    DominionBot,
    DominionView,
    Pass,
    Reinforce,
    Remove,
    neighbours,
    odds,
    reach,
    room,
    strength,
)

TERRITORY = 4.0
"""The worth of a territory, in armies."""
THREAT = 0.5
"""The worth of a chance to conquer a territory, in territories."""
PLENTY = 20
"""With room for this many armies on a cell, none is to be wasted."""
PASS = Pass()
MOST = 14
"""The most armies of a territory."""
KEPT = 1 << 13
"""The size of each cache of lists: some megabytes."""
KEPT_FIELDS = 256
"""How many playfields' borders are cached: 9 KB each, one per match."""
ARMIES_BITS, LEAD_BITS, EVEN = 4, 5, 16
FOE_BITS = 1 + LEAD_BITS + ARMIES_BITS
"""The bits of a foe: near or far, our rank minus the foe's, and the foe's armies."""
Foes = int
"""The enemies beside a cell, one foe after another; 0 if there are none."""


class Playfield(Protocol):
    """What views and states have in common."""

    @property
    def kind(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def playfield(self) -> tuple[Card, ...]: ...
    @property
    def owners(self) -> Sequence[int | None]: ...
    @property
    def armies(self) -> Sequence[int]: ...
    @property
    def turned(self) -> Card | None: ...
    @property
    def choices(self) -> tuple[Any, ...]: ...
    @property
    def must_choose(self) -> bool: ...


@cache
def gain(advantage: int, mine: int, theirs: int, free: int) -> float:
    """The expected gain from a battle in armies and territories, minus the loss.

    Own armies are worth little if there is little room.
    """
    chances, need = odds(advantage, mine, theirs), min(1.0, free / PLENTY)
    armies = chances.enemy_losses - need * chances.own_losses
    return armies + TERRITORY * (chances.conquest - chances.defeat)


@lru_cache(KEPT)
def worths_beside(foes: Foes) -> list[float]:
    """By number of our armies on a cell, its worth beside these enemies.

    Near ones can be attacked from the cell; the others can only attack it.
    """
    near: list[tuple[int, int]] = []
    far: list[tuple[int, int]] = []
    while foes:
        theirs, lead = foes & (1 << ARMIES_BITS) - 1, foes >> ARMIES_BITS & (1 << LEAD_BITS) - 1
        (near if foes >> FOE_BITS - 1 & 1 else far).append((lead - EVEN - theirs, theirs))
        foes >>= FOE_BITS
    found = [0.0]
    for armies in range(1, MOST + 1):
        chance = max([odds(lead + armies, armies, theirs).conquest for lead, theirs in near], default=0.0)
        danger = max([odds(-lead - armies, theirs, armies).conquest for lead, theirs in far], default=0.0)
        found.append(armies + TERRITORY * (1 - danger + THREAT * chance))
    return found


@lru_cache(KEPT)
def strengths(playfield: tuple[Card, ...], turned: Card | None) -> tuple[list[int], list[int]]:
    """By cell, the strength in battle without armies, and the room for armies."""
    return [strength(card, 0, turned) for card in playfield], [room(card, 0) for card in playfield]


@lru_cache(KEPT_FIELDS)
def borders(playfield: tuple[Card, ...], size: int) -> list[list[tuple[int, int]]]:
    """By cell, its neighbours, each as a foe without armies."""
    found = []
    for cell, card in enumerate(playfield):
        targets = reach(cell, size)
        beside = []
        for other in neighbours(cell, size):
            near, lead = other in targets, card.rank - playfield[other].rank + EVEN
            beside.append((other, (near << LEAD_BITS | lead) << ARMIES_BITS))
        found.append(beside)
    return found


def best_attack(field: Playfield, seat: int) -> tuple[float, Attack]:
    """The gain of the best attack, and the attack; the first of equals."""
    armies, attacks, free = field.armies, field.choices, 0
    bare, rooms = strengths(field.playfield, field.turned)
    for count, most, owner in zip(armies, rooms, field.owners, strict=True):
        if count < most and (owner is None or owner == seat):
            free += most - count
            if free >= PLENTY:
                free = PLENTY
                break
    gains = []
    for attack in attacks:
        source, target = attack.source, attack.target
        mine, theirs = armies[source], armies[target]
        gains.append(gain(bare[source] + mine - bare[target] - theirs, mine, theirs, free))
    best = max(gains)
    return best, attacks[gains.index(best)]


def best_conquest(field: Playfield, seat: int) -> int:
    """How many armies should move in; the smallest of equal numbers."""
    conquest = field.choices[0]
    here, there = worths(field, seat, conquest.source), worths(field, seat, conquest.target)
    armies = field.armies[conquest.source]
    sums = [here[armies - count] + there[count] for count in range(conquest.most + 1)]
    return sums.index(max(sums))


def best_advance(field: Playfield, seat: int) -> Advance | None:
    """The advance that adds the most worth; None if none adds any."""
    armies, quiet, most, best = field.armies, worths_beside(0), 0.0, None
    known: dict[int, list[float]] = {}
    for move in field.choices:
        source, target = move.source, move.target
        if (here := known.get(source)) is None:
            here = known[source] = worths(field, seat, source)
        if (there := known.get(target)) is None:
            there = known[target] = worths(field, seat, target)
        if here is there is quiet:  # neither has an enemy beside it, so the advance adds nothing
            continue
        leaving, coming = armies[source], armies[target]
        before, there_before = here[leaving], there[coming]
        for count in range(1, move.count + 1):
            added = here[leaving - count] - before + (there[coming + count] - there_before)
            if added > most:
                most, best = added, Advance(source, target, count)
    return best


def best_deployment(field: Playfield, seat: int) -> Deploy:
    """The deployment of most worth, with all its armies; the first of equals."""
    deployments = field.choices
    added = [change(field, seat, most.cell, most.count) for most in deployments]
    deployment: Deploy = deployments[added.index(max(added))]
    return deployment


def best_cell(field: Playfield, seat: int, count: int) -> int:
    """The cell that gains the most worth from `count` armies; the first of equals."""
    cells = field.choices
    added = [change(field, seat, cell, count) for cell in cells]
    cell: int = cells[added.index(max(added))]
    return cell


def change(field: Playfield, seat: int, cell: int, count: int) -> float:
    """The worth added by `count` more armies on the cell."""
    found, armies = worths(field, seat, cell), field.armies[cell]
    return found[armies + count] - found[armies]


def worths(field: Playfield, seat: int, cell: int) -> list[float]:
    """The worth of the cell, by the number of our armies on it."""
    owners, armies, foes = field.owners, field.armies, 0
    for other, foe in borders(field.playfield, field.size)[cell]:
        if (owner := owners[other]) is not None and owner != seat:
            foes = foes << FOE_BITS | foe + armies[other]
    return worths_beside(foes)


class GreedyBot(DominionBot):
    def declare(self, view: DominionView) -> bool:
        return best_attack(view, view.seat)[0] > 0

    def attack(self, view: DominionView) -> Attack | None:
        most, best = best_attack(view, view.seat)
        return best if view.must_attack or most > 0 else None

    def conquer(self, view: DominionView) -> int:
        return best_conquest(view, view.seat)

    def advance(self, view: DominionView) -> Advance | None:
        return best_advance(view, view.seat)

    def deploy(self, view: DominionView) -> Deploy:
        return best_deployment(view, view.seat)

    def reinforce(self, view: DominionView) -> int:
        return best_cell(view, view.seat, 1)

    def remove(self, view: DominionView) -> int:
        return best_cell(view, view.seat, -1)

    @staticmethod
    def in_playouts(state: Any) -> DominionAction:
        """The bot's answer to the state's open question; quicker, without a view."""
        seat = state.to_ask
        match state.kind:
            case "attack":
                most, best = best_attack(state, seat)
                return best if most > 0 or state.must_choose else PASS
            case "deploy":
                return best_deployment(state, seat)
            case "declare":
                return Declare() if best_attack(state, seat)[0] > 0 else PASS
            case "advance":
                return best_advance(state, seat) or PASS
            case "conquer":
                return Conquer(best_conquest(state, seat))
            case "reinforce":
                return Reinforce(best_cell(state, seat, 1))
            case "remove":
                return Remove(best_cell(state, seat, -1))
            case _:
                return PASS


if __name__ == "__main__":
    run(GreedyBot)
