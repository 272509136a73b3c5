"""The versions of a person's bot, as pages show them, and an earlier one again."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from pips_tourney.place.book import WAITING, BotVersion, Person, before
from pips_tourney.place.desk import Desk
from pips_tourney.place.hand_in import HandInError, keep_hand_in

MOST_AN_HOUR: Final = 30
"""Versions that one person may hand in within an hour."""


def shown_versions(own: Sequence[BotVersion], every: Sequence[BotVersion]) -> list[dict[str, Any]]:
    """A person's versions, newest first, with how many are checked before each."""
    shown = [{**asdict(version), "before": before(version, every)} for version in reversed(own)]
    for older in shown[1:]:
        if older["state"] == WAITING:
            older["state"] = "replaced before its check"
    return shown


def check_pace(own: Sequence[BotVersion], failed: Iterable[datetime] = ()) -> None:
    """Raise `HandInError` for somebody who hands in without a pause: disks fill up.

    `failed` are the times of hand-ins that were not taken.
    """
    since = datetime.now(UTC) - timedelta(hours=1)
    times = [*(datetime.fromisoformat(version.at) for version in own), *failed]
    if sum(at > since for at in times) >= MOST_AN_HOUR:
        raise HandInError(f"{MOST_AN_HOUR} versions came from you within an hour: wait a while")


def keep_version(desk: Desk, person: Person, uploads: Sequence[tuple[str, bytes]]) -> BotVersion:
    """Keep files as a version. Where that fails, no files stay, and the pace counts it.

    Raises `HandInError`, `PlaceBookError`.
    """
    failed = desk.failed[person.owner]
    check_pace(desk.book.versions(person.owner), list(failed))
    try:
        folder = keep_hand_in(uploads, desk.versions, person.bot)
        try:
            return desk.book.hand_in(person, folder)
        except BaseException:
            shutil.rmtree(desk.versions / folder, ignore_errors=True)
            raise
    except BaseException:
        failed.append(datetime.now(UTC))
        del failed[:-MOST_AN_HOUR]
        raise


def hand_in_again(desk: Desk, person: Person, number: int) -> bool:
    """Hand in an earlier version once more; whether the person has it."""
    own = desk.book.versions(person.owner)
    for version in own:
        if version.id == number:
            folder = desk.folder(version)
            files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
            uploads = [(str(path.relative_to(folder)), path.read_bytes()) for path in files]
            keep_version(desk, person, uploads)
            return True
    return False
