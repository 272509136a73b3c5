"""The guests of a hosted night, as its host notes them beside the database.

`night.db.guests` exists while the night is hosted. It is no part of the night: whether
guests come or go does not affect any result.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pips_referee.printable import plain


class GuestNote(NamedTuple):
    """A guest, as `pips-tourney status` shows it."""

    player: str
    here: bool
    since: str
    """When the guest came or went, ISO 8601 in UTC; empty if it never came."""
    check: str | None
    """The problem found by the guest's check; "" if it passed, None before its end."""
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
        """The result of the check, in a sentence; empty before its end."""
        if self.check is None:
            return ""
        return f"Its check found: {self.check}" if self.check else "Its check passed."


def note_guests(database: Path, guests: Iterable[GuestNote]) -> None:
    """Write which guests are connected. A file that cannot be written is ignored."""
    place = _place(database)
    new = place.with_name(f"{place.name}.new")
    with suppress(OSError):
        new.write_text(json.dumps([guest._asdict() for guest in guests]), encoding="utf-8")
        new.replace(place)


def forget_guests(database: Path) -> None:
    """Remove the note, because the night is no longer hosted."""
    with suppress(OSError):
        _place(database).unlink(missing_ok=True)


def noted_guests(database: Path) -> tuple[GuestNote, ...]:
    """The guests in the latest note; none if there is no readable note."""
    try:
        held = json.loads(_place(database).read_text(encoding="utf-8"))
        return tuple(GuestNote(**each) for each in held)
    except (OSError, ValueError, TypeError):
        return ()


def _place(database: Path) -> Path:
    return database.with_name(f"{database.name}.guests")
