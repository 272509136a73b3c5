"""A bot that is slightly slow at leads; it reports when it sits at all tables."""

import os
import time
from pathlib import Path

from pips_sdk import run
from pips_sdk.serpent import Card, SerpentBot, SerpentView

TABLES = int(os.environ["TABLES"])
SEATED = Path(os.environ["SEATED"])


class BusyBot(SerpentBot):
    tables = 0

    def on_start(self) -> None:
        BusyBot.tables += 1
        if BusyBot.tables == TABLES:
            SEATED.write_text(str(os.getpid()), encoding="ascii")

    def lead(self, view: SerpentView) -> Card:
        time.sleep(0.002)
        return self.rng.choice(view.playable)


run(BusyBot)
