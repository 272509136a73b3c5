"""The code of a night's games: the log has the wheel and files that each game used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from pips_referee.game import get_game
from pips_referee.installed import REGISTRY, wheel_of
from pips_tourney.bots.executable import files_below, fingerprint
from pips_tourney.errors import TourneyError
from pips_tourney.night.log.kinds import BEGUN, GAMES
from pips_tourney.night.log.result import row_problem
from pips_tourney.night.log.store import Store

MOST_REPLAYED: Final = 10
Code = Mapping[str, str]
"""The name and version of a game's `wheel`, and the `sha256` of its package's files."""


class AnotherGame(TourneyError):
    """A game's code differs from the night's, and plays other matches."""


def code_of(games: Iterable[str]) -> dict[str, Code]:
    """The code of these games as installed."""
    return {
        game: {"wheel": wheel_of(game), "sha256": fingerprint([], files_below(get_game(game).room), {})}
        for game in games
    }


def code_changes(store: Store) -> dict[str, str]:
    """By game, a sentence on how its code differs from the code that played last."""
    kept: dict[str, Code] = {}
    for entry in store.log(BEGUN, GAMES):
        kept |= entry.payload.get("games", {})
    now = code_of(game for game in kept if game in REGISTRY)
    return {
        game: f"the code of {game} has changed: it was {_said(was)}, now {_said(now.get(game))}"
        for game, was in kept.items()
        if was != now.get(game)
    }


def note_changes(store: Store) -> Iterator[str]:
    """Log games whose code has changed, and yield a sentence about each.

    `AnotherGame` if stored matches do not replay with it.
    """
    changes = code_changes(store)
    if not changes:
        return
    for match, row in store.rows([*islice(store.ids(), MOST_REPLAYED)]).items():
        if what := row_problem(row):
            told = "; ".join(changes.values())
            raise AnotherGame(f"{told}. With it match {match} is another ({what}): install what it was, or use --new")
    store.append(GAMES, {"games": code_of(changes)})
    for change in changes.values():
        yield f"{change}. Stored matches replay with it as they were"


def _said(code: Code | None) -> str:
    if code is None:
        return "it is not installed"
    return f"{code.get('wheel') or 'no wheel'} ({code.get('sha256', '')[:12]})"
