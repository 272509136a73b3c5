"""Tournaments: league files, schedules, ratings, and the runner that plays a night with
bot processes.

The rooms, lowest first:

- `errors`, `names`, `system`, `extras`, `database`: what everybody knows
- `schedule`, `ratings`: pure functions, from a league to its matches and from results
  to ratings
- `files`, `secret`: what is written for others; where the luck of a night comes from
- `people`: who takes part
- `bots`, `models`: which bot is meant and how it is started; language models it asks
- `sandbox`: what its process can reach and take
- `league`: the league file and what it names
- `arena`: a referee, bot processes, and their keeper
- `night`: a night in its database: log, plan, table, proof
- `analysis`: what a match teaches
- `engines`: where arenas run
- `reports`, `audit`: what is read of a night
- `workshop`, `remote`: what an author does with a bot; bots that dial in
- `doctor`: what holds on this machine
- `play`, `web`: playing a night; a night on screen
- `place`: a league to which people hand in from a browser
- `cli`: the command lines

**Invariant**: no room imports one that comes later in this list.
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
