"""What a law is tested on: matches with random answers.

The probe knows the place of every question, for the error message.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from random import Random
from typing import Final

from pips_referee.chance import SEED_BYTES, Chance
from pips_referee.errors import GameProblem
from pips_referee.game import Action, AnyGame, AnyState, Event, Options, get_game
from pips_referee.records.answers import tokens_of

MANY: Final = 300
"""How many legal answers are tried if there are thousands."""


class BrokenLaw(AssertionError):
    """A law that a game breaks; the text says how, and where."""


def chance(number: int) -> Chance:
    """The luck of seed `number`, written as 32 bytes, big-endian."""
    return Chance(number.to_bytes(SEED_BYTES, "big"))


def in_words(action: Action) -> Hashable:
    """An answer's text, in a form that ignores the order of adjacent cards."""
    return tokens_of(action.text)


@dataclass(frozen=True)
class Case:
    """A game with certain options and a number of seats."""

    game_name: str
    label: str
    seats: int
    option_values: Mapping[str, object] = field(default_factory=dict)
    same: Callable[[Action], Hashable] = in_words
    """Maps answers that the list of legal ones does not tell apart to one value."""

    @property
    def id(self) -> str:
        return f"{self.game_name}-{self.label}"

    @property
    def game(self) -> AnyGame:
        return get_game(self.game_name)

    @property
    def options(self) -> Options:
        return self.game.options(self.option_values)

    @property
    def longest(self) -> int:
        return self.game.longest(self.options, self.seats)

    def start(self, luck: Chance) -> tuple[AnyState, list[Event]]:
        return self.game.start(self.options, self.seats, luck)

    def play(self, luck: Chance, rng: Random) -> Iterator[tuple[AnyState, Action]]:
        """Play a match with random answers; yield every position and the answer to it.

        If the match exceeds `longest`, stop one question after that.
        """
        state, _ = self.start(luck)
        for _ in range(self.longest + 1):
            if state.to_ask is None:
                break
            action = state.sample_action(rng)
            yield state, action
            state.apply(action)

    def positions(self, number: int, count: int) -> list[AnyState]:
        """Positions of a match with random answers, with each kind of question."""
        return [state for _, state in _spread(self.play(chance(number), Random(number)), count)]


def _spread(steps: Iterable[tuple[AnyState, Action]], count: int) -> list[tuple[int, AnyState]]:
    """Copies of some positions, with the number of decisions before each.

    The first position of each kind is among them, the others are at regular distances.
    """
    states: list[tuple[int, AnyState]] = []
    first_of_kind: dict[str, tuple[int, AnyState]] = {}
    for decisions, (state, _) in enumerate(steps):
        states.append((decisions, state.copy()))
        first_of_kind.setdefault(state.kind, states[-1])
    step = max(1, len(states) // count)
    return [*first_of_kind.values(), *states[::step]]


def cases_of(name: str) -> list[Case]:
    """The cases of a game: number of seats and options.

    These are the fewest, usual and most seats, and each choice and flag of the options.
    """
    game = get_game(name)
    options = game.options({})
    allowed = game.seats(options)
    if not allowed or allowed[0] < 2:
        raise GameProblem(f"{name} is for {[*allowed]} seats: a match has two seats or more")
    cases = [_case(game, {}, number) for number in sorted({allowed[0], allowed[len(allowed) // 2], allowed[-1]})]
    for option in fields(options):
        usual = getattr(options, option.name)
        others = [not usual] if isinstance(usual, bool) else options.choices.get(option.name, ())
        for other in others:
            if other != usual:
                changed = {option.name: other}
                cases.append(_case(game, changed, game.seats(game.options(changed))[0]))
    return cases


def _case(game: AnyGame, values: Mapping[str, object], seats: int) -> Case:
    label = "-".join([f"{seats}-seats", *[f"{name}={value}" for name, value in values.items()]])
    return Case(game.name, label, seats, values)


class Probe:
    """One law on one case: the current place, and how much was compared."""

    def __init__(self, case: Case, cases: tuple[Case, ...] = ()) -> None:
        self.case = case
        self.cases = cases or (case,)
        """All cases of the game, for a law that is tested once."""
        self.where = ""
        self.compared = 0

    def at(self, seed: int, decisions: int, how: str = "") -> None:
        """Set the place that errors name from now on."""
        self.where = f"seed {seed}, after {decisions} decisions{how}"

    def asked(self, seed: int, decisions: int, how: str = "") -> None:
        """Set the place to an open question; `BrokenLaw` if the match is too long."""
        self.at(seed, decisions, how)
        if decisions >= self._longest:
            raise self.broken(f"somebody is asked, and `longest` is {self._longest} questions")

    @cached_property
    def _longest(self) -> int:
        return self.case.longest

    def positions(self, number: int, count: int) -> Iterator[AnyState]:
        """Positions from that match; errors name their place."""
        for decisions, state in _spread(self._steps(number), count):
            self.at(number, decisions)
            self.compared += 1
            yield state

    def play(self, number: int) -> Iterator[tuple[AnyState, Action]]:
        """Every question of a match with random answers, and its answer."""
        for step in self._steps(number):
            self.compared += 1
            yield step

    def finished(self, number: int) -> tuple[AnyState, list[Event], list[Action]]:
        """The end of a match with random answers, with its events and answers."""
        actions = [action for _, action in self._steps(number)]
        state, log = self.case.start(chance(number))
        for action in actions:
            log += state.apply(action)
        self.at(number, len(actions))
        self.compared += 1
        return state, log, actions

    def _steps(self, number: int) -> Iterator[tuple[AnyState, Action]]:
        self.at(number, 0)
        for decisions, step in enumerate(self.case.play(chance(number), Random(number))):
            self.asked(number, decisions)
            yield step

    def broken(self, said: str) -> BrokenLaw:
        """The exception to raise."""
        return BrokenLaw(f"{self.case.id}, {self.where}: {said}" if self.where else f"{self.case.id}: {said}")
