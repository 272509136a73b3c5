"""`pips-bot submit`: hand a bot in to a place."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from pips_referee.printable import plain
from pips_referee.written import written_text
from pips_tourney.cli.failure import Failed
from pips_tourney.cli.groups import BOT_HELP
from pips_tourney.cli.terminal import FILE, check_place, told, write
from pips_tourney.workshop.submit import READY, NotHandedIn, PlaceClient, wait_for_check, wait_for_interval

TOKEN = "PIPS_PLACE_TOKEN"  # noqa: S105 - the name of a variable
DEALS = 20


@click.command(short_help="Hand a bot in to a place, from a terminal or a CI job.", epilog=BOT_HELP)
@click.argument("bot", type=click.Path(path_type=Path))
@click.option("--to", "address", required=True, metavar="URL", help="The address of the place.")
@click.option("--token-file", type=FILE, help=f"Reads the token from a file; else it is in {TOKEN}.")
@click.option("--ca", type=FILE, help="The authority's certificates, to check the place's with.")
@click.option("--wait", is_flag=True, help=f"Wait for its interval from {DEALS} deals.")
@click.option("--results", type=FILE, help="Write results.json for Gradescope's autograder here.")
def submit(bot: Path, address: str, token_file: Path | None, ca: Path | None, results: Path | None, wait: bool) -> None:
    """Hand in BOT, a file or a folder, and wait for its check.

    Get a token on your page in the place. Ends with 1 when the check finds a mistake.
    """
    check_place(results)
    found: dict[str, Any] = {}
    ready = False
    try:
        with told():
            place = PlaceClient(address, _token(token_file), ca)
            ready = _hand_in(place, bot)
            try:
                if ready and wait:
                    _wait(place)
            except NotHandedIn:
                with suppress(NotHandedIn):  # report the first error instead
                    found = _asked(place, results)
                raise
            found = _asked(place, results)
    except Failed as error:
        score = {} if ready else {"score": 0.0}  # a ready bot has a score, which is not known here
        _write_results(results, found or {**score, "output": str(error), "tests": [], "leaderboard": []})
        raise
    _write_results(results, found)
    sys.exit(not ready)


def _hand_in(place: PlaceClient, bot: Path) -> bool:
    """Hand in a bot and wait for its check; return whether it is ready."""
    handed_in = place.submit(bot)
    click.echo(f"{handed_in['bot']} is handed in.")
    if note := handed_in.get("note"):
        click.echo(plain(str(note)))
    found = wait_for_check(place, handed_in["id"], click.echo)
    click.echo(found["said"] or found["state"])
    return bool(found["state"] == READY)


def _wait(place: PlaceClient) -> None:
    """Wait for the bot's interval, and print its standing."""
    for row in wait_for_interval(place, DEALS):
        click.echo(f"{row['contest']}: place {row['rank']}, Elo {_elo(row)}, {row['deals']} deals")


def _asked(place: PlaceClient, results: Path | None) -> dict[str, Any]:
    """The results from the place, if they are to be written."""
    return {} if results is None else place.ask("results.json")


def _write_results(results: Path | None, found: Mapping[str, Any]) -> None:
    if results is not None:
        write(results, [json.dumps(found, indent=2)])


def _elo(row: dict[str, float | None]) -> str:
    ends = (
        "below" if row["low"] is None else f"{row['low']:.0f}",
        "above" if row["high"] is None else f"{row['high']:.0f}",
    )
    return f"{row['elo'] or 0:.0f} ({' to '.join(ends)})"


def _token(file: Path | None) -> str:
    try:
        found = os.environ.get(TOKEN, "") if file is None else written_text(file)
    except (OSError, UnicodeDecodeError) as error:
        raise Failed(f"{file} cannot be read: {error}") from None
    if not found.strip().isascii() or not found.strip():
        raise Failed(f"a hand-in needs a token: your page makes one; put it into {TOKEN}, or name its file")
    return found.strip()
