"""The bots of a league as opponents in the environments of `pips_sdk`.

For example::

    from pips_sdk.vector import VectorEnv
    from pips_tourney.league.opponents import league_opponents

    bots = league_opponents("league.toml", "serpent")
    env = VectorEnv("serpent", opponents=[bots["ada"]])
"""

from __future__ import annotations

from pathlib import Path

from pips_tourney.league.entries import BotEntry
from pips_tourney.league.read import read_league


def league_opponents(league: Path | str, game: str) -> dict[str, str | Path]:
    """By name, the bots of a league file that play a game: a sample bot or a file.

    Only Python files are included, because an environment plays all seats in one
    process. Opponents run there without a sandbox, so name only those that you trust.
    Raises `LeagueError` if the file is not a league.
    """
    read = read_league(Path(league))
    found = {bot.name: _opponent(read.folder, bot) for bot in read.file.bots if bot.plays(game)}
    return {name: opponent for name, opponent in found.items() if opponent is not None}


def _opponent(folder: Path, bot: BotEntry) -> str | Path | None:
    if bot.sample is not None:
        return bot.sample.rpartition("/")[2]
    home = folder / (bot.cwd or "")
    files = (home / word for word in bot.command or () if word.endswith(".py"))
    return next((file for file in files if file.is_file()), None)
