"""Thinks for a fifth of a second: `search` with many more worlds, also for giving."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

from pips_sample_bots.serpent.search_bot import DIRECTOR, PACK, Hand, SearchBot
from pips_sdk import run
from pips_sdk.search import Alternatives, compare, rounds
from pips_sdk.serpent import Card, SerpentView

MOST_MS = 200
MOST_WORLDS = 4000
FEW_WORLDS = 12
"""Worlds for each of the 84 ways to give, before the best get many."""
LEAST_MS = 100
"""With fewer milliseconds it gives like `search`: its own way takes half of these."""
BEST = 8
"""How many ways to give are tried in many worlds."""
Given = tuple[Card, ...]


class Giving:
    """A hand with all cards known; the director is about to give three."""

    def __init__(self, director: list[Card], defender: list[Card], hand: Hand | None = None) -> None:
        self.director, self.defender, self.hand = director, defender, hand

    @property
    def to_ask(self) -> int | None:
        return DIRECTOR if self.hand is None else self.hand.to_ask

    def copy(self) -> Giving:
        return Giving(self.director, self.defender, self.hand and self.hand.copy())

    def apply(self, action: Given | Card) -> None:
        if self.hand is not None:
            assert isinstance(action, Card)
            self.hand.apply(action)
        else:
            assert isinstance(action, tuple)
            kept = [card for card in self.director if card not in action]
            self.hand = Hand([kept, [*self.defender, *action]], [[], []], DIRECTOR, None)


@dataclass(frozen=True)
class Gifts:
    """The source of worlds for giving."""

    view: SerpentView

    @property
    def seat(self) -> int:
        return self.view.seat

    def sample_world(self, rng: Random) -> Giving:
        unseen = [card for card in PACK if card not in self.view.hand]
        return Giving(list(self.view.hand), rng.sample(unseen, self.view.other_hidden_count))


class MasterBot(SearchBot):
    def worlds(self) -> Iterator[int]:
        return rounds(MOST_WORLDS, ms=self.think_ms(MOST_MS))

    def give(self, view: SerpentView) -> Sequence[Card]:
        """Try all ways in few worlds, then the best of them in many."""
        if self.think_ms(MOST_MS) < LEAST_MS:
            return super().give(view)
        ways = list(combinations(view.playable, 3))
        means = self.compare_gifts(view, ways, iter(range(FEW_WORLDS))).means
        order = sorted(range(len(ways)), key=means.__getitem__, reverse=True)
        return self.compare_gifts(view, [ways[at] for at in order[:BEST]], self.worlds()).best

    def compare_gifts(self, view: SerpentView, ways: Sequence[Given], worlds: Iterator[int]) -> Alternatives[Given]:
        def likely(world: Giving) -> Card:
            assert world.hand is not None
            return world.hand.likely_end(self.rng)

        def worth(world: Giving, _: int) -> int:
            assert world.hand is not None
            return world.hand.worth()

        return compare(Gifts(view), ways, likely, self.rng, worlds=worlds, result=worth)


if __name__ == "__main__":
    run(MasterBot)
