"""What a law is tried on: matches of random answers, at every question of which it is
known where that is.
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
"""Where there are thousands of legal answers, as many as are looked at."""


class BrokenLaw(AssertionError):
    """A law that a game does not keep; the text says how, and where."""


def chance(number: int) -> Chance:
    """The luck of that seed: the number as 32 bytes, the highest first."""
    return Chance(number.to_bytes(SEED_BYTES, "big"))


def in_words(action: Action) -> Hashable:
    """An answer's words; the order of cards that stand together means nothing."""
    return tokens_of(action.text)


@dataclass(frozen=True)
class Case:
    """A game as it is played by so many seats with these options."""

    game_name: str
    label: str
    seats: int
    option_values: Mapping[str, object] = field(default_factory=dict)
    same: Callable[[Action], Hashable] = in_words
    """One value for all answers that the list of legal ones does not tell apart."""

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
        """A match of random answers: every position with the answer that it gets.

        Where a match is longer than the longest, one question more than that.
        """
        state, _ = self.start(luck)
        for _ in range(self.longest + 1):
            if state.to_ask is None:
                break
            action = state.sample_action(rng)
            yield state, action
            state.apply(action)

    def positions(self, number: int, count: int) -> list[AnyState]:
        """Positions of a match of random answers, each kind of question among them."""
        return [state for _, state in _spread(self.play(chance(number), Random(number)), count)]


def _spread(steps: Iterable[tuple[AnyState, Action]], count: int) -> list[tuple[int, AnyState]]:
    """Copies of some positions, each with the number of decisions before it."""
    states: list[tuple[int, AnyState]] = []
    first_of_kind: dict[str, tuple[int, AnyState]] = {}
    for decisions, (state, _) in enumerate(steps):
        states.append((decisions, state.copy()))
        first_of_kind.setdefault(state.kind, states[-1])
    step = max(1, len(states) // count)
    return [*first_of_kind.values(), *states[::step]]


def cases_of(name: str, option_values: Mapping[str, object] | None = None, seats: int | None = None) -> list[Case]:
    """The fewest, usual and most seats of a game; each choice and flag of its options.

    With options, or a number of seats, only these.
    """
    game, values = get_game(name), dict(option_values or {})
    options = game.options(values)
    if seats is not None:
        game.check_seats(options, seats)
        return [_case(game, values, seats)]
    allowed = game.seats(options)
    if not allowed or allowed[0] < 2:
        raise GameProblem(f"{name} is for {[*allowed]} seats: a match has two seats or more")
    cases = [_case(game, values, number) for number in sorted({allowed[0], allowed[len(allowed) // 2], allowed[-1]})]
    for option in fields(options):
        usual = getattr(options, option.name)
        others = [not usual] if isinstance(usual, bool) else options.choices.get(option.name, ())
        for other in [] if option.name in values else others:
            if other != usual:
                changed = {**values, option.name: other}
                cases.append(_case(game, changed, game.seats(game.options(changed))[0]))
    return cases


def _case(game: AnyGame, values: Mapping[str, object], seats: int) -> Case:
    label = "-".join([f"{seats}-seats", *[f"{name}={value}" for name, value in values.items()]])
    return Case(game.name, label, seats, values)


class Probe:
    """One law on one case: where it is, and how much it has compared."""

    def __init__(self, case: Case, cases: tuple[Case, ...] = ()) -> None:
        self.case = case
        self.cases = cases or (case,)
        """All of its game: for a law that is tried once."""
        self.where = ""
        self.compared = 0

    def at(self, seed: int, decisions: int, how: str = "") -> None:
        """From here on, what breaks is broken there."""
        self.where = f"seed {seed}, after {decisions} decisions{how}"

    def asked(self, seed: int, decisions: int, how: str = "") -> None:
        """The same, where somebody is asked; `BrokenLaw` if the match is too long."""
        self.at(seed, decisions, how)
        if decisions >= self._longest:
            raise self.broken(f"somebody is asked, and `longest` is {self._longest} questions")

    @cached_property
    def _longest(self) -> int:
        return self.case.longest

    def positions(self, number: int, count: int) -> Iterator[AnyState]:
        """Positions of that match, each in its place."""
        for decisions, state in _spread(self._steps(number), count):
            self.at(number, decisions)
            self.compared += 1
            yield state

    def play(self, number: int) -> Iterator[tuple[AnyState, Action]]:
        """Every question of a match of random answers, and the answer it gets."""
        for step in self._steps(number):
            self.compared += 1
            yield step

    def finished(self, number: int) -> tuple[AnyState, list[Event], list[Action]]:
        """A match of random answers at its end, with its events and its answers."""
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
        """What to raise."""
        return BrokenLaw(f"{self.case.id}, {self.where}: {said}" if self.where else f"{self.case.id}: {said}")
