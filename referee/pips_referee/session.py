"""A bot's process at its tables: its queue of open questions, its clock and
its outbox.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Final

from pips.v1 import player_pb2, referee_pb2
from pips_referee.clock import SLOW_US, CoreWait
from pips_referee.guest import Guest, Way
from pips_referee.match import FaultKind, Spent
from pips_referee.pondering import Group
from pips_referee.printable import plain

if TYPE_CHECKING:
    from pips_referee.table import Table

PROTOCOL_VERSION: Final = 1
LateS = Callable[[float], float]
"""For how many seconds a message that is taken at this time may have lain
there unread.
"""
QuestionName = tuple[int, int]
"""The table's number on the stream, and the question's number there."""
STREAM_ENDED: Final = "the stream ended"
MOST_NAME: Final = 100
MOST_GAMES: Final = 20
"""What a bot says of itself is kept no longer than that, in characters and games."""
MOST_DEATHS: Final = 3
"""A match that has not begun waits for the next process of a bot that ended, unless it
has ended so often in a row with nothing answered in between.
"""
_KEY_BYTES: Final = 32


@dataclass(slots=True)
class Asked:
    """An open question of a session."""

    table: Table
    seat: int
    name: QuestionName
    sent: bool = False
    order: int = field(default_factory=count().__next__)
    """Of two questions the one with the smaller number was put first, and is to be
    answered first.
    """
    withdrawn: bool = False
    """The match went on without the answer, through no doing of this bot's. Once sent
    it stays in the queue, since the bot is at it or will be: the answer is dropped, and
    its time is nobody else's.
    """


class Session:
    """One bot process: it may disconnect and come back, the session stays.

    Only the head of the queue is on the clock: `head_since` is the time (seconds,
    monotonic) at which it was both sent and first in the queue, None while the bot has
    nothing to answer.
    """

    guest: Guest | None = None
    """Of a bot on another machine."""
    bot_name = ""
    games: tuple[str, ...] = ()
    without_events: tuple[str, ...] = ()
    """The games whose events the bot does not read."""
    is_sending = False
    """A message is being sent, which ends when the bot reads."""
    hang_up: Callable[[], object] = bool
    """Ends the stream, soon."""
    _deaths = 0
    """How many of its processes ended after their hello since it last answered
    something.
    """

    def __init__(self, process: str) -> None:
        self.process = process
        self.launch = -1
        self.returns = 0
        """How often its process came back since it last answered something."""
        self.key = secrets.token_bytes(_KEY_BYTES)
        """What the bot was given at its welcome, to come back with."""
        self.connected = asyncio.Event()
        self.queue: deque[Asked] = deque()
        self.seats: dict[int, tuple[Table, int]] = {}
        """By table number on this stream."""
        self.withdrawn: dict[QuestionName, int] = {}
        """Questions that this bot's own fault has closed, with their order: an answer
        to one is dropped, if it comes before that to a later one.
        """
        self.head_since: float | None = None
        self.empty_messages = 0
        self.empty_bytes = 0
        self.core_wait: CoreWait | None = None
        """Known when the launcher told the process's pid."""
        self.group: Group | None = None
        """Its processes, known with the pid."""
        self.may_ponder = True
        self.out_of_turn_us = 0
        """CPU time that it used while it had nothing to answer, not yet told of."""
        self._in_turn_us = 0
        self._is_marked = False
        self._unseen_us = 0
        """For how much of the time before the mark the referee was late."""
        self._was_late = False
        self.gone = asyncio.Event()
        """Set while there is no stream."""
        self.gone.set()
        self.lost_at: float | None = None
        self.ended: referee_pb2.ProcessEnded | None = None
        """The launcher's word on how the last process ended, until there is another."""
        self.decided = asyncio.Event()
        """Set while it is known whether the bot can play: it is connected, or it could
        not be started.
        """
        self.wake = asyncio.Event()
        self.closing = ""
        self.unsent = False
        self._out = player_pb2.PlayResponse()

    @property
    def out(self) -> player_pb2.PlayResponse:
        """The message being filled; whoever writes into it has it sent."""
        if not self.unsent:
            self.unsent = True
            self.stir()
        return self._out

    def stir(self) -> None:
        """Have the message sent as soon as the bot has nothing left to answer.

        A bot is one thread: what it is sent while it is busy it could only put on a
        heap. So what becomes ready in the meantime travels in one message, and with
        many tables a message carries many questions.
        """
        if self.unsent and not (self.queue and self.queue[0].sent):
            self.wake.set()

    def awaited(self, answered: Sequence[QuestionName]) -> int:
        """How many of these, up to the first that is not, were asked: their answers
        share the time that passed.
        """
        asked, taken_back, count = iter(self.queue), set(self.withdrawn), 0
        for name in answered:
            if name in taken_back:
                taken_back.remove(name)
            elif (due := next(asked, None)) is None or not due.sent or due.name != name:
                break
            count += 1
        return count

    def spent(self, now: float, late_s: LateS, shared_by: int) -> Spent:
        """The ledger of each of so many answers that came now."""
        elapsed_us = self._elapsed_us(now)
        credited_us = self._credit_us(now, elapsed_us, late_s)
        wire_us = self._wire_us(elapsed_us - credited_us)
        self._in_turn_us += elapsed_us
        self.returns = self._deaths = 0
        used_us = elapsed_us - credited_us - wire_us
        return Spent(used_us // shared_by, credited_us // shared_by, shared_by, wire_us=wire_us // shared_by)

    def overdue(self, now: float, late_s: LateS) -> Spent | None:
        """What the head's answer has cost so far, when that is more than it may, or
        when more has passed than may.

        Seen twice, so that an answer that lies unread is read first. Time for which the
        referee itself was late, as when the whole machine stood still, counts for
        neither.
        """
        if self.head_since is None and self.queue and self.is_sending:
            self.head_since = now  # a bot that does not read what it is sent does so in its own time
        if self.head_since is None or not self.queue:
            return None
        elapsed_us = self._elapsed_us(now)
        if elapsed_us > self._slow_us() and self.core_wait is not None:
            if self._is_marked:
                self.core_wait.sample(now)
            else:
                self.core_wait.mark(now)
                self._is_marked, self._unseen_us = True, min(elapsed_us, round(1e6 * late_s(now)))
        head = self.queue[0]
        clock = head.table.clocks[head.seat]
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

    @property
    def way(self) -> Way | None:
        """To a bot on another machine."""
        return None if self.guest is None else self.guest.way

    def _wire_us(self, passed_us: int) -> int:
        return 0 if self.guest is None else self.guest.way.credit_us(passed_us)

    def _elapsed_us(self, now: float) -> int:
        return round(1e6 * (now - self.head_since)) if self.head_since is not None else 0

    def _slow_us(self) -> int:
        """From when on the kernel's ledger is worth a look: quick answers travel
        together, and each has its time.
        """
        if not self.queue:
            return SLOW_US
        head = self.queue[0]
        return min(SLOW_US * len(self.queue), max(SLOW_US, head.table.clocks[head.seat].limit_us // 10))

    def _credit_us(self, now: float, elapsed_us: int, late_s: LateS) -> int:
        """What of the time is not the bot's. A quick answer is not worth the look."""
        if elapsed_us <= SLOW_US or elapsed_us <= self._slow_us():
            return 0
        credited_us, ran_us = round(1e6 * late_s(now)), 0
        if self._is_marked and self.core_wait is not None:
            credited_us += self._unseen_us + self.core_wait.credit_us(now)
            ran_us = self.core_wait.ran_us
        return max(0, min(elapsed_us - ran_us, credited_us))  # referee and bot may have waited at the same time

    def _late_us(self, now: float, late_s: LateS) -> int:
        """For how much of the time the referee was late, as far as it knows."""
        return round(1e6 * late_s(now)) + self._unseen_us

    def look_out_of_turn(self, now: float) -> None:
        """Measure what its processes computed while it had nothing to answer, not even
        what was taken back.
        """
        if self.group is None:
            return
        if not self.withdrawn:
            in_turn_s = (self._in_turn_us + self._elapsed_us(now)) / 1e6
            self.out_of_turn_us += self.group.burnt_us(in_turn_s, is_in_turn=self.head_since is not None)
        else:
            self.group.pause()

    def rest(self) -> None:
        """It has answered: if it may not ponder and owes no answer, it is stopped until
        it is asked again.
        """
        if not self.may_ponder and self.group is not None and not self.queue and not self.withdrawn:
            self.group.stop()

    def process_started(self, pid: int, *, may_ponder: bool = True, group: str = "") -> None:
        """The launcher's word: what it said of an earlier process's end is old now."""
        self.lose_process()
        self.ended = None
        self.core_wait, self.group, self.may_ponder = CoreWait(pid), Group(pid, group), may_ponder
        if not self.connected.is_set():
            self.decided.clear()

    def process_is_gone(self) -> bool:
        """Whether the process that the launcher started last has ended, of which its
        word is on the way.
        """
        return self.core_wait is not None and not self.core_wait.is_alive()

    @property
    def is_here(self) -> bool:
        """Whether a match can begin with it: a stream may outlive its process for a
        moment.
        """
        return self.connected.is_set() and not self.process_is_gone()

    def await_next(self) -> None:
        """A match is ordered: one whose process has ended, but not its stream, is
        waited for.
        """
        if self.connected.is_set() and not self.is_here:
            self.decided.clear()

    def process_ended(self, ended: referee_pb2.ProcessEnded) -> None:
        """The launcher's word, ignored if a newer process has connected since.

        A process that said hello and ended costs the match it was at. Matches that have
        not begun wait for the next process; they begin without the bot if that one
        cannot start.
        """
        if ended.launch < self.launch:
            return
        self.ended = ended
        said_hello = ended.launch == self.launch
        self._deaths += said_hello
        if said_hello and self._deaths < MOST_DEATHS:
            self.decided.clear()
        else:
            self.decided.set()

    def lose_process(self) -> None:
        """The question that an ended process was at is its crash. What held much memory
        takes its time to go: a stream that is still there is not waited for.
        """
        if self.ended is not None:
            self.lose(FaultKind.CRASH, self.ended.how, self.ended.last_output, refused=self.ended.refused)
            if self.connected.is_set():
                self.send_away(self.ended.how)

    def give_up(self) -> None:
        """The head is late: the bot is on its own with it."""
        head = self.queue.popleft()
        self.withdrawn[head.name] = head.order

    def passed(self, order: int) -> None:
        """That question was answered: no answer to an earlier one comes any more."""
        if self.withdrawn:
            self.withdrawn = {name: put for name, put in self.withdrawn.items() if put > order}

    def restart_clock(self, now: float) -> None:
        """The head changed: its clock starts now if it was sent, else when it is."""
        self.head_since = now if self.queue and self.queue[0].sent else None
        self._was_late, self._unseen_us = False, 0
        # The ledger was just read for a slow answer: of the next one's time nothing is
        # unseen.
        wait = self.core_wait if self._is_marked and self.head_since is not None else None
        self._is_marked = wait is not None and wait.mark_again(now)
        if self.guest is not None:
            self.guest.way.is_due = False

    def take_out(self, now: float) -> player_pb2.PlayResponse:
        """The message to send now; its questions count as sent."""
        message, self._out = self._out, player_pb2.PlayResponse()
        self.unsent = False
        self.wake.clear()
        for asked in self.queue:
            asked.sent = True
        if not self.may_ponder and self.queue and self.group is not None:
            self.group.go_on()
        if self.queue and self.head_since is None:
            self.head_since = now if self.guest is None else now - self.guest.way.sent_us(self.queue[0].name) / 1e6
        if self.guest is not None and self.guest.way.wants_ping(now):
            message.ping = self.guest.way.ping(now)
        return message

    def ping(self, now: float) -> None:
        """Send a bot on another machine that has nothing to answer a ping, if it is
        time; hang up on a silent one.
        """
        if self.way is not None and self.way.is_silent(now):
            self.send_away("no ping came back for too long")
        elif self.way is not None and not self.queue and self.way.wants_ping(now):
            self.unsent = True
            self.stir()

    def lose(self, kind: FaultKind, detail: str, evidence: str = "", *, refused: bool = False) -> bool:
        """The stream is lost: that costs the question the bot was at, if any; the
        others wait for the next process.

        Whether it was at one. What the machine `refused` costs no bot anything: that
        match is void.
        """
        head = self.queue[0] if self.queue and self.queue[0].sent and not self.queue[0].withdrawn else None
        if head is not None and kind is FaultKind.DISCONNECT and self.way is not None and self.way.forgives():
            head = None
        self.queue = deque([asked for asked in self.queue if not asked.withdrawn])
        for asked in self.queue:
            asked.sent = False
        self.restart_clock(0.0)
        if head is not None:
            if refused:
                head.table.void(f"{self.process}: {detail}")
            else:
                head.table.fault(head.seat, kind, detail=detail, evidence=evidence)
        return head is not None

    def connect(self, bot_name: str, games: Sequence[str], without_events: Sequence[str] = ()) -> None:
        """A process of this name said hello: it is told everything it needs, whatever
        an earlier one was told.
        """
        self.lose_process()
        self.lose(FaultKind.DISCONNECT, STREAM_ENDED)
        if self.guest is not None:
            self.guest.begin()
        self.bot_name = _kept(bot_name)
        self.games = _some(games)
        self.without_events = _some(without_events)
        self.lost_at = self.ended = None
        self.closing = ""
        self.withdrawn.clear()
        self.unsent = True
        self._out = player_pb2.PlayResponse()
        self._out.welcome.protocol_version = PROTOCOL_VERSION
        self._out.welcome.process = self.process
        self._out.welcome.session_key = self.key = secrets.token_bytes(_KEY_BYTES)
        for table, seat in list(self.seats.values()):
            table.resume(seat)
        for asked in list(self.queue):
            asked.table.put_again(asked)
        self.connected.set()
        self.gone.clear()
        self.decided.set()

    def disconnect(self, now: float) -> None:
        """The stream is gone. What that costs is known when the launcher has told of
        the process, or a while later.
        """
        self.connected.clear()
        self.gone.set()
        self.is_sending = False
        self.lost_at = now
        if self.guest is not None:
            is_at_work = self.queue and self.queue[0].sent and not self.queue[0].withdrawn
            if is_at_work:
                self.guest.way.carry(self.queue[0].name, self._elapsed_us(now))
        if self.ended is None:
            self.decided.clear()

    def send_away(self, why: str) -> None:
        """End the stream, if there is one."""
        self.closing = why
        self.hang_up()

    def grace_s(self, usual_s: float) -> float:
        """How long a match waits for it."""
        return usual_s if self.way is None else self.way.terms.grace_s

    def sit(self, table: Table, seat: int) -> int:
        """Take a seat; the table's number on this stream, which says nothing about the
        match.
        """
        while (number := secrets.randbits(32)) in self.seats or not number:
            pass
        self.seats[number] = (table, seat)
        return number

    def leave(self, table_number: int, *, at_fault: bool = False) -> None:
        """Leave a table; its open question, if any, is withdrawn, or never sent."""
        del self.seats[table_number]
        for asked in [asked for asked in self.queue if asked.name[0] == table_number]:
            if asked.sent and not at_fault:
                asked.withdrawn = True
                continue
            self.queue.remove(asked)
            if asked.sent:
                self.withdrawn[asked.name] = asked.order
            else:
                kept = [question for question in self._out.questions if question.table != table_number]
                del self._out.questions[:]
                self._out.questions.extend(kept)
        if not self.queue:
            self.restart_clock(0.0)
        self.stir()


def _some(games: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(_kept, games[:MOST_GAMES]))


def _kept(name: str) -> str:
    return plain(name[:MOST_NAME])[:MOST_NAME]
