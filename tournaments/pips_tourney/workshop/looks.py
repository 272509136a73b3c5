"""How often the deals of a comparison were looked at: a suite loses its worth.

Who keeps what does best on the same deals again and again, fits those deals.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from pips_tourney.bots.found import BotProblem

MOST_LOOKS: Final = 5
"""So often the same deals may be looked at.

Of an author who keeps the best of equal versions after so many, 95 % intervals hold in
84 % of runs; after ten looks in 57 % (`make lab WHAT=compare`).
"""


def looks_file() -> Path:
    """The file with the word of the last deals, and how often they were looked at."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "pips" / "compared.json"


def note_look(word: str, game: str) -> int:
    """Note that the deals of this word are looked at, if it can be written.

    Returns how often they were by now.
    """
    last, looks = _last(game)
    looks = looks + 1 if word == last else 1
    with suppress(OSError):
        looks_file().parent.mkdir(parents=True, exist_ok=True)
        looks_file().write_text(json.dumps({"seed": word, "game": game, "looks": looks}), encoding="utf-8")
    return looks


def same_deals() -> str:
    """The word of the last deals.

    `BotProblem` if there are none, or if they were looked at too often.
    """
    word, looks = _last()
    if not looks:
        raise BotProblem("there are no deals of an earlier comparison: leave --same-deals out")
    if looks >= MOST_LOOKS:
        raise BotProblem(
            f"the deals of {word} were looked at {looks} times: a version that was chosen by them looks better "
            "than it is. Leave --same-deals out, for fresh ones."
        )
    return word


def _last(game: str = "") -> tuple[str, int]:
    """The word of the last deals, and how often they were looked at; 0 if none were.

    `game` is the only one that counts, if one is given.
    """
    try:
        last = json.loads(looks_file().read_text(encoding="utf-8"))
        return str(last["seed"]), int(last["looks"]) if game in ("", last["game"]) else 0
    except (OSError, ValueError, KeyError, TypeError):
        return "", 0
