"""`python bots.py rusher`: one of three bots for Dominion in a few rounds.

The rusher takes territory from the settler, who never fights. The settler has spread
out before the guard leaves its hill. The guard stands stronger than whatever the rusher
throws at it.
"""

import sys

from pips_sdk import run
from pips_sdk.dominion import Advance, Attack, Deploy, DominionBot, DominionView, neighbours


class Marching(DominionBot):
    """Attacks from a certain advantage on, and brings its armies to the front."""

    enough = 0
    """The advantage that it wants for an attack."""

    def best(self, view: DominionView) -> Attack:
        return max(view.attacks, key=lambda attack: view.advantage(attack.source, attack.target))

    def declare(self, view: DominionView) -> bool:
        best = self.best(view)
        return view.advantage(best.source, best.target) >= self.enough

    def attack(self, view: DominionView) -> Attack | None:
        return self.best(view) if view.must_attack or self.declare(view) else None

    def at_the_front(self, view: DominionView, cell: int) -> bool:
        """Whether an enemy is beside the cell."""
        return any(view.owners[other] not in (None, view.seat) for other in neighbours(cell, view.size))

    def advance(self, view: DominionView) -> Advance | None:
        marches = [
            move
            for move in view.advances
            if self.at_the_front(view, move.target) and not self.at_the_front(view, move.source)
        ]
        return max(marches, key=lambda move: move.count, default=None)

    def reinforce(self, view: DominionView) -> int:
        return min(view.cells, key=view.natural_strength)

    def remove(self, view: DominionView) -> int:
        return max(view.cells, key=lambda cell: view.armies[cell])


class Rusher(Marching):
    """Settles weak territories first and attacks even where it is a little weaker."""

    enough = -1

    def conquer(self, view: DominionView) -> int:
        assert view.conquest is not None
        return min(view.conquest.most, view.armies[view.conquest.source] // 2)

    def deploy(self, view: DominionView) -> Deploy:
        return max(
            view.deployments,
            key=lambda most: (view.owners[most.cell] is None, -view.natural_strength(most.cell), most.count),
        )


class Settler(Marching):
    """Takes the strongest empty territory, and never attacks or moves."""

    enough = 99

    def conquer(self, view: DominionView) -> int:
        assert view.conquest is not None
        return min(view.conquest.most, view.armies[view.conquest.source] // 2)

    def advance(self, view: DominionView) -> Advance | None:
        return None

    def deploy(self, view: DominionView) -> Deploy:
        return max(
            view.deployments,
            key=lambda most: (view.owners[most.cell] is None, view.natural_strength(most.cell), most.count),
        )


class Guard(Marching):
    """Grows strong where an enemy is near, and stays there after a battle."""

    enough = 3

    def conquer(self, view: DominionView) -> int:
        return 0

    def deploy(self, view: DominionView) -> Deploy:
        def worth(most: Deploy) -> tuple[bool, int, int]:
            threatened = view.owners[most.cell] is not None and self.at_the_front(view, most.cell)
            return threatened, most.count, view.natural_strength(most.cell)

        return max(view.deployments, key=worth)


BOTS = {"rusher": Rusher, "settler": Settler, "guard": Guard}

if __name__ == "__main__":
    run(BOTS[sys.argv[1]])
