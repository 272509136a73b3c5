"""`pips-referee`: serve matches, replay and verify records, print rulebooks."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import click

from pips_referee.errors import PipsError
from pips_referee.game import REGISTRY, get_game


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pips-tourney")
def main() -> None:
    """The referee: serves matches to bots, replays and verifies records, prints the rules."""


@main.command()
@click.argument("game", type=click.Choice(REGISTRY))
def rules(game: str) -> None:
    """Print the numbered rules of GAME."""
    click.echo(get_game(game).rulebook())


@main.command()
@click.option("--bots", required=True, metavar="ADDRESS", help="Where bots dial in: unix:PATH, or HOST:PORT on loopback.")
@click.option("--organiser", required=True, metavar="ADDRESS", help="Where the organiser dials in: unix:PATH.")
@click.option("--key-fd", type=int, help="Inherited descriptor to read the 32-byte key of the bots' tokens from.")
def serve(bots: str, organiser: str, key_fd: int | None) -> None:
    """Serve matches until ended by SIGTERM; prints `ready` once both addresses accept."""
    from pips_referee.serve import fast_loop, serve_forever

    for address in (bots, organiser):
        if not address.startswith(("unix:", "127.0.0.1:", "localhost:", "[::1]:")):
            raise click.UsageError(f"{address}: without TLS a referee listens on unix:PATH or a loopback address only")
    key = os.urandom(32) if key_fd is None else _read_key(key_fd)
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        runner.run(serve_forever(bots, organiser, key, lambda: click.echo("ready")))


def _read_key(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as pipe:
        key = pipe.read(32)
    if len(key) != 32:
        raise click.UsageError(f"descriptor {descriptor} gave {len(key)} bytes; the key is 32")
    return key
