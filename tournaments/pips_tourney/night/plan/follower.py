"""Follows a night that is being played, in the order of its schedule."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from pips_tourney.night.log.store import Row
from pips_tourney.night.plan.decisions import Decisions
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.live_schedule import LiveSchedule
from pips_tourney.night.plan.stages import Gate


class Follower:
    """Follows a night that is being played.

    It passes results to the night's `LiveSchedule` in schedule order, without a gap.
    """

    def __init__(
        self,
        course: LiveSchedule,
        results: Callable[[Sequence[str]], dict[str, Row]],
        on_gate: Callable[[Gate], None] = lambda _: None,
    ) -> None:
        self._course = course
        self._results = results
        self._on_gate = on_gate
        self._ahead: deque[Fixture | Gate] = deque()

    def learn(self, decisions: Decisions) -> None:
        """Take over the decisions that are in force from now on."""
        self._course.withdrawals.decisions = decisions

    def expect(self, item: Fixture | Gate) -> None:
        """Add the next item of the schedule."""
        if self._course.watches:
            self._ahead.append(item)

    def gates(self) -> int:
        """How many gates are still ahead, after using all stored results."""
        self._follow()
        return sum(isinstance(item, Gate) for item in self._ahead)

    def drops(self, fixture: Fixture) -> bool:
        """Whether this match, expected and not yet stored, certainly will not count."""
        self._follow()
        return self._course.drops(fixture)

    def _follow(self) -> None:
        while self._ahead:
            item = self._ahead[0]
            if isinstance(item, Gate):
                if not item.is_passed:
                    if not self._course.reach(item):
                        break
                    self._on_gate(item)
            elif self._course.drops(item):
                self._course.add(item, None)
            else:
                row = self._results([item.match_id]).get(item.match_id)
                if row is None:
                    break
                self._course.add(item, row)
            self._ahead.popleft()
