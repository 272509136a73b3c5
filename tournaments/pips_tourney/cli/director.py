"""Commands of a tournament director.

They correct a night while it is played, or between two runs. What loads numpy is
imported where it is needed: `pause` has to be quick.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from pips_referee.printable import plain_block
from pips_tourney.bots.find import find_bot
from pips_tourney.bots.found import Command, Sample
from pips_tourney.cli.completion import complete_bot, complete_match
from pips_tourney.cli.failure import Failed
from pips_tourney.cli.terminal import FILE, SEASON, check_place, database_of, night_and, told, write, write_json
from pips_tourney.names import one_form
from pips_tourney.night.director import Office, office, who_acts
from pips_tourney.night.night import last_night
from pips_tourney.night.store import read_store
from pips_tourney.system import own_cores

_REASON = click.option("--reason", required=True, help="It stands under the standings.")
_SOME_REASON = click.option("--reason", default="", help="It stands in the log.")
_PREVIEW = click.option("--preview", is_flag=True, help="Show what the table would be, and decide nothing.")
_BOT = click.argument("words", nargs=-1, metavar="[NIGHT] BOT", shell_complete=complete_bot)
_MATCH = click.argument("words", nargs=-1, metavar="[NIGHT] MATCH", shell_complete=complete_match)
_NIGHT = click.argument("night", type=FILE, required=False)


@click.command()
@_NIGHT
@click.option("--json", "in_json", is_flag=True, help="Print it as JSON.")
@SEASON
def status(night: Path | None, *, in_json: bool, season: bool) -> None:
    """Show how far a NIGHT is, who plays it, which bots are out, and all decisions."""

    from pips_tourney.cli.which_nights import as_json, listed, looked_at
    from pips_tourney.reports.status import status_of

    with told():
        found = looked_at(database_of(night), status_of, season=season)
    write_json(as_json(found)) if in_json else click.echo("\n".join(listed(found)))


@click.command()
@_NIGHT
@_SOME_REASON
def pause(night: Path | None, reason: str) -> None:
    """Pause a NIGHT: matches under way are finished, no new ones begin."""

    with told(), office(database := database_of(night)) as at:
        _say(at.pause(reason), database)


@click.command()
@_NIGHT
def resume(night: Path | None) -> None:
    """Let a paused NIGHT go on."""

    with told(), office(database := database_of(night)) as at:
        _say(at.resume(), database)


@click.command()
@_BOT
@click.option("--name", help="What standings call it; by default its file or folder.")
@click.option("--python", help="The interpreter that runs it.")
@click.option("--install", is_flag=True, help="Install its requirements.txt into an environment of its own.")
@click.option("--trusted", is_flag=True, help="You vouch for it: it also plays where nothing fences it in.")
def add(words: tuple[str, ...], name: str | None, python: str | None, *, install: bool, trusted: bool) -> None:
    """Add a BOT to a night that has begun.

    BOT is a file, a folder, a command in quotes, or a sample bot's name.
    """

    with told():
        database, word = night_and(words, "a BOT")
        bot = find_bot(word)
        entry: dict[str, object] = {"name": one_form(name)} if name is not None else {}
        if isinstance(bot, Sample):
            entry = {"name": bot.name, "sample": word, **entry}
        elif isinstance(bot, Command) and bot.folder is None:
            entry = {"name": bot.name, "command": list(bot.words), **entry}
        else:
            entry["path"] = Path(word)
        entry |= {"python": python} if python else {}
        entry |= {"install": True} if install else {}
        entry |= {"trusted": True} if trusted else {}
        with office(database) as at:
            _say(at.add(entry, Path()), database)


@click.command()
@_BOT
@_REASON
@click.option("--from-start", is_flag=True, help="Nothing that it has played counts.")
@_PREVIEW
def withdraw(words: tuple[str, ...], reason: str, *, from_start: bool, preview: bool) -> None:
    """Take a BOT out of a night: it plays no more."""
    with told():
        database, bot = night_and(words, "a BOT")
        _act(database, lambda at: at.withdraw(bot, reason, from_start=from_start), preview=preview)


@click.command()
@_BOT
@_SOME_REASON
def reinstate(words: tuple[str, ...], reason: str) -> None:
    """Let a BOT play again that was withdrawn or did not start."""

    with told():
        database, bot = night_and(words, "a BOT")
        with office(database) as at:
            _say(at.reinstate(bot, reason), database)


@click.command()
@_MATCH
@_REASON
@_PREVIEW
def annul(words: tuple[str, ...], reason: str, *, preview: bool) -> None:
    """Annul a MATCH (the beginning of its id), and its deal in the other seatings.

    They count for nothing.
    """
    with told():
        database, match = night_and(words, "a MATCH")
        _act(database, lambda at: at.annul(match, reason), preview=preview)


@click.command()
@_MATCH
@_SOME_REASON
def restore(words: tuple[str, ...], reason: str) -> None:
    """Let a MATCH that was annulled count again."""

    with told():
        database, match = night_and(words, "a MATCH")
        with office(database) as at:
            _say(at.restore(match, reason), database)


@click.command("replay-match")
@_MATCH
@_SOME_REASON
@click.option("--undo", is_flag=True, help="The first result counts again.")
@_PREVIEW
def replay_match(words: tuple[str, ...], reason: str, *, undo: bool, preview: bool) -> None:
    """Play a MATCH (the beginning of its id) again.

    The new result counts instead of the old one.
    """
    with told():
        database, match = night_and(words, "a MATCH")
        _act(database, lambda at: at.undo_replay(match, reason) if undo else at.replay(match, reason), preview=preview)


@click.command()
@_NIGHT
@click.option(
    "--as", "form", type=click.Choice(["json", "csv", "pgn", "gradebook", "dataset", "schema"]), required=True,
    help="Standings as JSON or CSV; results for Ordo and BayesElo (pgn); points against baselines and faults, CSV "
    "(gradebook); every decision for learners, a folder of numpy arrays (dataset); what the JSON holds (schema).",
)  # fmt: skip
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="A file; a folder for a dataset, by default NIGHT-dataset."
)
@click.option("--bot", "bots", multiple=True, help="dataset: only this bot's decisions. May be given several times.")
@click.option("--contest", "contests", multiple=True, metavar="LABEL", help="dataset: only this contest.")
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="BOT",
    help="By default the bots that the league enters as samples.",
)
@click.option("--timings", is_flag=True, help="With answer times, which differ from night to night.")
@click.option("--bom", is_flag=True, help="CSV begins with a byte order mark, by which Excel knows UTF-8.")
@SEASON
def export(  # noqa: PLR0913 - one an option
    night: Path | None,
    form: str,
    output: Path | None,
    baselines: tuple[str, ...],
    bots: tuple[str, ...],
    contests: tuple[str, ...],
    *,
    timings: bool,
    bom: bool,
    season: bool,
) -> None:
    """Write the standings or results of a NIGHT for other programs."""

    from pips_tourney.cli.which_nights import of_gradebook, results_of
    from pips_tourney.reports.exports import SCHEMA, gradebook, pgn
    from pips_tourney.reports.tables import to_csv, to_json

    if form == "dataset":
        _export_dataset(database_of(night), output, bots, contests)
        return
    place = None if output == Path("-") else output
    check_place(place)
    if form == "schema":
        write(place, [SCHEMA.read_text(encoding="utf-8")])
        return
    with told(), results_of(database_of(night), season=season) as (found, table):
        if unknown := set(baselines) - {entrant.name for entrant in found.programme.entrants}:
            raise Failed(f"there is no bot {', '.join(sorted(unknown))} to be a baseline")
        match form:
            case "json":
                write(place, [to_json(table, timings=timings)])
            case "csv":
                write(place, ["\ufeff" if bom else "", to_csv(table, timings=timings)])
            case "gradebook":
                handed, nights = of_gradebook(database_of(night), found)
                write(place, ["\ufeff" if bom else "", gradebook(found, table, baselines, handed, nights)])
            case _:
                write(place, pgn(found, table))


def _export_dataset(database: Path, output: Path | None, bots: tuple[str, ...], contests: tuple[str, ...]) -> None:
    """Write the decisions of a night, with as many processes as there are cores."""

    from pips_tourney.analysis.dataset import write_dataset

    folder = output or database.with_name(f"{database.stem}-dataset")
    with told(), read_store(database) as store:
        rows = write_dataset(last_night(store), folder, bots, contests, len(own_cores()))
    click.echo(f"{rows} rows written to {folder}")


@click.command()
@_NIGHT
@click.option("--json", "in_json", is_flag=True, help="Print it as JSON.")
@click.option("--quick", is_flag=True, help="Do not replay the records.")
@SEASON
def audit(night: Path | None, *, in_json: bool, quick: bool, season: bool) -> None:
    """Was a NIGHT fair? Looks at seats, neighbours, deals, clocks, arenas, records.

    Ends with 1 when it was not.
    """

    from pips_tourney.audit import audit as look
    from pips_tourney.cli.which_nights import as_json, listed, looked_at

    with told():
        found = looked_at(database_of(night), lambda store: look(store, records=not quick), season=season)
    write_json(as_json(found)) if in_json else click.echo("\n".join(listed(found)))
    sys.exit(not all(looked.ok for _, looked in found))


def _act(database: Path, act: Callable[[Office], str], *, preview: bool) -> None:
    """Keep a decision and say what follows from it; or show what would."""

    if preview:
        from pips_tourney.night.preview import preview as preview_of

        for line in preview_of(database, act).lines():
            click.echo(plain_block(line))
        return
    with office(database) as at:
        _say(act(at), database)


def _say(what: str, database: Path) -> None:

    click.echo(what)
    click.echo(who_acts(database))
