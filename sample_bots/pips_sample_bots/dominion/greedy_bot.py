"""Weighs every territory by its armies and threats, and makes the best move at once."""

from functools import cache, lru_cache

from pips_sdk import run
from pips_sdk.dominion import (
    Advance,
    Attack,
    Card,
    Deploy,
    DominionBot,
    DominionView,
    neighbours,
    odds,
    reach,
    room,
    strength,
)

TERRITORY = 4.0
"""What a territory is worth, in armies."""
THREAT = 0.5
"""What the chance to conquer a territory is worth, in territories."""
PLENTY = 20
"""With room for that many armies, none is to be wasted."""
MOST = 14
"""No territory has more armies."""
KEPT = 1 << 13
"""How many lists are kept for later questions, of each kind: some megabytes."""
Foes = tuple[tuple[int, int], ...]
"""Enemies beside a cell: by how much each is weaker than our card, and its armies."""


@cache
def gain(advantage: int, mine: int, theirs: int, free: int) -> float:
    """The armies and territories to be won in the battle, less those to be lost.

    An army of ours is worth little where there is little room.
    """
    chances, need = odds(advantage, mine, theirs), min(1.0, free / PLENTY)
    armies = chances.enemy_losses - need * chances.own_losses
    return armies + TERRITORY * (chances.conquest - chances.defeat)


@lru_cache(KEPT)
def worths(near: Foes, far: Foes) -> list[float]:
    """By our armies on a cell, its worth beside enemies near enough to be attacked.

    Those that are `far` can attack the cell.
    """
    found = [0.0]
    for armies in range(1, MOST + 1):
        chance = max([odds(lead + armies, armies, theirs).conquest for lead, theirs in near], default=0.0)
        danger = max([odds(-lead - armies, theirs, armies).conquest for lead, theirs in far], default=0.0)
        found.append(armies + TERRITORY * (1 - danger + THREAT * chance))
    return found


@lru_cache(KEPT)
def strengths(playfield: tuple[Card, ...], turned: Card | None) -> tuple[list[int], list[int]]:
    """By cell, the strength in battle without armies, and the room for them."""
    return [strength(card, 0, turned) for card in playfield], [room(card, 0) for card in playfield]


class GreedyBot(DominionBot):
    def declare(self, view: DominionView) -> bool:
        return self.best(view)[0] > 0

    def attack(self, view: DominionView) -> Attack | None:
        most, best = self.best(view)
        return best if view.must_attack or most > 0 else None

    def best(self, view: DominionView) -> tuple[float, Attack]:
        """The best attack, with its gain before it; the first of equals."""
        seat, armies, free = view.seat, view.armies, 0
        bare, rooms = strengths(view.playfield, view.turned)
        for count, most, owner in zip(armies, rooms, view.owners, strict=True):
            if count < most and (owner is None or owner == seat):
                free += most - count
        gains = []
        for attack in view.attacks:
            source, target = attack.source, attack.target
            mine, theirs = armies[source], armies[target]
            gains.append(gain(bare[source] + mine - bare[target] - theirs, mine, theirs, free))
        best = max(gains)
        return best, view.attacks[gains.index(best)]

    def conquer(self, view: DominionView) -> int:
        conquest = view.conquest
        assert conquest is not None
        source, target = self.worths(view, conquest.source), self.worths(view, conquest.target)
        armies = view.armies[conquest.source]
        return max(range(conquest.most + 1), key=lambda count: source[armies - count] + target[count])

    def advance(self, view: DominionView) -> Advance | None:
        cells = {cell for move in view.advances for cell in (move.source, move.target)}
        worths = {cell: self.worths(view, cell) for cell in cells}
        most, best = 0.0, None
        for move in view.advances:
            here, there = worths[move.source], worths[move.target]
            leaving, coming = view.armies[move.source], view.armies[move.target]
            before, there_before = here[leaving], there[coming]
            for count in range(1, move.count + 1):
                added = here[leaving - count] - before + (there[coming + count] - there_before)
                if added > most:
                    most, best = added, Advance(move.source, move.target, count)
        return best

    def deploy(self, view: DominionView) -> Deploy:
        return max(view.deployments, key=lambda most: self.change(view, most.cell, most.count))

    def reinforce(self, view: DominionView) -> int:
        return max(view.cells, key=lambda cell: self.change(view, cell, 1))

    def remove(self, view: DominionView) -> int:
        return max(view.cells, key=lambda cell: self.change(view, cell, -1))

    def change(self, view: DominionView, cell: int, count: int) -> float:
        """What it adds to have that many armies more on the cell."""
        worths, armies = self.worths(view, cell), view.armies[cell]
        return worths[armies + count] - worths[armies]

    def worths(self, view: DominionView, cell: int) -> list[float]:
        """What the cell is worth, by the number of our armies there."""
        seat, owners, armies, playfield = view.seat, view.owners, view.armies, view.playfield
        near: list[tuple[int, int]] = []
        far: list[tuple[int, int]] = []
        targets, rank = reach(cell, view.size), playfield[cell].rank
        for other in neighbours(cell, view.size):
            if (owner := owners[other]) is not None and owner != seat:
                theirs = armies[other]
                (near if other in targets else far).append((rank - playfield[other].rank - theirs, theirs))
        return worths(tuple(near), tuple(far))


if __name__ == "__main__":
    run(GreedyBot)
