"""Answers anything legal."""

from pips_sdk import run
from pips_sdk.wichita import WichitaAction, WichitaBot, WichitaView


class RandomBot(WichitaBot):
    """Draws on every other time, lays random stacks, and stops when chance says so."""

    def choose(self, view: WichitaView) -> WichitaAction:
        return view.random_action(self.rng)


if __name__ == "__main__":
    run(RandomBot)
