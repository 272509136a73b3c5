"""What a decision cost: the answer given and another are compared in the same worlds.

A playout ends after `AHEAD` answers of `greedy` or `cautious`. The value function then
gives the value of the position. In a game without a value function, playouts go on to
the end of the match. All costs are in millionths of a win against every other seat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from random import Random
from typing import Final

from pips_referee.game import Action, AnyState, View
from pips_referee.worth import FULL, get_worth, results_of
from pips_sdk.samples import RANDOM, sample_class, sample_files
from pips_sdk.search import Ahead, Alternatives, Cost, Open, Policy, compare, house
from pips_tourney.analysis.decided import Decision, KindOfTable

AHEAD: Final = 24
"""Answers that the policy gives in a playout."""
HOUSE: Final = ("greedy", "cautious")
"""The sample bots that play on in playouts; the first one screens.

`random` replaces a bot that the game lacks.
"""
LOOKED_AT: Final = 6
"""How many legal answers are valued besides those of the policies."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Weighs the decisions of one table."""

    table: KindOfTable
    values: Callable[[AnyState], Sequence[int]]
    """The value of a position to each seat."""
    policies: tuple[Policy, ...]
    stops: bool = True
    """Whether playouts end before the match does."""

    def house_answer(self, decision: Decision) -> Action:
        """The answer of `greedy`, from the seat's view alone."""
        return self.policies[0](decision.state)

    def quick(self, decision: Decision, rng: Random) -> tuple[int, Action]:
        """A first guess at the cost, and the answer that looks best.

        One world is imagined, and only its value matters. The guess only says which
        decisions deserve a closer look.
        """
        tried = [decision.action, self.house_answer(decision)]
        some = [decision.state.sample_action(rng) for _ in range(LOOKED_AT)]
        tried += [action for action in some if action not in tried]
        world = decision.view.sample_world(rng)
        values = [self.value_after(world.copy(), action, decision.seat) for action in tried]
        best = max(range(1, len(tried)), key=values.__getitem__)
        return values[best] - values[0], tried[best]

    def value_after(self, world: AnyState, action: Action, seat: int) -> int:
        """The value to the seat of the position after this answer.

        Without a value function, the last policy plays the position to its end.
        """
        world.apply(action)
        while not self.stops and world.to_ask is not None:
            world.apply(self.policies[-1](world))
        return self.values(world)[seat]

    def weigh(
        self, decision: Decision, actions: Sequence[Action], rng: Random, worlds: int, policy: int = 0
    ) -> Alternatives[Action]:
        """Play on after each of these answers, from what the seat could know."""
        return self._compared(decision.view, actions, rng, worlds, policy)

    def _compared(
        self, seen: View | Open, actions: Sequence[Action], rng: Random, worlds: int, policy: int
    ) -> Alternatives[Action]:
        house, stop = self.policies[policy], Ahead(AHEAD) if self.stops else None
        return compare(
            seen, actions, house, rng, worlds=worlds, stop=stop, result=lambda end, seat: self.values(end)[seat]
        )

    def cost(self, decision: Decision, other: Action, rng: Random, worlds: int, policy: int = 0) -> Cost:
        """What the answer given cost, compared with another, in fresh worlds."""
        return cost_of(self.weigh(decision, (decision.action, other), rng, worlds, policy), decision.action, other)

    def hindsight(self, decision: Decision, other: Action, rng: Random, worlds: int) -> Cost:
        """The cost with all cards as they really lay; only future luck is redrawn."""
        actions = decision.action, other
        return cost_of(self._compared(Open(decision.state), actions, rng, worlds, 0), *actions)


def cost_of(of: Alternatives[Action], chosen: Action, other: Action) -> Cost:
    """What one answer costs against another; its error allows for two more worlds.

    In one of them the first answer wins the match, in the other the second. Few worlds
    may differ, and those drawn may lack the ones that matter. Agresti and Min (2005,
    Statistics in Medicine 24:729) add half as much to matched pairs. If 2 % of the
    worlds decide the match, their intervals hold in only 91 % of trials.
    """
    cost = of.cost(chosen, other)
    return Cost(cost.mean, hypot(cost.error, sqrt(2) * FULL / (of.worlds + 2)))


def judge_of(table: KindOfTable) -> Judge:
    """A judge with the sample bots of that game as its policies."""
    game = table.game.name
    names = [*[name for name in HOUSE if name in sample_files(game)], RANDOM, RANDOM][: len(HOUSE)]
    policies = tuple([house(sample_class(game, name), table.options, table.seats) for name in names])
    if table.game.part("worth") is None:
        return Judge(table, lambda state: results_of(state.outcome().places), policies, stops=False)
    return Judge(table, get_worth(game).values, policies)
