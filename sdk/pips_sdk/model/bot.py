"""The base class of bots that ask a language model.

For example::

    from pips_sdk import run
    from pips_sdk.model.bot import ModelBot

    class MyBot(ModelBot):
        game = "serpent"

        def reply(self, messages):
            return my_model(messages)

    run(MyBot)
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Any, ClassVar

from pips_referee.errors import UnreadableAnswer
from pips_referee.game import REGISTRY, Action, Event, View
from pips_sdk.bot import Bot
from pips_sdk.model.door import ModelDoor, table_of
from pips_sdk.model.endpoint import Endpoint, ModelMessage, ModelUnreachable, note_in
from pips_sdk.model.markup import without_markup
from pips_sdk.model.settings import SHARE, ModelSettings
from pips_sdk.text import parse, prompt, rules

__all__ = ["ModelBot", "NoAnswer", "default_of", "model_bots"]


class NoAnswer(Exception):
    """No reply of the model was a legal answer; the text says why."""


class ModelBot(Bot):
    """Plays by text alone; your own class sets `game`.

    In a league it asks the model named in the league file. Elsewhere it asks
    `endpoint`. For any other model, override `reply`.
    """

    settings: ClassVar[ModelSettings | None] = None
    """How to play; None for the league file's settings, or the defaults."""
    endpoint: ClassVar[Endpoint | None] = None
    door: ClassVar[ModelDoor | None] = None
    attempt = 1
    """The number of the reply to this question, from 1."""
    left_s = 0.0
    """Seconds left for this question."""

    def on_start(self) -> None:
        self.news: list[Event] = []
        self.how = type(self).settings or ModelSettings.here()

    def on_event(self, event: Event) -> None:
        self.news.append(event)

    def reply(self, messages: Sequence[ModelMessage]) -> str:
        """The model's reply; `ModelUnreachable` if there is none."""
        if self._door is not None:
            return self._door.ask(table_of(self._rng_seed), self._question, self.attempt, messages)
        if self.endpoint is None:
            raise ModelUnreachable(
                "no model is named: give the bot a `model` in the league file, or an endpoint of its own"
            )
        return self.endpoint.complete(messages, self.left_s).text

    def choose(self, view: Any) -> Action:
        """Ask, parse the reply strictly, and ask again with the error if necessary."""
        how, ends_at = self.how, monotonic() + self._within_s()
        messages, why = self.messages(view), ""
        for self.attempt in range(1, how.rethinks + 2):
            self.left_s = ends_at - monotonic()
            said = self.reply(messages)
            try:
                return self._read(said, view)
            except UnreadableAnswer as error:
                why = f"{error} {note_in(said)}".strip()
            again = how.prompts.filled("again", why=why)
            messages += [{"role": "assistant", "content": said}, {"role": "user", "content": again}]
        if how.unreadable == "fault":
            raise NoAnswer(f"none of the model's {how.rethinks + 1} replies was an answer; the last: {why}")
        self.defaulted()
        return default_of(view)

    def _read(self, said: str, view: Any) -> Action:
        """Parse a reply; if that fails, parse it without its markup, if allowed."""
        try:
            return parse(said, view)
        except UnreadableAnswer:
            if self.how.lenient != "markup":
                raise
        action = parse(without_markup(said), view)
        if self._door is not None:
            self._door.unmarked(table_of(self._rng_seed), self._question)
        return action

    def _within_s(self) -> float:
        """The time for an answer: less than the clock's, to leave time for an error."""
        clock_s = SHARE * self.time_left_ms / 1000 if self.time_left_ms else self.how.answer_s
        return min(self.how.answer_s, clock_s)

    def messages(self, view: Any) -> list[ModelMessage]:
        """The first messages for a question: the rules, then the question."""
        asked, self.news = prompt(view, self.news, legal=self.how.legal), []
        prompts = self.how.prompts
        return [
            {"role": "system", "content": prompts.filled("system", game=self.game, rules=rules(self.game))},
            {"role": "user", "content": prompts.filled("question", question=asked)},
        ]

    def defaulted(self) -> None:
        """Called when the default is played."""
        if self._door is not None:
            self._door.defaulted(table_of(self._rng_seed), self._question)

    @property
    def _door(self) -> ModelDoor | None:
        """The connection to the proxy, opened once for all matches."""
        if ModelBot.door is None:
            ModelBot.door = ModelDoor.here()
        return ModelBot.door


def default_of(view: View) -> Action:
    """The legal default: the first legal answer."""
    return next(iter(view.legal_actions()))


def model_bots(**parts: Any) -> tuple[type[ModelBot], ...]:
    """A model bot for every game; `parts` become class attributes."""
    return tuple(type(f"{game.title()}Model", (ModelBot,), {"game": game, **parts}) for game in REGISTRY)
