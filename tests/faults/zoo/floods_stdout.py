"""Prints thirty megabytes and plays on.

The keeper keeps only the end and reads slowly. The bot's wait for the pipe is its own
time. The standings show timeouts.
"""

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question == 1:
            for _ in range(30):
                print("x" * 1_000_000)
        return super().choose(view)


run(Zoo)
