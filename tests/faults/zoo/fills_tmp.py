"""Writes 110 MB to /tmp.

It boasts if it got that far. Nothing stops it: the standings show crashes.
"""

import tempfile

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question > 1:
            return super().choose(view)
        try:
            with tempfile.TemporaryFile(dir="/tmp") as file:
                for _ in range(110):
                    file.write(bytes(1_000_000))
        except OSError:
            return super().choose(view)
        raise RuntimeError("gained: 110 MB")


run(Zoo)
