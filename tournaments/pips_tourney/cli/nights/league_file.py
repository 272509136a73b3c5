"""`pips-tourney new`: a league file to start from. It needs no extra."""

from __future__ import annotations

from pathlib import Path

import click

from pips_tourney.cli.terminal import FILE, told
from pips_tourney.league.house import house_leagues, write_house_league


def league_file(league: Path) -> Path:
    """The league file.

    If the name is that of a league that ships with Pips, its file is written here
    first.
    """
    if league.exists() or str(league) not in house_leagues():
        return league
    written = Path(f"{league}.toml")
    if not written.exists():
        write_house_league(str(league), written)
        click.echo(f"wrote {written}, which ships with Pips: change it, and play again", err=True)
    return written


@click.command()
@click.argument("league", type=FILE, default=Path("league.toml"))
@click.option("--like", "name", default="first", show_default=True, help="The league of Pips to start from.")
def new(league: Path, name: str) -> None:
    """Write a LEAGUE file to start from."""
    with told():
        write_house_league(name, league)
    click.echo(f"wrote {league}\n\nPlay it:   pips-tourney run {league}\nChange it, and play again.")
