"""Always lays down what brings the most points at once."""

from pips_sdk import run
from pips_sdk.wichita import Stack, WichitaBot, WichitaView, best_layout


class GreedyBot(WichitaBot):
    """More cards make more stacks, so it draws on, unless it can empty its hand."""

    def draw_on(self, view: WichitaView) -> bool:
        layout = best_layout(view.hand, view.dice)
        return sum(map(len, layout.stacks)) < len(view.hand)

    def lay(self, view: WichitaView) -> tuple[Stack, ...]:
        return best_layout(view.hand, view.dice, bonus=view.stock_size > 0).stacks


if __name__ == "__main__":
    run(GreedyBot)
