"""A bot that is slow at first: it sleeps (SLEEP_S) or works (WORK_S).

If ORDER names a file, the bot notes there, at each slow answer, which match asked.
"""

import os
import time
from pathlib import Path

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView

SLEEP_S = float(os.environ.get("SLEEP_S", "0"))
WORK_S = float(os.environ.get("WORK_S", "0"))
ORDER = Path(os.environ.get("ORDER", os.devnull))
QUESTIONS = 2


class ThinkingBot(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question <= QUESTIONS:
            with ORDER.open("a", encoding="ascii") as order:
                print(self._rng_seed[0], file=order)
            time.sleep(SLEEP_S)
            done = time.thread_time() + WORK_S
            while time.thread_time() < done:
                pass
        return super().choose(view)


run(ThinkingBot)
