"""Prints all the time instead of answering.

Printing does not move the deadline. The standings show timeouts.
"""

import time

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question == 1:
            while True:
                print("thinking", flush=True)
                time.sleep(0.05)
        return super().choose(view)


run(Zoo)
