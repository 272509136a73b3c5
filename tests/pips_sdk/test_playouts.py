"""Alternatives played on in the same worlds."""

from __future__ import annotations

from math import inf, sqrt
from random import Random

import pytest

from pips_referee.chance import Chance
from pips_referee.game import REGISTRY, Action, AnyState, Event, get_game
from pips_sample_bots.wichita.greedy_bot import GreedyBot
from pips_sdk.search import Alternatives, compare, house, lead, rounds
from pips_sdk.wichita import DrawOn


def state_of(game_name: str) -> AnyState:
    game = get_game(game_name)
    seats = 3 if game_name == "pippip" else 2
    return game.start(game.options(), seats, Chance(bytes(32)))[0]


@pytest.mark.parametrize("game_name", REGISTRY)
def test_equal_alternatives_cost_nothing(game_name: str) -> None:
    """The same worlds for both, so that not a point differs under a fixed policy."""
    state = state_of(game_name)
    assert state.to_ask is not None
    view = state.view(state.to_ask)
    action = next(view.legal_actions())
    compared = compare(view, [action, action], first_legal, Random(1), worlds=3, stop=soon())
    assert compared.worlds == 3
    assert compared.results[0] == compared.results[1]
    assert compared.cost(action, action).interval == (0, 0)


def first_legal(state: AnyState) -> Action:
    action: Action = next(state.legal_actions())
    return action


class soon:  # noqa: N801 - called like a function
    """Stops each playout after some questions."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, state: AnyState) -> bool:
        self.asked += 1
        return self.asked % 20 == 0


def test_costs_are_paired() -> None:
    """Noise that both share is in neither the cost nor its error."""
    compared = Alternatives((DrawOn(True), DrawOn(False)), ((100.0, -50.0, 4.0), (103.0, -48.0, 5.0)))
    assert compared.best == DrawOn(False)
    assert compared.means == (18.0, 20.0)
    cost = compared.cost(DrawOn(True), DrawOn(False))
    assert cost.mean == 2
    assert cost.error == pytest.approx(sqrt(1 / 3))
    assert cost.interval == pytest.approx((2 - 1.959964 * cost.error, 2 + 1.959964 * cost.error))
    assert compared.cost(DrawOn(False), DrawOn(True)).mean == -2
    assert compared.better_than(DrawOn(True), errors=3) == DrawOn(False)
    assert compared.better_than(DrawOn(True), errors=4) == DrawOn(True)


def test_one_world_tells_no_error() -> None:
    compared = Alternatives((DrawOn(True), DrawOn(False)), ((1.0,), (2.0,)))
    assert compared.cost(DrawOn(True), DrawOn(False)).error == inf
    assert compared.better_than(DrawOn(True)) == DrawOn(True)


def test_a_bot_plays_for_every_seat() -> None:
    """The lead at the end is what the outcome says; leads of all seats add up to 0."""
    state = state_of("wichita")
    assert state.to_ask is not None
    view, game = state.view(state.to_ask), get_game("wichita")
    policy = house(GreedyBot, game.options(), 2)
    ends: list[AnyState] = []

    def noted(end: AnyState, seat: int) -> float:
        ends.append(end)
        return lead(end, seat)

    compared = compare(view, view.legal_actions(), policy, Random(1), worlds=2, result=noted)
    assert len(ends) == 4 and all(end.to_ask is None for end in ends)
    for end, found in zip(
        ends, [found for world in zip(*compared.results, strict=True) for found in world], strict=True
    ):
        scores = end.outcome().scores
        assert found == scores[view.seat] - scores[1 - view.seat] == -lead(end, 1 - view.seat)
    with pytest.raises(LookupError, match="nobody is asked"):
        policy(ends[0])


def test_what_cannot_be_compared() -> None:
    class Listener(GreedyBot):
        def on_event(self, event: Event) -> None:
            raise AssertionError

    state = state_of("wichita")
    assert state.to_ask is not None
    with pytest.raises(TypeError, match="Listener has an on_event"):
        house(Listener, get_game("wichita").options(), 2)
    with pytest.raises(ValueError, match="no action"):
        compare(state.view(state.to_ask), [], first_legal, Random(1))
    with pytest.raises(LookupError, match="not asked"):
        compare(state.view(1 - state.to_ask), [DrawOn(True)], first_legal, Random(1))


def test_rounds_of_its_own() -> None:
    """A search by time plays at least one world; one without a round is refused."""
    state = state_of("wichita")
    assert state.to_ask is not None
    view = state.view(state.to_ask)
    actions = [next(view.legal_actions())]
    found = compare(view, actions, first_legal, Random(1), worlds=rounds(2, ms=60_000), stop=soon())
    assert found.worlds == 2
    with pytest.raises(ValueError, match=r"^there was no round to play: give worlds of at least 1$"):
        compare(view, actions, first_legal, Random(1), worlds=0)
