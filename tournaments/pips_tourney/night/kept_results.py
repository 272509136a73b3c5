"""The results of a contest in a few bytes each, in the order in which they came.

A million matches are rated in one process. Their bots, places and scores come again and
again, so each different outcome is kept once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pips_tourney.ratings.tally import Control, ManyResults

    EndingOf = tuple[tuple[str, ...], tuple[int, ...], tuple[float, ...] | None, Control]


class KeptResults:
    """Results, deal by deal; a deal comes in all its rotations at once."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self._outcomes: dict[EndingOf, int] = {}
        self._outcome = array("i")
        self._deal = array("i")
        self._deals = 0
        self._faulty = bytearray()

    def __len__(self) -> int:
        return len(self._outcome)

    @property
    def any_faulty(self) -> bool:
        """Whether a match had a fault."""
        return any(self._faulty)

    def begin_deal(self) -> None:
        """The matches that follow are of another deal."""
        self._deals += 1

    def add(self, outcome: EndingOf, match: str, *, faulty: bool) -> None:
        """Add a match of the deal that was begun last."""
        self._outcome.append(self._outcomes.setdefault(outcome, len(self._outcomes)))
        self._deal.append(self._deals)
        self._faulty.append(faulty)
        self.ids.append(match)

    def join(
        self,
        other: KeptResults,
        renamed: Callable[[EndingOf], EndingOf | None] = lambda outcome: outcome,
        named: Callable[[str], str] = lambda match: match,
    ) -> None:
        """Add results of other deals.

        `renamed` returns an outcome with other bots, or None for one that does not
        count; `named` does the same for ids.
        """
        outcomes, deal = [renamed(outcome) for outcome in other._outcomes], 0
        for number, match in enumerate(other.ids):
            if (outcome := outcomes[other._outcome[number]]) is not None:
                if other._deal[number] != deal:
                    deal = other._deal[number]
                    self.begin_deal()
                self.add(outcome, named(match), faulty=bool(other._faulty[number]))

    def outcomes(self, since: int = 0) -> Iterator[EndingOf]:
        """The outcomes of the matches from this number on."""
        outcomes = [*self._outcomes]
        for number in range(since, len(self)):
            yield outcomes[self._outcome[number]]

    def counted(self, without: set[str], *, faulty: bool) -> ManyResults:
        """Those in which no bot of `without` took part.

        `faulty` says whether matches with a fault are among them.
        """
        import numpy as np

        from pips_tourney.ratings.tally import Ending, ManyResults

        outcomes = [Ending(*outcome) for outcome in self._outcomes]
        outcome, deal = np.array(self._outcome, np.intc), np.array(self._deal, np.intc)
        kept = np.array([without.isdisjoint(each.bots) for each in outcomes], bool)
        if kept.all() and (faulty or not self.any_faulty):
            return ManyResults(outcomes, outcome, deal)
        chosen = kept[outcome]
        if not faulty:
            chosen &= np.array(self._faulty) == 0
        return ManyResults.present(outcomes, outcome[chosen], deal[chosen])

    def counted_ids(self, without: set[str]) -> list[str]:
        """The ids of those in which no bot of `without` took part."""
        if not without:
            return [*self.ids]
        matches = zip(self.outcomes(), self.ids, strict=True)
        return [match for outcome, match in matches if without.isdisjoint(outcome[0])]
