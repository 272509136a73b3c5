"""Matches for authors' pages, played beside the night, one run after another.

A comparison shows what a new version changes on the last night's deals. A scrimmage is
some deals against a bot that the author chooses. The results are stored beside the
version's files.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import time
from typing import Any, Final

from pips_tourney.bots.archives import HandInError
from pips_tourney.night.log.earlier_nights import moved_aside
from pips_tourney.people.store import Person
from pips_tourney.place.desk.hand_ins import READY, BotVersion, HandIns

MOST_S: Final = 120.0
"""How long the process may take."""
CHANGED, SCRIMMAGE = "changed", "scrimmage"
Json = dict[str, Any]
Run = Callable[[Sequence[str], float, Callable[[bytes], None]], Awaitable[tuple[int | None, str]]]
"""Runs a process: see `read_all`."""
ToDo = tuple[BotVersion, list[str]]
"""A version, and the arguments of the process that plays for it."""


def next_change(hand_ins: HandIns, league: Path, database: Path) -> ToDo | None:
    """The next version to be compared with those before it.

    None if there is no earlier night, or if all versions were compared.
    """
    earlier, every = moved_aside(database), hand_ins.all()
    for version in sorted(_newest(hand_ins), key=lambda each: each.id) if earlier else ():
        before = [each.bot for each in reversed(every) if each.person == version.person and each.id < version.id]
        with suppress(HandInError):
            if before and found_of(hand_ins, version, CHANGED) is None:
                paths = earlier[max(earlier)], league, database, hand_ins.files(version)
                return version, [CHANGED, *map(str, paths), version.bot, *before]
    return None


def next_scrimmage(hand_ins: HandIns, league: Path, database: Path) -> ToDo | None:
    """The version whose scrimmage was asked for first and is still to be played."""
    asked = [(said["asked"], each.id, each) for each in _newest(hand_ins) if (said := pending(hand_ins, each))]
    for _, _, version in sorted(asked):
        with suppress(HandInError):
            one = {"name": version.bot, "path": str(hand_ins.files(version))}
            other = pending(hand_ins, version)["other"]
            return version, [SCRIMMAGE, str(league), str(database), json.dumps(one), json.dumps(other)]
    return None


def rivals(hand_ins: HandIns, samples: Sequence[str]) -> dict[str, Json]:
    """The bots that authors may play against: entries of a league file, by form value.

    They are the sample bots and the published versions.
    """
    found: dict[str, Json] = {name: {"name": f"sample {name}", "sample": name} for name in samples}
    for version in hand_ins.published():
        with suppress(HandInError):
            found[str(version.id)] = {"name": version.bot, "path": str(hand_ins.files(version))}
    return found


def ask_scrimmage(hand_ins: HandIns, person: Person, other: Json | None) -> None:
    """Have a person's newest version play. Raises `HandInError` if it cannot."""
    version = newest_ready(hand_ins, person)
    if version is None or other is None or other["name"] == version.bot:
        raise HandInError("there is nobody to play with: choose another bot")
    if pending(hand_ins, version):
        raise HandInError("your bot is playing already: one scrimmage at a time")
    _file(hand_ins, version, SCRIMMAGE).write_text(json.dumps({"asked": time(), "other": other}), encoding="utf-8")


def newest_ready(hand_ins: HandIns, person: Person) -> BotVersion | None:
    """The newest version of a person that has passed its check."""
    return next((each for each in _newest(hand_ins) if each.person == person.owner), None)


def pending(hand_ins: HandIns, version: BotVersion) -> Json:
    """The scrimmage that a version waits for; empty if it waits for none."""
    said = found_of(hand_ins, version, SCRIMMAGE) or {}
    return said if "asked" in said else {}


async def play_beside(hand_ins: HandIns, version: BotVersion, words: Sequence[str], run: Run) -> str:
    """Run the process and store its result; return the line for the organiser."""
    what, found = words[0], Json()

    def hear(line: bytes) -> None:
        with suppress(ValueError, KeyError, TypeError):
            found.update(json.loads(line)[what])

    try:
        code, err = await run(words, MOST_S, hear)
    except OSError as error:  # no process can start
        code, err = None, str(error)
    with suppress(FileNotFoundError):  # its author has left
        _file(hand_ins, version, what).write_text(json.dumps(found), encoding="utf-8")
    told = f"What {version.bot} changes is not known" if what == CHANGED else f"{version.bot} had no scrimmage"
    return "" if code == 0 else f"{told}: {err.strip()[-400:] or f'exit code {code}'}"


def found_of(hand_ins: HandIns, version: BotVersion, what: str) -> Json | None:
    """The stored result for a version; None if there is none."""
    with suppress(OSError, ValueError):  # ValueError: the place was killed while it wrote
        return dict(json.loads(_file(hand_ins, version, what).read_text(encoding="utf-8")))
    return None


def _newest(hand_ins: HandIns) -> list[BotVersion]:
    """The newest version of each person that has passed its check."""
    return [*{version.person: version for version in hand_ins.all() if version.state == READY}.values()]


def _file(hand_ins: HandIns, version: BotVersion, what: str) -> Path:
    return hand_ins.folder / version.folder / f"{what}.json"
