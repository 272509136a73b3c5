"""The base of all bots: one instance a match, with `choose` and three hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import sep
from random import Random
from typing import Any, ClassVar

from pips_referee.cards import Card
from pips_referee.game import Action, Event, Options, Outcome, View
from pips_sdk.coroutines import await_methods
from pips_sdk.rng import QuestionRng


class BotError(TypeError):
    """The bot's code gave no valid answer; the text says what, where and what to do."""

    where = ""
    """`my_bot.py:12`, the method that gave it; "" if unknown."""


class Bot:
    """The base of the games' bot classes; derive yours from one of those.

    A new instance is made for every match. Use no randomness but `self.rng`. It is
    seeded for every question from the league's secret. So a bot that uses nothing else
    gives the same answers again in a replay.

    Its methods may be `async`: the SDK awaits them.

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
    """How many tables the SDK asks at once, each in a thread of its own.

    More than 1 is for bots that wait for a server: their waits do not add up.
    """
    seat: int = 0
    """This bot's seat, from 0."""
    seats: int = 0
    """How many seats play."""
    options: Options
    """The game's options."""
    time_left_ms: int = 0
    """How long this question may take, from when it was sent; 0 without a clock."""
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

        It has the match's luck from `on_start` on. In `__init__` it has no seed yet,
        and draws the same numbers every time.
        """
        if self._rng is None:
            self._rng = QuestionRng()
        if not self._is_seeded:
            QuestionRng.begin(self._rng, self._rng_seed, self._question)  # it may be a plain `Random` by now
            self._is_seeded = True
        return self._rng

    def on_start(self) -> None:
        """The match begins; `self.seat`, `self.seats` and `self.options` are set."""

    def on_event(self, event: Event) -> None:
        """Called before the next question with each event that this seat may see."""

    def on_finish(self, outcome: Outcome) -> None:
        """The match is over."""

    def think_ms(self, most: int) -> int:
        """`most` milliseconds, or a quarter of what is left if that is less."""
        return min(most, max(1, self.time_left_ms // 4)) if self.time_left_ms else most

    def choose(self, view: Any) -> Action:
        """Answer a question.

        The games' base classes call one method per kind of question.
        """
        raise BotError(f"{type(self).__name__} derives from Bot itself: derive it from a game's bot, or from GameBot")

    @classmethod
    def hears(cls) -> bool:
        """Whether the class has its own `on_event`; without one it gets no events."""
        return cls.on_event is not Bot.on_event

    def begin(self, seat: int, seats: int, options: Options, rng_seed: bytes) -> None:
        """Called by the SDK before `on_start`; `rng_seed` is 32 bytes."""
        self.seat, self.seats, self.options, self._rng_seed = seat, seats, options, rng_seed
        self._question, self._is_seeded = 0, False  # discards what its `__init__` drew
        self.on_start()

    def hear(self, events: Iterable[Event]) -> None:
        """Called by the SDK: `on_event` for each event, if the bot has its own."""
        if self.hears():
            for event in events:
                self.on_event(event)

    def ask(self, number: int, view: View, events: Iterable[Event]) -> Action:
        """Called by the SDK for question `number` of this seat.

        Passes on the events since the last question, then calls `choose`.
        """
        self._question, self._is_seeded = number, False
        if events:
            self.hear(events)
        action = self.choose(view)
        if not isinstance(action, Action):
            raise wanted(self, "choose", "an action of the game", action)
        return action


class GameBot(Bot):
    """The base of bots of any game, which a class of your own names as its `game`.

    It has a method for each kind of question, of the kind's name. A kind without one
    gets a random legal answer.

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
    """The error for a method that returned something unusable."""
    hint = " (did it forget its `return`?)" if got is None else ""
    error = BotError(f"{type(bot).__name__}.{method}() must return {expected}, but it returned {got!r}{hint}")
    error.where = place_of(type(bot), method)
    return error


def place_of(bot_class: type[Bot], method: str) -> str:
    """`my_bot.py:12`, where the method begins; "" for a method of the SDK's."""
    from pathlib import PurePath  # a bot starts without it

    code = getattr(unwrapped(getattr(bot_class, method, place_of)), "__code__", None)
    if code is None or code.co_filename.startswith(f"{PurePath(__file__).parent}{sep}"):
        return ""
    return f"{PurePath(code.co_filename).name}:{code.co_firstlineno}"


def unwrapped(function: Callable[..., Any]) -> Any:
    """The function without its decorators."""
    if not hasattr(function, "__wrapped__"):
        return function
    from inspect import unwrap  # a bot starts without it

    return unwrap(function)


def one_card(bot: Bot, method: str, got: object) -> Card:
    """The card a method returned, or `BotError`."""
    if not isinstance(got, Card):
        raise wanted(bot, method, "one Card, such as view.playable[0]", got)
    return got


def some_cards(bot: Bot, method: str, count: int, got: object) -> tuple[Card, ...]:
    """The cards a method returned, or `BotError`."""
    if not isinstance(got, (tuple, list, set, frozenset)) or not all(isinstance(c, Card) for c in got):
        raise wanted(bot, method, f"{count} Cards, such as view.playable[:{count}]", got)
    return tuple(sorted(got)) if isinstance(got, (set, frozenset)) else tuple(got)
