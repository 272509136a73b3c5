"""`pips-tourney analyse` and `luck`, and `pips-bot analyse`: what matches teach."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

import click

from pips_referee.number import Number
from pips_tourney.cli.completion import complete_bot
from pips_tourney.cli.failure import Failed
from pips_tourney.cli.terminal import FILE, database_of, told, write_json
from pips_tourney.errors import TourneyError
from pips_tourney.names import one_form
from pips_tourney.system import own_cores

if TYPE_CHECKING:
    from pips_referee.record import Record

SHORT: Final = 12
SECONDS: Final = 30.0
"""CPU time of all rollouts, unless told."""
FOR_SECONDS = click.option(
    "--seconds", type=Number(1, 86_400), default=SECONDS, show_default=True, help="CPU time of all rollouts."
)
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")


@click.command()
@click.argument("night", type=FILE, required=False)
@click.option("--bot", required=True, shell_complete=complete_bot, help="Whose decisions.")
@click.option("--match", "matches", multiple=True, metavar="ID", help="Only this match. May be given several times.")
@click.option(
    "--contest", "contests", multiple=True, metavar="LABEL", help="Only this contest, as the standings name it."
)
@FOR_SECONDS
@AS_JSON
def analyse(
    night: Path | None, bot: str, matches: tuple[str, ...], contests: tuple[str, ...], seconds: float, *, as_json: bool
) -> None:
    """Say where a bot of a NIGHT loses: its costliest decisions, and the situations.

    Only deals that were played in every seating are looked at, so a running night gives
    nothing away.
    """
    from pips_tourney.analysis.chosen import chosen_records
    from pips_tourney.night.night import last_night
    from pips_tourney.night.store import read_store

    database = database_of(night)
    with told(), read_store(database) as store:
        records = chosen_records(last_night(store), one_form(bot), matches, contests)
        _say(records, one_form(bot), seconds, lambda match: f"{quote(str(database))} {match}", as_json=as_json)


@click.command("analyse", short_help="Where does a bot lose, and how much?")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RECORD...")
@click.option("--bot", help="Whose decisions: the name in the records; by default that of seat 0 of the first.")
@FOR_SECONDS
@AS_JSON
def analyse_records(files: tuple[Path, ...], bot: str | None, seconds: float, *, as_json: bool) -> None:
    """Say where a bot loses in matches that were kept: records, or folders of them.

    `pips-bot play ... --save FOLDER` keeps them. For a night: pips-tourney analyse.
    """
    say_of_records(files, bot, seconds, as_json=as_json)


def say_of_records(files: Sequence[Path], bot: str | None, seconds: float, *, as_json: bool = False) -> None:
    """Say where a bot loses in records; by default the one at seat 0."""
    from pips_tourney.analysis.chosen import NothingChosen, records_in

    with told():
        try:
            found = records_in(files)
        except NothingChosen:
            _say_how_to_keep(files)
            raise
        name = bot or found[0][1].header.names[0]
        places = {record.header.match_id[:SHORT]: quote(str(place)) for place, record in found}
        records = (record for _, record in found)
        _say(records, name, seconds, lambda match: f"{places[match]} {match}", as_json=as_json)


def _say_how_to_keep(files: Sequence[Path]) -> None:
    """Raise `Failed` with the commands to give where a bot was named for a record."""
    from pips_tourney.bots.find import find_bot

    with suppress(TourneyError):
        bot, word = find_bot(str(files[0])), quote(str(files[0]))
        raise Failed(
            f"{word} is a bot, and no record of its matches. This plays some and says where it loses:\n"
            f"  pips-bot play {word} greedy --analyse\n"
            "These do the same in two steps:\n"
            f"  pips-bot play {word} greedy --save kept\n"
            f"  pips-bot analyse kept --bot {quote(bot.name)}"
        )


def _say(records: Iterator[Record], bot: str, seconds: float, where: Callable[[str], str], *, as_json: bool) -> None:
    """`where` gives the words of a command that name a match."""
    from pips_tourney.analysis.analyse import analyse as look
    from pips_tourney.reports.analysed import analysis_json, analysis_lines

    found = look(records, bot, seconds)
    if not found:
        raise Failed(f"there is no decision of {bot} to look at: it sat in none of these matches, or was never asked")
    if as_json:
        write_json(analysis_json(found))
        return
    for number, each in enumerate(found):
        for line in (["", ""] if number else []) + list(analysis_lines(each, where)):
            click.echo(line)


@click.command()
@click.argument("night", type=FILE, required=False)
@click.option("--processes", type=click.IntRange(1, 256), help="Processes at work at once; by default one a core.")
@AS_JSON
def luck(night: Path | None, processes: int | None, *, as_json: bool) -> None:
    """Say what deals, cards and dice gave every bot of a NIGHT.

    The ledger as JSON holds every match; `verify --luck` makes it again and compares.
    """
    from pips_tourney.analysis.ledger import night_luck
    from pips_tourney.night.night import last_night
    from pips_tourney.night.store import read_store
    from pips_tourney.reports.analysed import luck_lines

    with told(), read_store(database_of(night)) as store:
        found = night_luck(last_night(store), processes or len(own_cores()))
    if as_json:
        write_json(found.dump(), 1)
        return
    for line in luck_lines(found):
        click.echo(line)
