"""Commands of a tournament director.

They correct a night while it is played, or between two runs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from pips_referee.printable import plain_block
from pips_tourney.bots.find import find_bot
from pips_tourney.bots.found import Command, Sample
from pips_tourney.cli.nights.which_nights import looked_at
from pips_tourney.cli.terminal import FILE, database_of, night_and, told, write_json
from pips_tourney.names import one_form
from pips_tourney.night.director import Office, office, who_acts
from pips_tourney.night.preview import preview as preview_of
from pips_tourney.reports.status import status_of

_REASON = click.option("--reason", default="", help="Why, printed under the standings; required without --undo.")
_SOME_REASON = click.option("--reason", default="", help="Why, for the log.")
_PREVIEW = click.option("--preview", is_flag=True, help="Show what the table would be, and decide nothing.")
_BOT = click.argument("words", nargs=-1, metavar="[NIGHT] BOT")
_MATCH = click.argument("words", nargs=-1, metavar="[NIGHT] MATCH")
_NIGHT = click.argument("night", type=FILE, required=False)


@click.command()
@_NIGHT
@click.option("--json", "in_json", is_flag=True, help="Print it as JSON.")
def status(night: Path | None, *, in_json: bool) -> None:
    """Show how far a NIGHT is, who plays it, which bots are out, and all decisions."""

    with told():
        found = looked_at(database_of(night), status_of)
    write_json(found.as_json()) if in_json else click.echo("\n".join(map(plain_block, found.lines())))


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
@click.option("--install", is_flag=True, help="Install its requirements.txt into an environment of its own.")
@click.option("--trusted", is_flag=True, help="You vouch for it: it also plays where nothing fences it in.")
def add(words: tuple[str, ...], name: str | None, *, install: bool, trusted: bool) -> None:
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
        entry |= {"install": True} if install else {}
        entry |= {"trusted": True} if trusted else {}
        with office(database) as at:
            _say(at.add(entry, Path()), database)


@click.command()
@_BOT
@_REASON
@click.option("--from-start", is_flag=True, help="Nothing that it has played counts.")
@click.option("--undo", is_flag=True, help="Let it play again, even if it had failed to start.")
@_PREVIEW
def withdraw(words: tuple[str, ...], reason: str, *, from_start: bool, undo: bool, preview: bool) -> None:
    """Take a BOT out of a night: it plays no more."""
    _need(reason, undo=undo)
    with told():
        database, bot = night_and(words, "a BOT")
        _act(
            database,
            lambda at: at.reinstate(bot, reason) if undo else at.withdraw(bot, reason, from_start=from_start),
            preview=preview,
            undo=undo,
        )


@click.command()
@_MATCH
@_REASON
@click.option("--undo", is_flag=True, help="Let it count again.")
@_PREVIEW
def annul(words: tuple[str, ...], reason: str, *, undo: bool, preview: bool) -> None:
    """Annul a MATCH (the beginning of its id), and its deal in the other seatings.

    They count for nothing.
    """
    _need(reason, undo=undo)
    with told():
        database, match = night_and(words, "a MATCH")
        act = Office.restore if undo else Office.annul
        _act(database, lambda at: act(at, match, reason), preview=preview, undo=undo)


@click.command("replay-match")
@_MATCH
@_SOME_REASON
@click.option("--undo", is_flag=True, help="Let the first result count again.")
@_PREVIEW
def replay_match(words: tuple[str, ...], reason: str, *, undo: bool, preview: bool) -> None:
    """Play a MATCH (the beginning of its id) again.

    The new result counts instead of the old one.
    """
    with told():
        database, match = night_and(words, "a MATCH")
        act = Office.undo_replay if undo else Office.replay
        _act(database, lambda at: act(at, match, reason), preview=preview, undo=undo)


def _need(reason: str, *, undo: bool) -> None:
    """Require a reason: everybody can read why something was taken away."""
    if not reason and not undo:
        raise click.UsageError("--reason says why: it is printed under the standings")


def _act(database: Path, act: Callable[[Office], str], *, preview: bool, undo: bool) -> None:
    """Store a decision, print its effects and how to undo it; or preview them only."""

    if preview:
        for line in preview_of(database, act).lines():
            click.echo(plain_block(line))
        return
    with office(database) as at:
        back = "" if undo else f" `{click.get_current_context().info_name} --undo` takes that back."
        _say(f"{act(at)}{back}", database)


def _say(what: str, database: Path) -> None:

    click.echo(what)
    click.echo(who_acts(database))
