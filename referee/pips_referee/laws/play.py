"""Laws of the state machine: questions, effects of answers, the end of a match."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from itertools import islice
from keyword import iskeyword
from random import Random
from typing import Any, Final

from pips.v1.record_pb2 import RecordedAnswer
from pips_referee.chance import Chance, TracedChance
from pips_referee.errors import IllegalAction, MalformedMessage
from pips_referee.forms import codecs_of, types_of
from pips_referee.game import Action, AnyState, Event, get_game
from pips_referee.laws.anything import any_action
from pips_referee.laws.case import MANY, Probe, chance
from pips_referee.laws.held import difference, held, shown
from pips_referee.match import NO_TIME, Fault, FaultKind, Reply
from pips_referee.records.record import write_reply
from pips_referee.wire import get_wire

SAMPLES: Final = 30_000
"""How many random answers to try until each of at most 20 legal ones has come up."""
NEAR: Final = 12
"""The first decisions are examined one by one, later ones at this distance."""
FORCED: Final = 3000
"""The most decisions of a match in which seats give their first, or last, answer."""


def some_legal(state: AnyState) -> list[Action]:
    """The legal answers, or the first of them if there are many."""
    return list(islice(state.legal_actions(), MANY))


def asked_view(state: AnyState) -> Any:
    """The view of the asked seat."""
    assert state.to_ask is not None
    return state.view(state.to_ask)


def what_is_asked_is_a_choice_of_a_seat(probe: Probe) -> None:
    """A question has a known kind, a seat of the match, and at least two answers."""
    for number in range(3):
        for state, _ in probe.play(number):
            if state.to_ask not in range(probe.case.seats):
                raise probe.broken(f"to_ask is {state.to_ask!r}, which is no seat")
            if state.kind not in probe.case.game.kinds:
                raise probe.broken(f"kind is {state.kind!r}, which is not in the game's `kinds`")
            if not state.kind.isidentifier() or iskeyword(state.kind):
                raise probe.broken(f"kind is {state.kind!r}, and no method of a bot can have that name")
            legal = list(islice(state.legal_actions(), 2))
            if len(legal) < 2:
                said = f"only {legal[0]!r}" if legal else "none"
                raise probe.broken(f"seat {state.to_ask} is asked, and has {said} to answer: `apply` has to play on")
            if legal[0] == legal[1]:
                raise probe.broken(f"seat {state.to_ask} has the answer {legal[0]!r} twice")


def what_is_legal_applies(probe: Probe) -> None:
    """`apply` plays every answer that `legal_actions` lists."""
    for state in probe.positions(1, 25):
        for action in some_legal(state):
            try:
                state.copy().apply(action)
            except IllegalAction as error:
                raise probe.broken(f"seat {state.to_ask} may answer {action!r}, and `apply` says: {error}") from error


def what_is_illegal_is_refused_and_changes_nothing(probe: Probe) -> None:
    """`apply` raises `IllegalAction` for any other answer, and changes nothing."""
    others: dict[Hashable, Action] = {}
    for number in (2, 3):
        for state in probe.case.positions(number, 40):
            action = next(state.legal_actions())
            others[_name(probe, action)] = action
    rng = Random(4)
    for state in probe.positions(1, 15):
        probe.compared -= 1  # here answers are counted, not positions
        listed = {_name(probe, action) for action in some_legal(state)}
        if len(listed) < MANY:
            strangers = others | {_name(probe, made): made for made in _strangers(probe.case.game_name, rng)}
            for name, action in strangers.items():
                if name not in listed:
                    _is_refused(probe, state, action)


def _strangers(game: str, rng: Random) -> Iterator[Action]:
    """Random answers that the referee would accept as well-formed."""
    kinds, codec = types_of(get_game(game)).actions, codecs_of(game).action
    for _ in range(20):
        with suppress(MalformedMessage):
            yield codec.read(codec.write(any_action(rng.choice(kinds), rng)))


def _name(probe: Probe, action: Action) -> Hashable:
    try:
        return probe.case.same(action)
    except Exception as error:
        raise probe.broken(f"the words of {action!r} fail: {error!r}") from error


def _is_refused(probe: Probe, state: AnyState, action: Action) -> None:
    before, said = held(state), f"seat {state.to_ask} may not answer {action!r}"
    try:
        state.apply(action)
    except IllegalAction as error:
        if changed := difference(held(state), before):
            raise probe.broken(f"{said}; it was refused, and still it has changed the state: {changed}") from error
        if error.action is not action or not error.sentence:
            raise probe.broken(f"{said}; the `IllegalAction` has to hold the action and a sentence") from error
        _is_recorded(probe, state.to_ask or 0, action, error)
    except Exception as error:
        raise probe.broken(f"{said}; `apply` has to raise `IllegalAction`, not {error!r}") from error
    else:
        raise probe.broken(f"{said}, for it is not in legal_actions; `apply` has played it")
    probe.compared += 1


def _is_recorded(probe: Probe, seat: int, action: Action, refused: IllegalAction) -> None:
    wire = get_wire(probe.case.game_name)
    try:
        fault = Fault(seat, FaultKind.ILLEGAL, 1, refused.reason.value, refused.sentence)
        for answer in (action, None):
            write_reply(Reply(seat, 1, answer, fault, NO_TIME, False, 0), wire, RecordedAnswer())
    except Exception as error:
        raise probe.broken(f"{action!r} is refused, and no record can hold that: {error!r}") from error


def nothing_is_legal_at_the_end(probe: Probe) -> None:
    """When the match is over, `kind` is "" and no seat may answer."""
    state, _, _ = probe.finished(1)
    if state.kind:
        raise probe.broken(f"the match is over, and its kind is {state.kind!r}, not ''")
    for seat in range(probe.case.seats):
        if state.view(seat).kind or list(state.view(seat).legal_actions()):
            raise probe.broken(f"the match is over, and the view of seat {seat} is of one that is asked")


def copies_are_independent(probe: Probe) -> None:
    """A copy is equal to the original, and playing on the copy does not change it."""
    for state in probe.positions(1, 6):
        before, twin, rng = held(state), state.copy(), Random(5)
        if type(twin) is not type(state) or (unlike := difference(held(twin), before)):
            raise probe.broken(f"the copy is not equal: {unlike if type(twin) is type(state) else type(twin)}")
        actions: list[Action] = []
        log: list[list[Event]] = []
        while twin.to_ask is not None and len(actions) < MANY:
            actions.append(twin.sample_action(rng))
            log.append(twin.apply(actions[-1]))
            early = len(actions) <= NEAR or twin.to_ask is None
            if early and (changed := difference(held(state), before)):
                raise probe.broken(f"{actions[-1]!r} was played on a copy, and the original has changed: {changed}")
        after = held(twin)
        again = [state.apply(action) for action in actions]
        if unlike := difference(again, log) or difference(held(state), after):
            raise probe.broken(f"the original does not go on as its copy did: {unlike}")
        if changed := difference(held(twin), after):
            raise probe.broken(f"what was played on the original has changed the copy: {changed}")


def views_stay_as_they_were(probe: Probe) -> None:
    """A view shares no mutable data with the state that made it."""
    for state in probe.positions(2, 25):
        views = [state.view(seat) for seat in range(probe.case.seats)]
        before = [shown(view) for view in views]
        state.apply(state.sample_action(Random(2)))
        for seat, view in enumerate(views):
            if changed := difference(shown(view), before[seat]):
                raise probe.broken(f"a view of seat {seat} has changed with the state: {changed}")


def a_match_is_its_seed_and_its_answers(probe: Probe) -> None:
    """All luck comes from `chance`, and each stream is opened only once."""
    probe.at(4, 0)
    luck = TracedChance(chance(4))
    state, events = probe.case.start(luck)
    rng, streams, before = Random(4), set[str](), random.getstate()
    again, same_events = probe.case.start(Chance(luck.seed))
    decisions = 0
    while True:
        looked_at = decisions <= NEAR or decisions % NEAR == 0 or state.to_ask is None
        unlike = difference(same_events, events) or (difference(held(again), held(state)) if looked_at else "")
        if unlike or random.getstate() != before:
            said = f"from the same seed and answers, {unlike}" if unlike else "Python's own `random` was asked"
            raise probe.broken(f"{said}; all luck has to come from `chance`")
        for drawn in luck.take_drawn():
            if drawn.stream in streams:
                raise probe.broken(f"{drawn.stream!r} is drawn from again, and gives the same luck: number its name")
            streams.add(drawn.stream)
        if state.to_ask is None:
            break
        probe.asked(4, decisions)
        action = state.sample_action(rng)
        events, same_events = state.apply(action), again.apply(action)
        decisions, probe.compared = decisions + 1, probe.compared + 1
        probe.at(4, decisions)


def no_match_is_longer_than_the_longest(probe: Probe) -> None:
    """No match is longer than `longest`: with random, first or last legal answers."""
    for number in range(5):
        for _ in probe.play(number):
            pass
    for which in (_first, _last):
        state, _ = probe.case.start(chance(6))
        decisions = 0
        while state.to_ask is not None and decisions < FORCED:
            probe.asked(6, decisions, f" where each seat gave its {which.__name__.strip('_')} legal answer")
            state.apply(which(state))
            decisions += 1


def _first(state: AnyState) -> Action:
    action: Action = next(state.legal_actions())
    return action


def _last(state: AnyState) -> Action:
    return some_legal(state)[-1]


def random_answers_are_the_legal_ones(probe: Probe) -> None:
    """`random_action` and `sample_action` give legal answers only, and each of them."""
    same, rng = probe.case.same, Random(7)
    for state in probe.positions(7, 12):
        legal = some_legal(state)
        if len(legal) > 20:
            state.copy().apply(asked_view(state).random_action(rng))
            continue
        missing = {same(action): action for action in legal}
        if len(missing) < len(legal):
            raise probe.broken(f"seat {state.to_ask} has a legal answer twice among {legal!r}")
        draws: tuple[Callable[[Random], Action], ...] = (state.sample_action, asked_view(state).random_action)
        listed = {*missing}
        for count in range(2 * SAMPLES):
            sample = draws[count % 2](rng)
            if same(sample) not in listed:
                raise probe.broken(f"{sample!r} is a random answer of seat {state.to_ask}, and is not legal")
            missing.pop(same(sample), None)
            if not missing and count:
                break
        if missing:
            raise probe.broken(f"{min(map(repr, missing.values()))} is legal for seat {state.to_ask}, and never drawn")


def views_ask_what_the_state_asks(probe: Probe) -> None:
    """The asked seat's view has the state's kind and answers; other views have none."""
    for state in probe.positions(8, 25):
        for seat in range(probe.case.seats):
            view = state.view(seat)
            if view.seat != seat:
                raise probe.broken(f"the view of seat {seat} says that it is of seat {view.seat}")
            due = (state.kind, some_legal(state)) if seat == state.to_ask else ("", [])
            if unlike := difference((view.kind, list(islice(view.legal_actions(), MANY))), due):
                raise probe.broken(f"in the view of seat {seat}, (kind, legal_actions){unlike}")


def places_fit_the_seats(probe: Probe) -> None:
    """1 is the best place, and equal places are shared: 1, 2, 2, 4."""
    for number in range(5):
        state = [*probe.positions(number, 10)][-1]
        for outcome in (state.outcome(), probe.finished(number)[0].outcome()):
            places = outcome.places
            if len(places) != probe.case.seats or len(outcome.scores) != probe.case.seats:
                raise probe.broken(f"{outcome!r} has not one place and one score for each of the seats")
            if any(place != 1 + sum(other < place for other in places) for place in places):
                raise probe.broken(f"the places are {places}: 1 is the best, and equal places are shared: 1, 2, 2, 4")
