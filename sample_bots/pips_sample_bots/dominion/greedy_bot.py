"""Weighs every territory by its armies and threats, and makes the best move at once."""

from functools import cache, partial

from pips_sdk import run
from pips_sdk.dominion import Advance, Attack, Deploy, DominionBot, DominionView, neighbours, odds, reach

TERRITORY = 4.0
"""What a territory is worth, in armies."""
THREAT = 0.5
"""What the chance to conquer a territory is worth, in territories."""
PLENTY = 20
"""With room for that many armies, none is to be wasted."""


class GreedyBot(DominionBot):
    def declare(self, view: DominionView) -> bool:
        return self.gain(view, self.best(view), self.need(view)) > 0

    def attack(self, view: DominionView) -> Attack | None:
        best = self.best(view)
        return best if view.must_attack or self.gain(view, best, self.need(view)) > 0 else None

    def best(self, view: DominionView) -> Attack:
        need = self.need(view)
        return max(view.attacks, key=lambda attack: self.gain(view, attack, need))

    def gain(self, view: DominionView, attack: Attack, need: float) -> float:
        """The armies and territories to be won in the battle, less those to be lost."""
        chances = view.odds(attack.source, attack.target)
        armies = chances.enemy_losses - need * chances.own_losses
        return armies + TERRITORY * (chances.conquest - chances.defeat)

    def need(self, view: DominionView) -> float:
        """The worth of an army of ours, 0 to 1: little where there is little room."""
        free = sum(map(view.room, view.cells_of(view.seat) + view.cells_of(None)))
        return min(1.0, free / PLENTY)

    def conquer(self, view: DominionView) -> int:
        conquest = view.conquest
        assert conquest is not None
        armies = view.armies[conquest.source]

        def worth_of_both(count: int) -> float:
            return self.worth(view, conquest.source, armies - count) + self.worth(view, conquest.target, count)

        return max(range(conquest.most + 1), key=worth_of_both)

    def advance(self, view: DominionView) -> Advance | None:
        worth = cache(partial(self.worth, view))  # moves have their sources and targets in common
        most, best = 0.0, None
        for move in view.advances:
            here, there = view.armies[move.source], view.armies[move.target]
            before, there_before = worth(move.source, here), worth(move.target, there)
            for count in range(1, move.count + 1):
                added = worth(move.source, here - count) - before + (worth(move.target, there + count) - there_before)
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
        return self.worth(view, cell, view.armies[cell] + count) - self.worth(view, cell, view.armies[cell])

    def worth(self, view: DominionView, cell: int, armies: int) -> float:
        """What the cell is worth with that many armies of ours."""
        if not armies:
            return 0
        strength = view.playfield[cell].rank + armies
        danger = chance = 0.0
        targets = reach(cell, view.size)
        for other in neighbours(cell, view.size):
            owner = view.owners[other]
            if owner is not None and owner != view.seat:
                lead, theirs = strength - view.natural_strength(other), view.armies[other]
                if other in targets:
                    chance = max(chance, odds(lead, armies, theirs).conquest)
                else:
                    danger = max(danger, odds(-lead, theirs, armies).conquest)
        return armies + TERRITORY * (1 - danger + THREAT * chance)


if __name__ == "__main__":
    run(GreedyBot)
