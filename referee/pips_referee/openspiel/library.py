"""Queries to OpenSpiel itself: which games can be played, and by how many."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from pips_referee.errors import GameProblem, OptionsError, UnknownGame

FAMILY: Final = "openspiel"
HOW: Final = "pip install 'pips-tourney[openspiel]'"
WORD: Final = re.compile(r"[a-z0-9_]{1,60}(\([\w=,;.()-]{0,200}\))?", re.ASCII)
"""A game's name, perhaps with parameters in parentheses: `kuhn_poker(players=3)`."""
TEAMS: Final = frozenset({"bridge", "dou_dizhu", "euchre", "skat", "social_deduction", "spades", "tiny_bridge_4p"})
COMMON_GAIN: Final = frozenset({"lewis_signaling", "trade_comm"})
"""Games with the same return for both players, though OpenSpiel does not say so."""
MOST_SEATS: Final = 10


def is_here() -> bool:
    """Whether OpenSpiel is installed."""
    return find_spec("pyspiel") is not None


@cache
def library() -> Any:
    """The module pyspiel; `GameProblem` with the install command if it is missing."""
    if not is_here():
        raise GameProblem(f"games of OpenSpiel need more than is installed: {HOW}")
    return import_module("pyspiel")


@cache
def load(word: str, seats: int | None = None) -> Any:
    """OpenSpiel's game named `word`, for `seats` players if their number can vary.

    `UnknownGame` if OpenSpiel has none, or Pips cannot play it; `OptionsError` if
    OpenSpiel refuses the number of seats.
    """
    spiel = library()
    kind, parameters = _kind_and_parameters(word)
    if seats is not None and _leaves_seats_open(word):
        parameters["players"] = seats
    try:
        game = spiel.load_game(kind.short_name, parameters)
    except (RuntimeError, ValueError, IndexError) as error:
        problem = UnknownGame if seats is None else OptionsError
        raise problem(f"{FAMILY}:{word} cannot be played so: {_said(error)}") from None
    if why := _refusal(game.get_type(), game, word):
        raise UnknownGame(f"{FAMILY}:{word} cannot be played here: {why}")
    return game


def is_open(game: Any) -> bool:
    """Whether nothing is hidden in that game."""
    return bool(game.get_type().information == library().GameType.Information.PERFECT_INFORMATION)


def seats_of(word: str) -> range:
    """The possible numbers of seats."""
    game = load(word)
    if not _leaves_seats_open(word):
        return range(game.num_players(), game.num_players() + 1)
    return range(max(2, game.get_type().min_num_players), min(MOST_SEATS, game.get_type().max_num_players) + 1)


def _leaves_seats_open(word: str) -> bool:
    kind, parameters = _kind_and_parameters(word)
    return "players" in kind.parameter_specification and "players" not in parameters


def _kind_and_parameters(word: str) -> tuple[Any, dict[str, Any]]:
    """OpenSpiel's type of a game, and the parameters given with its name."""
    kinds = {kind.short_name: kind for kind in library().registered_games()}
    name = word.partition("(")[0]
    if not WORD.fullmatch(word) or name not in kinds:
        near = "".join(f"; is it {FAMILY}:{close}?" for close in get_close_matches(name, kinds, 1, 0.5))
        raise UnknownGame(f"OpenSpiel has no game {word!r}{near}")
    try:
        parameters = dict(library().game_parameters_from_string(word))
    except RuntimeError as error:
        raise UnknownGame(f"{FAMILY}:{word} cannot be read: {_said(error)}") from None
    parameters.pop("name", None)
    allowed = sorted(kinds[name].parameter_specification)
    if unknown := [each for each in parameters if each not in allowed]:
        raise UnknownGame(f"{FAMILY}:{name} has no parameter {unknown[0]}; it has {', '.join(allowed) or 'none'}")
    players, least, most = parameters.get("players"), kinds[name].min_num_players, kinds[name].max_num_players
    if isinstance(players, int) and not least <= players <= most:
        raise UnknownGame(f"{FAMILY}:{name} is for {least} to {most} players, not {players}")
    return kinds[name], parameters


def _said(error: Exception) -> str:
    """OpenSpiel's error message, without the place in its source."""
    return re.sub(r"^\S+\.cc:\d+ ", "", str(error)).partition("\n")[0]


def _refusal(kind: Any, game: Any, word: str) -> str:
    """Why Pips cannot play a game; "" if it can."""
    spiel, names = library(), {*re.findall(r"\w+", word)}
    if kind.dynamics == spiel.GameType.Dynamics.SIMULTANEOUS:
        return f"all players move at once (turn_based_simultaneous_game(game={word}) asks them in turn)"
    if kind.dynamics != spiel.GameType.Dynamics.SEQUENTIAL:
        return "it has no players that move in turn"
    if kind.chance_mode == spiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        return "it draws its luck itself, so that no deal could be dealt twice"
    if game.num_players() < 2:
        return "it is for one player"
    if kind.utility == spiel.GameType.Utility.IDENTICAL or names & COMMON_GAIN:
        return "its players win and lose together, so there is nobody to beat"
    if names & TEAMS:
        return "its players are teams, and places here are of single seats"
    return ""
