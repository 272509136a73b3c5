"""What a new version changes on the deals of the last night, for its author's page."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from pips_tourney.bots.archives import HandInError
from pips_tourney.night.log.earlier_nights import moved_aside
from pips_tourney.place.hand_ins import READY, BotVersion, HandIns

MOST_S: Final = 120.0
"""The longest time for the process, in seconds."""
Run = Callable[[Sequence[str], float, Callable[[bytes], None]], Awaitable[tuple[int | None, str]]]
"""Runs a process: see `read_all`."""


def next_words(hand_ins: HandIns, league: Path, database: Path) -> tuple[BotVersion, list[str]] | None:
    """A version that was not compared yet, and the arguments of the process for it.

    None if there is no earlier night, or if all versions were compared.
    """
    earlier, every = moved_aside(database), hand_ins.all()
    newest = {version.person: version for version in every if version.state == READY}
    for version in sorted(newest.values(), key=lambda each: each.id) if earlier else ():
        before = [each.bot for each in reversed(every) if each.person == version.person and each.id < version.id]
        with suppress(HandInError):
            if before and changes_of(hand_ins, version) is None:
                paths = earlier[max(earlier)], league, database, hand_ins.files(version)
                return version, ["changed", *map(str, paths), version.bot, *before]
    return None


async def compare(hand_ins: HandIns, version: BotVersion, words: Sequence[str], run: Run) -> str:
    """Run the process and store its result; return a message for the organiser."""
    found: dict[str, Any] = {}

    def hear(line: bytes) -> None:
        with suppress(ValueError, KeyError):
            found.update(json.loads(line)["changed"])

    try:
        code, err = await run(words, MOST_S, hear)
    except OSError as error:  # no process can start
        code, err = None, str(error)
    with suppress(FileNotFoundError):  # its author has left
        _file(hand_ins, version).write_text(json.dumps(found), encoding="utf-8")
    return "" if code == 0 else f"What {version.bot} changes is not known: {err.strip()[-400:] or f'exit code {code}'}"


def changes_of(hand_ins: HandIns, version: BotVersion) -> dict[str, Any] | None:
    """The changes from the previous version; None before the comparison."""
    with suppress(OSError, ValueError):  # ValueError: the place was killed while it wrote
        return dict(json.loads(_file(hand_ins, version).read_text(encoding="utf-8")))
    return None


def _file(hand_ins: HandIns, version: BotVersion) -> Path:
    return hand_ins.folder / version.folder / "changes.json"
