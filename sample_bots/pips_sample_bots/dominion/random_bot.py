"""Any legal answer will do."""

from pips_sdk import run
from pips_sdk.dominion import DominionAction, DominionBot, DominionView


class RandomBot(DominionBot):
    def choose(self, view: DominionView) -> DominionAction:
        return view.random_action(self.rng)


if __name__ == "__main__":
    run(RandomBot)
