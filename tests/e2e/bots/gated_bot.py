"""A bot that gives away as often as the file `gate` beside it says, then waits.

It goes on when the file gives a higher number.
"""

import time
from collections.abc import Collection
from pathlib import Path

from pips_sdk import run
from pips_sdk.serpent import Card, SerpentBot, SerpentView

GATE = Path(__file__).with_name("gate")


class GatedBot(SerpentBot):
    given = 0
    """Counted by this process, at all tables."""

    def give(self, view: SerpentView) -> Collection[Card]:
        GatedBot.given += 1
        while GatedBot.given > int(GATE.read_text(encoding="ascii")):
            time.sleep(0.01)
        return super().give(view)


run(GatedBot)
