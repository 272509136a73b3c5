"""A match as a file: write, read, replay, verify. docs/record.md has the format.

A record contains the header, the bots' answers with their times, and the outcome.
Everything else is recomputed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from google.protobuf.message import DecodeError

from pips.v1 import record_pb2
from pips_referee.chance import SEED_BYTES, Chance
from pips_referee.errors import MalformedMessage, PipsError, RecordError
from pips_referee.game import AnyGame, Options, get_game
from pips_referee.match import Fault, FaultKind, Match, MatchOutcome, Reply, Spent
from pips_referee.wire import AnyWire, get_wire

_KIND_NUMBER = {kind: record_pb2.FaultKind.Value(f"FAULT_KIND_{kind.name}") for kind in FaultKind}
_KIND_OF = {number: kind for kind, number in _KIND_NUMBER.items()}


def commit(match_id: str, nonce: bytes, seed: bytes) -> bytes:
    """SHA-256 of all three, sent to bots before the match to commit to the seed."""
    return sha256(match_id.encode() + nonce + seed).digest()


@dataclass(frozen=True, slots=True)
class Header:
    """A match before its first question.

    `names` has the bots by seat; `seed` and `nonce` are 32 bytes each.
    """

    match_id: str
    game: AnyGame
    options: Options
    names: tuple[str, ...]
    seed: bytes
    nonce: bytes = bytes(32)

    @property
    def wire(self) -> AnyWire:
        return get_wire(self.game.name)

    @property
    def commitment(self) -> bytes:
        return commit(self.match_id, self.nonce, self.seed)

    def new_match(self, chance: Chance | None = None) -> Match:
        """The match at its first question."""
        return Match(self.game, self.options, len(self.names), chance or Chance(self.seed))

    def write(self, message: record_pb2.MatchHeader) -> None:
        message.match_id = self.match_id
        message.game = self.game.name
        message.rules_version = self.game.rules_version
        self.wire.write_options(self.options, message.options)
        message.seats.extend(self.names)
        message.seed = self.seed
        message.nonce = self.nonce
        message.commitment = self.commitment

    @staticmethod
    def read(message: record_pb2.MatchHeader) -> Header:
        """Parse the header in a message.

        `PipsError` if the match cannot be played, or if seed and nonce do not fit the
        commitment.
        """
        game = get_game(message.game)
        if message.rules_version != game.rules_version:
            raise RecordError(
                f"match {message.match_id} was played by version {message.rules_version} of {game.name}'s rules; "
                f"this is version {game.rules_version}"
            )
        options = get_wire(game.name).read_options(message.options)
        game.check_seats(options, len(message.seats))
        if len(message.seed) != SEED_BYTES or len(message.nonce) != SEED_BYTES:
            raise RecordError(f"match {message.match_id}: seed and nonce have {SEED_BYTES} bytes each")
        header = Header(message.match_id, game, options, tuple(message.seats), message.seed, message.nonce)
        if header.commitment != message.commitment:
            raise RecordError(f"match {header.match_id}: seed and nonce do not fit the commitment")
        return header


@dataclass(frozen=True, slots=True)
class Record:
    """A finished match from a file: header, answers to replay, and claimed outcome."""

    header: Header
    answers: Sequence[record_pb2.RecordedAnswer]
    outcome: MatchOutcome


def write_record(header: Header, match: Match) -> bytes:
    """The record of a finished match, serialised."""
    message = record_pb2.MatchRecord()
    header.write(message.header)
    wire = header.wire
    add = message.answers.add
    for reply in match.history:
        if not reply.by_autopilot:
            write_reply(reply, wire, add())
    outcome = match.outcome
    message.outcome.places.extend(outcome.places)
    message.outcome.scores.extend(outcome.scores)
    message.outcome.questions = outcome.questions
    for fault in outcome.faults:
        _write_fault(fault, message.outcome.faults.add())
    return message.SerializeToString(deterministic=True)


def read_record(data: bytes) -> Record:
    """Parse a record; `RecordError` says what is wrong with it."""
    try:
        message = record_pb2.MatchRecord.FromString(data)
        header = Header.read(message.header)
    except DecodeError as error:
        raise RecordError(f"this is no match record: {error}") from None
    except RecordError:
        raise
    except (PipsError, ValueError) as error:
        raise RecordError(f"the record's header cannot be played: {error}") from None
    sent = message.outcome
    outcome = MatchOutcome(
        tuple(sent.places), tuple(sent.scores), tuple(_read_fault(fault) for fault in sent.faults), sent.questions
    )
    return Record(header, message.answers, outcome)


def replay(record: Record, chance: Chance | None = None) -> Match:
    """Replay the match to its end.

    `RecordError` if an answer does not fit, or if the outcome differs.
    """
    match = record.header.new_match(chance)
    for index, _ in enumerate(record.answers):
        play_answer(match, record, index)
    check_end(record, match)
    return match


def check_end(record: Record, match: Match) -> None:
    """`RecordError` if the match is not over, or its outcome is not the claimed one."""
    if match.to_ask is not None:
        raise RecordError(f"match {record.header.match_id} stops after {len(record.answers)} answers, but is not over")
    for name in ("places", "scores", "faults", "questions"):
        claimed, played = getattr(record.outcome, name), getattr(match.outcome, name)
        if claimed != played:
            raise RecordError(f"match {record.header.match_id}: it claims {name} {claimed}, the replay gives {played}")


def play_answer(match: Match, record: Record, index: int) -> None:
    """Play answer `index` of the record, after all answers before it."""
    answer, where = record.answers[index], f"match {record.header.match_id}, answer {index + 1}"
    if match.to_ask is None:
        raise RecordError(f"{where}: the match was already over")
    spent = Spent(answer.used_us, answer.credited_us, answer.shared_by or 1, answer.thought_us, answer.wire_us)
    if answer.WhichOneof("reply") == "fault":
        fault = _read_fault(answer.fault)
        if fault.seat != answer.seat or fault.seat in match.faulted or fault.seat >= match.seats:
            raise RecordError(f"{where}: a fault of seat {fault.seat} in an answer of seat {answer.seat}")
        if fault.kind is FaultKind.ILLEGAL:
            raise RecordError(f"{where}: an illegal action is recorded as the action it was")
        match.fault(fault.seat, fault.kind, fault.reason, fault.detail, fault.evidence, spent)
        return
    if answer.seat != match.to_ask:
        raise RecordError(f"{where}: seat {answer.seat} answers, but seat {match.to_ask} was asked")
    try:
        action = record.header.wire.read_action(answer.action)
    except MalformedMessage as error:
        raise RecordError(f"{where}: {error}") from None
    match.answer(action, spent)


def verify(data: bytes) -> Record:
    """Replay the record and compare; `RecordError` names the first difference."""
    record = read_record(data)
    match = replay(record)
    if write_record(record.header, match) != data:
        raise RecordError(f"match {record.header.match_id}: the record holds bytes that its replay does not write")
    return record


def write_reply(reply: Reply, wire: AnyWire, message: record_pb2.RecordedAnswer) -> None:
    """Write an action, or the fault in place of one."""
    seat, _, action, fault, spent, _, _ = reply
    used_us, credited_us, shared_by, thought_us, wire_us = spent
    message.seat = seat
    message.used_us = used_us
    message.thought_us = thought_us
    if credited_us:
        message.credited_us = credited_us
    if shared_by > 1:
        message.shared_by = shared_by
    if wire_us:
        message.wire_us = wire_us
    if action is not None:
        wire.write_action(action, message.action)
    else:
        assert fault is not None
        _write_fault(fault, message.fault)


def _write_fault(fault: Fault, message: record_pb2.Fault) -> None:
    message.seat = fault.seat
    message.kind = _KIND_NUMBER[fault.kind]
    message.question = fault.question
    message.reason = fault.reason
    message.detail = fault.detail
    message.evidence = fault.evidence


def _read_fault(message: record_pb2.Fault) -> Fault:
    kind = _KIND_OF.get(message.kind)
    if kind is None:
        raise RecordError(f"{message.kind} is no kind of fault")
    return Fault(message.seat, kind, message.question, message.reason, message.detail, message.evidence)
