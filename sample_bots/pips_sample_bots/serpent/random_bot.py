"""Plays any legal card."""

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


class RandomBot(SerpentBot):
    """Every legal answer is as likely as any other."""

    def choose(self, view: SerpentView) -> SerpentAction:
        return view.random_action(self.rng)


if __name__ == "__main__":
    run(RandomBot)
