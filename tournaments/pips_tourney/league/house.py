"""The league files that ship with Pips: to be played as they are, or to start from."""

from __future__ import annotations

from pathlib import Path
from shutil import copyfile

from pips_tourney.errors import TourneyError


class HouseLeagueError(TourneyError):
    """No league of that name ships with Pips, or its file cannot be written."""


def house_leagues() -> dict[str, Path]:
    """By name, the path of each, in an installed package or in the source tree."""
    package = Path(__file__).resolve().parents[1]
    homes = (package / "leagues", package.parent)
    return {file.stem: file for home in homes for file in sorted(home.glob("*.toml"))}


def write_house_league(name: str, target: Path) -> None:
    """Copy a league that ships with Pips.

    Raises `HouseLeagueError` if that is impossible.
    """
    known = house_leagues()
    if name not in known:
        raise HouseLeagueError(f"no league called {name} ships with Pips; there are {', '.join(known)}")
    if target.exists():
        raise HouseLeagueError(f"{target} is there already: remove it, or give another name")
    try:
        copyfile(known[name], target)
    except OSError as error:
        raise HouseLeagueError(f"{target} cannot be written: {error.strerror}") from None
