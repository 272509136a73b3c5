"""The CPU time of screening a night's decisions beside that of playing the night.

lab `analysis` prints it. Two bots `greedy` play a league of each game by the usual
command, and all decisions of both are screened by values.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, getrusage
from subprocess import run
from tempfile import TemporaryDirectory
from time import process_time

import click

from pips_referee.game import REGISTRY
from pips_tourney.analysis.analyse import Screening
from pips_tourney.analysis.complete import chosen_records
from pips_tourney.analysis.costs import judge_of
from pips_tourney.analysis.decided import KindOfTable, decisions
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night

LEAGUE = """
name = "Screening"
deals = {{ count = {deals} }}
sandbox = "none"
bots = [{{ name = "ada", sample = "greedy" }}, {{ name = "bo", sample = "greedy" }}]
[[games]]
name = "{game}"
{more}
"""
MORE = {"pippip": 'seats = 2\noptions = { rules = "hervey" }', "dominion": "options = { size = 3 }"}
MOST = 3.0
"""The most CPU time that the screening takes, in multiples of that of playing."""


def played_s(folder: Path, game: str, deals: int) -> float:
    """Play the league in that folder; the CPU seconds of all its processes."""
    (folder / "night.toml").write_text(LEAGUE.format(deals=deals, game=game, more=MORE.get(game, "")), encoding="utf-8")
    before = getrusage(RUSAGE_CHILDREN)
    run([sys.executable, "-m", "pips_tourney", "run", "night.toml"], cwd=folder, check=True, capture_output=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def screened_s(database: Path) -> tuple[float, int]:
    """Screen all decisions of both bots; the CPU time in seconds, and how many."""
    begun, seen = process_time(), 0
    with read_store(database) as store:
        for bot in ("ada", "bo"):
            screening: Screening | None = None
            for record in chosen_records(last_night(store), bot):
                screening = screening or Screening(judge_of(KindOfTable.of(record)), Random(1))
                for decision in decisions(record, bot):
                    screening.add(decision)
            seen += screening.seen if screening else 0
    return process_time() - begun, seen


@click.command()
@click.option("--game", type=click.Choice(REGISTRY), help="Only this game.")
@click.option("--deals", default=500, show_default=True, help="Deals of a night; a deal has two matches.")
def main(game: str | None, deals: int) -> None:
    """Print how many times the CPU time of playing the screening takes."""
    for name in [game] if game else REGISTRY:
        with TemporaryDirectory() as folder:
            played = played_s(Path(folder), name, deals)
            screened, seen = screened_s(Path(folder) / "night.db")
        ratio = screened / played
        late = "" if ratio <= MOST else f"  <- over {MOST:g}"
        click.echo(
            f"{name}: {2 * deals:,} matches played in {played:.1f} s of CPU; "
            f"{seen:,} decisions screened in {screened:.1f} s: {ratio:.2f} times{late}"
        )


if __name__ == "__main__":
    main()
