"""When enough has been played.

A night that stops when its table is settled looks at fixed numbers of deals: 10, 20,
40, ... It spends its error in equal parts over the looks (K. K. G. Lan & D. L. DeMets
1983, Biometrika 70). Adaptive rounds look more often, and spend the error by a power of
the deals (K. Kim & D. L. DeMets 1987, Biometrika 74). The first look spends most, 28.7
% at 10 of 640 deals, and so settles clear pairs at once. The second spends 2.4 %, later
ones from 2.6 to 6.1 %.

Each pair of neighbours gets an equal part of the error, which is enough. If the printed
order is wrong, some two neighbours of the true order are decided the wrong way round
(standard errors obey the triangle inequality).
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

from pips_tourney.ratings.table import Margins, Ratings


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """Two neighbours in the table, the better one first."""

    better: str
    worse: str
    doubt: float
    """The two-sided level at which they differ."""
    decided: bool
    deals_needed: int | None
    """An estimate of the total deals after which they are decided.

    None if they will not be decided within the limit.
    """
    given_up: bool = False
    """Whether the limit would hardly decide them; if so, they get no deals."""
    more: int | None = None
    """In adaptive rounds: how many more deals the pair gets, over all combinations."""

    @property
    def names(self) -> tuple[str, str]:
        return self.better, self.worse

    @property
    def is_open(self) -> bool:
        """Whether the pair should get more deals."""
        return not self.decided and not self.given_up


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one look."""

    deals: int
    settled: bool
    last: bool
    """There is no further look: an open pair stays `not decided`."""
    pairs: tuple[PairVerdict, ...]
    round: int = 0
    """In adaptive rounds: how many rounds were played."""
    total: int = 0
    """In adaptive rounds: how many deals were played, over all combinations."""

    @property
    def deals_needed(self) -> int | None:
        """Total deals needed for every pair; None if the limit is too low."""
        needed = [pair.deals_needed for pair in self.pairs]
        return None if None in needed else max((deals for deals in needed if deals is not None), default=self.deals)


@dataclass(frozen=True, slots=True)
class Settled:
    """The rule `stop = "settled"`.

    With probability `confidence`, no two bots are decided in the wrong order.
    """

    confidence: float = 0.95
    max_deals: int = 2000
    """Maximum deals of every combination."""
    first: int = 10
    turn: int | None = None
    """In adaptive rounds, a combination plays a multiple of this number of deals."""
    growth: tuple[int, int] = (2, 1)
    """The factor from the deals of one look to those of the next, as a fraction."""
    power: float = 0.0
    """A look has spent the share (deals / most deals)**power of the error.

    With 0, all looks have equal parts.
    """

    @classmethod
    def adaptive(cls, confidence: float, max_deals: int, turn: int) -> Self:
        """The rule of adaptive rounds."""
        return cls(confidence, max_deals, turn=turn, growth=(5, 4), power=0.3)

    @property
    def looks(self) -> tuple[int, ...]:
        """The numbers of deals at which the table is looked at."""
        turn, (times, by) = self.turn or 1, self.growth
        looks, deals = [], -(-self.first // turn) * turn
        while deals < self.max_deals:
            looks.append(deals)
            deals = -(-deals * times // (by * turn)) * turn
        return (*looks, self.max_deals)

    def look(self, table: Ratings | Margins, deals: int, bots: Container[str] | None = None) -> Verdict:
        """Judge the table of exactly the first `deals` deals of every combination.

        Neighbours are those by Elo, or by margin. ValueError if there is no look at
        this number of deals. With `bots` given, only these have to be put in order.
        """
        order = [row.bot for row in table.rows if bots is None or row.bot in bots]
        return self.judge(order, [table.level(a, b) for a, b in pairwise(order)], deals)

    def judge(self, table: Sequence[str], better: Sequence[float], deals: int) -> Verdict:
        """Judge a table, best first, at one of the looks.

        For each two neighbours, `better` has one less the one-sided level at which the
        upper one is better.
        """
        looks = self.looks
        if deals not in looks:
            raise ValueError(f"the table is looked at after {', '.join(map(str, looks))} deals, not after {deals}")
        from pips_tourney.ratings.critical import Looks  # who opens a night loads no scipy

        at = Looks(looks, (1 - self.confidence) / max(len(better), 1), self.power, gives_up=self.turn is not None)
        pairs = tuple(
            PairVerdict(a, b, doubt, *at.judged(doubt, deals))
            for (a, b), doubt in zip(pairwise(table), [2 * (1 - level) for level in better], strict=True)
        )
        return Verdict(deals, all(pair.decided for pair in pairs), deals == looks[-1], pairs)
