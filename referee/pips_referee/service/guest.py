"""Guests: bots on other machines, round-trip times, and news for their authors."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from pips.v1 import player_pb2
from pips_referee.timing.standstill import BEATS

PING_S: Final = 1.0
"""Interval of the pings, in seconds."""
SILENT_S: Final = 10.0
"""A ping is answered at once. A guest that has not answered after this time is gone."""
PINGS_KEPT: Final = 16
PING_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Terms:
    """What a league grants to bots on other machines."""

    grace_s: float = 20.0
    """How long a match waits for a lost guest, in seconds."""
    most_rtt_us: int = 0
    """The most travel time credited for one answer, in microseconds."""
    drops: int = 0
    """How many lost streams have no penalty if the bot is back in time."""


@dataclass(slots=True)
class Way:
    """The round-trip time to a guest, in microseconds.

    It is measured by pings of random bytes, so that a bot cannot answer one before it
    arrives. The fastest of the last pings counts. A slow ping means that the bot was at
    work, or that the network was briefly busy. A bot that delays all its pings gains no
    more than the league grants to everybody.
    """

    terms: Terms
    drops_left: int = 0
    is_due: bool = False
    """Whether questions were sent and not answered yet.

    The time of the first of them includes the round trip.
    """
    _carried: tuple[tuple[int, int] | None, int] = (None, 0)
    """The question open when the stream was lost, by name, and its cost so far."""
    _times_us: deque[int] = field(default_factory=lambda: deque(maxlen=PINGS_KEPT))
    _ping: bytes = b""
    _pinged_s: float = float("-inf")
    _is_excused: bool = False
    """The host stood still, and nothing has arrived since.

    A guest that hung up meanwhile is excused.
    """
    _is_spoilt: bool = False
    """The host stood still while the ping was out."""
    _spare: int = BEATS
    """How many more standstills the wait for the ping may ignore."""

    def __post_init__(self) -> None:
        self.drops_left = self.terms.drops

    @property
    def rtt_us(self) -> int:
        """The fastest of the last pings; 0 if unknown."""
        return min(self._times_us, default=0)

    def carry(self, question: tuple[int, int], cost_us: int) -> None:
        """Keep the cost so far of the question open when the stream was lost."""
        self._carried = question, cost_us

    def sent_us(self, first: tuple[int, int]) -> int:
        """Record that questions are sent; return the earlier cost of the first.

        That is 0 unless the question was open when the last stream was lost.
        """
        (question, cost_us), self._carried, self.is_due = self._carried, (None, 0), True
        return cost_us if question == first else 0

    def credit_us(self, passed_us: int) -> int:
        """The part of an answer's time that was the round trip."""
        return min(passed_us, self.rtt_us, self.terms.most_rtt_us) if self.is_due else 0

    def wants_ping(self, now: float) -> bool:
        """Whether a ping is due and none is pending; `now` in seconds."""
        return not self._ping and now - self._pinged_s >= PING_S

    def is_silent(self, now: float) -> bool:
        """Whether a guest has stopped answering pings.

        It is hanging, or its network is lost.
        """
        return bool(self._ping and self._times_us) and now - self._pinged_s > SILENT_S

    def ping(self, now: float) -> bytes:
        """The bytes of a ping to send now."""
        self._ping, self._pinged_s = secrets.token_bytes(PING_BYTES), now
        self._is_spoilt, self._spare = False, BEATS
        return self._ping

    def pong(self, data: bytes, now: float) -> bool:
        """Record a ping that came back; False if it is not the one that was sent."""
        if not self._ping or data != self._ping:
            return False
        self._ping = b""
        if not self._is_spoilt:
            self._is_excused = False
            self._times_us.append(max(1, round(1e6 * (now - self._pinged_s))))
        return True

    def begin(self) -> None:
        """Begin a stream: forget the pending ping of the last stream."""
        self._ping, self._pinged_s, self.is_due, self._is_excused = b"", float("-inf"), False, False

    def stood_still(self, now: float, seconds: float) -> None:
        """Record that the referee's machine stood still for `seconds`.

        A pong may be waiting unread, so the time of the pending ping is ignored.
        """
        self._is_excused = self._is_spoilt = True
        if self._ping and self._spare:
            self._spare -= 1
            self._pinged_s = min(now, self._pinged_s + seconds)

    def forgives(self) -> bool:
        """Whether another lost stream has no penalty."""
        if self._is_excused:
            return True
        self.drops_left -= 1
        return self.drops_left >= 0


@dataclass(eq=False, slots=True)
class Guest:
    """An invited bot: name, hash of the token, games, and who listens to its news."""

    process: str
    token_sha256: bytes
    games: tuple[str, ...]
    way: Way
    _last: str = ""
    _over: bool = False
    _listener: asyncio.Queue[player_pb2.AttendResponse | str] | None = None

    def begin(self) -> None:
        """Begin the bot's stream."""
        self.way.begin()

    def listen(self) -> asyncio.Queue[player_pb2.AttendResponse | str]:
        """A queue of the news from now on, beginning with the latest.

        A plain text in the queue says why the news ends.
        """
        self.send_away("this invite is in use: another `pips-bot join` has taken the seat")
        self._listener = asyncio.Queue()
        self.tell(self._last, over=self._over)
        return self._listener

    def tell(self, line: str, *, over: bool = False) -> None:
        """Send a sentence to the person who runs the bot; "" clears it."""
        self._last, self._over = line, over
        if self._listener is not None:
            self._listener.put_nowait(
                player_pb2.AttendResponse(process=self.process, games=self.games, news=line, over=over)
            )

    def stop_listening(self, listener: asyncio.Queue[player_pb2.AttendResponse | str]) -> None:
        """Remove a listener that has gone."""
        if self._listener is listener:
            self._listener = None

    def send_away(self, why: str) -> None:
        """Send the listener this reason as the last news."""
        if self._listener is not None:
            self._listener.put_nowait(why)
            self._listener = None
