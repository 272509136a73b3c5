"""A match as a file: it is read, replayed and verified, and any change is found."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pips.v1 import record_pb2
from pips_referee.chance import Chance, TracedChance
from pips_referee.errors import RecordError
from pips_referee.game import REGISTRY
from pips_referee.match import FaultKind, MatchOutcome
from pips_referee.records.record import commit, read_record, replay, verify, write_record
from tests.records import new_header, play_random, random_record

Message = record_pb2.MatchRecord


@pytest.fixture(scope="module")
def serpent() -> bytes:
    """A match of Serpent without faults."""
    return random_record()


@pytest.fixture(scope="module")
def faulty() -> bytes:
    """A match of four in which one timed out and one disconnected."""
    return random_record("wichita", 4, faults={5: FaultKind.TIMEOUT, 9: FaultKind.DISCONNECT})


def changed(data: bytes, change: Callable[[Message], object]) -> bytes:
    message = Message.FromString(data)
    change(message)
    tampered = message.SerializeToString(deterministic=True)
    assert tampered != data
    return tampered


def refused(data: bytes, match: str) -> None:
    with pytest.raises(RecordError, match=match):
        verify(data)


class TestRoundTrip:
    @pytest.mark.parametrize("game", REGISTRY)
    @given(seed=st.binary(min_size=32, max_size=32), answers=st.integers(0, 2**32))
    @settings(max_examples=5)
    def test_a_record_replays_to_the_match_it_was_written_of(self, game: str, seed: bytes, answers: int) -> None:
        header = new_header(game, seed=seed)
        match = play_random(header, answers)
        data = write_record(header, match)
        record = verify(data)
        assert record.header == header
        assert record.outcome == match.outcome
        replayed = replay(record)
        assert (replayed.history, replayed.log, replayed.outcome) == (match.history, match.log, match.outcome)
        assert write_record(header, replayed) == data

    @pytest.mark.parametrize("kind", [kind for kind in FaultKind if kind is not FaultKind.ILLEGAL])
    def test_so_does_one_with_faults(self, kind: FaultKind) -> None:
        header = new_header("pippip", 3, bytes([7] * 32))
        match = play_random(header, faults={11: kind})
        record = verify(write_record(header, match))
        assert record.outcome.faults == match.outcome.faults
        assert record.outcome.faults[0].evidence == "last words\n"
        assert any(reply.by_autopilot for reply in replay(record).history)

    def test_an_illegal_answer_is_kept_as_it_was_and_is_illegal_again(self) -> None:
        header = new_header()
        match = header.new_match()
        action = next(match.state.legal_actions())
        match.answer(action)
        assert match.answer(action) is not None
        record = verify(write_record(header, match))
        assert record.answers[1].WhichOneof("reply") == "action"
        assert record.outcome.faults[0].kind is FaultKind.ILLEGAL

    def test_options_names_and_times_are_kept(self) -> None:
        header = new_header("pippip", 3, rules="hervey", rounds=2)
        match = play_random(header)
        record = verify(write_record(header, match))
        assert record.header.options == header.options
        assert record.header.names == ("bot0", "bot1", "bot2")
        assert [reply.spent for reply in replay(record).history] == [reply.spent for reply in match.history]

    def test_the_same_match_gives_the_same_bytes(self, serpent: bytes) -> None:
        assert sha256(random_record()).digest() == sha256(serpent).digest()

    def test_the_commitment_is_the_sha_256_of_id_nonce_and_seed(self) -> None:
        header = new_header(seed=b"\x05" * 32)
        assert header.commitment == sha256(b"a-match-of-serpent" + bytes(range(32)) + b"\x05" * 32).digest()
        assert header.commitment == commit(header.match_id, header.nonce, header.seed)

    def test_a_replay_can_be_given_its_luck(self, serpent: bytes) -> None:
        record = read_record(serpent)
        chance = TracedChance(Chance(record.header.seed))
        replay(record, chance)
        assert [drawn.stream for drawn in chance.take_drawn()][:2] == ["deck/1", "deck/2"]


class TestUnreadable:
    @pytest.mark.parametrize("data", [b"\xff", b"\x0a\xff", b"no record"])
    def test_bytes_that_are_no_record(self, data: bytes) -> None:
        refused(data, "no match record")

    def test_an_empty_file(self) -> None:
        refused(b"", "there is no game ''")

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            (lambda m: setattr(m.header, "game", "poker"), "there is no game 'poker'"),
            (lambda m: setattr(m.header, "rules_version", 99), "version 99 of serpent's rules; this is version"),
            (lambda m: m.header.seats.append("third"), "serpent is for 2 seats, not 3"),
            (lambda m: setattr(m.header.options.serpent, "max_tiebreaks", 1001), "max_tiebreaks is a whole number"),
            (lambda m: setattr(m.header, "seed", bytes(31)), "32 bytes"),
            (lambda m: setattr(m.header, "nonce", b""), "32 bytes"),
        ],
    )
    def test_a_header_that_cannot_be_played(
        self, serpent: bytes, change: Callable[[Message], object], says: str
    ) -> None:
        refused(changed(serpent, change), says)


class TestTampered:
    @pytest.mark.parametrize(
        "change",
        [
            lambda m: setattr(m.header, "seed", bytes([1] * 32)),
            lambda m: setattr(m.header, "nonce", bytes([1] * 32)),
            lambda m: setattr(m.header, "match_id", "another"),
            lambda m: setattr(m.header, "commitment", bytes(32)),
        ],
    )
    def test_what_the_commitment_covers(self, serpent: bytes, change: Callable[[Message], object]) -> None:
        refused(changed(serpent, change), "seed and nonce do not fit the commitment")

    def test_an_answer_that_says_nothing(self, serpent: bytes) -> None:
        refused(changed(serpent, lambda m: m.answers[3].ClearField("action")), "answer 4: .*none is set")

    def test_an_answer_of_another_seat(self, serpent: bytes) -> None:
        refused(changed(serpent, lambda m: setattr(m.answers[0], "seat", 1)), "answer 1: seat 1 answers, but seat 0")

    def test_an_answer_that_is_missing_at_the_end(self, serpent: bytes) -> None:
        refused(changed(serpent, lambda m: m.answers.pop()), r"stops after \d+ answers, but is not over")

    def test_an_answer_that_is_missing_in_between(self, serpent: bytes) -> None:
        refused(changed(serpent, lambda m: m.answers.pop(4)), "a-match-of-serpent")

    def test_an_answer_too_many(self, serpent: bytes) -> None:
        refused(changed(serpent, lambda m: m.answers.append(m.answers[0])), "the match was already over")

    def test_another_answer(self, serpent: bytes) -> None:
        def give_other_cards(message: Message) -> None:
            view = read_record(serpent).header.new_match().question().view
            given = message.answers[0].action.serpent.give
            message.answers[0].action.serpent.give = next(
                bytes(action.cards)  # type: ignore[attr-defined]  # a Give
                for action in view.legal_actions()
                if bytes(action.cards) != given  # type: ignore[attr-defined]
            )

        refused(changed(serpent, give_other_cards), "a-match-of-serpent")

    @pytest.mark.parametrize("field", ["used_us", "credited_us", "shared_by", "thought_us", "wire_us"])
    def test_a_time_replays_as_it_stands_and_is_found_by_the_sha_256(self, serpent: bytes, field: str) -> None:
        tampered = changed(serpent, lambda m: setattr(m.answers[0], field, 12345))
        assert verify(tampered).header == verify(serpent).header
        assert sha256(tampered).digest() != sha256(serpent).digest()

    @pytest.mark.parametrize("field", ["reason", "detail", "evidence"])
    def test_a_faults_evidence_in_the_answers_alone_or_in_the_outcome_alone(self, faulty: bytes, field: str) -> None:
        def in_answers(message: Message) -> None:
            fault = next(answer.fault for answer in message.answers if answer.HasField("fault"))
            setattr(fault, field, "something else")

        refused(changed(faulty, in_answers), "it claims faults .*, the replay gives")
        refused(changed(faulty, lambda m: setattr(m.outcome.faults[0], field, "else")), "it claims faults")

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            (lambda fault: setattr(fault, "kind", 99), "99 is no kind of fault"),
            (lambda fault: setattr(fault, "kind", record_pb2.FAULT_KIND_ILLEGAL), "recorded as the action it was"),
            (lambda fault: setattr(fault, "kind", record_pb2.FAULT_KIND_CRASH), "it claims faults"),
            (lambda fault: setattr(fault, "seat", 3 - fault.seat), r"a fault of seat \d in an answer of seat"),
            (lambda fault: setattr(fault, "question", 77), "bytes that its replay does not write"),
        ],
    )
    def test_a_fault_among_the_answers(
        self, faulty: bytes, change: Callable[[record_pb2.Fault], object], says: str
    ) -> None:
        def tamper(message: Message) -> None:
            change(next(answer.fault for answer in message.answers if answer.HasField("fault")))

        refused(changed(faulty, tamper), says)

    def test_a_second_fault_of_a_seat(self, faulty: bytes) -> None:
        def again(message: Message) -> None:
            place = next(place for place, answer in enumerate(message.answers) if answer.HasField("fault"))
            message.answers.insert(place + 1, message.answers[place])

        refused(changed(faulty, again), "a fault of seat")

    @pytest.mark.parametrize(
        ("field", "change"),
        [
            ("places", lambda m: m.outcome.places.reverse()),
            ("scores", lambda m: m.outcome.scores.append(1)),
            ("faults", lambda m: m.outcome.ClearField("faults")),
            ("questions", lambda m: setattr(m.outcome, "questions", 1)),
            ("places", lambda m: m.ClearField("outcome")),
        ],
    )
    def test_the_outcome(self, faulty: bytes, field: str, change: Callable[[Message], object]) -> None:
        refused(changed(faulty, change), f"it claims {field}")

    def test_bytes_that_mean_nothing(self, serpent: bytes) -> None:
        refused(serpent + b"\xf8\x07\x01", "bytes that its replay does not write")

    @pytest.mark.parametrize("game", REGISTRY)
    @given(data=st.data())
    @settings(max_examples=60)
    def test_one_byte_changed_anywhere_is_an_error_for_a_person_or_changes_what_need_not_replay(
        self, game: str, data: st.DataObject
    ) -> None:
        written = short_record(game)
        place = data.draw(st.integers(0, len(written) - 1))
        tampered = bytearray(written)
        tampered[place] ^= data.draw(st.integers(1, 255))
        try:
            record = verify(bytes(tampered))
        except RecordError:
            return
        assert stripped(bytes(tampered)) == stripped(written)
        assert isinstance(record.outcome, MatchOutcome)


def short_record(game: str) -> bytes:
    """A short match of three where the game allows it, with a fault."""
    seats = 2 if game == "serpent" else 3
    options: dict[str, object] = {"size": 3, "max_rounds": 2} if game == "dominion" else {}
    return random_record(game, seats, bytes([3] * 32), {6: FaultKind.TIMEOUT}, **options)


def stripped(data: bytes) -> Message:
    """The record without the fields that only its SHA-256 protects.

    That is the bots' names and times, and options that say how long the match would
    have been: a fault ended it before.
    """
    message = Message.FromString(data)
    del message.header.seats[:]
    game = message.header.options.WhichOneof("game")
    if game is not None:
        options = getattr(message.header.options, game)
        for name in ("max_tiebreaks", "hands", "rounds", "max_rounds"):
            if name in options.DESCRIPTOR.fields_by_name:
                options.ClearField(name)
    for answer in message.answers:
        for field in ("used_us", "credited_us", "shared_by", "thought_us", "wire_us"):
            answer.ClearField(field)
    return message
