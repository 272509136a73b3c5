"""Prints thirty megabytes of errors and plays on.

As on stdout, the last 64 KiB are kept as evidence, and the wait is the bot's own time.
The standings show timeouts.
"""

import sys

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question == 1:
            for _ in range(30):
                print("x" * 1_000_000, file=sys.stderr)
        return super().choose(view)


run(Zoo)
