"""The time of a shift: when it begins no more deals, and how long matches take."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from math import inf
from statistics import median
from typing import Final

from pips_tourney.night.plan.fixtures import Fixture

LONGEST_PART: Final = 0.75
"""The longest estimate for a match, as a share of the time in which new deals begin.

So the longest matches can still begin early in a shift.
"""
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
        self._ended_s = inf
        """When a match last ended; in a new shift, when bots should have started."""
        self._played = 0
        self.lengths = MatchLengths()

    def turn_over(self) -> None:
        """Begin the next shift; its time runs from its first new deal."""
        self._ends_s, self._ended_s = inf, self._clock() + (self._shift_s or inf) / 3

    def begin(self, fixture: Fixture, *, is_new: bool) -> None:
        """Record that a match begins, and whether it begins a deal."""
        now = self._clock()
        self._first_s = now if self._first_s is None else self._first_s
        if is_new and self._shift_s is not None and self._ends_s == inf:
            self._ends_s = now + self._shift_s / fixture.contest.matches_a_deal
        self.lengths.begin(fixture, now)

    def end(self, fixture: Fixture) -> None:
        """Record that a match was played to its end."""
        self._played += 1
        self._ended_s = self._clock()
        self.lengths.end(fixture, self._ended_s)

    @property
    def is_slow(self) -> bool:
        """Whether no match has ended for a third of a shift."""
        return self._shift_s is not None and self._clock() >= self._ended_s + self._shift_s / 3

    @property
    def is_up(self) -> bool:
        """Whether this shift has begun as many deals as it can."""
        return self._clock() >= self._ends_s

    def would_delay(self, fixture: Fixture) -> bool:
        """Return whether a new deal would delay the end of this shift."""
        if self._shift_s is None or self._ends_s == inf:
            return False
        longest = LONGEST_PART * self._shift_s / fixture.contest.matches_a_deal
        return self._clock() + min(self.lengths.beyond(fixture), longest) > self._ends_s

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
        self._usual_of_all = 0.0

    def begin(self, fixture: Fixture, now: float) -> None:
        """Record that a match begins."""
        self._begun[fixture.match_id] = now

    def end(self, fixture: Fixture, now: float) -> None:
        """Record that a match was played to its end."""
        if (begun := self._begun.pop(fixture.match_id, None)) is not None:
            self._of_all.append(now - begun)
            self._usual_of_all = median(self._of_all)
            for bot in fixture.seating:
                self._last[bot].append(now - begun)
                self._usual[bot] = median(self._last[bot])

    def beyond(self, fixture: Fixture) -> float:
        """Return how many seconds longer than usual a match is expected to take."""
        of_bots = [self._usual[bot] for bot in fixture.seating if bot in self._usual]
        return max(0.0, max(of_bots) - self._usual_of_all) if of_bots else 0.0
