"""Runner of the conformance kit: recorded transcripts against a bot process.

A transcript is a file of JSON lines, messages as protobuf's JSON has them. The bot's
hello is awaited first. Then the lines follow in order.

`send` is a PlayResponse for the bot. With `unknown`, it gets a field that no contract
has.

`expect` are the next answers in their order. They may come in any number of messages
unless they must come `apart`.

`pong` is what the next message has to hold, and nothing else.

`end` closes the stream with that status, and says with which status the process has to
end.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc
from google.protobuf.json_format import MessageToDict, ParseDict

from pips.v1 import player_pb2
from pips_referee.errors import MalformedMessage
from pips_referee.forms import codecs_of
from pips_referee.records.replay import get_text
from pips_referee.wire import get_wire, plain_wire
from pips_tourney.bots.executable import Executable
from pips_tourney.workshop.program_stream import Requests, run_at
from tests.conformance.lines_trial import run_lines, words_in_lines

TRANSCRIPTS: Final = Path(__file__).parent
TOKEN: Final = b"conformance"
PATIENCE_S: Final = 60.0
"""How long a transcript may take, from the start of the process to its end."""
UNKNOWN_FIELD: Final = b"\xba\x3e\x03new"
"""Field 999 of a message, which nobody knows."""


@dataclass(eq=False)
class Trial:
    """One transcript, played to one process."""

    name: str
    steps: Sequence[dict[str, Any]]
    typed: bool = False
    """Whether a bot that reads JSON is sent the games' own messages too."""
    answered: int = 0
    asked: dict[tuple[int, int], player_pb2.Question] = field(default_factory=dict, repr=False)
    """The questions put, by table and number."""
    awaits: str = "the bot's hello was expected, but nothing came"
    is_over: bool = False
    """Whether all of it was played."""
    problem: str = ""
    """The first thing that was wrong; "" as long as nothing is."""

    @property
    def note(self) -> str:
        return str(self.steps[0]["note"])

    def play(self, requests: Requests, context: grpc.ServicerContext) -> Iterator[bytes]:
        """The referee's side of the stream."""
        waiting: list[player_pb2.Answer] = []
        try:
            first = next(requests)
            without_events, as_json = self._hear_hello(first), first.hello.json and not self.typed
            for place, step in enumerate(self.steps[1:], 2):
                if "send" in step:
                    message = ParseDict(step["send"], player_pb2.PlayResponse())
                    self.asked |= {(question.table, question.number): question for question in message.questions}
                    if without_events:
                        _leave_out_events(message)
                    if as_json:
                        message = _as_json(message)
                    self._await(next(later for later in self.steps[place:] if "send" not in later))
                    yield message.SerializeToString() + (UNKNOWN_FIELD if step.get("unknown") else b"")
                elif "expect" in step:
                    for number, expected in enumerate(step["expect"]):
                        self._await(step, number)
                        if not waiting:
                            waiting = list(next(requests).answers)
                        elif step.get("apart") and number:
                            self._wrong(
                                "slow answers came together: each is to be sent before the next is thought about"
                            )
                        self._compare(ParseDict(expected, player_pb2.Answer()), waiting.pop(0) if waiting else None)
                elif "pong" in step:
                    self._await(step)
                    self._hear_pong(next(requests), player_pb2.PlayRequest(pong=b64decode(step["pong"])))
                else:
                    self.is_over = True
                    if step["end"] != "OK":
                        context.abort(grpc.StatusCode[step["end"]], "the transcript ends here")
        except (StopIteration, grpc.RpcError):
            self._wrong(self.awaits)

    def _await(self, step: dict[str, Any], number: int = 0) -> None:
        """Note what is wrong if the bot ends now."""
        if "expect" in step:
            self.awaits = f"the answer to {self._place(step['expect'][number])} was expected, but nothing came"
        elif "pong" in step:
            self.awaits = "a ping is sent back at once, as `pong` with the same bytes, but nothing came"
        else:
            self.awaits = "a bot stays until the stream ends"

    def _hear_hello(self, first: player_pb2.PlayRequest) -> bool:
        """Whether the bot wants no events: its hello says so for each game played."""
        hello, wanted = first.hello, self.steps[0]["games"]
        if hello.protocol_version != 1 or hello.token != TOKEN or not set(wanted) <= set(hello.games) or first.answers:
            self._wrong(
                f"the hello must have protocol_version 1, the token of {len(TOKEN)} bytes and the games "
                f"{', '.join(wanted)}, and nothing beside it; it was {_shown(first)}"
            )
        return set(wanted) <= set(hello.games_without_events)

    def _hear_pong(self, got: player_pb2.PlayRequest, expected: player_pb2.PlayRequest) -> None:
        if got != expected:
            self._wrong(
                f"a ping is sent back at once, and nothing with it: expected {_shown(expected)}, got {_shown(got)}"
            )

    def _compare(self, expected: player_pb2.Answer, got: player_pb2.Answer | None) -> None:
        if got is not None:
            got.ClearField("thought_us")
            self._type(got)
        if got is not None and expected.failed and got.failed:
            expected.failed = got.failed  # each SDK has its own words
        if got != expected:
            told = "an empty message" if got is None else _words(got)
            key = {"table": expected.table, "number": expected.number}
            early = got is not None and (got.table, got.number) != (expected.table, expected.number)
            self._wrong(
                f"after {self.answered} answers, at {self._place(key)}: expected {_words(expected)}, got {told}"
                + (self._early(got) if got is not None and early else self._view_of(expected))
            )
        self.answered += 1

    def _type(self, answer: player_pb2.Answer) -> None:
        """Put an answer in JSON into the game's own message, as transcripts have it."""
        question = self.asked.get((answer.table, answer.number))
        if question is not None and answer.action.other:
            game = str(question.view.WhichOneof("game"))
            get_wire(game).write_action(plain_wire(game).read_action(answer.action), answer.action)

    def _place(self, answer: dict[str, Any]) -> str:
        """The question that an answer is for, as a person says it."""
        table, number = answer.get("table", 0), answer.get("number", 0)
        question = self.asked.get((table, number))
        if question is None:
            return f"question {number} of table {table}"
        game = str(question.view.WhichOneof("game"))
        kind = get_wire(game).read_view(question.view).kind
        return f"question {number} of table {table} ({game}, {kind})"

    def _early(self, got: player_pb2.Answer) -> str:
        """What to do about an answer to another open question; "" if it is not open."""
        if (got.table, got.number) not in self.asked:
            return ""
        return ". Answers are sent in the order of the questions: keep one that is ready until those before it are sent"

    def _view_of(self, expected: player_pb2.Answer) -> str:
        """The text of the view, below the sentence; "" when nothing was asked."""
        question = self.asked.get((expected.table, expected.number))
        if question is None:
            return ""
        game = str(question.view.WhichOneof("game"))
        text = get_text(game).view_text(get_wire(game).read_view(question.view))
        rows = "".join(f"\n      {line}" for line in text.splitlines())
        return f"\n    It was asked this; docs/protocol.md says what its conformance bot answers:{rows}"

    def _wrong(self, what: str) -> None:
        self.problem = self.problem or what


def _as_json(message: player_pb2.PlayResponse) -> player_pb2.PlayResponse:
    """The message for a bot that reads questions as JSON."""
    message = player_pb2.PlayResponse.FromString(message.SerializeToString())
    for question in message.questions:
        game = str(question.view.WhichOneof("game"))
        wire = get_wire(game)
        view, events = wire.read_view(question.view), map(wire.read_event, question.events)
        question.json = codecs_of(game).write_question(view, events)
        question.ClearField("view")
        question.ClearField("events")
    return message


def _leave_out_events(message: player_pb2.PlayResponse) -> None:
    for start in message.starts:
        start.ClearField("told")
    for news in (*message.questions, *message.finishes):
        news.ClearField("events")


def _shown(message: Any) -> str:
    return json.dumps(MessageToDict(message), sort_keys=True)


def _words(answer: player_pb2.Answer) -> str:
    """The answer with its cards by name, and as the message has it."""
    shown = _shown(answer)
    game = answer.action.WhichOneof("game")
    if game is None:
        return shown
    try:
        return f"{get_text(game).action_text(get_wire(game).read_action(answer.action))} {shown}"
    except MalformedMessage:
        return shown


@dataclass(frozen=True, slots=True)
class TranscriptVerdict:
    """The outcome of a transcript."""

    trial: Trial
    output: str = field(repr=False)
    """The end of what the process printed."""

    @property
    def ok(self) -> bool:
        return not self.trial.problem

    def lines(self) -> Iterator[str]:
        """The lines that a person reads."""
        yield f"{'✓' if self.ok else '✗'} {self.trial.name}: {self.trial.note}, {self.trial.answered} answers"
        if not self.ok:
            yield f"    {self.trial.problem}"
            yield from (f"    | {line}" for line in self.output.splitlines()[-12:])


def transcripts() -> list[str]:
    """The names of the transcripts."""
    return sorted(path.stem for path in TRANSCRIPTS.glob("*.jsonl"))


def conform(program: Executable, name: str, *, typed: bool = False) -> TranscriptVerdict:
    """Play a transcript to a new process of a program."""
    trial = read_trial(name)
    trial.typed = typed
    if words_in_lines(program):
        return TranscriptVerdict(trial, run_lines(trial, program, TOKEN, PATIENCE_S))
    return conform_in_grpc(program, trial)


def read_trial(name: str) -> Trial:
    """Read a transcript."""
    text = (TRANSCRIPTS / f"{name}.jsonl").read_text(encoding="utf-8")
    return Trial(name, [json.loads(line) for line in text.splitlines()])


def conform_in_grpc(program: Executable, trial: Trial) -> TranscriptVerdict:
    """Play a transcript over gRPC, also to a bot in lines behind its bridge."""
    status, output = run_at(trial, program, TOKEN, PATIENCE_S)
    how = f"it was still running after {PATIENCE_S:g} s" if status is None else f"it ended with status {status}"
    end = trial.steps[-1]
    if not trial.is_over and trial.problem in ("", trial.awaits):
        trial.problem = f"{how}, and the transcript was not over: {trial.awaits}"
    elif not trial.problem and status != end["status"]:
        trial.problem = f"{how}, but has to end with {end['status']} when the stream ends with {end['end']}"
    return TranscriptVerdict(trial, output)
