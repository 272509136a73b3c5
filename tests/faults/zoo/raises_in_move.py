"""Raises an exception in its first move.

Its match is over, the process plays on. The standings show a crash with the exception's
sentence.
"""

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question == 1:
            raise RuntimeError("lost my thread")
        return super().choose(view)


run(Zoo)
