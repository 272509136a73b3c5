"""A match that is played twice: does every bot give the same answers?

Both times it has the same cards and luck. A bot with different answers keeps something
from match to match, has luck of its own, or goes by the clock.
"""

from __future__ import annotations

from pips.v1 import record_pb2
from pips_tourney.bots.found import Command
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.workshop.duel import Duel


class Repeat:
    """The first match of a duel, and its repetition at the duel's end."""

    def __init__(self, duel: Duel) -> None:
        self.fixture: Fixture | None = None
        """None if it is not repeated, because a program's answers may cost money."""
        self.said = ""
        """The difference, in a sentence; "" if all answers were the same."""
        self._first = b""
        if duel.is_repeated and not any(isinstance(bot, Command) for bot in duel.bots.values()):
            self.fixture = next(duel.fixtures())

    def is_second(self, fixture: Fixture, record: bytes) -> bool:
        """Note a match; return whether it is the repetition."""
        if self.fixture is None or fixture.match_id != self.fixture.match_id:
            return False
        if not self._first:
            self._first = record
            return False
        self.said = unlike(self._first, record)
        return True


def unlike(first: bytes, second: bytes) -> str:
    """Name the first bot with a different answer; "" if none, or for faults."""
    before, after = map(record_pb2.MatchRecord.FromString, (first, second))
    if before.outcome.faults or after.outcome.faults:
        return ""
    for one, other in zip(before.answers, after.answers, strict=False):
        if one.action != other.action:
            bot = before.header.seats[one.seat]
            return (
                f"{bot} did not answer as before when its first match was played again. Does it keep something "
                "from match to match, use luck other than `self.rng`, or go by the clock?"
            )
    return ""
