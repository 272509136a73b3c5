"""Bots that are out for the night after too many faults, counted in schedule order.

Such a bot plays no further deal. The runner need not play what will not count, and the
standings do not count it. Both ask here, so the order in which matches were played
makes no difference.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from pips_tourney.night.log.store import Row
from pips_tourney.night.plan.decisions import Decisions
from pips_tourney.night.plan.fixtures import Fixture


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A bot's last fault of the night. `str` says why it was withdrawn."""

    match_id: str
    block: str
    faults: int
    kind: str
    sentence: str

    def __str__(self) -> str:
        return (
            f"withdrawn after {self.faults} fault{'s' * (self.faults != 1)}, the last one ({self.kind}) "
            f"in match {self.match_id}: "
            f"{self.sentence.rstrip('.')}"
        )


class Withdrawals:
    """Withdrawals, from results that are added in schedule order.

    `most` faults take a bot out of all later deals; None: no number does.
    """

    def __init__(self, most: int | None, decisions: Decisions | None = None) -> None:
        self.most = most
        self.decisions = decisions or Decisions()
        self.out: dict[str, Withdrawal] = {}
        self.faults: Counter[str] = Counter()

    def drops(self, fixture: Fixture) -> bool:
        """Whether the match is not to be played.

        One of its bots was withdrawn in an earlier deal, or the match was annulled.
        """
        out = self.out
        return self.decisions.drops(fixture) or (
            bool(out) and any(bot in out and out[bot].block != fixture.block for bot in fixture.seating)
        )

    def add(self, fixture: Fixture, row: Row) -> None:
        """The result of the next match that is not dropped."""
        if self.most is None:
            return
        for seat, kind, sentence in row.seat_faults:
            bot = fixture.seating[seat]
            self.faults[bot] += 1
            if self.faults[bot] == self.most:
                self.out[bot] = Withdrawal(row.id, fixture.block, self.most, kind, sentence)
