"""Lays cheap stacks only; near the end it plays imagined hands before it lays all."""

from __future__ import annotations

from pips_sample_bots.wichita.greedy_bot import GreedyBot
from pips_sdk import run
from pips_sdk.search import AnyState, asked, compare
from pips_sdk.wichita import DrawOn, Lay, Stack, WichitaAction, WichitaBot, WichitaView, best_layout, stack_worth

WORLDS = 6
"""Worlds imagined for a question: a number, so that a slow machine answers the same."""
SOON = 8
"""For each seat so many cards in the stock: the end is near enough to be looked at."""
LATE = 4
"""For each seat so many: in an imagined world everybody now lays all there is."""


class SearchBot(WichitaBot):
    greedy = GreedyBot()

    def lay(self, view: WichitaView) -> tuple[Stack, ...]:
        stacks = best_layout(view.hand, view.dice, bonus=view.stock_size > 0).stacks
        cheap = self.cheap(view, stacks)
        if cheap == stacks or view.stock_size > SOON * len(view.points):
            return cheap
        less, more = Lay(cheap), Lay(stacks)
        found = compare(view, [more, less], self.likely, self.rng, worlds=WORLDS, result=self.ahead)
        return found.best.stacks

    def draw_on(self, view: WichitaView) -> bool:
        return self.greedy.draw_on(view)

    def cheap(self, view: WichitaView, stacks: tuple[Stack, ...]) -> tuple[Stack, ...]:
        """Stacks that bring a point a card; all if they empty the hand."""
        if sum(map(len, stacks)) == len(view.hand):
            return stacks
        return tuple(stack for stack in stacks if stack_worth(stack, view.dice) >= len(stack))

    def ahead(self, world: AnyState, seat: int) -> int:
        """The seat's lead over the best of the others."""
        scores = list(world.outcome().scores)
        return int(scores.pop(seat) - max(scores))

    def likely(self, world: AnyState) -> WichitaAction:
        """Draw on as `greedy`; lay cheap stacks early and all that there are late."""
        view: WichitaView = asked(world)
        if view.kind == "draw":
            return DrawOn(self.draw_on(view))
        stacks = best_layout(view.hand, view.dice, bonus=view.stock_size > 0).stacks
        return Lay(self.cheap(view, stacks) if view.stock_size > LATE * len(view.points) else stacks)


if __name__ == "__main__":
    run(SearchBot)
