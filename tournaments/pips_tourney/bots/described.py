"""A bot's description of itself, without playing: its games and hints."""

from __future__ import annotations

import json
import subprocess
from typing import Final, NamedTuple

from pips_referee.game import REGISTRY
from pips_referee.printable import plain
from pips_tourney.bots.executable import Executable

DESCRIBE_VARIABLE: Final = "PIPS_DESCRIBE"
"""If set, a bot of the JavaScript SDK only prints its games (docs/protocol.md)."""
HINT: Final = "hint: "
"""Prefix of a line in which the SDK reports something odd in a bot."""
MOST_HINTS: Final = 5
"""How many hints of one process are passed on."""
DESCRIBE_S: Final = 5.0
"""Timeout for a program to print its games; after it they are unknown."""


class Described(NamedTuple):
    """A program's description of itself."""

    games: tuple[str, ...] = ()
    lines: bool = False
    """Whether it was the hello of the line protocol."""


def describe_program(program: Executable) -> Described:
    """Start a program with PIPS_DESCRIBE and without input; return its description.

    The description is empty if the program prints something else, fails, or does not
    end in time. Each command is asked only once.
    """
    key = program.command, program.cwd
    if key not in _SAID:
        _SAID[key] = _described(program)
    return _SAID[key]


_SAID: Final[dict[tuple[tuple[str, ...], str], Described]] = {}


def _described(program: Executable) -> Described:
    try:
        ended = subprocess.run(
            program.command, cwd=program.cwd, env={**program.env, DESCRIBE_VARIABLE: "1"}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=DESCRIBE_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return Described()
    if ended.returncode != 0:
        return Described()
    greeted = _hello_in(ended.stdout)
    games = games_told(ended.stdout) if greeted is None else greeted
    return Described(tuple(game for game in games if game in REGISTRY), greeted is not None)


def _hello_in(printed: str) -> list[str] | None:
    """Return the games of a hello (docs/lines.md), if it is the first line of JSON."""
    try:
        said = json.loads(next((line for line in printed.splitlines() if line.startswith("{")), ""))
        return [str(game) for game in said["games"]] if said["type"] == "hello" else None
    except (ValueError, TypeError, KeyError):
        return None


def games_told(printed: str) -> tuple[str, ...]:
    """Return the games in the last printed line; none if it does not describe bots."""
    try:
        return tuple(bot["game"] for bot in json.loads(printed.strip().rpartition("\n")[2]))
    except (ValueError, TypeError, KeyError):
        return ()


def hints_told(printed: str) -> tuple[str, ...]:
    """Return the hints in the last printed line; none if it has none."""
    try:
        described = json.loads(printed.strip().rpartition("\n")[2])
        return tuple(str(hint) for bot in described for hint in bot.get("hints", ()))
    except (ValueError, TypeError, AttributeError):
        return ()


def hints_in(output: str) -> tuple[str, ...]:
    """Return the hints among the lines that a bot's process printed at its start."""
    found = [line.removeprefix(HINT) for line in output.splitlines() if line.startswith(HINT)]
    return tuple(dict.fromkeys(map(plain, found)))[:MOST_HINTS]
