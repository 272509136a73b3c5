"""Tournaments: league files, schedules, ratings, and the runner that plays a night with
bot processes.

The rooms, lowest first; a room imports only from rooms above it in this list:

- `errors`, `names`: what everybody knows
- `schedule`, `ratings`: pure functions, from a league to its matches and from results
  to ratings
- `secret`: where the luck of a night comes from
- `bots`: which bot is meant and how it is started
- `sandbox`: what its process can reach and take
- `league`: the league file and what it names
- `night`: a night in its database: programme, results, decisions, standings
- `arena`: a referee, bot processes, and their keeper
- `engines`: where arenas run
- `reports`, `audit`: what is read of a night
- `remote`: bots that dial in
- `workshop`: what an author does with a bot
- `play`: playing a night
- `web`: a night on screen
- `cli`: the command lines
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

FROM_PYTHON: Final = ("read_played", "run_league")


def __getattr__(name: str) -> Any:
    """What a notebook needs, once it is asked for: an author's install lacks it."""
    if name in FROM_PYTHON:
        return getattr(import_module("pips_tourney.play.from_python"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
