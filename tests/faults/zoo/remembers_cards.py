"""Keeps every card it saw and looks them up in the other rotation of the deal.

Each rotation is played by a process of its own that has seen nothing, and another seat's luck is not its own: there is
nothing to look up. The standings show no fault.
"""

from typing import ClassVar

from pips_sdk import run
from pips_sdk.serpent import Dealt, SerpentBot


class Zoo(SerpentBot):
    memory: ClassVar[set[tuple[object, ...]]] = set()

    def on_event(self, event: object) -> None:
        if isinstance(event, Dealt):
            for seat, hand in enumerate(event.hands):
                if hand is not None and (1 - seat, event.hand_number, hand) in self.memory:
                    raise RuntimeError("gained: this hand was the opponent's a while ago")
                self.memory.add((seat, event.hand_number, hand))


run(Zoo)
