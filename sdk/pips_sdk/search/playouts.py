"""Play each alternative in the same imagined worlds, and compare the results.

All alternatives in a world share its hidden cards and its luck to come. So most of the
noise is common to them, and the difference of two alternatives is far more certain than
either mean. Errors are those of paired differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf, sqrt
from random import Random
from typing import Any, Final, Generic, Protocol, Self, TypeVar, cast

from pips_referee.game import Action, AnyState, Options
from pips_sdk.bot import Bot
from pips_sdk.search.budget import rounds

ActionT = TypeVar("ActionT")
Policy = Callable[[AnyState], Action]
"""Answers the open question of a state; it may look at `state.view(state.to_ask)`."""
WORLDS: Final = 10
NOBODY: Final = "nobody is asked, so there is nothing to answer"
NORMAL_95: Final = 1.959964
"""The normal distribution's two-sided 95 % point."""


class World(Protocol):
    """A position that can be played on: a state of the rules, or a bot's own model."""

    @property
    def to_ask(self) -> int | None:
        """The seat to move; None at the end."""

    def copy(self) -> Self:
        """An equal, independent position."""

    def apply(self, action: Any, /) -> object:
        """Play the answer."""


WorldT = TypeVar("WorldT", bound=World)
DrawnT_co = TypeVar("DrawnT_co", bound=World, covariant=True)


class Imagined(Protocol[DrawnT_co]):
    """A source of worlds: a view, or a position with all cards known."""

    @property
    def seat(self) -> int:
        """The seat to move."""

    def sample_world(self, rng: Random) -> DrawnT_co:
        """A world that asks the seat the same question."""


@dataclass(frozen=True, slots=True)
class Open:
    """A position with all its cards known; only the luck to come is drawn anew."""

    state: AnyState

    @property
    def seat(self) -> int:
        """The seat to move; `LookupError` if there is none."""
        if self.state.to_ask is None:
            raise LookupError("nobody is asked, so there is nothing to play on from")
        return self.state.to_ask

    def sample_world(self, rng: Random) -> AnyState:
        """The position with other luck to come."""
        return self.state.redeal(rng)


class Ahead:
    """A `stop` that ends a playout after a number of the policy's answers."""

    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._left = answers
        self._state: AnyState | None = None

    def __call__(self, state: AnyState) -> bool:
        if state is not self._state:
            self._state, self._left = state, self._answers
        self._left -= 1
        return self._left < 0


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one alternative instead of another, in the unit of the results."""

    mean: float
    error: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval; the normal approximation needs 30 worlds or more."""
        return self.mean - NORMAL_95 * self.error, self.mean + NORMAL_95 * self.error


@dataclass(frozen=True, slots=True)
class Alternatives(Generic[ActionT]):
    """The compared actions, each with its results by world in the same order."""

    actions: tuple[ActionT, ...]
    results: tuple[tuple[float, ...], ...]

    @property
    def worlds(self) -> int:
        """How many worlds were played."""
        return len(self.results[0])

    @property
    def means(self) -> tuple[float, ...]:
        """The mean result of every alternative, in the order of `actions`."""
        return tuple([sum(results) / len(results) for results in self.results])

    @property
    def best(self) -> ActionT:
        """The alternative with the highest mean; the first of equals."""
        means = self.means
        return self.actions[means.index(max(means))]

    def cost(self, chosen: ActionT, other: ActionT) -> Cost:
        """The cost of `chosen` instead of `other`; negative if `chosen` is better.

        The best of many looks better than it is, as it was selected for that. For a
        figure to show, compare the two again, in fresh worlds. `ValueError` if either
        was not compared.
        """
        ours, theirs = self.results[self.actions.index(chosen)], self.results[self.actions.index(other)]
        differences = [their - our for our, their in zip(ours, theirs, strict=True)]
        count = len(differences)
        mean = sum(differences) / count
        if count == 1:
            return Cost(mean, inf)
        return Cost(mean, sqrt(sum([(each - mean) ** 2 for each in differences]) / (count - 1) / count))

    def better_than(self, usual: ActionT, errors: float = 2.0) -> ActionT:
        """The best if it beats `usual` by `errors` standard errors, else `usual`."""
        best = self.best
        cost = self.cost(usual, best)
        return best if cost.mean > errors * cost.error else usual


def compare(
    view: Imagined[WorldT],
    actions: Iterable[ActionT],
    policy: Callable[[WorldT], object],
    rng: Random,
    *,
    worlds: int | Iterable[int] = WORLDS,
    stop: Callable[[WorldT], bool] | None = None,
    result: Callable[[WorldT, int], float] | None = None,
) -> Alternatives[ActionT]:
    """Play every action in the same sampled worlds, with `policy` for all seats.

    A playout ends when `stop` says so, or with the match. `result` gives the end's
    worth to the seat to move, where more is better; the default is `lead`. `worlds` is
    a number of rounds, which the environment may override, or an iterator such as
    `rounds(1000, ms=200)`. A bot's own worlds need a `result`. `LookupError` if the
    seat is not to move, `ValueError` without an action or a round.
    """
    tried = tuple(actions)
    if not tried:
        raise ValueError("there is no action to compare: give at least one")
    results: list[list[float]] = [[] for _ in tried]
    for _ in rounds(worlds) if isinstance(worlds, int) else worlds:
        world = view.sample_world(rng)
        for action, found in zip(tried, results, strict=True):
            end = play_on(world.copy(), action, policy, stop)
            found.append(result(end, view.seat) if result else lead(cast(AnyState, end), view.seat))
    if not results[0]:
        raise ValueError("there was no round to play: give worlds of at least 1")
    return Alternatives(tried, tuple(map(tuple, results)))


def play_on(
    state: WorldT, action: object, policy: Callable[[WorldT], object], stop: Callable[[WorldT], bool] | None = None
) -> WorldT:
    """Play the action, then the policy for all seats; return the final state."""
    state.apply(action)
    while state.to_ask is not None and not (stop and stop(state)):
        state.apply(policy(state))
    return state


def lead(state: AnyState, seat: int) -> float:
    """The seat's score minus the mean of the others', if the match ended now."""
    scores = list(state.outcome().scores)
    mine = scores.pop(seat)
    return float(mine - sum(scores) / len(scores))


def house(bot_class: type[Bot], options: Options, seats: int) -> Policy:
    """A policy that answers for every seat as that bot would.

    The bot must answer from the view alone. Playouts have no events, so a class with
    its own `on_event` is a `TypeError`. A class may define a static method
    `in_playouts`, which gives the answer of `choose` from the state instead of the
    view. It is used because it is quicker; a derived class needs its own.
    """
    if bot_class.hears():
        raise TypeError(f"{bot_class.__name__} has an on_event, but playouts send no events: give a bot without one")
    quicker = vars(bot_class).get("in_playouts")
    if isinstance(quicker, staticmethod):
        return _checked(quicker.__func__)
    bots = [bot_class() for _ in range(seats)]
    for seat, bot in enumerate(bots):
        bot.begin(seat, seats, options, bytes(32))

    def policy(state: AnyState) -> Action:
        view = asked(state)
        action: Action = bots[view.seat].choose(view)
        return action

    return policy


def _checked(answer: Policy) -> Policy:
    """The policy, with `LookupError` if no seat is to move."""

    def policy(state: AnyState) -> Action:
        if state.to_ask is None:
            raise LookupError(NOBODY)
        return answer(state)

    return policy


def asked(state: AnyState) -> Any:
    """The view of the seat to move; `LookupError` if there is none."""
    if state.to_ask is None:
        raise LookupError(NOBODY)
    return state.view(state.to_ask)
