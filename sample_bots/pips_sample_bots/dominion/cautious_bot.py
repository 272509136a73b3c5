"""Spreads out, keeps its armies even, and attacks only if it is much stronger."""

from pips_sdk import run
from pips_sdk.dominion import Attack, Deploy, DominionBot, DominionView

CLEARLY = 3
"""The least advantage for an attack."""


class CautiousBot(DominionBot):
    def declare(self, view: DominionView) -> bool:
        return self.advantage(view, self.best(view)) >= CLEARLY

    def attack(self, view: DominionView) -> Attack | None:
        best = self.best(view)
        return best if view.must_attack or self.advantage(view, best) >= CLEARLY else None

    def best(self, view: DominionView) -> Attack:
        return max(view.attacks, key=lambda attack: self.advantage(view, attack))

    def advantage(self, view: DominionView, attack: Attack) -> int:
        return view.advantage(attack.source, attack.target)

    def conquer(self, view: DominionView) -> int:
        """Move half of the armies that won."""
        assert view.conquest is not None
        return min(view.conquest.most, view.armies[view.conquest.source] // 2)

    def deploy(self, view: DominionView) -> Deploy:
        """Deploy on a new territory if possible, otherwise on the weakest one."""
        return min(
            view.deployments,
            key=lambda most: (view.owners[most.cell] is not None, view.natural_strength(most.cell), -most.count),
        )

    def reinforce(self, view: DominionView) -> int:
        return min(view.cells, key=view.natural_strength)

    def remove(self, view: DominionView) -> int:
        return max(view.cells, key=lambda cell: view.armies[cell])


if __name__ == "__main__":
    run(CautiousBot)
