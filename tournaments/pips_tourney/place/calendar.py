"""When nights of a place end: at times that come again, and at a deadline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pips_tourney.league.times import WRITTEN, Every, read_every, read_moment
from pips_tourney.people.store import People, PeopleError

FROZEN: Final = "frozen"
"""Until when nights were ended."""
DEADLINE: Final = "deadline"
"""The organiser's own deadline."""
CLOSED: Final = "closed"
"""The deadline at which a night was ended."""
NEVER: Final = "never"


def wall_clock() -> datetime:
    """The time on the wall."""
    return datetime.now()  # noqa: DTZ005 - as the organiser writes it


@dataclass
class Calendar:
    """The times of a place.

    `deadline` is the league file's; what the organiser's page sets goes before it.
    """

    people: People
    every: Every | None = None
    file_deadline: datetime | None = None
    clock: Callable[[], datetime] = wall_clock

    def __post_init__(self) -> None:
        if not self.people.setting(FROZEN):
            self.people.set_setting(FROZEN, self.clock().isoformat())

    @classmethod
    def of(cls, people: People, every: str | None, deadline: str | None) -> Calendar:
        """The calendar that a league file says."""
        return cls(people, every and read_every(every), deadline and read_moment(deadline))  # type: ignore[arg-type]

    @property
    def deadline(self) -> datetime | None:
        """From when on nothing is handed in."""
        own = self.people.setting(DEADLINE)
        return self.file_deadline if not own else None if own == NEVER else read_moment(own)

    def set_deadline(self, text: str) -> str:
        """Take the organiser's word for it; empty: none. Returns what follows."""
        if not text.strip():
            self.people.set_setting(DEADLINE, NEVER)
            return "There is no deadline."
        try:
            moment = read_moment(text)
        except ValueError:
            raise PeopleError(f"{text} is no time: write it as 2026-12-17 18:00") from None
        self.people.set_setting(DEADLINE, moment.strftime(WRITTEN))
        return f"The deadline is {moment.strftime(WRITTEN)}."

    @property
    def is_closed(self) -> bool:
        """Whether the deadline is over."""
        return (deadline := self.deadline) is not None and self.clock() >= deadline

    @property
    def next_end(self) -> datetime | None:
        """When the night ends by the league's schedule."""
        return None if self.every is None else self.every.after(datetime.fromisoformat(self.people.setting(FROZEN)))

    def is_due(self) -> bool:
        """Whether a night is to be ended now, which was not noted yet."""
        now, deadline = self.clock(), self.deadline
        closing = deadline is not None and now >= deadline and self.people.setting(CLOSED) != deadline.isoformat()
        return closing or ((end := self.next_end) is not None and now >= end)

    def note(self) -> None:
        """Note that the night was ended."""
        self.people.set_setting(FROZEN, self.clock().isoformat())
        if self.is_closed and (deadline := self.deadline) is not None:
            self.people.set_setting(CLOSED, deadline.isoformat())
