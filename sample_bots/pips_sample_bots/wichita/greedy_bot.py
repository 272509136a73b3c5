"""Always lays down the stacks with the most points at once."""

from typing import Any

from pips_sdk import run
from pips_sdk.wichita import DrawOn, Lay, Stack, WichitaAction, WichitaBot, WichitaView, best_layout, empties


class GreedyBot(WichitaBot):
    """More cards make more stacks, so it draws on unless it can empty its hand."""

    def draw(self, view: WichitaView) -> bool:
        return not empties(view.hand, view.dice)

    def lay(self, view: WichitaView) -> tuple[Stack, ...]:
        return best_layout(view.hand, view.dice, bonus=view.stock_size > 0).stacks

    @staticmethod
    def in_playouts(state: Any) -> WichitaAction:
        """The bot's answer to the state's open question; quicker, without a view."""
        hand = state.hands[state.to_ask]
        if state.kind == "draw":
            return DrawOn(not empties(hand, state.dice))
        return Lay(best_layout(hand, state.dice, bonus=state.stock_size > 0).stacks)


if __name__ == "__main__":
    run(GreedyBot)
