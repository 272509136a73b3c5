"""Thinks for a fifth of a second: `search` with more worlds, and a round further."""

from __future__ import annotations

from collections.abc import Iterable

from pips_sample_bots.dominion.search_bot import SearchBot
from pips_sdk import run
from pips_sdk.dominion import DominionAction, DominionView
from pips_sdk.search import rounds

MOST_MS = 200
MOST_WORLDS = 100
LEAST_MS = 25
"""The time of one world on the largest field; with less, it plays like `search`."""


class MasterBot(SearchBot):
    def choose(self, view: DominionView) -> DominionAction:
        self.rounds_ahead = 2 if self.think_ms(MOST_MS) >= LEAST_MS else 1
        return super().choose(view)

    def worlds(self, view: DominionView) -> Iterable[int]:
        if self.rounds_ahead == 1:
            return super().worlds(view)
        return rounds(MOST_WORLDS, ms=self.think_ms(MOST_MS))


if __name__ == "__main__":
    run(MasterBot)
