"""Always lays down what brings the most points at once."""

from pips_sdk import run
from pips_sdk.wichita import Stack, WichitaBot, WichitaView, best_layout, empties


class GreedyBot(WichitaBot):
    """More cards make more stacks, so it draws on, unless it can empty its hand."""

    def draw_on(self, view: WichitaView) -> bool:
        return not empties(view.hand, view.dice)

    def lay(self, view: WichitaView) -> tuple[Stack, ...]:
        return best_layout(view.hand, view.dice, bonus=view.stock_size > 0).stacks


if __name__ == "__main__":
    run(GreedyBot)
