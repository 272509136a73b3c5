"""Dominion's state: luck, copies, a match's bound, and two twins that watch play."""

from __future__ import annotations

from random import Random

import pytest

from pips_referee.chance import Chance
from pips_referee.errors import IllegalAction
from pips_referee.games.dominion.legality import check
from pips_referee.games.dominion.rules import GAME, DominionState
from pips_referee.games.dominion.values import (
    PASS,
    Advance,
    Advanced,
    Attack,
    CardTurned,
    Conquer,
    Conquered,
    Declare,
    Deploy,
    Deployed,
    DeploymentRolled,
    DominionAction,
    DominionEvent,
    DominionOptions,
    Fought,
    Reinforce,
    Reinforced,
    Remove,
    Removed,
    Resign,
)
from tests.rigged import RiggedChance
from tests.rules.dominion_positions import held, play_out, position, refused


def test_a_seat_has_the_same_luck_whatever_the_others_do() -> None:
    """The last section of RULES.md"""

    def deployments(rng: Random, seat: int) -> list[tuple[int, int]]:
        state, events = GAME.start(GAME.options({"size": 4, "max_rounds": 12}), 3, Chance(bytes(32)))
        events += play_out(state, lambda state: PASS if state.kind == "resign" else None, rng)
        return [event.dice for event in events if isinstance(event, DeploymentRolled) and event.seat == seat]

    for seat in range(3):
        one, other = deployments(Random(1), seat), deployments(Random(2), seat)
        assert min(len(one), len(other)) > 5
        assert all(mine == theirs for mine, theirs in zip(one, other, strict=False))


def test_streams_are_named_for_what_they_are_for() -> None:
    """The last section of RULES.md"""
    chance = RiggedChance({})
    state, _ = GAME.start(GAME.options({"size": 3, "max_rounds": 20}), 2, chance)
    play_out(state, lambda state: None)
    assert chance.asked[:3] == ["playfield", "stock/0", "deploy/0/0"]
    for kind in ("battle", "deploy"):
        for seat in range(2):
            names = [name for name in chance.asked if name.startswith(f"{kind}/{seat}/")]
            assert names == [f"{kind}/{seat}/{n}" for n in range(len(names))]
            assert len(names) > 3


def test_only_the_kind_that_is_asked_is_an_answer() -> None:
    """Every other one is refused with the same reason."""
    state = position({0: (0, 8), 3: (1, 5)})
    for action in (Resign(), Attack(0, 3), Conquer(1), Advance(0, 1, 1), Deploy(0, 1)):
        assert refused(state, action)[0] == "wrong_kind"
    assert refused(state, Conquer(1))[1] == "Conquer(count=1) does not answer a question to declare"
    state.to_ask, state.kind = None, ""
    assert refused(state, PASS)[1] == "Pass() does not answer anything: nobody is asked"


def test_a_copy_is_equal_and_independent() -> None:
    """A copy at every question plays on as the original does.

    A change to one leaves the other.
    """
    rng = Random(1)
    state, _ = GAME.start(DominionOptions(3, 20), 3, Chance(bytes(32)))
    twin = state.copy()
    while state.to_ask is not None:
        twin = state.copy()
        for name in DominionState.__slots__:
            mine, copied = getattr(state, name), getattr(twin, name)
            assert mine == copied
            assert not isinstance(mine, list) or mine is not copied
        state.apply(state.sample_action(rng))
    assert twin.to_ask is not None, "the copy stands where it was made"
    again = twin.copy()
    assert play_out(again, lambda state: None, Random(5)) == play_out(twin, lambda state: None, Random(5))


def test_no_match_is_longer_than_its_bound() -> None:
    """D8.2 is why there is a bound"""
    assert GAME.longest(DominionOptions(4, 10), 3) == 10 * 3 * 119
    assert GAME.longest(DominionOptions(), 2) == 120 * 2 * 119
    state, _ = GAME.start(DominionOptions(3, 40), 2, Chance(bytes(32)))
    rng, questions = Random(3), 0
    while state.to_ask is not None:
        attacks = [action for action in state.legal_actions() if isinstance(action, (Attack, Declare))]
        state.apply(attacks[-1] if attacks else PASS if state.kind == "resign" else state.sample_action(rng))
        questions += 1
    assert 100 < questions <= GAME.longest(DominionOptions(3, 40), 2)


def test_the_view_is_the_whole_table() -> None:
    """Two views differ only in the question to one of the seats."""
    state = position({0: (0, 8), 1: (1, 5)}, turn=1)
    mine, theirs = state.view(1), state.view(0)
    assert (mine.kind, theirs.kind, theirs.turn, theirs.seats) == ("declare", "", 1, 2)
    assert (theirs.attacks, list(theirs.legal_actions())) == ((), [])
    assert (mine.playfield, mine.owners, mine.armies) == (theirs.playfield, theirs.owners, theirs.armies)
    assert (mine.armies_of(0), mine.armies_of(1)) == (8, 5)
    with pytest.raises(LookupError, match=r"^nobody is asked, so there is no action$"):
        theirs.random_action(Random(1))


def test_every_kind_of_question_and_event_comes_up() -> None:
    """Random play shows all events; each is public."""
    kinds, happened = set(), set()
    for seed in range(12):
        state, events = GAME.start(GAME.options({"size": 3}), 2 + seed % 3, Chance(bytes([seed] * 32)))
        rng = Random(seed)
        while state.to_ask is not None:
            kinds.add(state.kind)
            events += state.apply(state.sample_action(rng))
        happened |= {type(event).__name__ for event in events}
        assert all(event.seen_by(1) is event for event in events)
    assert kinds == set(GAME.kinds)
    assert len(happened) == 11
    assert {kind.__name__ for kind in (CardTurned, Conquered)} <= happened


def retell(table: dict[int, tuple[int, int]], event: DominionEvent) -> None:
    """The same change to (seat, armies) by occupied cell, from the event alone."""

    def add(cell: int, seat: int, count: int) -> None:
        armies = table.pop(cell, (seat, 0))[1] + count
        if armies:
            table[cell] = (seat, armies)

    match event:
        case Reinforced(seat, cell):
            add(cell, seat, 1)
        case Removed(seat, cell):
            add(cell, seat, -1)
        case Fought(attacker, defender, source, target):
            add(source, attacker, -event.attacker_losses)
            add(target, defender, -event.defender_losses)
        case Advanced(seat, source, target, count) | Conquered(seat, source, target, count):
            add(source, seat, -count)
            add(target, seat, count)
        case Deployed(seat, cell, count):
            add(cell, seat, count)


@pytest.mark.parametrize("seed", range(8))
def test_the_events_tell_the_whole_story(seed: int) -> None:
    """D2.1, D2.2, D2.3, D6.1, D6.2 in random play, from the events alone."""
    seats, rng = 2 + seed % 4, Random(seed)
    state, events = GAME.start(DominionOptions(3 + seed % 3, 40), seats, Chance(bytes([seed] * 32)))
    table: dict[int, tuple[int, int]] = {}
    while True:
        for event in events:
            if isinstance(event, Fought):
                mine, theirs = table[event.source], table[event.target]
                assert (mine[0], theirs[0]) == (event.attacker, event.defender)
                lead = sum(event.attacker_dice) + event.advantage - sum(event.defender_dice)
                assert event.defender_losses == min(max(lead, 0), theirs[1])
                assert event.attacker_losses == min(max(-lead, 0), mine[1])
            retell(table, event)
        assert held(state) == table
        assert all(state.playfield[cell].rank + armies <= 14 for cell, (_, armies) in table.items())
        if state.to_ask is None:
            return
        events = state.apply(state.sample_action(rng))


def every_action(cells: int) -> list[DominionAction]:
    """All answers that have a message, with or without sense."""
    around, counts = range(-1, cells + 1), range(-1, 15)
    pairs = [(source, target) for source in around for target in around]
    return [
        PASS,
        Resign(),
        Declare(),
        *[kind(cell) for kind in (Reinforce, Remove) for cell in around],
        *[Attack(*pair) for pair in pairs],
        *[Conquer(count) for count in counts],
        *[Advance(*pair, count) for pair in pairs for count in counts],
        *[Deploy(cell, count) for cell in around for count in counts],
    ]


def test_an_action_is_accepted_exactly_when_it_is_listed() -> None:
    """All those answers, tried at positions of every kind."""
    everything, seen = every_action(9), dict.fromkeys(GAME.kinds, 0)
    for seed in range(6):
        rng = Random(seed)
        state, _ = GAME.start(DominionOptions(3), 2 + seed % 3, Chance(bytes([seed + 1] * 32)))
        while state.to_ask is not None:
            if seen[state.kind] < 4:
                seen[state.kind] += 1
                accepted = [action for action in everything if is_accepted(state, action)]
                assert set(accepted) == set(state.legal_actions())
            state.apply(state.sample_action(rng))
    assert set(seen.values()) == {4}


def is_accepted(state: DominionState, action: DominionAction) -> bool:
    try:
        check(state, action)
    except IllegalAction:
        return False
    return True
