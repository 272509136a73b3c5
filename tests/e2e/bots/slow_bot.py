"""Plays its first card, after a short nap."""

import time

from pips_sdk import run
from pips_sdk.serpent import Card, SerpentBot, SerpentView


class SlowBot(SerpentBot):
    def lead(self, view: SerpentView) -> Card:
        time.sleep(0.003)
        return view.playable[0]


run(SlowBot)
