"""Takes its first answer's time (TAKE_S) without using it: it gives the core away
whenever it has it.
"""

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
