"""The matches still to be played, in the order of play: a window of the schedule at a time, so that memory stays flat.

Within a window the order is drawn from the secret, so that a bot cannot tell from it which tables play one deal.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice
from typing import Final

from pips_tourney.programme import Fixture
from pips_tourney.secret import Secret
from pips_tourney.withdrawal import Lookout

WINDOW: Final = 256
REPORTED_VOIDS: Final = 3
"""A match that the machine has spoilt so often is reported."""
MOST_VOIDS: Final = 10
"""After so many it is not tried again this time."""


class Feed:
    """`stored` tells which of some matches have a result already, `lookout` which need none."""

    def __init__(
        self,
        fixtures: Iterator[Fixture],
        stored: Callable[[Sequence[str]], set[str]],
        secret: Secret,
        lookout: Lookout | None = None,
    ) -> None:
        self._contests = groupby(fixtures, key=lambda fixture: fixture.contest.label)
        self._fixtures: Iterator[Fixture] = iter(())
        self._stored = stored
        self._secret = secret
        self._lookout = lookout
        self._window: deque[Fixture] = deque()
        self._voids: Counter[str] = Counter()
        self.given_up: list[Fixture] = []
        """Matches that went void so often that they are not tried again."""

    def take(self) -> Fixture | None:
        """The next match to play; None when there is none left now (a void one may come back)."""
        while (fixture := self._next()) is not None:
            if self._lookout is None or not self._lookout.drops(fixture):
                return fixture
        return None

    def _next(self) -> Fixture | None:
        while not self._window:
            ahead = list(islice(self._fixtures, WINDOW))
            if not ahead:  # a window holds matches of one contest, so that its bots stay at their tables
                contest = next(self._contests, None)
                if contest is None:
                    return None
                self._fixtures = contest[1]
            if self._lookout is not None:
                self._lookout.expect(ahead)
            stored = self._stored([fixture.match_id for fixture in ahead])
            missing = [fixture for fixture in ahead if fixture.match_id not in stored]
            missing.sort(key=lambda fixture: self._secret.play_order(fixture.match_id))
            self._window.extend(missing)
        return self._window.popleft()

    def put_back(self, fixture: Fixture) -> None:
        """A match went void: it comes again after those around it, unless it has gone void too often."""
        self._voids[fixture.match_id] += 1
        waiting = self._window if self._voids[fixture.match_id] < MOST_VOIDS else self.given_up
        waiting.append(fixture)

    def spoilt(self) -> list[str]:
        """The matches that went void so often that it is to be reported."""
        return sorted(match for match, times in self._voids.items() if times >= REPORTED_VOIDS)
