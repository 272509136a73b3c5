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
        return self.best(view)[0] > 0

    def attack(self, view: DominionView) -> Attack | None:
        gain, best = self.best(view)
        return best if view.must_attack or gain > 0 else None

    def best(self, view: DominionView) -> tuple[float, Attack]:
        """The best attack, with its gain before it; the first of equals."""
        need = self.need(view)
        gains = [self.gain(view, attack, need) for attack in view.attacks]
        most = max(gains)
        return most, view.attacks[gains.index(most)]

    def gain(self, view: DominionView, attack: Attack, need: float) -> float:
        """The armies and territories to be won in the battle, less those to be lost."""
        chances = view.odds(attack.source, attack.target)
        armies = chances.enemy_losses - need * chances.own_losses
        return armies + TERRITORY * (chances.conquest - chances.defeat)

    def need(self, view: DominionView) -> float:
        """The worth of an army of ours, 0 to 1: little where there is little room."""
        free = sum([view.room(cell) for cell, owner in enumerate(view.owners) if owner is None or owner == view.seat])
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
            source, target = move.source, move.target
            here, there = view.armies[source], view.armies[target]
            before, there_before = worth(source, here), worth(target, there)
            for count in range(1, move.count + 1):
                added = worth(source, here - count) - before + (worth(target, there + count) - there_before)
                if added > most:
                    most, best = added, Advance(source, target, count)
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
        seat, owners, there = view.seat, view.owners, view.armies
        targets = reach(cell, view.size)
        for other in neighbours(cell, view.size):
            if owners[other] != seat and owners[other] is not None:
                lead, theirs = strength - view.playfield[other].rank - there[other], there[other]
                if other in targets:
                    chance = max(chance, odds(lead, armies, theirs).conquest)
                else:
                    danger = max(danger, odds(-lead, theirs, armies).conquest)
        return armies + TERRITORY * (1 - danger + THREAT * chance)


if __name__ == "__main__":
    run(GreedyBot)
