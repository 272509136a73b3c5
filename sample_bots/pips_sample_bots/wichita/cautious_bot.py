"""Plays like a careful person: few cards in hand, and any stack it can lay."""

from pips_sdk import run
from pips_sdk.wichita import Card, Stack, WichitaBot, WichitaView, stack_worth

FULL_HAND = 7


class CautiousBot(WichitaBot):
    """Draws on while its hand is small; lays valuable and small stacks first."""

    def draw(self, view: WichitaView) -> bool:
        return len(view.hand) + view.more_cards <= FULL_HAND

    def lay(self, view: WichitaView) -> list[Stack]:
        left: list[Card] = list(view.hand)
        laid: list[Stack] = []
        for stack in sorted(view.legal_stacks(), key=lambda stack: (-stack_worth(stack, view.dice), len(stack))):
            while stack := self.found(stack, left):
                laid.append(stack)
                for card in stack:
                    left.remove(card)
        return laid

    def found(self, stack: Stack, left: list[Card]) -> Stack:
        """The stack's ranks among the cards left, `()` if some are missing."""
        free = left[:]
        found = []
        for card in stack:
            match = next((other for other in free if other.rank == card.rank), None)
            if match is None:
                return ()
            free.remove(match)
            found.append(match)
        return tuple(found)


if __name__ == "__main__":
    run(CautiousBot)
