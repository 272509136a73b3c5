"""The control of a deal that is played once: the bot `greedy` plays it with itself.

Ratings take from every result what the control says of the deal's luck
(ratings/control.py). The match is played by the rules themselves, in this process.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pips_referee.chance import Chance
from pips_referee.game import AnyGame, Options
from pips_tourney.bots.samples import sample_class, sample_file

if TYPE_CHECKING:
    from pips_referee.record import Header
    from pips_sdk.search import Policy

PLAYER: Final = "greedy"
"""The sample bot that has all seats."""
_OF_ALL: Final = (
    "pips_referee.cards", "pips_referee.chance", "pips_referee.game", "pips_referee.value", "pips_sdk.bot",
    "pips_sdk.search.playouts", "pips_tourney.bots.samples", __name__,
)  # fmt: skip
"""What runs in the controls of every game."""
_NOT_PLAYED: Final = frozenset({"__init__.py", "pace.py", "priced.py", "text.py", "wire.py", "worlds.py", "worth.py"})
"""Files of a game's room that run in no control."""


def control_of(header: Header) -> tuple[int, ...]:
    """The control of a match: the scores by seat where the player has all seats."""
    return control_scores(header.game, header.options, len(header.names), header.seed)


def control_scores(game: AnyGame, options: Options, seats: int, seed: bytes) -> tuple[int, ...]:
    """The same from the seed of a deal."""
    policy = _policy(game.name, options, seats)
    state, _ = game.start(options, seats, Chance(seed))
    while state.to_ask is not None:
        state.apply(policy(state))
    return tuple(state.outcome().scores)


@cache
def player_sha256(game: str) -> str:
    """The SHA-256 of all our files that run in a control.

    What differs may play otherwise.
    """
    return sources_sha256(sources(game))


def sources(game: str) -> list[Path]:
    """Our files that run in a control of that game: its rules, the player, the rest."""
    room = _file(f"pips_referee.games.{game}").parent
    rules = [file for file in room.glob("*.py") if file.name not in _NOT_PLAYED]
    return [*rules, sample_file(game, PLAYER), *map(_file, (f"pips_sdk.{game}", *_OF_ALL))]


def sources_sha256(files: Iterable[Path]) -> str:
    """One SHA-256, in hexadecimal, of files in the order of their folders and names."""
    named = sorted((file.parent.name, file.name, sha256(file.read_bytes()).hexdigest()) for file in files)
    return sha256("".join(f"{folder}/{name} {hashed}\n" for folder, name, hashed in named).encode()).hexdigest()


def _file(module: str) -> Path:
    file = import_module(module).__file__
    assert file is not None
    return Path(file)


@cache
def _policy(game: str, options: Options, seats: int) -> Policy:
    from pips_sdk.search import house  # who only reads a night needs no bots

    return house(sample_class(game, PLAYER), options, seats)
