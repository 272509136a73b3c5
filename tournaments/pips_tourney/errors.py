"""Errors that a person can fix; the command line prints them and ends with 2.

    TourneyError
    ├── LeagueError          a league file: all its mistakes with their places
    ├── SuiteError           a deal suite that is missing, or a line that is no deal
    ├── SecretError          a secret file that holds no secret, or not this night's
    ├── StoreError           a database that cannot be used
    ├── LeagueChanged        the night in the database is another league's
    ├── EngineError          the night cannot go on; what was played is kept
    │   └── BotsDidNotStart  bots that never said hello
    ├── BotProblem           a bot that cannot be found, read or started
    ├── Stuck                `pips-bot`: a bot in this process that never answered
    └── Spoilt               `pips-bot`: the machine's doing, or the game's

Each class is in the module that raises it. A bot's fault is a value in a match's
outcome. A void match is a log entry.
"""

from __future__ import annotations


class TourneyError(Exception):
    """The root. Its text is meant for a person."""
