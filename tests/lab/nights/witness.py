"""What the bots have seen and how long they thought: records are held against it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from pips.v1 import player_pb2
from pips_referee.records.record import Header, Record, play_answer, read_record
from pips_referee.wire import get_wire

SLACK_US: Final = 25_000
"""What the clock may charge beyond a bot's own time and the way of its messages.

The referee looks at its clocks every 10 ms, and does not look up answers under 5 ms.
"""


class Broken(AssertionError):
    """What must hold in every night did not hold."""


@dataclass
class Heard:
    """What a bot's process was sent of one seat."""

    events: list[bytes] = field(default_factory=list)
    views: dict[int, bytes] = field(default_factory=dict)
    """By the number of the question."""
    events_by: dict[int, int] = field(default_factory=dict)
    """By the number of the question, how many events had come by then."""
    own_us: dict[int, float] = field(default_factory=dict)
    """By the number of the question, how long the bot thought about the answer."""
    asked: dict[int, int] = field(default_factory=dict)
    """By the number of the question, how often it came."""


class Witness:
    """Hears with every bot; holds what it heard against the records."""

    def __init__(self) -> None:
        self.worst_delay_us = 0.0
        """The longest way of a message so far, in one direction."""
        self.broken: str = ""
        """The first thing that did not hold."""
        self._heard: dict[tuple[bytes, int], Heard] = {}
        """By a match's commitment and seat, in its last playing."""

    def ordered(self, header: Header) -> None:
        """A match is played, perhaps again: what was heard in a void one is over."""
        for seat in range(len(header.names)):
            self._heard.pop((header.commitment, seat), None)

    def hears(self, tables: dict[int, Heard], message: player_pb2.PlayResponse) -> None:
        """Note a message to a bot; `tables` has what it heard, by table of its
        stream.
        """
        for start in message.starts:
            seat = (start.commitment, start.seat)
            before = self._heard.get(seat, Heard())
            told = [event.SerializeToString(deterministic=True) for event in start.told]
            self._heard[seat] = tables[start.table] = Heard(told, asked=before.asked)
        for question in message.questions:
            heard = tables[question.table]
            heard.events += [event.SerializeToString(deterministic=True) for event in question.events]
            heard.views[question.number] = question.view.SerializeToString(deterministic=True)
            heard.events_by[question.number] = len(heard.events)
            heard.asked[question.number] = heard.asked.get(question.number, 0) + 1
        for finish in message.finishes:
            if finish.table in tables:
                heard = tables.pop(finish.table)
                heard.events += [event.SerializeToString(deterministic=True) for event in finish.events]

    def thought(self, tables: dict[int, Heard], questions: list[tuple[int, int]], seconds: float, far_s: float) -> None:
        """A bot has thought so long about these questions, by table and number.

        It may be charged for its way, of `far_s`, until that was measured.
        """
        for table, number in questions:
            if table in tables:
                tables[table].own_us[number] = 1e6 * (seconds / len(questions) + 2 * far_s)

    def look(self, data: bytes) -> None:
        """Hold a record against what its seats have heard; the first break is kept."""
        try:
            self._look(read_record(data))
        except Broken as broken:
            self.breaks(str(broken))

    def breaks(self, what: str) -> None:
        """Something did not hold."""
        self.broken = self.broken or what

    def _look(self, record: Record) -> None:
        header = record.header
        match = header.new_match()
        wire: Any = get_wire(header.game.name)
        for index, answer in enumerate(record.answers):
            if match.to_ask is None:
                break
            seat, number = match.to_ask, match.number
            heard = self._heard.get((header.commitment, seat))
            if heard is not None and number in heard.views:
                view = player_pb2.Question()
                wire.write_view(match.state.view(seat), view.view)
                seen = sum(event.seen_by(seat) is not None for event in match.log)
                if heard.views[number] != view.view.SerializeToString(deterministic=True):
                    raise Broken(f"{self._who(record, seat)} was shown another view at question {number}")
                if heard.events_by[number] != seen:
                    told = f"{heard.events_by[number]} events by question {number}, not {seen}"
                    raise Broken(f"{self._who(record, seat)} heard {told}")
            if answer.seat == seat and answer.WhichOneof("reply") == "action" and heard is not None:
                self._look_at_time(record, heard, seat, number, answer.used_us)
            play_answer(match, record, index)
        for seat in range(match.seats):
            self._look_at_events(record, seat, match.log, wire)

    def _look_at_time(self, record: Record, heard: Heard, seat: int, number: int, used_us: int) -> None:
        own_us = heard.own_us.get(number)
        if own_us is None or heard.asked.get(number, 0) != 1:
            return
        if used_us > own_us + 2 * self.worst_delay_us + SLACK_US:
            charged = f"{used_us / 1e6:.3f} s for an answer on which it thought for {own_us / 1e6:.3f} s"
            raise Broken(f"{self._who(record, seat)} was charged {charged}")

    def _look_at_events(self, record: Record, seat: int, log: list[Any], wire: Any) -> None:
        heard = self._heard.get((record.header.commitment, seat))
        if heard is None:
            return
        allowed = []
        for event in log:
            if (seen := event.seen_by(seat)) is not None:
                message = player_pb2.Question().events.add()
                wire.write_event(seen, message)
                allowed.append(message.SerializeToString(deterministic=True))
        if heard.events != allowed[: len(heard.events)]:
            raise Broken(f"{self._who(record, seat)} heard what its seat may not, or heard it wrongly")

    @staticmethod
    def _who(record: Record, seat: int) -> str:
        return f"{record.header.names[seat]} in {record.header.match_id}"
