"""The result of a hand-in in the format of Gradescope's autograder: `results.json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pips_tourney.place.desk.hand_ins import READY, REFUSED

CHECKED: Final = 1.0
"""The score of a bot that has passed its check; the leaderboard shows the table."""

_NOT_YET: Final = {READY: "Its matches are still to be played.", REFUSED: "It does not play: the check says why."}


def results_json(me: Mapping[str, Any]) -> dict[str, Any]:
    """Convert `GET /api/v1/me`: the check becomes a test, the table a leaderboard."""
    version, rows = me["version"], me["standings"]
    if version is None:
        return {"score": 0.0, "output": "Nothing has been handed in yet.", "tests": [], "leaderboard": []}
    passed = version["state"] == READY
    own = [row for row in rows if row["bot"] == version["bot"]]
    tests = [
        {
            "name": "The check",
            "score": CHECKED if passed else 0.0,
            "max_score": CHECKED,
            "status": "passed" if passed else "failed",
            "output": version["said"],
        }
    ]
    board = [{"name": "Bot", "value": version["bot"]}]
    for row in own:
        board += [
            {"name": f"{row['contest']}: Elo", "value": None if row["elo"] is None else round(row["elo"])},
            {"name": f"{row['contest']}: place", "value": row["rank"], "order": "asc"},
        ]
    output = "\n".join(_line(row) for row in own) or _NOT_YET.get(version["state"], "It waits for its check.")
    return {"score": CHECKED if passed else 0.0, "output": output, "tests": tests, "leaderboard": board}


def _line(row: Mapping[str, Any]) -> str:
    interval = "" if row["low"] is None or row["high"] is None else f" ({row['low']:.0f} to {row['high']:.0f})"
    elo = "not known yet" if row["elo"] is None else f"{row['elo']:.0f}{interval}"
    return f"{row['contest']}: place {row['rank']}, Elo {elo}, {row['matches']} matches"
