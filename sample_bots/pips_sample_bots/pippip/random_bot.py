"""Any legal answer will do."""

from pips_sdk import run
from pips_sdk.pippip import PippipAction, PippipBot, PippipView


class RandomBot(PippipBot):
    def choose(self, view: PippipView) -> PippipAction:
        return view.random_action(self.rng)


if __name__ == "__main__":
    run(RandomBot)
