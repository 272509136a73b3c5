"""The games of a place, as beginners see them, and the seats for playing them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from shlex import quote
from typing import Final, NamedTuple

from pips_referee.game import REGISTRY, get_game
from pips_referee.installed import wheel_of
from pips_referee.versions import PACKAGE
from pips_tourney.league.read import read_league
from pips_tourney.web.live.seating import SeatHandlers
from pips_tourney.web.live.seats import Published, offers

QUICK: Final = frozenset({"random", "cautious", "greedy"})
"""The sample bots against which a person plays beside a night: they answer at once."""


class OfferedGame(NamedTuple):
    """A game for which a place offers starter bots."""

    name: str
    quoted: str
    """The name, quoted for a terminal."""
    title: str
    minute: str
    """A description of the game in a few sentences."""
    wheel: str
    """The wheel that contains the game, if it is not part of Pips."""


@lru_cache(8)
def games_of(league: Path) -> tuple[OfferedGame, ...]:
    """Return the games of a league file. Raises the errors of reading it."""
    return tuple(map(offered, (game.name for game in read_league(league).file.games)))


def offered(name: str) -> OfferedGame:
    """A game, as the first page shows it."""
    game, wheel = get_game(name), wheel_of(name)
    _, minute, *_ = f"{game.rulebook()}\n\n".split("\n\n")
    other = "" if wheel.startswith(f"{PACKAGE} ") else wheel
    return OfferedGame(name, quote(name), game.title, " ".join(minute.replace("*", "").split()), other)


def seats_of(league: Path, published: Published) -> SeatHandlers:
    """Return the seats at which members can play the league's games.

    They play against sample bots, or against those that are `published`.
    """
    wanted = {game.name: dict(game.options) for game in read_league(league).file.games if game.name in REGISTRY}
    return SeatHandlers(offers(wanted, QUICK), published, members=True)
