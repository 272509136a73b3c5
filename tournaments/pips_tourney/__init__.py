"""Tournaments: league files, schedules, ratings, and the runner that plays a night with
bot processes.

The rooms, lowest first:

- `errors`, `names`, `system`, `extras`, `database`: what everybody knows
- `schedule`, `ratings`: pure functions, from a league to its matches and from results
  to ratings
- `files`, `secret`: safe writing of files; the source of a night's luck
- `people`: who takes part
- `bots`, `models`: a bot's files and its command; the language models it asks
- `sandbox`: what a bot's process can reach and use
- `league`: the league file and what it names
- `arena`: a referee, bot processes, and their keeper
- `night`: a night in its database: log, plan, table, proof
- `analysis`: what a match teaches
- `engines`: where arenas run
- `reports`, `audit`: tables and checks of a night
- `workshop`, `remote`: what an author does with a bot; bots that dial in
- `doctor`: what holds on this machine
- `play`, `web`: playing a night; a night on screen
- `place`: a league to which people hand in from a browser
- `cli`: the command lines

**Invariant**: no room imports one that comes later in this list.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, Final

os.environ["OPENBLAS_NUM_THREADS"] = "1"
"""Before numpy is imported: uvloop forks, and a fork waits for OpenBLAS's threads.

They never end while another thread multiplies matrices, so a place would hang.
"""
FROM_PYTHON: Final = ("read_played", "run_league")


def __getattr__(name: str) -> Any:
    """What a notebook needs, imported when asked for: an author's install lacks it."""
    if name in FROM_PYTHON:
        return getattr(import_module("pips_tourney.play.from_python"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
