"""MyBot plays Pip-Pip!. How well? `pips-bot play my_bot greedy` tells."""

from pips_sdk import run
from pips_sdk.pippip import HEIGHT, Card, PippipBot, PippipView, card_points, would_win


class MyBot(PippipBot):
    """Every match is played by a new MyBot, so what you keep in `self` lasts for one
    match.

    `view` is all that you may know, for example `view.hand`, `view.trick` and
    `view.trumps`. What you do not write is done by PippipBot in a simple way: its
    `call` calls every pair at once.
    """

    def play(self, view: PippipView) -> Card:
        """The card to lead, or to follow with: one of `view.playable`."""
        winning = [card for card in view.playable if would_win(card, view.trick, view.trumps)]
        if winning and sum(card_points(card) for card in view.trick) > 0:
            return max(winning, key=lambda card: HEIGHT[card])  # there are points to win
        return min(view.playable, key=card_points)  # give away little


if __name__ == "__main__":
    run(MyBot)
