"""The guests of a hosted night, as its host notes them beside the database.

`night.db.guests` is there while the night is hosted. It is no part of the night: who
comes and goes decides nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pips_referee.printable import plain


class GuestNote(NamedTuple):
    """A guest, as `pips-tourney status` shows them."""

    player: str
    here: bool
    since: str
    """When they came or went, ISO 8601 in UTC. Empty for those who never came."""
    check: str | None
    """The problem that their check found, "" when it passed, None before its end."""
    rtt_ms: int

    @property
    def text(self) -> str:
        """`ada (since 19:02:11 UTC, 3 ms away)`."""
        when = f"since {self.since[11:19]} UTC" if self.since else "never seen"
        away = f", {self.rtt_ms} ms away" if self.here and self.rtt_ms else ""
        check = ", its check failed" if self.check else ""
        return plain(f"{self.player} ({when}{away}{check})")

    @property
    def where(self) -> str:
        """Where the bot is, in a sentence for its author."""
        at = f"{self.since[:10]} {self.since[11:19]} UTC"
        if self.here:
            return f"It is connected since {at}{f', {self.rtt_ms} ms away' if self.rtt_ms else ''}."
        return f"It is not connected since {at}." if self.since else "It has not dialled in."

    @property
    def checked(self) -> str:
        """What its check has found, in a sentence; empty before its end."""
        if self.check is None:
            return ""
        return f"Its check found: {self.check}" if self.check else "Its check passed."


def note_guests(database: Path, guests: Iterable[GuestNote]) -> None:
    """Write who is here. Nothing happens where that is not possible."""
    place = _place(database)
    new = place.with_name(f"{place.name}.new")
    with suppress(OSError):
        new.write_text(json.dumps([guest._asdict() for guest in guests]), encoding="utf-8")
        new.replace(place)


def forget_guests(database: Path) -> None:
    """Remove the note: the night is hosted no more."""
    with suppress(OSError):
        _place(database).unlink(missing_ok=True)


def noted_guests(database: Path) -> tuple[GuestNote, ...]:
    """The guests that were noted last; none where there is no note to be read."""
    try:
        held = json.loads(_place(database).read_text(encoding="utf-8"))
        return tuple(GuestNote(**each) for each in held)
    except (OSError, ValueError, TypeError):
        return ()


def _place(database: Path) -> Path:
    return database.with_name(f"{database.name}.guests")
