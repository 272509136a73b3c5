"""`pips-referee`: serve matches, print rulebooks, check games."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import ClassVar, Final

import click

from pips_referee.command.interrupted import Commands
from pips_referee.command.number import Number
from pips_referee.errors import GameProblem, PipsError, UnknownGame
from pips_referee.game import get_game
from pips_referee.loop import fast_loop

PEM_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


class RefereeCommands(Commands):
    """The commands of `pips-referee`; `pips-tourney` has those that read records."""

    moved: ClassVar[Mapping[str, str]] = {
        "replay": "write `pips-tourney replay`",
        "verify": "write `pips-tourney verify`",
    }


@click.group(cls=RefereeCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pips-tourney")
def main() -> None:
    """The referee: serves matches to bots, prints the rules, checks a game."""


@main.command()
@click.argument("game")
def rules(game: str) -> None:
    """Print the numbered rules of GAME."""
    try:
        click.echo(get_game(game).rulebook(), nl=False)
    except UnknownGame as error:
        raise click.BadParameter(str(error)) from None


@main.command("check-game")
@click.argument("game")
def check_game(game: str) -> None:
    """Check that GAME does what every game promises.

    GAME is tested with its fewest, usual and most seats, and with each choice of its
    options. Ends with 1 if a promise is broken.
    """
    from pips_referee.laws import LAWS, cases_of, checks_of, tried

    try:
        cases = cases_of(game)
    except UnknownGame as error:
        raise click.BadParameter(str(error)) from None
    except PipsError:
        raise
    except Exception as error:
        raise GameProblem(f"{game} cannot say for how many seats it is: {error!r}") from error
    click.echo(f"{game}: {', '.join([case.label for case in cases])}")
    checks = checks_of(game, cases)
    broken = 0
    for law in LAWS:
        word, lines = tried([check for check in checks if check.law is law])
        broken += word == "BROKEN"
        click.echo(f"{word:8} {law.sentence}")
        for line in lines:
            click.echo(f"{'':8} {line}")
        if word == "nothing" and law.part:
            click.echo(f"{'':8} {game} has no module `{law.part}`")
    if broken:
        raise click.ClickException(f"{game} breaks {broken} of {len(LAWS)} laws")


@main.command()
@click.option(
    "--bots",
    multiple=True,
    metavar="ADDRESS",
    help="Where bots dial in: unix:PATH or HOST:PORT. Unset: at the sockets alone that the organiser opens for each.",
)
@click.option("--organiser", required=True, metavar="ADDRESS", help="Where the organiser dials in: unix:PATH.")
@click.option(
    "--grace-s",
    type=Number(0, 86_400),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a match waits for a lost bot.",
)
@click.option("--key-fd", type=int, help="Inherited descriptor to read the 32-byte key of all tokens from.")
@click.option("--tls-cert", type=PEM_FILE, help="The server's certificate chain; needed unless HOST is loopback.")
@click.option("--tls-key", type=PEM_FILE, help="Its private key.")
def serve(
    bots: tuple[str, ...],
    organiser: str,
    grace_s: float,
    key_fd: int | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> None:
    """Serve matches until ended by SIGTERM; prints `ready` once both
    addresses accept.
    """
    from pips_referee.service.ports import Tls, bots_problem, organiser_problem
    from pips_referee.service.serve import serve_forever

    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key go together")
    tls = None if tls_cert is None or tls_key is None else Tls(tls_cert.read_bytes(), tls_key.read_bytes())
    problems = [bots_problem(address, has_tls=tls is not None) for address in bots]
    if problem := next(filter(None, [*problems, organiser_problem(organiser)]), ""):
        raise click.UsageError(problem)
    key = os.urandom(32) if key_fd is None else _read_key(key_fd)
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        on_ready = partial(click.echo, "ready")
        runner.run(serve_forever(bots, organiser, key, grace_s, on_ready, tls=tls))


def _read_key(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as pipe:
        key = pipe.read(32)
    if len(key) != 32:
        raise click.UsageError(f"descriptor {descriptor} gave {len(key)} bytes; the key is 32")
    return key
