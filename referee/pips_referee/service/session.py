"""A bot's process at its tables: open questions, clock and outbox."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from pips.v1 import player_pb2, referee_pb2
from pips_referee.match import FaultKind, Spent
from pips_referee.printable import plain
from pips_referee.service.asked import Asked, Asker, QuestionName
from pips_referee.service.guest import Guest, Way
from pips_referee.service.outbox import Outbox
from pips_referee.service.stopwatch import LateS, Stopwatch, late, too_long
from pips_referee.timing.clock import CoreWait
from pips_referee.timing.pondering import Group
from pips_referee.timing.standstill import BEATS

PROTOCOL_VERSION: Final = 1
STREAM_ENDED: Final = "the stream ended"
ENDED_S: Final = 2.0
"""Seconds after which a lost stream counts as disconnected.

Until then the process may be about to end. If it has ended, the launcher's report is
awaited for as long as a return of the bot.
"""
MOST_NAME: Final = 100
MOST_GAMES: Final = 20
"""A bot's hello is cut to this many games, and to `MOST_NAME` characters a name."""
MOST_DEATHS: Final = 3
"""After so many deaths without an answer, matches begin without the bot.

Up to then a match that has not begun waits for the bot's next process.
"""
_KEY_BYTES: Final = 32


class Session:
    """One bot process; the session outlives its disconnections.

    Its questions wait in a queue. The stopwatch times only the first. The next message
    to the bot waits in the outbox.
    """

    guest: Guest | None = None
    """The guest, if the bot is on another machine."""
    bot_name = ""
    games: tuple[str, ...] = ()
    without_events: tuple[str, ...] = ()
    """The games whose events the bot does not read."""
    most_tables = 0
    """The most tables for it at once, heeded by the organiser; 0 means no limit."""
    reads_json = False
    """Whether its questions are written as JSON."""
    is_sending = False
    """A message is being sent; this lasts until the bot reads it."""
    hang_up: Callable[[], object] = bool
    """Ends the stream soon."""
    _spare = BEATS
    """How many more standstills the wait for its return may ignore."""
    _deaths = 0
    """How many processes ended after their hello since the last answer."""

    def __init__(self, process: str) -> None:
        self.process = process
        self.launch = -1
        self.returns = 0
        """How often its process came back since the last answer."""
        self.key = secrets.token_bytes(_KEY_BYTES)
        """The key sent with the welcome, which the bot shows when it comes back."""
        self.connected = asyncio.Event()
        self.queue: deque[Asked] = deque()
        self.seats: dict[int, tuple[Asker, int]] = {}
        """The tables and seats, by table number on this stream."""
        self.withdrawn: dict[QuestionName, int] = {}
        """Questions closed by this bot's own fault, with their order.

        An answer to one is dropped if it comes before the answer to a later question.
        """
        self.stopwatch = Stopwatch(self.queue)
        self.outbox = Outbox(self.queue)
        self.empty_messages = 0
        self.empty_bytes = 0
        self.group: Group | None = None
        """Its processes, known once the launcher reports the pid."""
        self.may_ponder = True
        self.out_of_turn_us = 0
        """CPU time used while it had nothing to answer, not yet reported."""
        self.gone = asyncio.Event()
        """Set while there is no stream."""
        self.gone.set()
        self.lost_at: float | None = None
        self.ended: referee_pb2.ProcessEnded | None = None
        """The launcher's report on the last process's end, until the next start."""
        self.decided = asyncio.Event()
        """Set once it is known whether the bot can play or failed to start."""
        self.closing = ""

    def awaited(self, answered: Sequence[QuestionName]) -> int:
        """How many of these answers, from the first on, are to questions asked.

        They share the time that passed. The count ends at the first that is not.
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
        """The cost of each of the `shared_by` answers in the message that came now."""
        self.returns = self._deaths = 0
        return self.stopwatch.spent(now, late_s, shared_by)

    def overdue(self, now: float, late_s: LateS) -> Spent | None:
        """The cost so far of the first question's answer, if over the limit."""
        if self.is_sending and self.queue and self.stopwatch.since is None:
            self.stopwatch.since = now  # the time of a bot that does not read is its own
        return self.stopwatch.overdue(now, late_s)

    def fault_overdue(self, now: float, late_s: LateS) -> None:
        """Fault the first question if its answer is late, and time the next one."""
        spent = self.overdue(now, late_s)
        if spent is None:
            return
        head = self.queue[0]
        self.give_up()
        self.stopwatch.restart(now)
        if not head.withdrawn:
            clock = head.clock
            if spent.used_us > clock.limit_us:
                reason, detail = "late", late(spent.used_us, clock.limit_us)
            else:
                reason, detail = "longest", too_long(spent, clock.longest_us)
            head.table.fault(head.seat, FaultKind.TIMEOUT, reason, detail, spent=spent)
        self.outbox.stir()

    @property
    def way(self) -> Way | None:
        """The round trip to a bot on another machine; None for one on this machine."""
        return self.stopwatch.way

    def invite(self, guest: Guest) -> None:
        """Give the session to this guest's bot, on another machine."""
        self.guest, self.stopwatch.way = guest, guest.way

    def look_out_of_turn(self, now: float) -> None:
        """Measure the CPU time used out of turn; skip it during withdrawn questions."""
        if self.group is None:
            return
        if not self.withdrawn:
            in_turn_s = (self.stopwatch.in_turn_us + self.stopwatch.elapsed_us(now)) / 1e6
            self.out_of_turn_us += self.group.burnt_us(in_turn_s, is_in_turn=self.stopwatch.since is not None)
        else:
            self.group.pause()

    def rest(self) -> None:
        """Stop a bot that may not ponder and owes no answer until it is asked."""
        if not self.may_ponder and self.group is not None and not self.queue and not self.withdrawn:
            self.group.stop()

    def process_started(self, pid: int, *, may_ponder: bool = True, group: str = "") -> None:
        """Record a start that the launcher reports; an earlier report is void."""
        self.lose_process()
        self.ended = None
        self.stopwatch.core_wait = CoreWait(pid)
        self.group, self.may_ponder = Group(pid, group), may_ponder
        if not self.connected.is_set():
            self.decided.clear()

    def process_is_gone(self) -> bool:
        """Whether the last process has ended, even if that is not reported yet."""
        wait = self.stopwatch.core_wait
        return wait is not None and not wait.is_alive()

    @property
    def is_here(self) -> bool:
        """Whether a match can begin now: a stream may outlive its process briefly."""
        return self.connected.is_set() and not self.process_is_gone()

    def await_next(self) -> None:
        """Expect the next process if the current one has ended before its stream."""
        if self.connected.is_set() and not self.is_here:
            self.decided.clear()

    def process_ended(self, ended: referee_pb2.ProcessEnded) -> None:
        """Record a process's end, unless a newer process has connected since.

        An end after the hello costs the match that the process was in. Matches that
        have not begun wait for the next process. If that cannot start, they begin
        without the bot.
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
        """Fault the question that an ended process was working on, as a crash.

        Its stream may last a little longer, as a process with much memory ends slowly.
        The stream is not waited for.
        """
        if self.ended is not None:
            self.lose(FaultKind.CRASH, self.ended.how, self.ended.last_output, refused=self.ended.refused)
            if self.connected.is_set():
                self.send_away(self.ended.how)

    def give_up(self) -> None:
        """Withdraw the late first question: the bot may still work on it."""
        head = self.queue.popleft()
        self.withdrawn[head.name] = head.order

    def passed(self, order: int) -> None:
        """Forget the questions that were withdrawn before the one now answered."""
        if self.withdrawn:
            self.withdrawn = {name: put for name, put in self.withdrawn.items() if put > order}

    def take_out(self, now: float) -> player_pb2.PlayResponse:
        """Return the message to send now; its questions count as sent."""
        message = self.outbox.take()
        if not self.may_ponder and self.queue and self.group is not None:
            self.group.go_on()
        self.stopwatch.sent(now)
        if self.guest is not None and self.guest.way.wants_ping(now):
            message.ping = self.guest.way.ping(now)
        return message

    def ping(self, now: float) -> None:
        """Ping a bot on another machine if it is idle and a ping is due.

        If it has stopped answering pings, hang up.
        """
        if self.way is not None and self.way.is_silent(now):
            self.send_away("no ping came back for too long")
        elif self.way is not None and not self.queue and self.way.wants_ping(now):
            self.outbox.knock()

    def lose(self, kind: FaultKind, detail: str, evidence: str = "", *, refused: bool = False) -> bool:
        """The stream is lost: the question that the bot was working on is a fault.

        The other questions wait for the next process. Returns whether there was such a
        question. If the machine `refused` something, the match becomes void, at no
        bot's cost.
        """
        head = self.queue[0] if self.queue and self.queue[0].sent and not self.queue[0].withdrawn else None
        if head is not None and kind is FaultKind.DISCONNECT and self.way is not None and self.way.forgives():
            head = None
        kept = [asked for asked in self.queue if not asked.withdrawn]
        self.queue.clear()
        self.queue.extend(kept)
        for asked in self.queue:
            asked.sent = False
        self.stopwatch.restart(0.0)
        if head is not None:
            if refused:
                head.table.void(f"{self.process}: {detail}")
            else:
                head.table.fault(head.seat, kind, detail=detail, evidence=evidence)
        return head is not None

    def connect(
        self,
        bot_name: str,
        games: Sequence[str],
        without_events: Sequence[str] = (),
        most_tables: int = 0,
        *,
        reads_json: bool = False,
    ) -> None:
        """Welcome a process of this name, and send it everything it needs.

        What an earlier process was sent does not count.
        """
        self.lose_process()
        self.lose(FaultKind.DISCONNECT, STREAM_ENDED)
        if self.guest is not None:
            self.guest.begin()
        self.bot_name = _kept(bot_name)
        self.games = _some(games)
        self.without_events = _some(without_events)
        self.most_tables, self.reads_json = most_tables, reads_json
        self.lost_at, self.ended, self._spare = None, None, BEATS
        self.closing = ""
        self.withdrawn.clear()
        welcome = self.outbox.begin().welcome
        welcome.protocol_version = PROTOCOL_VERSION
        welcome.process = self.process
        welcome.session_key = self.key = secrets.token_bytes(_KEY_BYTES)
        for table, seat in list(self.seats.values()):
            table.resume(seat)
        for asked in list(self.queue):
            asked.table.put_again(asked)
        self.connected.set()
        self.gone.clear()
        self.decided.set()

    def disconnect(self, now: float, late_s: LateS = lambda _: 0.0) -> None:
        """Record that the stream has ended.

        The cost is decided when the launcher reports on the process, or a while later.
        """
        self.connected.clear()
        self.gone.set()
        self.is_sending = False
        self.lost_at = now
        if self.guest is not None:
            is_at_work = self.queue and self.queue[0].sent and not self.queue[0].withdrawn
            if is_at_work:
                self.guest.way.carry(self.queue[0].name, self.stopwatch.cost_us(now, late_s))
        if self.ended is None:
            self.decided.clear()

    def await_return(self, now: float, usual_s: float) -> None:
        """Fault a lost process's question, once; its matches wait for the next process.

        `usual_s` is how many seconds matches wait, unless the guest's terms say
        otherwise.
        """
        if self.lost_at is None:
            self.lost_at = now
        if self.queue and self.ended is None and now - self.lost_at > ENDED_S and not self.process_is_gone():
            self.lose(FaultKind.DISCONNECT, STREAM_ENDED)
        grace_s = self.grace_s(usual_s)
        if now - self.lost_at > grace_s:
            if self.guest is not None:
                self.decided.set()  # so that no other match waits for it
            for table, seat in list(self.seats.values()):
                if table.is_open:  # a table still waiting for bots notices by itself
                    table.fault(seat, FaultKind.DISCONNECT, detail=f"not connected for {grace_s:g} s")

    def stood_still(self, now: float, seconds: float) -> None:
        """Give a lost process the time, too, for which the machine stood still."""
        if self.lost_at is not None and self._spare:
            self._spare -= 1
            self.lost_at = min(now, self.lost_at + seconds)
        if self.way is not None:
            self.way.stood_still(now, seconds)

    def send_away(self, why: str) -> None:
        """End the stream, if there is one."""
        self.closing = why
        self.hang_up()

    def grace_s(self, usual_s: float) -> float:
        """How many seconds a match waits for this bot."""
        return usual_s if self.way is None else self.way.terms.grace_s

    def sit(self, table: Asker, seat: int) -> int:
        """Take a seat; return the table's number on this stream.

        The number is random, so that it says nothing about the match.
        """
        while (number := secrets.randbits(32)) in self.seats or not number:
            pass
        self.seats[number] = (table, seat)
        return number

    def leave(self, table_number: int, *, at_fault: bool = False) -> None:
        """Leave a table; a question still open is withdrawn, or removed if unsent."""
        del self.seats[table_number]
        for asked in [asked for asked in self.queue if asked.name[0] == table_number]:
            if asked.sent and not at_fault:
                asked.withdrawn = True
                continue
            self.queue.remove(asked)
            if asked.sent:
                self.withdrawn[asked.name] = asked.order
            else:
                self.outbox.drop_questions(table_number)
        if not self.queue:
            self.stopwatch.restart(0.0)
        self.outbox.stir()


def _some(games: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(_kept, games[:MOST_GAMES]))


def _kept(name: str) -> str:
    return plain(name[:MOST_NAME])[:MOST_NAME]
