"""MyBot plays Dominion. How well? `pips-bot play my_bot greedy` tells."""

from pips_sdk import run
from pips_sdk.dominion import Attack, Deploy, DominionBot, DominionView


class MyBot(DominionBot):
    """Every match is played by a new MyBot, so what you keep in `self` lasts for one
    match.

    `view` is all that you may know; by cell it has for example `view.playfield`,
    `view.owners` and `view.armies`. What you do not write, such as `conquer` and
    `advance`, is done by DominionBot in a simple way.
    """

    def declare(self, view: DominionView) -> bool:
        """Turn a card, and attack at least once?"""
        return self.lead(view, self.best(view)) >= 0

    def attack(self, view: DominionView) -> Attack | None:
        """One of `view.attacks`; None to stop, unless `view.must_attack`."""
        best = self.best(view)
        return best if view.must_attack or self.lead(view, best) >= 0 else None

    def best(self, view: DominionView) -> Attack:
        """The attack with the greatest advantage."""
        return max(view.attacks, key=lambda attack: self.lead(view, attack))

    def lead(self, view: DominionView, attack: Attack) -> int:
        """How much stronger the attacker is."""
        return view.advantage(attack.source, attack.target)

    def deploy(self, view: DominionView) -> Deploy:
        """As many armies as possible, where you are strongest."""
        return max(view.deployments, key=lambda deploy: (deploy.count, view.natural_strength(deploy.cell)))


if __name__ == "__main__":
    run(MyBot)
