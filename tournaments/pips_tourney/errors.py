"""Errors that a person can fix; the command line prints them and ends with 2.

TourneyError ├── LeagueError a league file's mistakes, each with its line ├── SuiteError
a missing deal suite, or a line that is not a deal ├── SecretError a file without a
secret, or with another night's ├── StoreError a database that cannot be used ├──
LeagueChanged the database belongs to another league ├── EngineError the night cannot go
on; what was played is kept │ └── BotsDidNotStart bots that never said hello ├──
BotProblem a bot that cannot be found, read or started ├── Stuck `pips-bot`: a bot in
this process that never answered └── Spoilt `pips-bot`: the machine failed, or the game
did

Each class is in the module that raises it. A bot's fault is a value in a match's
outcome. A void match is a log entry.
"""

from __future__ import annotations


class TourneyError(Exception):
    """The root. Its text is meant for a person."""
