"""The conformance bot in Python, run against the transcripts.

docs/protocol.md says how it answers.
"""

from __future__ import annotations

from time import sleep

from pips_referee.game import Event
from pips_sdk import Card, Suit, run
from pips_sdk.dominion import Advance, Attack, Deploy, DominionBot, DominionView
from pips_sdk.pippip import PippipBot, PippipView
from pips_sdk.serpent import SerpentBot, SerpentOptions, SerpentView
from pips_sdk.wichita import Stack, WichitaBot, WichitaView

FAILS, IS_LATE, IS_SLOW = 7, 8, 9
"""`IS_LATE` is for bots that can answer other tables meanwhile, and this one cannot."""
SLOW_S = 0.05


class Serpent(SerpentBot):
    """The SDK's defaults, which are the first of `playable`.

    With two values of the option it fails, or is slow.
    """

    options: SerpentOptions

    def lead(self, view: SerpentView) -> Card:
        return self.first(view)

    def answer(self, view: SerpentView) -> Card:
        return self.first(view)

    def first(self, view: SerpentView) -> Card:
        if self.options.max_tiebreaks == FAILS:
            raise ValueError("I was told to fail")
        if self.options.max_tiebreaks == IS_SLOW:
            sleep(SLOW_S)
        return view.playable[0]


class Wichita(WichitaBot):
    """Draws on or not by how much it has heard; lays single cards."""

    heard = 0

    def on_event(self, event: Event) -> None:
        self.heard += 1

    def draw(self, view: WichitaView) -> bool:
        return self.heard % 2 == 0

    def lay(self, view: WichitaView) -> list[Stack]:
        return [(card,) for card in view.hand if card.rank == sum(view.dice)]


class Pippip(PippipBot):
    """Calls or not by how much it has heard."""

    heard = 0

    def on_event(self, event: Event) -> None:
        self.heard += 1

    def call(self, view: PippipView) -> tuple[Suit, ...]:
        return view.callable if self.heard % 2 == 0 else ()


class Dominion(DominionBot):
    """The first of everything, as much as possible.

    It declines a red king's army if it may.
    """

    def declare(self, view: DominionView) -> bool:
        return True

    def reinforce(self, view: DominionView) -> int | None:
        return None if view.optional_army else view.cells[0]

    def attack(self, view: DominionView) -> Attack:
        return view.attacks[0]

    def conquer(self, view: DominionView) -> int:
        assert view.conquest is not None
        return view.conquest.most

    def advance(self, view: DominionView) -> Advance:
        return view.advances[0]

    def deploy(self, view: DominionView) -> Deploy:
        return view.deployments[0]


if __name__ == "__main__":
    run(Serpent, Wichita, Pippip, Dominion)
