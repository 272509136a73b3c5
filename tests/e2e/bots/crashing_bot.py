"""A bot whose process ends in the middle of a match, at random."""

import os
import sys

from pips_sdk import run
from pips_sdk.serpent import Card, SerpentBot, SerpentView


class CrashingBot(SerpentBot):
    def lead(self, view: SerpentView) -> Card:
        if self.rng.random() < 0.01:
            print("my last words", file=sys.stderr, flush=True)
            os._exit(7)
        return view.playable[0]


run(CrashingBot)
