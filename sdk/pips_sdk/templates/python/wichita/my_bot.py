"""MyBot plays Wichita. How well? `pips-bot play my_bot greedy` tells."""

from pips_sdk import run
from pips_sdk.wichita import Stack, WichitaBot, WichitaView, legal_stacks

FULL_HAND = 8


class MyBot(WichitaBot):
    """Every match is played by a new MyBot, so what you keep in `self` lasts for one
    match.

    `view` is all that you may know, for example `view.hand`, `view.dice` and
    `view.stock_size`.
    """

    def draw(self, view: WichitaView) -> bool:
        """You have drawn for the lower die: draw `view.more_cards` more, for the higher
        one?
        """
        return len(view.hand) < FULL_HAND

    def lay(self, view: WichitaView) -> list[Stack]:
        """The stacks to lay down now: one after another, until no more can be made."""
        laid = []
        left = list(view.hand)
        while stacks := list(legal_stacks(left, view.target)):
            best = min(stacks, key=len)  # short ones leave cards for others
            laid.append(best)
            for card in best:
                left.remove(card)
        return laid


if __name__ == "__main__":
    run(MyBot)
