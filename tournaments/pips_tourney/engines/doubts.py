"""Matches of bots that have enough faults to be withdrawn.

Most of them will not count. Only the order of the schedule can tell. So those that it
asks are played at once, and no others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from pips_tourney.night.plan.fixtures import Fixture


class Doubts:
    """Bots that may be out already, and the matches that can prove it."""

    most: int | None
    """This many faults take a bot out; None: no number does."""
    faults: Counter[str]
    """By bot, its faults in results, whatever their place in the schedule."""
    waiting: list[Fixture]
    """The matches, in any order."""
    _number_of: dict[str, int]
    """By id, a match's place in the schedule."""
    _faulted: defaultdict[str, list[int]]
    """By bot, the places of the faults since this queue began."""
    _proving: dict[str, Fixture]
    """By id, those that were given out and are not stored."""

    def __init__(self) -> None:
        self.most, self.faults, self.waiting = None, Counter(), []
        self._number_of, self._faulted, self._proving = {}, defaultdict(list), {}

    def number(self, fixtures: Iterable[Fixture]) -> None:
        """Note the next matches of the schedule, in its order."""
        if self.most is not None:
            known = len(self._number_of)
            self._number_of.update((fixture.match_id, known + at) for at, fixture in enumerate(fixtures))

    def concern(self, fixture: Fixture) -> list[str]:
        """Return the bots of a match that have as many faults as take a bot out."""
        most = self.most
        return [] if most is None else [bot for bot in fixture.seating if self.faults[bot] >= most]

    def add(self, fixture: Fixture, faulted: Sequence[str]) -> None:
        """Note the bots that have a fault in the result of a match."""
        self.faults.update(faulted)
        if self.most is not None:
            for bot in faulted:
                self._faulted[bot].append(self._number_of[fixture.match_id])

    def are_stored(self, match: str) -> None:
        """The match has a result, or came to nothing."""
        self._proving.pop(match, None)

    def take(self, is_possible: Callable[[Fixture], bool], *, anyway: bool) -> Fixture | None:
        """Return the first possible match that may prove a withdrawal, or None.

        With `anyway` the first possible one, as nothing else can tell.
        """
        self.waiting.sort(key=lambda fixture: self._number_of[fixture.match_id])
        for at, fixture in enumerate(self.waiting):
            if is_possible(fixture) and (anyway or self._may_count(fixture, self.waiting[:at])):
                self._proving[fixture.match_id] = fixture
                return self.waiting.pop(at)
        return None

    def _may_count(self, fixture: Fixture, earlier: Sequence[Fixture]) -> bool:
        """Whether too few faults of earlier places are known, or may still come."""
        most, number = self.most or 0, self._number_of[fixture.match_id]
        proving = (other for match, other in self._proving.items() if self._number_of[match] < number)
        may_come = Counter(bot for other in (*proving, *earlier) for bot in other.seating)
        return all(
            may_come[bot] + sum(place < number for place in self._faulted[bot]) < most for bot in self.concern(fixture)
        )
