"""Thinks, or pretends to, while it is not its turn.

The referee credits the others with their wait for the core. The standings show no
fault, but the time it used.
"""

import threading
import time

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


def burn() -> None:
    while time.thread_time() < 0.25:
        pass


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question == 1:
            for _ in range(2):
                threading.Thread(target=burn, daemon=True).start()
        return super().choose(view)


run(Zoo)
