"""Takes the same time (THINK_MS) over every answer, asleep."""

import os
import time

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView

THINK_S = float(os.environ["THINK_MS"]) / 1000


class SleepingBot(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        time.sleep(THINK_S)
        return super().choose(view)


run(SleepingBot)
