"""A record step by step, and as text."""

from __future__ import annotations

from itertools import chain

import pytest

from pips.v1 import record_pb2
from pips_referee.cards import parse_card
from pips_referee.errors import RecordError
from pips_referee.game import REGISTRY
from pips_referee.games.serpent.values import Given, Lead
from pips_referee.match import Fault, FaultKind
from pips_referee.records.record import Record, read_record, write_record
from pips_referee.records.replay import Step, fault_text, get_text, replay_pages, steps
from tests.records import new_header, play_random, random_record


def record_of(game: str = "serpent", faults: dict[int, FaultKind] | None = None) -> Record:
    seats = 3 if game != "serpent" and faults else None
    return read_record(random_record(game, seats, bytes([8] * 32), faults))


def text_of(record: Record, seat: int | None = None) -> str:
    return "\n".join(line for page in replay_pages(record, seat) for line in page)


class TestSteps:
    @pytest.mark.parametrize("game", REGISTRY)
    def test_together_they_are_the_match(self, game: str) -> None:
        header = new_header(game, seed=bytes([8] * 32))
        match = play_random(header)
        made = list(steps(read_record(write_record(header, match))))
        assert made[0].reply is None and made[0].question is None
        assert [step.reply for step in made[1:]] == match.history
        assert [*chain.from_iterable(step.events for step in made)] == match.log

    def test_an_answer_stands_with_the_question_that_was_open(self) -> None:
        for step in list(steps(record_of("pippip")))[1:]:
            assert step.question is not None and step.reply is not None
            assert (step.question.seat, step.question.number) == (step.reply.seat, step.reply.number)

    def test_luck_stands_with_the_reply_that_it_was_drawn_for(self) -> None:
        made = list(steps(record_of("wichita", {2: FaultKind.TIMEOUT})))
        autopilots = [step for step in made if step.reply is not None and step.reply.by_autopilot]
        assert autopilots
        for step in autopilots:
            assert step.question is None and step.reply is not None
            assert step.drawn[0].stream == f"autopilot/{step.reply.seat}/{step.reply.number}"
        others = [step for step in made if step not in autopilots]
        assert not any(drawn.stream.startswith("autopilot/") for step in others for drawn in step.drawn)
        rolls = [(step, drawn) for step in made for drawn in step.drawn if drawn.stream.startswith("dice/")]
        assert len(rolls) > 10
        for step, drawn in rolls:
            assert any(getattr(event, "dice", None) == drawn.outcome for event in step.events)

    def test_an_answer_that_does_not_fit_ends_them(self) -> None:
        message = record_pb2.MatchRecord.FromString(random_record())
        message.answers[2].seat = 1
        made = steps(read_record(message.SerializeToString()))
        assert [type(next(made)) for _ in range(3)] == [Step] * 3
        with pytest.raises(RecordError, match="answer 3: seat 1 answers, but seat 0 was asked"):
            next(made)

    def test_so_does_an_answer_too_many(self) -> None:
        message = record_pb2.MatchRecord.FromString(random_record())
        message.answers.append(message.answers[0])
        with pytest.raises(RecordError, match="the match was already over"):
            list(steps(read_record(message.SerializeToString())))

    def test_another_outcome_than_the_replays_is_an_error_at_the_end(self) -> None:
        message = record_pb2.MatchRecord.FromString(random_record())
        message.outcome.scores[0] += 1
        with pytest.raises(RecordError, match="it claims scores"):
            list(steps(read_record(message.SerializeToString())))


class TestText:
    @pytest.mark.parametrize("game", REGISTRY)
    def test_the_full_truth_tells_every_action_and_every_event(self, game: str) -> None:
        record, text = record_of(game), get_text(game)
        told = text_of(record)
        for step in steps(record):
            if step.reply is not None and step.reply.action is not None:
                assert text.action_text(step.reply.action) in told
            for event in step.events:
                assert all(line in told for line in text.event_text(event).splitlines())

    @pytest.mark.parametrize("game", REGISTRY)
    def test_a_seat_is_told_what_it_saw_and_asked_as_it_was(self, game: str) -> None:
        record, text = record_of(game), get_text(game)
        told = text_of(record, 1)
        assert "seat 1: bot1 (you)" in told
        for step in steps(record):
            if step.question is not None and step.question.seat == 1:
                assert text.view_text(step.question.view) in told
            for event in step.events:
                if (seen := event.seen_by(1)) is not None:
                    assert all(line in told for line in text.event_text(seen).splitlines())

    def test_a_seat_is_not_told_what_another_holds(self) -> None:
        told = text_of(record_of(), 1)
        assert "seat 0 holds ?; seat 1 holds" in told
        assert "seat 1 holds ?" not in told

    def test_a_seat_is_not_told_of_an_event_that_it_may_not_see(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Given, "seen_by", lambda event, seat: event if seat == 0 else None)
        assert "the director gives" in text_of(record_of(), 0)
        assert "the director gives" not in text_of(record_of(), 1)

    def test_it_begins_with_who_plays_and_ends_with_the_places(self) -> None:
        record = record_of()
        lines = text_of(record).splitlines()
        assert lines[:4] == ["match a-match-of-serpent: Serpent", "seat 0: bot0", "seat 1: bot1", ""]
        winner = record.outcome.places.index(1)
        assert lines[-2] == f"place 1: bot{winner} (seat {winner}), score {record.outcome.scores[winner]}"

    def test_a_fault_shows_the_question_the_reason_and_the_last_words(self) -> None:
        record = record_of(faults={3: FaultKind.TIMEOUT})
        fault = record.outcome.faults[0]
        told = text_of(record)
        asked = [step.question for step in steps(record)][-1]
        assert asked is not None
        assert get_text("serpent").view_text(asked.view) in told
        assert f"seat {fault.seat} (bot{fault.seat}), question {fault.question}" in told
        assert "a fault: timeout (reason): a sentence\n    last words\n" in told
        assert told.endswith(f"place 2: bot{fault.seat} (seat {fault.seat}), score 0, timeout")

    def test_what_a_bot_said_is_told_without_what_a_terminal_would_do(self) -> None:
        header = new_header()
        match = header.new_match()
        match.fault(0, FaultKind.CRASH, "exception", "\x1b[2Jboom\nplace 1: bot0", "\x1b]0;title\x07\nlast words")
        told = text_of(read_record(write_record(header, match)))
        assert "a fault: crash (exception): \\x1b[2Jboom\\nplace 1: bot0\n" in told
        assert "    \\x1b]0;title\\x07\n    last words\n" in told
        assert "\x1b" not in told

    def test_an_illegal_action_is_told_before_its_fault(self) -> None:
        header = new_header()
        match = header.new_match()
        match.answer(Lead(parse_card("QS")))
        lines = text_of(read_record(write_record(header, match))).splitlines()
        assert "seat 0 (bot0), question 1, 0.0 ms: lead Q♠" in lines
        assert lines[lines.index("seat 0 (bot0), question 1, 0.0 ms: lead Q♠") + 1].startswith(
            "seat 0 (bot0), question 1, 0.0 ms: a fault: illegal (wrong_kind): "
        )

    def test_a_fault_of_a_seat_that_was_not_asked_stands_without_a_question(self) -> None:
        header = new_header()
        match = header.new_match()
        match.fault(1, FaultKind.WRONG_QUESTION)
        record = read_record(write_record(header, match))
        assert "seat 1 (bot1), question 0, 0.0 ms: a fault: wrong_question" in text_of(record)
        assert "give the defender three of" not in text_of(record)

    def test_the_autopilot_is_named(self) -> None:
        record = record_of("wichita", {2: FaultKind.CRASH})
        fault = record.outcome.faults[0]
        who = f"seat {fault.seat} (bot{fault.seat}), question {fault.question}"
        assert f"{who}, the autopilot: " in text_of(record)


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (Fault(0, FaultKind.CRASH, 1), "a fault: crash"),
        (Fault(0, FaultKind.TIMEOUT, 1, "late"), "a fault: timeout (late)"),
        (Fault(0, FaultKind.FLOOD, 1, "", "65 messages"), "a fault: flood: 65 messages"),
    ],
)
def test_a_fault_as_text(fault: Fault, text: str) -> None:
    assert fault_text(fault) == text
