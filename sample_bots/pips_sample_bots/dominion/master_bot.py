"""Thinks a fifth of a second: `search` in many more worlds, and a round further."""

from __future__ import annotations

from collections.abc import Iterable

from pips_sample_bots.dominion.search_bot import SearchBot
from pips_sdk import run
from pips_sdk.dominion import DominionView
from pips_sdk.search import rounds

MOST_MS = 200
MOST_WORLDS = 100


class MasterBot(SearchBot):
    rounds_ahead = 2

    def worlds(self, view: DominionView) -> Iterable[int]:
        return rounds(MOST_WORLDS, ms=self.think_ms(MOST_MS))


if __name__ == "__main__":
    run(MasterBot)
