"""`pips-tourney commit` and `verify`: whether the organiser is honest."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pips_referee.errors import RecordError
from pips_referee.printable import plain
from pips_referee.records.record import verify as verify_record
from pips_tourney.cli.terminal import FILE, check_place, database_of, told, write
from pips_tourney.night.log.commitment import read_commitment
from pips_tourney.night.log.file_watch import usual_database
from pips_tourney.night.log.store import read_store
from pips_tourney.night.proof.promise import KeptByOthers
from pips_tourney.night.proof.promise import commit as make
from pips_tourney.night.proof.verify import Verified, verify_night
from pips_tourney.play.rerun import SAMPLE
from pips_tourney.play.rerun import rerun as play_again
from pips_tourney.workshop.duels.watch import is_database


@click.command()
@click.argument("league", type=FILE)
@click.option(
    "--beacon", metavar="NAME", default=None,
    help="A round of a public beacon that is still to come; its text will enter the seeds.",
)  # fmt: skip
@click.option("--close", is_flag=True, help="Hand-in is closed: also fix the bots, games and deals.")
@click.option(
    "--db", "database", type=FILE, help="The night's file; by default named after the league, in this folder."
)
@click.option("--secret-file", type=FILE, help="64 hexadecimal digits: a night that can be reproduced.")
def commit(
    league: Path,
    beacon: str | None,
    close: bool,
    database: Path | None,
    secret_file: Path | None,
) -> None:
    """Publish the hash of the secret of LEAGUE's next night, before hand-in closes.

    If run again, it shows the same commitment. --close also fixes the bots: use it
    after hand-in has closed, before the beacon's round appears. Send
    LEAGUE.commitment.json to everybody.
    """

    with told():
        place = Path(f"{league.stem}.commitment.json")
        check_place(place)
        made = make(league, database or usual_database(league), beacon, secret_file, close=close)
        write(place, [made.text()])
    for line in made.lines():
        click.echo(line)
    click.echo(f"Written to {place}: send it to everybody, or publish these lines.", err=True)


@click.command()
@click.argument("night", type=FILE, required=False, metavar="[NIGHT|RECORD]")
@click.option("--head", "heads", multiple=True, metavar="HASH", help="A head of its chain that you wrote down earlier.")
@click.option("--commitment", "commitments", type=FILE, multiple=True, help="The file that was sent round before.")
@click.option(
    "--rerun", is_flag=False, flag_value="", default=None, metavar="[N|all]",
    help="Let the bots play N matches again, by default 20, and compare their answers.",
)  # fmt: skip
def verify(
    night: Path | None,
    heads: tuple[str, ...],
    commitments: tuple[Path, ...],
    *,
    rerun: str | None,
) -> None:
    """Replay every match of a NIGHT, check its database and what others kept of it.

    A RECORD's file is played again and compared.
    """
    if night is not None and night.suffix != ".toml" and night.is_file() and not is_database(night):
        _verify_record(night)
        return
    with told():
        kept = KeptByOthers(heads, [read_commitment(file) for file in commitments])
        most = _count_of(rerun)
        with read_store(database_of(night)) as store:
            ok = _say_verified(verify_night(store, kept))
        if ok and rerun is not None:
            league = night if night is not None and night.suffix == ".toml" else database_of(night).with_suffix(".toml")
            ok = _rerun(database_of(night), league, most)
    sys.exit(not ok)


def _verify_record(file: Path) -> None:
    """Play a record again; if anything differs, say what, and end with 1."""
    try:
        record = verify_record(file.read_bytes())
    except RecordError as error:
        click.echo(f"{file}: {plain(str(error))}", err=True)
        sys.exit(1)
    match = plain(record.header.match_id)
    click.echo(f"{file}: match {match} verified, {record.outcome.questions} questions")


def _count_of(rerun: str | None) -> int | None:
    """How many matches `--rerun` asks for, None for all."""

    if rerun == "all":
        return None
    if rerun and (not rerun.isascii() or not rerun.isdecimal() or int(rerun) < 1):
        raise click.BadParameter(f"{rerun} is no number of matches; write 50, or all", param_hint="--rerun")
    return int(rerun) if rerun else SAMPLE


def _rerun(database: Path, league: Path, most: int | None) -> bool:
    """Play matches again; return whether the results agree with the records."""

    with read_store(database) as store:
        found = play_again(league, store, most)
    for line in found.lines():
        click.echo(plain(line))
    return found.ok


def _say_verified(verified: Verified) -> bool:
    """Print the findings; return whether all is well."""
    for match, what in verified.problems:
        click.echo(plain(f"match {match}: {what}" if match else what), err=True)
    for note in verified.notes:
        click.echo(f"note: {plain(note)}", err=True)
    if verified.problems:
        click.echo(f"{len(verified.problems)} problems in {verified.results} results", err=True)
        return False
    head = f"; the head of its chain is {verified.head}" if verified.head else ""
    part = f", {verified.counted} of them count in the standings" if verified.counted < verified.results else ""
    click.echo(f"{verified.results} results verified{part}; the night's digest is {verified.digest}{head}")
    return True
