"""League files (TOML): read and checked.

All mistakes are listed at once, with their place in the file.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pips_tourney.league.entries import BotEntry, ClockEntry, GameEntry
    from pips_tourney.league.file import LeagueFile, label_of
    from pips_tourney.league.league import League
    from pips_tourney.league.mistakes import LeagueError, Mistake
    from pips_tourney.league.read import read_league

__all__ = [
    "BotEntry",
    "ClockEntry",
    "GameEntry",
    "League",
    "LeagueError",
    "LeagueFile",
    "Mistake",
    "label_of",
    "read_league",
]

_HOMES = {
    "BotEntry": "entries",
    "ClockEntry": "entries",
    "GameEntry": "entries",
    "League": "league",
    "LeagueError": "mistakes",
    "LeagueFile": "file",
    "Mistake": "mistakes",
    "label_of": "file",
    "read_league": "read",
}


def __getattr__(name: str) -> Any:
    """Load what is asked for: who shows a night reads no league file."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found
