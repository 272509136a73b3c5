"""How often the deals of a comparison were used: a suite loses its value with use.

Selecting versions again and again on the same deals adapts them to these deals.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from pips_tourney.bots.found import BotProblem

MOST_LOOKS: Final = 5
"""The most comparisons on the same deals.

If an author keeps the best of equal versions after this many, 95 % intervals cover the
truth in 84 % of runs; after ten comparisons, in 57 % (`make lab WHAT=compare`).
"""


KEPT: Final = 200
"""How many of the newest suites and folders are remembered."""


def looks_file() -> Path:
    """The file with the last deals of each folder, and how often each was used."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "pips" / "compared.json"


def note_look(word: str, game: str) -> int:
    """Note another use of the deals named by this word, if the file can be written.

    Returns how often they have been used.
    """
    (last, looks), suite = _noted(), f"{game} {word}"
    count = looks.pop(suite, 0) + 1
    looks[suite] = count
    last.pop(_here(), None)
    last[_here()] = suite
    newest = [dict([*each.items()][-KEPT:]) for each in (last, looks)]
    with suppress(OSError):
        looks_file().parent.mkdir(parents=True, exist_ok=True)
        looks_file().write_text(json.dumps(newest), encoding="utf-8")
    return count


def last_deals() -> str | None:
    """The word for the last deals in this folder, or None."""
    suite = _noted()[0].get(_here())
    return None if suite is None else suite.partition(" ")[2]


def same_deals() -> str:
    """The word for the last deals in this folder.

    `BotProblem` if there are none, or if they were used too often.
    """
    last, looks = _noted()
    if (word := last_deals()) is None:
        raise BotProblem("there are no deals of an earlier comparison in this folder: leave --same-deals out")
    if (count := looks.get(last[_here()], 0)) >= MOST_LOOKS:
        raise BotProblem(
            f"the deals of {word} were looked at {count} times: a version that was chosen by them looks better "
            "than it is. Leave --same-deals out, for fresh ones."
        )
    return word


def _here() -> str:
    return str(Path.cwd())


def _noted() -> tuple[dict[str, str], dict[str, int]]:
    """By folder, the game and word of its last deals; by these, the number of looks."""
    try:
        last, looks = json.loads(looks_file().read_text(encoding="utf-8"))
        return {str(key): str(value) for key, value in last.items()}, {str(k): int(v) for k, v in looks.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}, {}
