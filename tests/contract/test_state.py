"""What every game's state promises, tried on matches of random answers."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from pips_referee.chance import Chance
from pips_referee.errors import IllegalAction
from pips_referee.game import REGISTRY, Action, AnyState, Event
from tests.contract.cases import CASES, Case, chance, dump, inside
from tests.contract.digest import digest

pytestmark = pytest.mark.unmeasured  # the same lines again, in matches of every game, option and number of seats

MANY = 300
"""Where a hand has thousands of legal answers, as many as are looked at."""
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


CHANGED_IN_VIEWS = {"hidden", "face_up", "windows_left"}
"""What a view shows of one seat alone, or to one seat alone."""


def some_legal(state: AnyState) -> list[Action]:
    return list(islice(state.legal_actions(), MANY))


def played_out(state: AnyState, actions: list[Action]) -> list[Event]:
    return [event for action in actions for event in state.apply(action)]


def test_every_game_has_its_cases() -> None:
    """Its least, usual and most seats, and each of its options."""
    assert {case.game_name for case in CASES} == set(REGISTRY)
    for name in REGISTRY:
        cases = [case for case in CASES if case.game_name == name]
        least = min(cases[0].game.seats(case.options)[0] for case in cases)
        most = max(cases[0].game.seats(case.options)[-1] for case in cases)
        assert {least, most} <= {case.seats for case in cases}
        options = {field for case in cases for field in case.option_values}
        assert options == {field.name for field in fields(cases[0].options)}


@every_case
def test_views_name_things_as_the_state_does(case: Case) -> None:
    """Views are made by position: no two fields of one type may have changed places."""
    compared = set()
    for number in (1, 2):
        for state in case.positions(number, 40):
            view = state.view(state.to_ask or 0)
            for name in type(view).__match_args__:
                held = getattr(state, name, None)
                if isinstance(held, list):
                    held = tuple(held)
                seen = getattr(view, name)
                if type(held) is type(seen) and not isinstance(held, list | bytes | bytearray):
                    compared.add(name)
                    if name not in CHANGED_IN_VIEWS:
                        assert seen == held, name
    assert len(compared) > 4


@every_case
def test_what_is_legal_applies(case: Case) -> None:
    for state in case.positions(1, 25):
        for action in some_legal(state):
            state.copy().apply(action)


@every_case
def test_what_is_illegal_raises_and_changes_nothing(case: Case) -> None:
    """Answers from all over the game, put where they do not belong."""
    canonical = inside(case.game_name).canonical
    strangers = [next(state.legal_actions()) for number in (2, 3) for state in case.positions(number, 40)]
    refused = 0
    for state in case.positions(1, 15):
        before, listed = dump(state), {canonical(action) for action in some_legal(state)}
        if len(listed) == MANY:
            continue
        for action in strangers:
            if canonical(action) in listed:
                continue
            with pytest.raises(IllegalAction) as caught:
                state.apply(action)
            assert dump(state) == before, action
            assert caught.value.action is action and caught.value.sentence and caught.value.reason.value
            refused += 1
    assert refused > 50


@every_case
def test_nothing_is_legal_when_the_match_is_over(case: Case) -> None:
    actions: list[Action] = []
    state, _ = case.start(chance(1))
    rng = Random(1)
    while state.to_ask is not None:
        actions.append(state.sample_action(rng))
        state.apply(actions[-1])
    assert state.kind == "" and list(state.legal_actions()) == []
    with pytest.raises(LookupError):
        state.sample_action(rng)
    for action in {type(action): action for action in actions}.values():
        with pytest.raises(IllegalAction):
            state.apply(action)


@every_case
def test_copies_are_equal(case: Case) -> None:
    for state, _ in islice(case.play(chance(1), Random(1)), MANY):
        assert dump(state.copy()) == dump(state)


@every_case
def test_copies_are_independent(case: Case) -> None:
    for state in case.positions(1, 6):
        before, twin, rng = dump(state), state.copy(), Random(5)
        assert type(twin) is type(state)
        actions: list[Action] = []
        log: list[Event] = []
        while twin.to_ask is not None and len(actions) < MANY:
            actions.append(twin.sample_action(rng))
            log += twin.apply(actions[-1])
        assert dump(state) == before, "playing the copy changed the original"
        after = dump(twin)
        assert played_out(state, actions) == log, "the original goes on as its copy did"
        assert dump(state) == dump(twin) == after, "playing the original changed the copy"


@every_case
def test_seed_and_answers_reproduce_everything(case: Case) -> None:
    played = list(case.play(chance(4), Random(4)))
    final, log = case.start(chance(4))
    for _, action in played:
        log += final.apply(action)
    again, relog = case.start(Chance(chance(4).seed))
    for _, action in played:
        relog += again.apply(action)
    assert relog == log and dump(again) == dump(final) and again.outcome() == final.outcome()


@every_case
def test_different_seeds_differ(case: Case) -> None:
    logs = []
    for number in range(5):
        state, log = case.start(chance(number))
        rng = Random(1)
        while state.to_ask is not None:
            log += state.apply(state.sample_action(rng))
        logs.append(tuple(log))
    assert len(set(logs)) == 5


@every_case
def test_cards_are_conserved(case: Case) -> None:
    room = inside(case.game_name)
    state, _ = case.start(chance(6))
    rng = Random(6)
    while state.to_ask is not None:
        assert room.holdings(state) == room.whole(state)
        state.apply(state.sample_action(rng))
    assert room.holdings(state) == room.whole(state)


@every_case
def test_nothing_is_asked_that_has_one_answer(case: Case) -> None:
    for number in range(3):
        for state, _ in case.play(chance(number), Random(number)):
            legal = state.legal_actions()
            assert next(legal) != next(legal)
            assert state.to_ask in range(case.seats) and state.kind in case.game.kinds


@every_case
def test_no_match_is_longer_than_the_longest(case: Case) -> None:
    for number in range(5):
        assert 0 < sum(1 for _ in case.play(chance(number), Random(number))) <= case.longest


@every_case
def test_random_answers_are_legal_and_cover_all(case: Case) -> None:
    canonical = inside(case.game_name).canonical
    rng = Random(7)
    looked_at = 0
    for state in case.positions(7, 12):
        listed = [canonical(action) for action in some_legal(state)]
        if len(listed) > 20:
            continue
        assert len(set(listed)) == len(listed), "a legal answer is listed once"
        missing = set(listed)
        for sample in sampled(state, rng):
            assert canonical(sample) in listed
            missing.discard(canonical(sample))
            if not missing:
                break
        assert not missing, "a legal answer never comes up"
        looked_at += 1
    assert looked_at


def sampled(state: AnyState, rng: Random) -> Iterator[Action]:
    """From the state and from the view in turn."""
    view = state.view(state.to_ask)  # type: ignore[arg-type]  # somebody is asked
    for _ in range(30_000):
        yield state.sample_action(rng)
        yield view.random_action(rng)


@every_case
def test_random_answers_are_legal_where_there_are_many(case: Case) -> None:
    for number in range(3):
        for state, action in case.play(chance(number + 20), Random(number)):
            state.view(state.to_ask).random_action(Random(1))  # type: ignore[arg-type]  # somebody is asked
            state.copy().apply(action)


@every_case
def test_a_view_lists_what_the_state_lists(case: Case) -> None:
    for state in case.positions(8, 25):
        for seat in range(case.seats):
            view = state.view(seat)
            assert view.seat == seat
            if seat == state.to_ask:
                assert view.kind == state.kind
                assert list(islice(view.legal_actions(), MANY)) == some_legal(state)
            else:
                assert view.kind == "" and list(view.legal_actions()) == []
                with pytest.raises(LookupError):
                    view.random_action(Random(1))


@every_case
def test_places_fit_the_seats(case: Case) -> None:
    for number in range(5):
        state = case.positions(number, 10)[-1]
        outcome = state.outcome()
        assert len(outcome.places) == len(outcome.scores) == case.seats
        assert all(place == 1 + sum(other < place for other in outcome.places) for place in outcome.places), (
            "1 is best, equal places are shared: 1, 2, 2, 4"
        )


def test_luck_of_the_process_has_no_say() -> None:
    """Nothing in a match asks the global generator, or takes its order from hashes."""
    digests = {all_matches_elsewhere(hash_seed) for hash_seed in ("0", "1")}
    before = random.getstate()
    digests.add(digest())
    assert len(digests) == 1
    assert random.getstate() == before


def all_matches_elsewhere(hash_seed: str) -> str:
    """The digest from a process of its own, whose strings hash otherwise."""
    paths = [str(Path(__file__).parents[2]), *sys.path]
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "tests.contract.digest", hash_seed]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()
