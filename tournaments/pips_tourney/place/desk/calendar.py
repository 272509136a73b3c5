"""When nights of a place end: by a schedule, and at a deadline.

Some people may have a deadline of their own. The last night begins when all deadlines
are over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pips_tourney.league.times import Every, read_every
from pips_tourney.people.moments import WRITTEN, read_moment
from pips_tourney.people.store import Invited, People, PeopleError, Person

FROZEN: Final = "frozen"
"""The time at which the last night ended."""
DEADLINE: Final = "deadline"
"""The organiser's own deadline."""
FILE_DEADLINE: Final = "file_deadline"
"""The league file's deadline."""
UNTIL: Final = "until_"
"""Prefix, before the number of a person or team, for a deadline of their own."""
ROSTERED: Final = "rostered_"
"""Prefix for the deadline that a roster last gave to the person with this number."""
CLOSED: Final = "closed"
"""The deadline at which the last night ended."""
NEVER: Final = "never"


def deadline_in(people: People) -> datetime | None:
    """The common deadline, for people without their own; None if there is none."""
    said = people.setting(DEADLINE) or people.setting(FILE_DEADLINE)
    return None if said in ("", NEVER) else read_moment(said)


def wall_clock() -> datetime:
    """The local time."""
    return datetime.now()  # noqa: DTZ005 - as the organiser writes it


@dataclass
class Calendar:
    """The times of a place.

    The organiser's page can override the league file's deadline.
    """

    people: People
    every: Every | None = None
    file_deadline: datetime | None = None
    clock: Callable[[], datetime] = wall_clock

    def __post_init__(self) -> None:
        self.people.set_setting(FILE_DEADLINE, "" if self.file_deadline is None else str(self.file_deadline))
        if not self.people.setting(FROZEN):
            self.people.set_setting(FROZEN, self.clock().isoformat())

    @classmethod
    def of(cls, people: People, every: str | None, deadline: str | None) -> Calendar:
        """The calendar given by a league file."""
        return cls(people, every and read_every(every), deadline and read_moment(deadline))  # type: ignore[arg-type]

    @property
    def deadline(self) -> datetime | None:
        """The common deadline, for people without their own; None if there is none."""
        return deadline_in(self.people)

    def own(self) -> dict[int, datetime]:
        """The deadlines of single persons and teams, by their numbers."""
        return {int(owner): read_moment(text) for owner, text in self.people.settings(UNTIL).items()}

    def deadline_of(self, person: Person) -> datetime | None:
        return self.own().get(person.owner, self.deadline)

    def is_closed_for(self, person: Person) -> bool:
        return _is_over(self.deadline_of(person), self.clock())

    def set_deadline(self, text: str, person: Person | None = None, *, at_once: bool = False) -> str:
        """Set the deadline of all people or of one; an empty text removes it.

        Returns a sentence. Raises `PeopleError`, also for a time in the past unless
        hand-ins are to close `at_once`.
        """
        try:
            moment = read_moment(text) if text.strip() else None
        except ValueError:
            raise PeopleError(f"{text} is no time: write it as 2026-12-17 18:00") from None
        written = "" if moment is None else moment.strftime(WRITTEN)
        if _is_over(moment, self.clock()) and not at_once:
            raise PeopleError(f"{written} is over, so nothing was set: say that hand-ins are to be closed at once")
        if person is None:
            self.people.set_setting(DEADLINE, written or NEVER)
            return f"The deadline is {written}." if written else "There is no deadline."
        self.people.set_setting(f"{UNTIL}{person.owner}", written)
        told = (
            f"{person.team or person.name} {f'may hand in until {written}' if written else 'has the common deadline'}."
        )
        if moment is not None and self.deadline is not None and moment < self.deadline:
            told += f" That is earlier than the common deadline, {self.deadline:{WRITTEN}}."
        return told

    def extend(self, roster: Iterable[Invited]) -> None:
        """Set deadlines from a roster, if they differ from its previous ones.

        A deadline that the organiser has set since stays. Raises `PeopleError`.
        """
        known = {person.name: person for person in self.people.everybody()}
        for each in roster:
            person = known.get(each.name)
            if person and each.until and self.people.setting(f"{ROSTERED}{person.id}") != each.until:
                self.set_deadline(each.until, person, at_once=True)
                self.people.set_setting(f"{ROSTERED}{person.id}", each.until)

    @property
    def last(self) -> datetime | None:
        """The last of all deadlines, or None."""
        return None if (deadline := self.deadline) is None else max([deadline, *self.own().values()])

    @property
    def is_closed(self) -> bool:
        """Whether all deadlines are over."""
        return _is_over(self.last, self.clock())

    @property
    def next_end(self) -> datetime | None:
        """When the league's schedule ends the night."""
        return None if self.every is None else self.every.after(datetime.fromisoformat(self.people.setting(FROZEN)))

    @property
    def night_ends(self) -> datetime | None:
        """When the night ends by itself: by the schedule or at the deadline."""
        if self.is_closed:
            return None
        return min(filter(None, (self.next_end, self.last)), default=None)

    def is_due(self) -> bool:
        """Whether a night should end now, and this end is not noted yet."""
        now, last = self.clock(), self.last
        closing = last is not None and now >= last and self.people.setting(CLOSED) != last.isoformat()
        return closing or ((end := self.next_end) is not None and now >= end)

    def note(self) -> None:
        """Store when the night ended."""
        self.people.set_setting(FROZEN, self.clock().isoformat())
        if self.is_closed and (last := self.last) is not None:
            self.people.set_setting(CLOSED, last.isoformat())


def _is_over(deadline: datetime | None, now: datetime) -> bool:
    return deadline is not None and now >= deadline
