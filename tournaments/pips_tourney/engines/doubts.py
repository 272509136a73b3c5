"""Matches of bots that may be withdrawn, for too many faults or for nothing but faults.

Most of these matches will not count; only the order of the schedule can tell. So those
that decide are played at once, and no others.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from pips_tourney.night.plan.fixtures import Fixture


class Doubts:
    """Bots that may be withdrawn already, and the matches that can prove it.

    If rotations are kept `apart`, a bot with nothing but faults is doubted from its
    first fault on. Otherwise such a bot could see two rotations of a deal at the same
    time.
    """

    most: int | None
    """This many faults withdraw a bot; None: no number does."""
    faults: Counter[str]
    """By bot, its faults in all results, at any place in the schedule."""
    clean: Counter[str]
    """By bot, its matches without a fault of its own."""
    waiting: list[Fixture]
    """The matches that wait, in the order of the schedule."""
    _number_of: dict[str, int]
    """By id, a match's place in the schedule."""
    _faulted: defaultdict[str, list[int]]
    """By bot, the places of its faulted matches since this queue began."""
    _proving: dict[str, Fixture]
    """By id, the deciding matches that were given out and are not stored yet."""

    def __init__(self, *, apart: bool) -> None:
        self._apart = apart
        self.most, self.faults, self.clean, self.waiting = None, Counter(), Counter(), []
        self._number_of, self._faulted, self._proving = {}, defaultdict(list), {}

    def number(self, fixtures: Iterable[Fixture]) -> set[str]:
        """Number the next matches of the schedule, in its order.

        Return those that show soonest whether a bot without a clean match is withdrawn.
        """
        soonest = set[str]()
        if self.most is not None:
            seen = Counter[str]()
            for fixture in fixtures:
                self._number_of[fixture.match_id] = len(self._number_of)
                if self._apart and any(not self.clean[bot] and seen[bot] < self.most for bot in fixture.seating):
                    soonest.add(fixture.match_id)
                seen.update(fixture.seating)
        return soonest

    def put(self, fixture: Fixture) -> None:
        """Make a match wait."""
        insort(self.waiting, fixture, key=lambda match: self._number_of[match.match_id])

    def concern(self, fixture: Fixture) -> list[str]:
        """Return the bots of a match that may be withdrawn."""
        return [] if self.most is None else list(filter(self._is_doubted, fixture.seating))

    def _is_doubted(self, bot: str) -> bool:
        least = self.most if self.clean[bot] or not self._apart else 1
        return least is not None and self.faults[bot] >= least

    def add(self, fixture: Fixture, faulted: Sequence[str]) -> bool:
        """Count which bots had a fault in a match, and which had none.

        Return whether any bot is no longer in doubt.
        """
        clean = {*fixture.seating}.difference(faulted)
        doubted = any(map(self._is_doubted, clean))
        self.know(fixture.seating, faulted)
        if self.most is not None:
            for bot in faulted:
                self._faulted[bot].append(self._number_of[fixture.match_id])
        return doubted and not all(map(self._is_doubted, clean))

    def know(self, seating: Iterable[str], faulted: Sequence[str]) -> None:
        """Count a result of this queue, or of an earlier session of the night."""
        self.faults.update(faulted)
        self.clean.update({*seating}.difference(faulted))

    @property
    def is_proving(self) -> bool:
        """Whether a match that may prove a withdrawal is under way."""
        return bool(self._proving)

    def are_stored(self, match: str) -> None:
        """Record that the match has a result, or was given up."""
        self._proving.pop(match, None)

    def take(self, is_possible: Callable[[Fixture], bool], *, anyway: bool) -> Fixture | None:
        """Return the first possible match that may prove a withdrawal, or None.

        With `anyway`, the first possible match of all: nothing else is left to decide.
        """
        earlier, open_bots = Counter[str](), set(filter(self._is_doubted, self.faults))
        for at, fixture in enumerate(self.waiting):
            if is_possible(fixture) and (anyway or self._may_count(fixture, earlier)):
                self._proving[fixture.match_id] = fixture
                return self.waiting.pop(at)
            earlier.update(fixture.seating)
            open_bots.difference_update(bot for bot in fixture.seating if earlier[bot] >= (self.most or 0))
            if not (open_bots or anyway):
                break  # every bot has so many waiting that no later match may count
        return None

    def release(self) -> list[Fixture]:
        """Return the matches whose bots are no longer in doubt; they stop waiting."""
        free = [fixture for fixture in self.waiting if not self.concern(fixture)]
        self.waiting = [fixture for fixture in self.waiting if self.concern(fixture)]
        return free

    def _may_count(self, fixture: Fixture, earlier: Counter[str]) -> bool:
        """Whether earlier faults, known or possible, are too few to drop the match."""
        most, number = self.most or 0, self._number_of[fixture.match_id]
        proving = (other for match, other in self._proving.items() if self._number_of[match] < number)
        may_come = earlier + Counter(bot for other in proving for bot in other.seating)
        return all(
            may_come[bot] + sum(place < number for place in self._faulted[bot]) < most for bot in self.concern(fixture)
        )
