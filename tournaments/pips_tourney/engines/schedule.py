"""The schedule, read contest by contest, as far as gates allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.follower import Follower
from pips_tourney.night.plan.stages import Gate

WINDOW: Final = 256
MATCHES_A_PROCESS: Final = 100
"""Matches per process in a window: enough to make the cost of its start small."""
LONGEST_WINDOW: Final = 16_384


class Schedule:
    """The items of a night that have not been read yet."""

    def __init__(self, items: Iterator[Fixture | Gate], lookout: Follower | None) -> None:
        self._items, self._lookout = items, lookout
        self._held: Fixture | None = None
        """A match that was read already, but belongs to the next contest."""
        self.gate: Gate | None = None
        """The last gate read; it may still be closed."""

    def read(self, ahead: list[Fixture], length: int) -> None:
        """Read one contest's matches up to a gate; bots then stay at their tables."""
        while len(ahead) < length:
            item = self._held or self._next_item(closed=bool(ahead))
            self._held = None
            if item is None:
                return
            if ahead and ahead[0].contest != item.contest:
                self._held = item
                return
            ahead.append(item)

    @property
    def is_between_contests(self) -> bool:
        """Whether the last match read was the last of its contest, and not of all."""
        return self._held is not None

    def window(self, too_many: Callable[[Sequence[Fixture]], int]) -> list[Fixture]:
        """Read at least one deal of all bots, and only complete deals.

        With too many bots for an arena, `too_many` says how many processes they need.
        """
        ahead: list[Fixture] = []
        self.read(ahead, WINDOW)
        if not ahead:
            return ahead
        if many := too_many(ahead):
            self.read(ahead, min(MATCHES_A_PROCESS * many, LONGEST_WINDOW))
        known = 0
        while known < len(ahead) < LONGEST_WINDOW and ahead[-1].deal == ahead[0].deal:
            known = len(ahead)
            self.read(ahead, known + WINDOW)
        if over := len(ahead) % ahead[0].contest.matches_a_deal:
            self.read(ahead, len(ahead) + ahead[0].contest.matches_a_deal - over)
        return ahead

    def _next_item(self, *, closed: bool) -> Fixture | None:
        """Return the next match of the schedule, or None.

        It is None at the end, and at a gate that is `closed` or not yet open. One gate
        may be passed before its look at the table has been taken, but not two.
        """
        while True:
            if self.gate is not None and self._lookout is not None:
                if closed or self._lookout.gates() > (self.gate.look is not None):
                    return None
                self.gate = None
            item = next(self._items, None)
            if item is not None and self._lookout is not None:
                self._lookout.expect(item)
            if not isinstance(item, Gate):
                return item
            self.gate = item
