"""The cost of an answer: time since its question was due, minus credited time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from pips_referee.match import Spent
from pips_referee.service.asked import Asked
from pips_referee.service.guest import Way
from pips_referee.timing.clock import SLOW_US, CoreWait

LateS = Callable[[float], float]
"""Returns for how many seconds a message taken at this time may have been unread."""


STILL_US: Final = 200_000
"""A referee late by more than this is taken to have stood still with its machine."""


class Stopwatch:
    """Measures the time of one bot process, for the first question of its queue only.

    `queue` has the bot's open questions. Times are monotonic seconds; costs are
    microseconds.
    """

    __slots__ = (
        "_is_marked",
        "_noted_us",
        "_queue",
        "_unseen_us",
        "_was_late",
        "core_wait",
        "in_turn_us",
        "since",
        "way",
    )

    def __init__(self, queue: deque[Asked]) -> None:
        self._queue = queue
        self.since: float | None = None
        """Since when the first question has been first and sent; None if none is."""
        self.core_wait: CoreWait | None = None
        """The process's waits for the core; None until the launcher reports its pid."""
        self.way: Way | None = None
        """The round trip to a bot on another machine."""
        self.in_turn_us = 0
        """How long the bot has had questions open, up to its last answer."""
        self._is_marked = False
        self._unseen_us = 0
        """How late the referee was in total, up to the last look."""
        self._noted_us = 0
        """The lateness added at the last look, also in `late_s` until the next tick."""
        self._was_late = False

    def spent(self, now: float, late_s: LateS, shared_by: int) -> Spent:
        """The cost of each of the `shared_by` answers in the message that came now."""
        elapsed_us = self.elapsed_us(now)
        credited_us = self._credit_us(now, elapsed_us, late_s)
        wire_us = self._wire_us(elapsed_us - credited_us)
        self.in_turn_us += elapsed_us
        used_us = elapsed_us - credited_us - wire_us
        return Spent(used_us // shared_by, credited_us // shared_by, shared_by, wire_us=wire_us // shared_by)

    def overdue(self, now: float, late_s: LateS) -> Spent | None:
        """The cost so far of the first question's answer, if over the limit.

        It must be over at two checks, so that an unread answer is read first. Time for
        which the referee itself was late, as when the machine stood still, does not
        count.
        """
        if self.since is None or not self._queue:
            return None
        elapsed_us = self.elapsed_us(now)
        if elapsed_us > self._slow_us():
            self._note(now, elapsed_us, round(1e6 * late_s(now)))
        clock = self._queue[0].clock
        limit_us, longest_us = clock.limit_us, clock.longest_us
        if elapsed_us <= limit_us and elapsed_us <= longest_us:
            return None
        credited_us = self._credit_us(now, elapsed_us, late_s)
        wire_us = self._wire_us(elapsed_us - credited_us)
        used_us = elapsed_us - credited_us - wire_us
        if used_us <= limit_us and elapsed_us - wire_us - self._late_us(now, late_s) <= longest_us:
            return None
        self._was_late, was_late = True, self._was_late
        return Spent(used_us, credited_us, wire_us=wire_us) if was_late else None

    def _note(self, now: float, elapsed_us: int, late_us: int) -> None:
        """Measure the waits of a slow answer's process, and the referee's own delay.

        There are no figures for a process on another machine, so the referee's own
        delays are added up. So are its long delays for a local process: it may have
        been asleep while the machine stood still, and its ledger then shows no wait.
        """
        if self.core_wait is None:
            self._noted_us = late_us if late_us > SLOW_US else 0
        elif self._is_marked:
            self.core_wait.sample(now)
            self._noted_us = late_us if late_us > STILL_US else 0
        else:
            self.core_wait.mark(now)
            self._is_marked, self._unseen_us, self._noted_us = True, 0, late_us
        self._unseen_us = min(elapsed_us, self._unseen_us + self._noted_us)

    def sent(self, now: float) -> None:
        """The queue was sent: the first question's time begins or goes on."""
        if self._queue and self.since is None:
            self.since = now if self.way is None else now - self.way.sent_us(self._queue[0].name) / 1e6

    def restart(self, now: float) -> None:
        """Time the new first question: from now on if it was sent, else when it is."""
        self.since = now if self._queue and self._queue[0].sent else None
        self._was_late, self._unseen_us, self._noted_us = False, 0, 0
        # The ledger was just read for a slow answer, so none of the next one's time is
        # unseen.
        wait = self.core_wait if self._is_marked and self.since is not None else None
        self._is_marked = wait is not None and wait.mark_again(now)
        if self.way is not None:
            self.way.is_due = False

    def elapsed_us(self, now: float) -> int:
        """How long the first question has been open; 0 if none is."""
        return round(1e6 * (now - self.since)) if self.since is not None else 0

    def cost_us(self, now: float, late_s: LateS) -> int:
        """How long the first question has been open, less the referee's known delay."""
        return max(0, self.elapsed_us(now) - self._late_us(now, late_s))

    def _wire_us(self, passed_us: int) -> int:
        return 0 if self.way is None else self.way.credit_us(passed_us)

    def _slow_us(self) -> int:
        """The time from which the kernel's ledger is worth reading.

        Quick answers travel together, and each has its share of the time.
        """
        if not self._queue:
            return SLOW_US
        limit_us = self._queue[0].clock.limit_us
        return min(SLOW_US * len(self._queue), max(SLOW_US, limit_us // 10))

    def _credit_us(self, now: float, elapsed_us: int, late_s: LateS) -> int:
        """The time that is not the bot's; 0 for a quick answer, not looked up."""
        if elapsed_us <= SLOW_US or elapsed_us <= self._slow_us():
            return 0
        credited_us, ran_us = self._late_us(now, late_s), 0
        if self._is_marked and self.core_wait is not None:
            credited_us += self.core_wait.credit_us(now)
            ran_us = self.core_wait.ran_us
        return max(0, min(elapsed_us - ran_us, credited_us))  # referee and bot may have waited at the same time

    def _late_us(self, now: float, late_s: LateS) -> int:
        """The referee's known lateness while the answer was awaited."""
        return max(0, round(1e6 * late_s(now)) - self._noted_us) + self._unseen_us


def late(used_us: int, limit_us: int) -> str:
    """The error text for a timeout."""
    return f"{used_us / 1e6:.3f} s for an answer that had {limit_us / 1e6:.3f} s"


def too_long(spent: Spent, longest_us: int) -> str:
    """The error text for a timeout if the bot's own time had not run out."""
    passed_s = (spent.used_us + spent.credited_us) / 1e6
    return (
        f"no answer came for {passed_s:.3f} s, and no bot is waited for longer than {longest_us / 1e6:.3f} s; "
        f"it had {spent.used_us / 1e6:.3f} s for itself, the rest went to other work of this machine"
    )
