"""A bot that is slow at first (TAKE_S) because it always yields the core."""

import os
import time

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView

TAKE_S = float(os.environ["TAKE_S"])


class YieldingBot(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        end = time.monotonic() + (TAKE_S if self._question == 1 else 0)
        while time.monotonic() < end:
            os.sched_yield()
        return super().choose(view)


run(YieldingBot)
