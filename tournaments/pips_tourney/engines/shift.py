"""The time of a shift: when it begins no more deals, and how long matches take."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from math import inf
from statistics import median
from typing import Final

from pips_tourney.night.plan.fixtures import Fixture

LONGEST_PART: Final = 0.75
"""The longest estimate for a match, as a share of the time in which new deals begin.

So the longest matches can still begin early in a shift.
"""
USUAL_S: Final = 1.0
"""A match at least is to end in this time, for newcomers to count as quick."""
LONG: Final = 3
"""A match is long if it takes this many times as long as usual."""
FIRST_TABLES: Final = 2
"""The tables of a bot in an arena until its first match is over."""
LAST_LENGTHS: Final = 9
USUAL_LENGTHS: Final = 99
"""How many recent matches, of one bot and of all, predict a match's length."""


class ShiftTime:
    """The clock of a queue's shifts, each of about `shift_s` seconds.

    None: there is one shift, which begins deals as long as there are any.
    """

    def __init__(self, shift_s: float | None, clock: Callable[[], float]) -> None:
        self._shift_s, self._clock = shift_s, clock
        self._ends_s = inf
        """When this shift stops beginning deals; infinite before its first new deal."""
        self._first_s: float | None = None
        self._due_s = inf
        """When bots count as slow, if no more matches end."""
        self._played = 0
        self._holding: dict[str, float] = {}
        """By id, when the matches under way began that this shift was to play."""
        self._tables: dict[str, int] = {}
        """By bot, how many tables of an arena it may take."""
        self.lengths = MatchLengths()

    def turn_over(self) -> None:
        """Begin the next shift; its time runs from its first new deal."""
        self._ends_s, self._due_s = inf, self._clock() + 2 * (self._shift_s or inf) / 3

    def begin(self, fixture: Fixture, *, is_new: bool) -> None:
        """Record that a match begins, and whether it begins a deal."""
        now = self._clock()
        self._first_s = now if self._first_s is None else self._first_s
        if is_new and self._shift_s is not None and self._ends_s == inf:
            self._ends_s = now + self._shift_s / fixture.contest.matches_a_deal
        if now < self._ends_s or not is_new:
            self._holding[fixture.match_id] = now
        self.lengths.begin(fixture, now)

    def end(self, fixture: Fixture) -> None:
        """Record that a match was played to its end.

        Each quick match earns its bots a table. A long one leaves a slow bot only one.
        """
        self._played += 1
        now = self._clock()
        self._due_s = min(now + (self._shift_s or inf) / 3, self._due_s + USUAL_S)
        took_s = self.lengths.end(fixture, now)
        longest = max(self._longest_s(fixture), LONG * self.lengths.usual_of_all)
        for bot in fixture.seating:
            is_quick = took_s <= longest or not self.lengths.is_long([bot])
            self._tables[bot] = self._tables.get(bot, FIRST_TABLES) + 1 if is_quick else 1

    def forget(self, fixture: Fixture) -> None:
        """Record that a match is not under way any more."""
        self._holding.pop(fixture.match_id, None)
        self.lengths.forget(fixture)

    @property
    def is_limited(self) -> bool:
        """Whether shifts end, so that long matches would hold them up."""
        return self._shift_s is not None

    def tables(self, bot: str) -> float:
        """How many tables of an arena a bot may take.

        Its process answers one table after another, so with many tables all matches of
        a slow bot are long.
        """
        return self._tables.get(bot, FIRST_TABLES) if self.is_limited else inf

    def wind_up(self) -> None:
        """Let this shift end soon."""
        if self._shift_s is not None:
            self._ends_s = min(self._ends_s, self._clock())

    @property
    def is_held(self) -> bool:
        """Whether this shift waits for a long match."""
        oldest_s = next(iter(self._holding.values()), inf)
        return self._shift_s is not None and self._clock() > oldest_s + LONG * self.lengths.usual_of_all

    @property
    def is_slow(self) -> bool:
        """Whether no match has ended for a third of a shift, or few in this shift."""
        return self._clock() >= self._due_s

    @property
    def is_up(self) -> bool:
        """Whether this shift begins no more deals.

        While it waits for its last matches, others fill the free tables.
        """
        return self._clock() >= self._ends_s and not self._holding

    def would_delay(self, fixture: Fixture) -> bool:
        """Return whether a new deal would delay the end of this shift."""
        if self._shift_s is None or self._ends_s == inf:
            return False
        now = self._clock()
        if now >= self._ends_s:
            return self.lengths.is_long(fixture.seating)
        return now + min(self.lengths.beyond(fixture), self._longest_s(fixture)) > self._ends_s

    def _longest_s(self, fixture: Fixture) -> float:
        return LONGEST_PART * (self._shift_s or inf) / fixture.contest.matches_a_deal

    def seconds_for(self, matches: int) -> float:
        """Return how long that many matches would take; infinite before the first."""
        if self._first_s is None or not self._played:
            return inf
        return matches * (self._clock() - self._first_s) / self._played


class MatchLengths:
    """How long bots' recent matches took, in seconds."""

    def __init__(self) -> None:
        self._begun: dict[str, float] = {}
        self._last: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=LAST_LENGTHS))
        self._of_all: deque[float] = deque(maxlen=USUAL_LENGTHS)
        self._usual: dict[str, float] = {}
        """By bot, the median of its recent matches."""
        self.usual_of_all = 0.0

    def begin(self, fixture: Fixture, now: float) -> None:
        """Record that a match begins."""
        self._begun[fixture.match_id] = now

    def forget(self, fixture: Fixture) -> None:
        """Record that a match is not under way any more."""
        self._begun.pop(fixture.match_id, None)

    def end(self, fixture: Fixture, now: float) -> float:
        """Record that a match was played to its end; return how long it took."""
        took_s = now - self._begun.pop(fixture.match_id, now)
        self._of_all.append(took_s)
        self.usual_of_all = median(self._of_all)
        for bot in fixture.seating:
            self._last[bot].append(took_s)
            self._usual[bot] = median(self._last[bot])
        return took_s

    def is_long(self, bots: Iterable[str]) -> bool:
        """Whether one of the bots makes matches long, or may do so for all we know."""
        return any(self._usual.get(bot, inf) > LONG * self.usual_of_all for bot in bots)

    def beyond(self, fixture: Fixture) -> float:
        """Return how many seconds longer than usual a match is expected to take."""
        of_bots = [self._usual[bot] for bot in fixture.seating if bot in self._usual]
        return max(0.0, max(of_bots) - self.usual_of_all) if of_bots else 0.0
