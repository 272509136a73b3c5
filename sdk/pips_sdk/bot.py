"""The base class of all bots: an instance per match, with `choose` and three hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import path, sep
from random import Random
from typing import Any, ClassVar

from pips_referee.cards import Card
from pips_referee.game import Action, Event, Options, Outcome, View
from pips_sdk.coroutines import await_methods
from pips_sdk.rng import QuestionRng


class BotError(TypeError):
    """The bot's code gave no valid answer; the text says what, where and what to do."""

    where = ""
    """The place of the method that gave the answer: `my_bot.py:12`; "" if unknown."""


class Bot:
    """The base class of the games' bot classes; derive yours from one of those.

    A new instance is made for every match. Use no randomness but `self.rng`. It is
    seeded from the league's secret for every question. So a bot without other
    randomness gives the same answers in a replay.

    A bot's methods may be `async`: the SDK awaits them.

    >>> from pips_sdk import play_match
    >>> from pips_sdk.serpent import SerpentBot
    >>> class Mine(SerpentBot):
    ...     def lead(self, view):
    ...         return self.rng.choice(view.playable)
    >>> play_match([Mine, SerpentBot], seed=bytes(32)).outcome.places
    (2, 1)
    """

    game: ClassVar[str] = ""
    at_once: ClassVar[int] = 1
    """How many tables the SDK asks at once, each in its own thread.

    More than 1 is for bots that wait for a server: the waits then overlap.
    """
    seat: int = 0
    """This bot's seat, from 0."""
    seats: int = 0
    """How many seats play."""
    options: Options
    """The game's options."""
    time_left_ms: int = 0
    """The milliseconds for this question, from when it was sent; 0 without a clock."""
    _rng_seed = bytes(32)
    _question = 0
    _rng: QuestionRng | None = None
    _is_seeded = False
    """Whether `rng` is seeded for the question being asked."""

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        await_methods(cls, "pips_sdk.")

    @property
    def rng(self) -> Random:
        """A `random.Random`, freshly seeded for each question and for `on_start`.

        From `on_start` on, the seed depends on the match. In `__init__` the generator
        has no seed yet, and draws the same numbers every time.
        """
        if self._rng is None:
            self._rng = QuestionRng()
        if not self._is_seeded:
            QuestionRng.begin(self._rng, self._rng_seed, self._question)  # it may have become a plain `Random`
            self._is_seeded = True
        return self._rng

    def on_start(self) -> None:
        """Called at the start of a match, with `seat`, `seats` and `options` set."""

    def on_event(self, event: Event) -> None:
        """Called before the next question, for each event that this seat may see."""

    def on_finish(self, outcome: Outcome) -> None:
        """Called when the match is over."""

    def think_ms(self, most: int) -> int:
        """The smaller of `most` and a quarter of the time left, in milliseconds."""
        return min(most, max(1, self.time_left_ms // 4)) if self.time_left_ms else most

    def choose(self, view: Any) -> Action:
        """Answer a question.

        A game's base class calls one method for each kind of question.
        """
        raise BotError(f"{type(self).__name__} derives from Bot itself: derive it from a game's bot, or from GameBot")

    @classmethod
    def hears(cls) -> bool:
        """Whether the class defines `on_event`; without it the bot gets no events."""
        return cls.on_event is not Bot.on_event

    def begin(self, seat: int, seats: int, options: Options, rng_seed: bytes) -> None:
        """Called by the SDK before `on_start`; `rng_seed` has 32 bytes."""
        self.seat, self.seats, self.options, self._rng_seed = seat, seats, options, rng_seed
        self._question, self._is_seeded = 0, False  # discards the state after draws in `__init__`
        self.on_start()

    def hear(self, events: Iterable[Event]) -> None:
        """Called by the SDK: pass each event to `on_event`, if the bot defines it."""
        if self.hears():
            for event in events:
                self.on_event(event)

    def ask(self, number: int, view: View, events: Iterable[Event]) -> Action:
        """Called by the SDK for question `number` of this seat.

        It passes on the events since the last question, then calls `choose`.
        """
        self._question, self._is_seeded = number, False
        if events:
            self.hear(events)
        action = self.choose(view)
        if not isinstance(action, Action):
            raise wanted(self, "choose", "an action of the game", action)
        return action


class GameBot(Bot):
    """The base class of bots for any game, which your class names as `game`.

    Define a method for each kind of question, named like the kind. Kinds without a
    method get a random legal answer.

    >>> class Mine(GameBot):
    ...     game = "serpent"
    ...     def lead(self, view):
    ...         return next(view.legal_actions())
    """

    def choose(self, view: Any) -> Action:
        if hasattr(GameBot, view.kind):
            raise BotError(
                f"{self.game} asks {view.kind!r}, a name that bots use themselves: write choose() for all kinds"
            )
        method = getattr(self, view.kind, None)
        action = view.random_action(self.rng) if method is None else method(view)
        if not isinstance(action, Action):
            raise wanted(self, view.kind, "an action, such as one of view.legal_actions()", action)
        return action


def wanted(bot: Bot, method: str, expected: str, got: object) -> BotError:
    """The error for a method with an unusable return value."""
    hint = " (did it forget its `return`?)" if got is None else ""
    error = BotError(f"{type(bot).__name__}.{method}() must return {expected}, but it returned {got!r}{hint}")
    error.where = place_of(type(bot), method)
    return error


def place_of(bot_class: type[Bot], method: str) -> str:
    """The place where the method begins: `my_bot.py:12`; "" for a method of the SDK."""
    code = getattr(unwrapped(getattr(bot_class, method, place_of)), "__code__", None)
    if code is None or code.co_filename.startswith(__file__.rpartition(sep)[0] + sep):
        return ""
    return f"{file_name(code.co_filename)}:{code.co_firstlineno}"


def file_name(place: str) -> str:
    return path.basename(place)  # noqa: PTH119 - bots start faster without pathlib


def unwrapped(function: Callable[..., Any]) -> Any:
    """The function without its decorators."""
    if not hasattr(function, "__wrapped__"):
        return function
    from inspect import unwrap  # bots start faster without it

    return unwrap(function)


def one_card(bot: Bot, method: str, got: object) -> Card:
    """The returned card, or `BotError` if it is not one."""
    if not isinstance(got, Card):
        raise wanted(bot, method, "one Card, such as view.playable[0]", got)
    return got


def some_cards(bot: Bot, method: str, count: int, got: object) -> tuple[Card, ...]:
    """The returned cards, or `BotError` if they are not that many cards."""
    if not isinstance(got, (tuple, list, set, frozenset)) or not all(isinstance(c, Card) for c in got):
        raise wanted(bot, method, f"{count} Cards, such as view.playable[:{count}]", got)
    return tuple(sorted(got)) if isinstance(got, (set, frozenset)) else tuple(got)
