"""Bots that play the other seats of an environment."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pips_referee.game import Event, Options, Outcome, View
from pips_sdk.bot import Bot
from pips_sdk.run_file import load_bots
from pips_sdk.samples import NoSample, sample_class

Opponent = str | Path | type[Bot]
"""A bot class, the name of a sample bot, a bot's Python file, or its folder.

A folder contains `bot.py`. A string with a path, such as `./mine`, is a file or folder;
a name alone is a sample bot.
"""


class OpponentWarning(RuntimeWarning):
    """An opponent failed, and so lost the match.

    Python shows one warning for each line of code.
    """


class OpponentFault(NamedTuple):
    """How an opponent failed."""

    seat: int
    bot: str
    what: str
    """The exception and the bot's line, as one line of text."""

    def __str__(self) -> str:
        return f"the opponent {self.bot} at seat {self.seat} failed, and the match is over: {self.what}"


def bot_class(opponent: Opponent, game: str) -> type[Bot]:
    """The class of an opponent; `ValueError` if none is found that plays the game."""
    if isinstance(opponent, type):
        found: tuple[type[Bot], ...] = (opponent,)
    elif isinstance(opponent, Path) or opponent.endswith(".py") or Path(opponent).name != opponent:
        found = load_bots(_file(Path(opponent)))
    else:
        found = _sample(opponent, game)
    for bot in found:
        if bot.game == game:
            return bot
    raise ValueError(f"the opponent {opponent!r} does not play {game}")


def _file(place: Path) -> Path:
    """A bot's Python file, given the file or its folder."""
    if not place.is_dir():
        return place
    if not (file := place / "bot.py").is_file():
        raise ValueError(f"the folder {place} holds no bot.py: name the bot's .py file")
    return file


def _sample(name: str, game: str) -> tuple[type[Bot], ...]:
    """The class of the sample bot `name`; an empty list if there is none."""
    try:
        return (sample_class(game, name),)
    except NoSample as error:
        raise ValueError(
            f"{error}; a bot of your own is named by its .py file, "
            f"or by its folder with bot.py as a path, such as ./{name}"
        ) from None


class Opponents:
    """The seats played by bots, for one match after another."""

    def __init__(self, game: str, classes: Mapping[int, type[Bot]]) -> None:
        self.game = game
        self.classes = classes
        self._bots: dict[int, Bot] = {}
        self._numbers: dict[int, int] = {}
        self._news: dict[int, list[Event]] = {}

    def begin(self, seats: int, options: Options, seed: bytes, events: list[Event]) -> None:
        """Make new instances for a new match; their luck comes from its seed."""
        self._bots = {seat: bot() for seat, bot in self.classes.items()}
        self._numbers = dict.fromkeys(self._bots, 0)
        self._news = {seat: [] for seat, bot in self._bots.items() if bot.hears()}
        for seat, bot in self._bots.items():
            bot.begin(seat, seats, options, sha256(seed + b"bot" + bytes([seat])).digest())
        self.hear(events)

    def hear(self, events: list[Event]) -> None:
        """Keep the events that each seat may see until its next question."""
        for seat, news in self._news.items():
            news += [seen for event in events if (seen := event.seen_by(seat)) is not None]

    def answer(self, seat: int, view: View) -> object:
        """The answer of a bot's seat. Raises what the bot raises."""
        self._numbers[seat] += 1
        news = self._news.get(seat, [])
        events, news[:] = tuple(news), []
        return self._bots[seat].ask(self._numbers[seat], view, events)

    def finish(self, outcome: Outcome) -> None:
        """Tell the bots that the match is over."""
        for seat, bot in self._bots.items():
            bot.hear(self._news.get(seat, ()))
            bot.on_finish(outcome)
