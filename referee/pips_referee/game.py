"""What a game is: a state that only `apply` changes, and the values that travel.

Every game is a package with an entry point (installed.py). It defines a `Game`. Its
optional parts are modules beside it, such as `text` or `worlds`. A state asks one seat
at a time (`to_ask`, `kind`). It never asks a question with only one legal answer:
`apply` plays on to the next choice, and returns all events up to it.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, dataclass_transform

from msgspec import Struct, StructMeta

from pips_referee import words
from pips_referee.chance import Chance, Rng
from pips_referee.errors import GameProblem, IllegalAction, OptionsError, UnknownGame
from pips_referee.installed import REGISTRY, package_of, package_of_class, part_in, place_of

if TYPE_CHECKING:
    from pathlib import Path


def text_of(value: object) -> Any:
    """The text module for the game that defines this value, or the default one."""
    return part_in(package_of_class(type(value)), "text") or words


class Action:
    """A seat's answer; each game has one `Value` for each kind of action."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]]
    """The names of its fields."""

    @property
    def text(self) -> str:
        """The answer as text that can be parsed again (answers.py)."""
        return str(text_of(self).action_text(self))

    def __str__(self) -> str:
        return self.text


class Event:
    """Something that happened, with nothing hidden."""

    __slots__ = ()
    chance: ClassVar[bool] = False
    """Whether the event is a random outcome: a deal, a roll, a turned card."""

    @property
    def text(self) -> str:
        """A line that says what happened."""
        return str(text_of(self).event_text(self))

    def __str__(self) -> str:
        return self.text

    def seen_by(self, seat: int) -> Self | None:
        """The event as that seat sees it, without secrets; None if it sees nothing."""
        return self

    def seen_by_all(self, seats: int) -> Self | None:
        """The event as a spectator may see it: only what all seats see."""
        seen: Self | None = self
        for seat in range(seats):
            seen = None if seen is None else seen.seen_by(seat)
        return seen


class View:
    """Everything one seat may know, built anew field by field."""

    __slots__ = ()
    seat: int
    """The seat that has this view."""
    kind: str
    """The kind of question put to this seat; "" if it is not asked."""

    @property
    def text(self) -> str:
        """The position and the open question as this seat sees them, for a person."""
        return str(text_of(self).view_text(self))

    def __str__(self) -> str:
        return self.text

    def legal_actions(self) -> Iterator[Action]:
        """The legal answers of this seat; none if it is not asked.

        The list is complete, and lazy if there may be many.
        """
        raise NotImplementedError

    def random_action(self, rng: Rng) -> Action:
        """A random legal answer; each one is possible."""
        return rng.choice([*self.legal_actions()])

    def sample_world(self, rng: Rng) -> AnyState:
        """A state that agrees with all this seat knows, and asks the same question.

        The game's `worlds.py` draws everything that the seat cannot see at random,
        future luck included. `LookupError` if the seat is not asked.
        """
        if not self.kind:
            raise LookupError("the seat is not asked, so there is nothing to play on from")
        state: AnyState = _worlds_of(self).imagine(self, Chance.fresh(rng), rng)
        return state


class _ValueType(StructMeta):
    """The metaclass of `Value`.

    In JSON `kind` is the class's name, except for a view, which has a field `kind`.
    """

    def __new__(cls, name: str, bases: tuple[type, ...], names: dict[str, Any], **config: Any) -> Any:
        if any(issubclass(base, View) for base in bases):
            config["tag"] = False
        return super().__new__(cls, name, bases, names, **config)


@dataclass_transform(frozen_default=True)
class Value(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag=words.kind_of, metaclass=_ValueType):
    """The base class of games' values: immutable, slotted, quick to make.

    A game may use frozen dataclasses with slots instead.
    """


@dataclass(frozen=True, slots=True)
class Options:
    """A game's options; each game's `__post_init__` checks them (`OptionsError`)."""

    later: ClassVar[frozenset[str]] = frozenset()
    """Options added after the game's first version: left out at their default."""
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """The values of options that decide how many seats are possible."""

    def named(self) -> dict[str, object]:
        """The options by name, as used in ids, seeds and records.

        An option in `later` is left out at its default. So matches played before it was
        added keep their ids and seeds.
        """
        values = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {
            name: chosen for name, (chosen, default) in values.items() if name not in self.later or chosen != default
        }


class Outcome(Value):
    """How a match ended by the rules.

    `places` are by seat, 1 is best, and equal places are shared: (1, 2, 2, 4).
    """

    places: tuple[int, ...]
    scores: tuple[int, ...]


ViewT = TypeVar("ViewT", bound=View)
ActionT = TypeVar("ActionT", bound=Action)
EventT = TypeVar("EventT", bound=Event)


class MarginScale(Value):
    """How to interpret a difference of two scores."""

    points: float
    """About one standard deviation of the difference between equal bots.

    Ratings use it as their unit.
    """
    cap: float
    """The most that one match counts, in units of `points`.

    So a few matches cannot outweigh hundreds.
    """


class State(ABC, Generic[ViewT, ActionT, EventT]):
    """One match in progress: the same chance and actions give the same state.

    A class names its slots that contain lists (`lists`) or lists of lists (`nested`),
    and gets a `copy` that copies all its slots. That method is compiled, as a search
    copies a state for each alternative. A subclass names those among its own slots.
    """

    __slots__ = ()
    to_ask: int | None
    """The seat that must decide now; None if the match is over."""
    kind: str
    """The kind of the open question; "" if the match is over."""
    _anew: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """The code that copies each slot with a list, by slot."""

    @abstractmethod
    def view(self, seat: int) -> ViewT: ...

    def legal_actions(self) -> Iterator[ActionT]:
        """The legal answers to the question; lazy."""
        return self._asked_view().legal_actions()  # type: ignore[return-value]  # the view's answers are the game's

    def sample_action(self, rng: Rng) -> ActionT:
        """A random legal answer."""
        return self._asked_view().random_action(rng)  # type: ignore[return-value]  # the same

    def _asked_view(self) -> ViewT:
        assert self.to_ask is not None
        return self.view(self.to_ask)

    @abstractmethod
    def apply(self, action: ActionT) -> list[EventT]:
        """Play the answer, and everything after it that needs no choice.

        An `IllegalAction` leaves the state unchanged.
        """

    @abstractmethod
    def outcome(self) -> Outcome:
        """Places and scores now; final if `to_ask` is None."""

    def __init_subclass__(cls, lists: str = "", nested: str = "", **named: Any) -> None:
        super().__init_subclass__(**named)
        anew = dict.fromkeys(lists.split(), "{}[:]") | dict.fromkeys(nested.split(), "[part[:] for part in {}]")
        anew = cls._anew = {**cls._anew, **anew}
        if anew and "copy" not in vars(cls):
            slots = [name for kind in cls.__mro__ for name in vars(kind).get("__slots__", ())]
            if cls.__dictoffset__ or anew.keys() - slots:
                missing = ", ".join(sorted(anew.keys() - slots)) or "all that it holds"
                raise TypeError(f"{cls.__name__} is copied slot by slot: its __slots__ have to name {missing}")
            lines = [f"twin.{name} = {anew.get(name, '{}').format(f'self.{name}')}" for name in slots]
            made: dict[str, Any] = {"new": object.__new__}
            text = "\n    ".join(["def copy(self):", "twin = new(self.__class__)", *lines, "return twin"])
            exec(text, made)  # noqa: S102 - only text made here
            setattr(cls, "copy", made["copy"])  # noqa: B010 - it is a method

    def copy(self) -> Self:
        """An equal, independent state; cheap if the class names its list slots."""
        return deepcopy(self)

    def redeal(self, rng: Rng) -> Self:
        """A copy with other luck to come: what is dealt stays, the rest is drawn anew.

        Unlike `View.sample_world` it keeps every hand. All orders of the cards not yet
        dealt are equally likely, whatever their order in this state.
        """
        state: Self = _worlds_of(self).redeal(self, Chance.fresh(rng), rng)
        return state


class Game(ABC, Generic[ViewT, ActionT, EventT]):
    """A game's rules as all other modules use them; stateless."""

    name: ClassVar[str]
    title: ClassVar[str]
    rules_version: ClassVar[int]
    """Raised when the same seed and answers may give a different match."""
    options_type: ClassVar[type[Options]] = Options
    kinds: ClassVar[tuple[str, ...]]
    """Every kind of question."""
    margin: ClassVar[MarginScale] = MarginScale(1.0, 3.0)
    parts: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """By part, the part's module, if it lies outside the game's package."""

    @abstractmethod
    def seats(self, options: Options) -> range:
        """The numbers of seats that these options allow."""

    @abstractmethod
    def start(self, options: Options, seats: int, chance: Chance) -> tuple[State[ViewT, ActionT, EventT], list[EventT]]:
        """A new match, and the events before its first question."""

    @abstractmethod
    def longest(self, options: Options, seats: int) -> int:
        """An upper bound on the number of questions in a match."""

    def options(self, values: Mapping[str, object] | None = None) -> Options:
        """Options from names and values; `OptionsError` says which are wrong."""
        values = values or {}
        known = [field.name for field in fields(self.options_type)]
        if unknown := [name for name in values if name not in known]:
            raise OptionsError(f"{self.name} has no option {', '.join(unknown)}; it has {', '.join(known) or 'none'}")
        return self.options_type(**values)

    def check_seats(self, options: Options, seats: int) -> None:
        """`OptionsError` if the game cannot be played with this number of seats."""
        allowed = self.seats(options)
        if seats not in allowed:
            usual = type(options)().named()
            chosen = {name: value for name, value in options.named().items() if value != usual.get(name)}
            rules = {name: value for name, value in options.named().items() if isinstance(value, str)}
            named = ", ".join(f"{name}={value}" for name, value in (rules | chosen).items())
            what = f"{self.name} with {named}" if named else self.name
            how = f"{allowed[0]} to {allowed[-1]}" if len(allowed) > 1 else f"{allowed[0]}"
            raise OptionsError(f"{what} is for {how} seats, not {seats}{self._instead(options, seats)}")

    def _instead(self, options: Options, seats: int) -> str:
        """Name a choice that allows this number of seats; "" if there is none."""
        for name, choices in options.choices.items():
            for choice in choices:
                allowed = self.seats(replace(options, **{name: choice}))
                if seats in allowed:
                    return f"; {name}={choice} is for {allowed[0]} to {allowed[-1]}"
        return ""

    def part(self, name: str) -> ModuleType | None:
        """The game's module of that name; None if the game has none."""
        package, _, module = self.parts.get(name, f"{package_of_class(type(self))}.{name}").rpartition(".")
        return part_in(package, module)

    @property
    def room(self) -> Path:
        """The game's folder."""
        from pathlib import Path  # a bot starts without it

        return Path(str(sys.modules[type(self).__module__].__file__)).parent

    def rulebook(self) -> str:
        """The numbered rules, as Markdown; `GameProblem` if the game has none."""
        try:
            return (self.room / "RULES.md").read_text(encoding="utf-8")
        except FileNotFoundError:
            raise GameProblem(f"{self.name} has no rulebook: write RULES.md into {self.room}") from None


def _worlds_of(part: object) -> ModuleType:
    """The `worlds` module of the game that a view or state belongs to."""
    package = package_of_class(type(part))
    if (worlds := part_in(package, "worlds")) is None:
        raise GameProblem(f"{package} has no module `worlds`, so nobody can imagine what lies hidden or is to come")
    return worlds


AnyState = State[Any, Any, Any]
AnyGame = Game[Any, Any, Any]


@cache
def get_game(name: str) -> AnyGame:
    """The game of that name.

    `UnknownGame` lists all games; `GameProblem` says why the game cannot be loaded.
    """
    module, attribute = place_of(name)
    where = f"{module}:{attribute}"
    try:
        game: Any = getattr(import_module(module), attribute)
    except (GameProblem, UnknownGame):  # its text is clear already
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise GameProblem(f"the game {name} ({where}) cannot be loaded: {why}. Mend it, or uninstall it") from error
    if not isinstance(game, Game):
        raise GameProblem(f"{where} is installed as the game {name}, and it is {game!r}")
    if game.name != name:
        raise GameProblem(f"{where} is installed as the game {name}, and its `name` is {game.name!r}")
    if package_of_class(type(game)) != package_of(name):
        raise GameProblem(
            f"{where} is installed as the game {name}, and it has to be PACKAGE:GAME or PACKAGE.rules:GAME, "
            f"where PACKAGE is the folder with the game's class"
        )
    return game


def places_of(scores: Sequence[int]) -> tuple[int, ...]:
    """Places from scores, highest first; (30, 10, 10) gives (1, 2, 2)."""
    return tuple([1 + sum(other > score for other in scores) for score in scores])


def check_whole(options: Options, name: str, low: int, high: int) -> None:
    """For `__post_init__` of options: `OptionsError` unless low <= field <= high."""
    value = getattr(options, name)
    if type(value) is not int or not low <= value <= high:
        raise OptionsError(f"{name} is a whole number from {low} to {high}, not {value!r}")


def check_flag(options: Options, name: str) -> None:
    """For `__post_init__` of options: `OptionsError` unless the field is a bool."""
    value = getattr(options, name)
    if type(value) is not bool:
        raise OptionsError(f"{name} is true or false, not {value!r}")


__all__ = [
    "REGISTRY", "Action", "AnyGame", "AnyState", "Event", "Game", "IllegalAction", "Options", "OptionsError",
    "Outcome", "State", "UnknownGame", "Value", "View", "check_flag", "check_whole", "get_game", "places_of",
]  # fmt: skip
