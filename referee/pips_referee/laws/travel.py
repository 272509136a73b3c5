"""Laws of values: they survive messages and records, and people can read them."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Final

from pips.v1 import game_pb2
from pips_referee.errors import PipsError, UnreadableAnswer
from pips_referee.laws.case import MANY, Probe, chance
from pips_referee.laws.held import difference
from pips_referee.laws.play import asked_view
from pips_referee.match import Match
from pips_referee.records.answers import parse, prompt, tokens_of
from pips_referee.records.record import Header, verify, write_record
from pips_referee.records.replay import get_text
from pips_referee.wire import AnyWire, PlainWire, get_wire

FEW: Final = 12
"""The most answers to a question that are parsed from their text."""
EVENTS: Final = 400
"""The most events of a match that are sent and read back."""


def values_travel(probe: Probe) -> None:
    """Options, views, answers and events survive the game's wire, and JSON by name."""
    case = probe.case
    wires = [get_wire(case.game_name)]
    if not isinstance(wires[0], PlainWire):
        wires.append(PlainWire(case.game))
    for options in (case.options, case.game.options()):
        _travels(probe, wires, options, "options", game_pb2.GameOptions)
    for state in probe.positions(1, 25):
        for seat in range(case.seats):
            _travels(probe, wires, state.view(seat), "view", game_pb2.GameView)
        for action in islice(state.legal_actions(), 50):
            _travels(probe, wires, action, "action", game_pb2.GameAction)
    _, log, _ = probe.finished(3)
    for event in log[:: max(1, len(log) // EVENTS)]:
        for told in (event, *[event.seen_by(seat) for seat in range(case.seats)]):
            if told is not None:
                _travels(probe, wires, told, "event", game_pb2.GameEvent)


def _travels(probe: Probe, wires: Sequence[AnyWire], value: Any, what: str, kind: Callable[[], Any]) -> None:
    for wire in wires:
        message = kind()
        try:
            getattr(wire, f"write_{what}")(value, message)
            arrived = getattr(wire, f"read_{what}")(type(message).FromString(message.SerializeToString()))
        except (PipsError, TypeError, ValueError) as error:
            raise probe.broken(f"{value!r} does not travel: {error}") from error
        if arrived != value or repr(arrived) != repr(value):  # a card is not a number, though it is equal to one
            unlike = difference(arrived, value) or f"it is {arrived!r}, not {value!r}"
            raise probe.broken(f"{type(value).__name__} has travelled, and {unlike}")


def values_are_frozen(probe: Probe) -> None:
    """Options, views, answers and events cannot be changed once they are made."""
    state, log = probe.case.start(chance(1))
    for value in (probe.case.options, *log[:1], next(state.legal_actions()), state.view(0)):
        probe.compared += 1
        try:
            hash(value)
        except TypeError as error:
            raise probe.broken(f"{value!r} holds something that can change ({error}): write tuples") from error
        for name in type(value).__match_args__[:1]:
            try:
                setattr(value, name, getattr(value, name))
            except (AttributeError, TypeError):
                continue
            raise probe.broken(f"{type(value).__name__}.{name} can be set: derive it from `Value`")
        if pickle.loads(pickle.dumps(value)) != value:  # noqa: S301 - pickled on this line
            raise probe.broken(f"{value!r} is not the same once it was pickled")


def records_replay(probe: Probe) -> None:
    """The record of a match replays to the same match."""
    case = probe.case
    names = tuple([f"bot{seat}" for seat in range(case.seats)])
    header = Header("a-match", case.game, case.options, names, chance(5).seed)
    _, log, actions = probe.finished(5)
    match = Match(case.game, case.options, case.seats, chance(5))
    for action in actions:
        if fault := match.answer(action):
            raise probe.broken(f"a legal answer was a fault: {fault.detail}")
    try:
        record = verify(write_record(header, match))
    except PipsError as error:
        raise probe.broken(f"its record does not replay: {error}") from error
    if unlike := difference(record.outcome, match.outcome) or difference(match.log, log):
        raise probe.broken(f"its record replays to another match: {unlike}")


def events_hide_once_and_for_all(probe: Probe) -> None:
    """A seat's version of an event stays the same when it is hidden once more."""
    for event in probe.finished(3)[1]:
        for seat in range(probe.case.seats):
            seen = event.seen_by(seat)
            if seen is not None and (unlike := difference(seen.seen_by(seat), seen)):
                raise probe.broken(f"{event!r}, seen by seat {seat} and then by it again: {unlike}")
            public = event.seen_by_all(probe.case.seats)
            if public is not None and (unlike := difference(public.seen_by(seat), public)):
                raise probe.broken(f"{event!r}, as all see it, shows seat {seat} something else: {unlike}")


def words_are_read_as_what_they_say(probe: Probe) -> None:
    """Prompts show position and question; each answer can be read from its text."""
    text = get_text(probe.case.game_name)
    for state in probe.positions(1, 10):
        view = asked_view(state)
        first = next(iter(view.legal_actions()))
        for line in (*str(view).splitlines(), f"You are seat {view.seat}.", f"answer: {first.text}"):
            if line not in prompt(view):
                raise probe.broken(f"the prompt for seat {view.seat} lacks {line!r}")
        if not text.situation(view).strip():
            raise probe.broken(f"the position of seat {view.seat} has no `situation` in words")
        legal = list(islice(view.legal_actions(), MANY))
        if len({tokens_of(action.text) for action in legal}) < len(legal):
            raise probe.broken(f"two answers of seat {view.seat} have the same words")
        for action in legal[:FEW]:
            try:
                answer = parse(f"I think.\nanswer: {action.text.upper()}.", view)
            except UnreadableAnswer as error:
                raise probe.broken(
                    f"the words of {action!r} are {action.text!r}, which is not read: {error}"
                ) from error
            if tokens_of(answer.text) != tokens_of(action.text):
                raise probe.broken(f"the words of {action!r} are {action.text!r}, which is read as {answer!r}")
    for event in probe.finished(1)[1]:
        if not str(event).strip():
            raise probe.broken(f"{event!r} has no words")
