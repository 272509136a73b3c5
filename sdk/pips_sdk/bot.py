"""What every bot is: one instance a match, asked through `choose`, told through three
hooks.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import sep
from pathlib import PurePath
from random import Random
from typing import Any, ClassVar

from pips_referee.cards import Card
from pips_referee.game import Action, Event, Options, Outcome, View
from pips_sdk.rng import QuestionRng


class BotError(TypeError):
    """The bot's code gave something that is no answer; the text says what, where and
    what to do.
    """

    where = ""
    """`my_bot.py:12`, the method that gave it, where that is known."""


class Bot:
    """The base of the four games' bot classes; write yours from one of those.

    A new instance is made for every match. `self.rng` is the only randomness to use: it
    is seeded for every question from the league's secret, so a bot that uses nothing
    else answers the same again in a replay.
    """

    game: ClassVar[str] = ""
    seat: int = 0
    """This bot's seat, from 0."""
    seats: int = 0
    """How many seats play."""
    options: Options
    """The game's options."""
    _rng_seed = bytes(32)
    _question = 0
    _rng: QuestionRng | None = None
    _is_seeded = False
    """For the question being asked."""

    @property
    def rng(self) -> Random:
        """A `random.Random`, freshly seeded for the question being asked, and for
        `on_start`.

        A match's luck is there from `on_start` on: in `__init__` the bot has none yet,
        and draws the same every time.
        """
        if self._rng is None:
            self._rng = QuestionRng()
        if not self._is_seeded:
            QuestionRng.begin(self._rng, self._rng_seed, self._question)  # of a plain `Random`, if it has become one
            self._is_seeded = True
        return self._rng

    def on_start(self) -> None:
        """The match begins; `self.seat`, `self.seats` and `self.options` are set."""

    def on_event(self, event: Event) -> None:
        """Something happened that this seat may know of; called before the next
        question.
        """

    def on_finish(self, outcome: Outcome) -> None:
        """The match is over."""

    def choose(self, view: Any) -> Action:
        """Answer a question. The games' base classes call one method per kind of
        question.
        """
        raise BotError(
            f"{type(self).__name__} derives from Bot itself: derive it from SerpentBot or another game's bot"
        )

    @classmethod
    def hears(cls) -> bool:
        """Whether it has an `on_event` of its own; the referee sends events to no
        other.
        """
        return cls.on_event is not Bot.on_event

    def begin(self, seat: int, seats: int, options: Options, rng_seed: bytes) -> None:
        """Called by the SDK before `on_start`; `rng_seed` is 32 bytes."""
        self.seat, self.seats, self.options, self._rng_seed = seat, seats, options, rng_seed
        self._question, self._is_seeded = 0, False  # whatever its `__init__` drew
        self.on_start()

    def hear(self, events: Iterable[Event]) -> None:
        """Called by the SDK: `on_event` for each; a bot without one leaves
        them unread.
        """
        if self.hears():
            for event in events:
                self.on_event(event)

    def ask(self, number: int, view: View, events: Iterable[Event]) -> Action:
        """Called by the SDK for question `number` of this seat: the events since the
        last one, then `choose`.
        """
        self._question, self._is_seeded = number, False
        self.hear(events)
        action = self.choose(view)
        if not isinstance(action, Action):
            raise wanted(self, "choose", "an action of the game", action)
        return action


def wanted(bot: Bot, method: str, expected: str, got: object) -> BotError:
    """The error for a method that returned the wrong thing."""
    hint = " (did it forget its `return`?)" if got is None else ""
    error = BotError(f"{type(bot).__name__}.{method}() must return {expected}, but it returned {got!r}{hint}")
    error.where = place_of(type(bot), method)
    return error


def place_of(bot_class: type[Bot], method: str) -> str:
    """`my_bot.py:12`, where the method begins; "" when it is not the bot's own but one
    of the SDK's.
    """
    code = getattr(getattr(bot_class, method, None), "__code__", None)
    if code is None or code.co_filename.startswith(f"{PurePath(__file__).parent}{sep}"):
        return ""
    return f"{PurePath(code.co_filename).name}:{code.co_firstlineno}"


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
