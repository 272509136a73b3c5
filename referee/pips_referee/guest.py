"""Bots on other machines: who is invited, how long the way to them is, what those who
run them are told.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from pips.v1 import player_pb2

PING_S: Final = 1.0
"""How often the way is measured."""
SILENT_S: Final = 10.0
"""A ping is answered at once; who has not done so after that long is gone."""
PINGS_KEPT: Final = 16
PING_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Terms:
    """What a league grants to bots on other machines."""

    grace_s: float = 20.0
    """For so long a match waits for one that was lost."""
    most_rtt_us: int = 0
    """So much of the way is credited to an answer, at most."""
    drops: int = 0
    """So many lost streams cost no match, if the bot is back in time."""


@dataclass(slots=True)
class Way:
    """The way to a bot on another machine and back, in microseconds.

    It is measured by pings of random bytes, so that none can be sent back before it has
    come. Of the last ones the quickest counts: one that comes late tells of a bot that
    was at work, or of a network that was busy for once. Who keeps all of them back
    gains what the league grants to everybody, and no more.
    """

    terms: Terms
    drops_left: int = 0
    is_due: bool = False
    """Questions were sent of which no answer has come: the first one's time has the way
    there and back in it.
    """
    _carried: tuple[tuple[int, int] | None, int] = (None, 0)
    """The name of the question that the bot was at when the stream was lost, and what
    it had cost.
    """
    _times_us: deque[int] = field(default_factory=lambda: deque(maxlen=PINGS_KEPT))
    _ping: bytes = b""
    _pinged_s: float = float("-inf")

    def __post_init__(self) -> None:
        self.drops_left = self.terms.drops

    @property
    def rtt_us(self) -> int:
        """0 when it is not known."""
        return min(self._times_us, default=0)

    def carry(self, question: tuple[int, int], cost_us: int) -> None:
        """The stream is lost while the bot is at a question that has cost so much."""
        self._carried = question, cost_us

    def sent_us(self, first: tuple[int, int]) -> int:
        """Questions are sent: what the first of them had cost before, if it is the one
        that is put again.
        """
        (question, cost_us), self._carried, self.is_due = self._carried, (None, 0), True
        return cost_us if question == first else 0

    def credit_us(self, passed_us: int) -> int:
        """How much of the time that an answer took was the way's."""
        return min(passed_us, self.rtt_us, self.terms.most_rtt_us) if self.is_due else 0

    def wants_ping(self, now: float) -> bool:
        """Whether none is on its way and it is time for one; `now` in seconds."""
        return not self._ping and now - self._pinged_s >= PING_S

    def is_silent(self, now: float) -> bool:
        """Whether who has sent pings back leaves one without an answer: its network is
        lost, or it hangs.
        """
        return bool(self._ping and self._times_us) and now - self._pinged_s > SILENT_S

    def ping(self, now: float) -> bytes:
        """A ping to be sent now."""
        self._ping, self._pinged_s = secrets.token_bytes(PING_BYTES), now
        return self._ping

    def pong(self, data: bytes, now: float) -> bool:
        """A ping that came back; False when it is not the one that was sent."""
        if not self._ping or data != self._ping:
            return False
        self._ping = b""
        self._times_us.append(max(1, round(1e6 * (now - self._pinged_s))))
        return True

    def begin(self) -> None:
        """A stream begins: what was under way on the last one is lost."""
        self._ping, self._pinged_s, self.is_due = b"", float("-inf"), False

    def forgives(self) -> bool:
        """Whether another lost stream costs nothing."""
        self.drops_left -= 1
        return self.drops_left >= 0


@dataclass(eq=False, slots=True)
class Guest:
    """One who is invited: the seat's name, the hash of the token, the games, and who
    listens to the news.
    """

    process: str
    token_sha256: bytes
    games: tuple[str, ...]
    way: Way
    _last: str = ""
    _over: bool = False
    _listener: asyncio.Queue[player_pb2.AttendResponse | str] | None = None

    def begin(self) -> None:
        """The bot's stream begins."""
        self.way.begin()

    def listen(self) -> asyncio.Queue[player_pb2.AttendResponse | str]:
        """The news from now on, the last one first; a text in place of one says why
        there are no more.
        """
        self.send_away("this invite is in use: another `pips-bot join` has taken the seat")
        self._listener = asyncio.Queue()
        self.tell(self._last, over=self._over)
        return self._listener

    def tell(self, line: str, *, over: bool = False) -> None:
        """A sentence for the person who runs the bot; empty for none."""
        self._last, self._over = line, over
        if self._listener is not None:
            self._listener.put_nowait(
                player_pb2.AttendResponse(process=self.process, games=self.games, news=line, over=over)
            )

    def stop_listening(self, listener: asyncio.Queue[player_pb2.AttendResponse | str]) -> None:
        """The listener is gone."""
        if self._listener is listener:
            self._listener = None

    def send_away(self, why: str) -> None:
        """Whoever listens is told that, and nothing more."""
        if self._listener is not None:
            self._listener.put_nowait(why)
            self._listener = None
