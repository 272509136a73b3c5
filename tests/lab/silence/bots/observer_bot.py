"""Answers at once and writes down when it was asked and when it had answered (TIMES),
one line a question.
"""

import os
from time import monotonic

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


class ObserverBot(SerpentBot):
    lines = open(os.environ["TIMES"], "a", buffering=1, encoding="ascii")  # noqa: PTH123, SIM115 - to its end

    def choose(self, view: SerpentView) -> SerpentAction:
        asked_s = monotonic()
        action = super().choose(view)
        self.lines.write(f"{self._question} {asked_s!r} {monotonic()!r}\n")
        return action


run(ObserverBot)
