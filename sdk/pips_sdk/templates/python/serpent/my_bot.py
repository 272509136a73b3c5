"""MyBot plays Serpent. How well? `pips-bot play my_bot greedy` tells."""

from pips_sdk import run
from pips_sdk.serpent import Card, SerpentBot, SerpentView, points


class MyBot(SerpentBot):
    """Every match is played by a new MyBot, so what you keep in `self` lasts for one
    match.

    `view` is all that you may know, for example `view.hand`, `view.my_row` and
    `view.other_row`. What you do not write, such as `give` and `reveal`, is done by
    SerpentBot in a simple way.
    """

    def lead(self, view: SerpentView) -> Card:
        """The card to begin a column with."""
        return self.best(view)

    def answer(self, view: SerpentView) -> Card:
        """The card to answer `view.lead` with."""
        return self.best(view)

    def best(self, view: SerpentView) -> Card:
        """Lay each card in thought: the director wants many points on the board, the
        defender few.
        """
        mine = [card.rank if card else 0 for card in view.my_row]
        other = [card.rank if card else 0 for card in view.other_row]
        column = mine.index(0)  # the first free place of my row

        def board_with(card: Card) -> int:
            return points([*mine[:column], card.rank, *mine[column + 1 :], *other])

        return max(view.playable, key=board_with) if view.is_director else min(view.playable, key=board_with)


if __name__ == "__main__":
    run(MyBot)
