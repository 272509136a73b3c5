"""Laws of imagined worlds, redealt luck, and values of positions."""

from __future__ import annotations

from random import Random
from typing import Final

from pips_referee.laws.case import Probe
from pips_referee.laws.held import difference, held, hidden
from pips_referee.laws.play import asked_view, some_legal
from pips_referee.worth import FULL, get_features, get_worth, results_of

MOST: Final = 30
"""The most positions of a match from which worlds are imagined."""


def worlds_agree_with_their_view(probe: Probe) -> None:
    """A world shows the seat the same view and question, and depends on `rng` alone."""
    rng = Random(3)
    for number in (1, 2):
        for state in probe.positions(number, MOST):
            view = asked_view(state)
            world = view.sample_world(rng)
            said = f"a world of seat {view.seat} contradicts its view"
            if unlike := difference((world.to_ask, world.kind), (state.to_ask, state.kind)):
                raise probe.broken(f"{said}: (to_ask, kind){unlike}")
            if unlike := difference(world.view(view.seat), view):
                raise probe.broken(f"{said}: {unlike}")
            if unlike := difference(some_legal(world), some_legal(state)):
                raise probe.broken(f"{said}: legal_actions{unlike}")
            one, other = (held(view.sample_world(Random(number))) for _ in range(2))
            if unlike := difference(one, other):
                raise probe.broken(f"seat {view.seat} imagines two worlds from the same luck: {unlike}")


def worlds_are_played_to_their_end(probe: Probe) -> None:
    """Every imagined or redealt state can be played to the end."""
    rng = Random(4)
    for state in probe.positions(1, 3):
        for world in (asked_view(state).sample_world(rng), state.redeal(rng)):
            questions = 0
            while world.to_ask is not None:
                if questions == probe.case.longest:
                    raise probe.broken(f"a world that was played on has more than {questions} questions")
                world.apply(world.sample_action(rng))
                questions += 1
            if len(world.outcome().places) != probe.case.seats:
                raise probe.broken(f"a world ends with the places {world.outcome().places}")


def who_is_not_asked_imagines_nothing(probe: Probe) -> None:
    """`sample_world` of a seat that is not asked raises `LookupError`."""
    for state in probe.positions(1, 1):
        assert state.to_ask is not None
        other = (state.to_ask + 1) % probe.case.seats
        try:
            state.view(other).sample_world(Random(1))
        except LookupError:
            continue
        raise probe.broken(f"seat {other} is not asked, and imagines a world")


def what_is_dealt_stays(probe: Probe) -> None:
    """A redealt state differs only in luck to come, with no trace of the old luck."""
    rng = Random(7)
    for state in probe.positions(1, 12):
        before, other = held(state), state.redeal(rng)
        if changed := difference(held(state), before):
            raise probe.broken(f"a redealt state has changed itself: {changed}")
        for seat in range(probe.case.seats):
            if unlike := difference(other.view(seat), state.view(seat)):
                raise probe.broken(f"the redealt state shows seat {seat} something else: {unlike}")
        pairs = (other.to_ask, other.kind, other.outcome()), (state.to_ask, state.kind, state.outcome())
        if unlike := difference(*pairs):
            raise probe.broken(f"the redealt state has another (to_ask, kind, outcome){unlike}")
        if held(other) == before != hidden(state):
            raise probe.broken("the redealt state has the old luck to come")
        one, twice = held(state.redeal(Random(1))), held(state.redeal(Random(2)).redeal(Random(1)))
        if unlike := difference(twice, one):
            raise probe.broken(f"what lay there shows after the redeal: {unlike}")


def a_value_is_a_share(probe: Probe) -> None:
    """Values sum to half the seats, ignore luck to come, and end as the result."""
    game, seats = probe.case.game_name, probe.case.seats
    worth, module = get_worth(game), get_features(game)
    for state in probe.positions(3, 10):
        rows, values = module.features(state), worth.values(state)
        if [len(row) for row in rows] != [len(module.NAMES)] * seats or module.left(state) < 0:
            raise probe.broken(f"features are {rows}: one row a seat is due, with {len(module.NAMES)} counts each")
        if any(type(count) is not int for row in rows for count in row):
            raise probe.broken(f"features are {rows}: whole numbers are due")
        if not all(0 <= value <= FULL for value in values) or not -seats <= sum(values) - FULL * seats // 2 <= 0:
            raise probe.broken(f"the values are {values}: they have to be shares of {FULL * seats // 2}")
        if module.features(state.redeal(Random(5))) != rows:
            raise probe.broken("a redealt state has other features: they look at luck to come")
    state, _, _ = probe.finished(6)
    if worth.values(state) != results_of(state.outcome().places):
        raise probe.broken(f"the match is over, and its value is {worth.values(state)}")
