"""League files (TOML): read and checked.

All mistakes are listed at once, with their place in the file.
"""

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
