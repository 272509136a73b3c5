"""Thinks, or pretends to, while it is not its turn.

The others' wait for the core is credited to them. The standings show no fault, but for
how long it did so.
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
