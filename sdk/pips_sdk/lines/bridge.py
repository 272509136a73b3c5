"""Speaks gRPC for a program that reads and writes JSON lines.

The program is a child of this process, in the same sandbox and under the same limits.
Its standard output is for the protocol, its standard error is the bot's log.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic
from typing import Any, Final

from pips_referee.errors import MalformedMessage
from pips_referee.forms import codecs_of
from pips_referee.game import REGISTRY, Action, Event, View
from pips_referee.wire import AnyWire, get_wire
from pips_sdk._runtime.client import PROTOCOL_VERSION, SEND_AFTER_S, find_referee, play_stream
from pips_sdk._runtime.contract import player_pb2
from pips_sdk._runtime.log_marks import IS_MARKED, SAID, STRAY, mark
from pips_sdk._runtime.start import StartError
from pips_sdk._runtime.stream import Stream
from pips_sdk.lines.speaker import Speaker, encode
from pips_sdk.lines.speaker_in_threads import start_speaker
from pips_sdk.lines.tables import MOST_TABLES, TableProcesses
from pips_sdk.text import UnreadableAnswer, parse, prompt

FLUSH: Final = "Does it flush standard output after every line, and end each with a line break?"
SILENCE_S: Final = 4.0
"""Seconds without a first line after which the log says so."""
MOST_LEGAL: Final = 1000
"""The most legal actions listed in a question."""
_SHOWN: Final = 80
_FLAGS: Final = ("events", "legal", "text", "one_table")
_HELLO_KEYS: Final = {"type", "name", "games", *_FLAGS}


@dataclass(frozen=True, slots=True)
class Said:
    """The contents of a bot's first line."""

    name: str
    games: tuple[str, ...]
    events: bool = True
    legal: bool = False
    text: bool = False
    one_table: bool = False


@dataclass(slots=True)
class _Unanswered:
    """A question that the program has not answered yet."""

    game: str
    wire: AnyWire
    view: View
    time_left_ms: int


@dataclass(slots=True)
class Bridge:
    """The tables of one program."""

    program: Speaker | TableProcesses
    said: Said
    games: dict[int, str] = field(default_factory=dict)
    """The games by table."""
    open: dict[tuple[int, int], _Unanswered] = field(default_factory=dict)
    """By table and number, in the order in which the questions came."""
    ready: dict[tuple[int, int], player_pb2.Answer] = field(default_factory=dict)
    """Answers to open questions that wait for answers to earlier questions."""
    ends: float = float("inf")
    """When the time for the first open question ends: only its clock runs."""
    told: dict[int, tuple[Event, ...]] = field(default_factory=dict)
    """By table, the events from its start that were not passed on yet."""

    def serve(self, stream: Stream, data: bytes | None) -> None:
        """Answer the welcome (`data`) and all later messages."""
        while data is not None:
            message = player_pb2.PlayResponse.FromString(data)
            if message.ping:
                stream.write(player_pb2.PlayRequest(pong=message.ping).SerializeToString())
            for start in message.starts:
                self._start(start)
            for question in message.questions:
                self._ask(question)
            answers = self._answers(stream) if self.open else None
            if message.finishes and answers is not None:
                stream.write(answers)
                answers = None
            for finish in message.finishes:
                self._finish(finish)
            for line in self.program.exchange(0.0):
                _say_stray(line)
            data = stream.read(answers)

    def _start(self, start: player_pb2.Start) -> None:
        if start.game not in self.said.games:
            raise StartError(f"the referee starts a match of {start.game}; this bot plays {', '.join(self.said.games)}")
        self.games[start.table] = start.game
        wire, codecs = get_wire(start.game), codecs_of(start.game)
        told = self.told[start.table] = tuple(map(wire.read_event, start.told))
        self.program.seat(start.table)
        self.program.say_text(
            f'{{"type":"start","table":{start.table},"game":"{start.game}","rules_version":{start.rules_version},'
            f'"options":{codecs.options.write(wire.read_options(start.options)).decode()},"seats":{start.seats},"seat":{start.seat},'
            f'"rng_seed":"{start.rng_seed.hex()}","told":{codecs.event.write_all(told).decode()}}}',
            start.table,
        )

    def _ask(self, question: player_pb2.Question) -> None:
        game = self.games[question.table]
        wire = get_wire(game)
        view, news = wire.read_view(question.view), tuple(map(wire.read_event, question.events))
        self.put(game, question.table, question.number, question.time_left_ms, view, news)
        self.open[question.table, question.number] = _Unanswered(game, wire, view, question.time_left_ms)

    def put(self, game: str, table: int, number: int, time_left_ms: int, view: View, news: Sequence[Event]) -> None:
        """Write a question for the program."""
        codecs = codecs_of(game)
        if IS_MARKED:
            mark(view.seat, number)
        actions = islice(view.legal_actions(), MOST_LEGAL)
        legal = f',"legal":{codecs.action.write_all(actions).decode()}' if self.said.legal else ""
        told = self.told.pop(table, ())
        words = prompt(view, (*told, *news), legal=self.said.legal) if self.said.text else ""
        text = f',"text":{encode(words)}' if words else ""
        self.program.say_text(
            f'{{"type":"question","table":{table},"number":{number},"time_left_ms":{time_left_ms},'
            f'"view":{codecs.view.write(view).decode()},"events":{codecs.event.write_all(news).decode()}{legal}{text}}}',
            table,
        )

    def _finish(self, finish: player_pb2.Finish) -> None:
        game = self.games.pop(finish.table)
        events = codecs_of(game).event.write_all(map(get_wire(game).read_event, finish.events)).decode()
        self.told.pop(finish.table, None)
        self.program.say_text(
            f'{{"type":"finish","table":{finish.table},"places":[{",".join(map(str, finish.places))}],'
            f'"scores":[{",".join(map(str, finish.scores))}],"events":{events},'
            f'"fault":{encode(finish.fault)}}}',
            finish.table,
        )
        self.program.leave(finish.table)

    def _answers(self, stream: Stream) -> bytes | None:
        """Wait until no question is open; return the answers not sent yet, if any."""
        request = player_pb2.PlayRequest()
        send_at = float("inf")
        self._begin_clock()
        self._fail_ended(request)
        while self.open:
            for line in self.program.exchange(max(0.0, min(send_at, self.ends) - monotonic())):
                self._take(line, request)
            self._fail_ended(request)
            now = monotonic()
            if now >= self.ends:
                self._give_up(request)
            if not request.answers:
                continue
            if now >= send_at:
                stream.write(request.SerializeToString())
                request, send_at = player_pb2.PlayRequest(), float("inf")
            elif send_at == float("inf"):
                send_at = now + SEND_AFTER_S
        return request.SerializeToString() if request.answers else None

    def _take(self, line: bytes, request: player_pb2.PlayRequest) -> None:
        """Take an answer; a line that is not an answer is logged and skipped."""
        data = _object_in(line)
        key = _key_in(data)
        asked = None if key is None or key in self.ready else self.open.get(key)
        if data is None or key is None or asked is None:
            _say_stray(line)
            return
        answer = self._place(key, request)
        try:
            _fill_in(asked, data, answer)
        except (MalformedMessage, RecursionError) as error:
            _say(f"{error} (table {key[0]}, question {key[1]}): {_short(line)}")
            answer.ClearField("reply")
            answer.failed = str(error)
        self._go_on(request)

    def _place(self, key: tuple[int, int], request: player_pb2.PlayRequest) -> player_pb2.Answer:
        """The message for the answer to an open question.

        It is part of the request if no earlier question is open, otherwise it is kept.
        """
        if key == next(iter(self.open)):
            del self.open[key]
            return request.answers.add(table=key[0], number=key[1])
        answer = self.ready[key] = player_pb2.Answer(table=key[0], number=key[1])
        return answer

    def _go_on(self, request: player_pb2.PlayRequest) -> None:
        """Add answers that waited for the one just taken, and start the next clock."""
        while self.ready and (head := next(iter(self.open))) in self.ready:
            request.answers.append(self.ready.pop(head))
            del self.open[head]
        self._begin_clock()

    def _begin_clock(self) -> None:
        """Start the clock of the first open question."""
        left_ms = next(iter(self.open.values())).time_left_ms if self.open else 0
        self.ends = monotonic() + left_ms / 1000 if left_ms else float("inf")

    def _fail_ended(self, request: player_pb2.PlayRequest) -> None:
        """Fail the questions of tables whose process has ended."""
        if not (ended := self.program.ended):
            return
        for table, number in [key for key in self.open if key[0] in ended and key not in self.ready]:
            self._fail(table, number, ended[table], request)

    def _give_up(self, request: player_pb2.PlayRequest) -> None:
        """Fail the first open question: its time at the referee is over too."""
        (table, number), asked = next(iter(self.open.items()))
        started = self.program.unfinished(table)
        got = f"only {_short(started)} came, without a line break" if started else "no line came"
        self._fail(table, number, f"{got} within {asked.time_left_ms} ms. {FLUSH}", request)

    def _fail(self, table: int, number: int, why: str, request: player_pb2.PlayRequest) -> None:
        _say(f"table {table}, question {number}: {why}")
        self._place((table, number), request).failed = why
        self._go_on(request)


def _fill_in(asked: _Unanswered, data: Mapping[str, Any], answer: player_pb2.Answer) -> None:
    if data.keys() == {"table", "number", "failed"} and isinstance(data["failed"], str):
        answer.failed = _sendable(data["failed"])
        return
    if data.keys() == {"table", "number", "text"} and isinstance(data["text"], str):
        action = _read_words(asked.view, data["text"])
    elif data.keys() == {"table", "number", "action"}:
        action = codecs_of(asked.game).action.read(encode(data["action"]).encode())
    else:
        raise MalformedMessage("an answer has table, number, and action, text or failed, and nothing else")
    asked.wire.fit_action(action, answer.action)


def _sendable(text: str) -> str:
    """The text with lone surrogates escaped: messages may not contain them."""
    return text.encode(errors="backslashreplace").decode()


def _read_words(view: View, words: str) -> Action:
    try:
        return parse(words, view)
    except UnreadableAnswer as error:
        raise MalformedMessage(f"text: {error}") from None


def _object_in(line: bytes) -> dict[str, Any] | None:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _key_in(data: Mapping[str, Any] | None) -> tuple[int, int] | None:
    if data is None or type(data.get("table")) is not int or type(data.get("number")) is not int:
        return None
    return data["table"], data["number"]


def _say_stray(line: bytes) -> None:
    """Log a line that answers no open question."""
    data = _object_in(line)
    _say(f"{_why_stray(data, _key_in(data))}: {_short(line)}")


def _why_stray(data: object, key: tuple[int, int] | None) -> str:
    if data is None:
        return f"{STRAY} on standard output, which is the protocol's; print to standard error"
    if key is None:
        return f"{STRAY}: an answer has `table` and `number`, both whole numbers"
    return f"{STRAY}: question {key[1]} at table {key[0]} is not open, or its time is over"


def _short(line: bytes) -> str:
    """The line for a log: escaped, and cut if long."""
    said = ascii(line.decode(errors="replace"))
    return said if len(said) <= _SHOWN else f"{said[: _SHOWN - 3]}..."


def _say(what: str) -> None:
    print(f"{SAID}{what}", file=sys.stderr, flush=True)


def _header() -> str:
    from pips_sdk.lines.source.cpp import header

    return header()


def _source() -> str:
    from pips_sdk.lines.source.java import source

    return source()


PRINTED: Final[Mapping[str, Callable[[], str]]] = {"--cpp": _header, "--java": _source}
"""What each option prints instead of playing a match."""


def begin(start: Callable[[], Speaker]) -> tuple[Speaker | TableProcesses, Said]:
    """Start a bot's process and read its hello; `StartError` if it sends none."""
    first = start()
    try:
        hello = _first_line(first)
        said = _hello_in(hello)
    except BaseException:
        with first:
            raise
    return TableProcesses(first, hello, start) if said.one_table else first, said


def _first_line(program: Speaker) -> bytes:
    """The hello; earlier lines that are not JSON are logged.

    Runtimes print warnings before it: Java does if it cannot lock a file.
    """
    warn_at, line = monotonic() + SILENCE_S, b""
    while not line:
        lines = program.exchange(max(0.0, warn_at - monotonic()))
        while lines and _object_in(lines[0]) is None:
            _say_stray(lines.pop(0))
        if len(lines) > 1:
            raise StartError("the program wrote on after its hello, and was asked nothing yet")
        line = lines[0] if lines else b""
        if not line and monotonic() >= warn_at:
            if started := program.unfinished():
                raise StartError(f"only {_short(started)} came in {SILENCE_S:g} seconds, without a line break. {FLUSH}")
            _say(f"no first line came in {SILENCE_S:g} seconds. {FLUSH}")
            warn_at = float("inf")
    return line


def _hello_in(line: bytes) -> Said:
    data = _object_in(line) or {}
    due = f'the first line has to be a hello, such as {{"type": "hello", "games": ["{REGISTRY[0]}"]}}'
    if data.get("type") != "hello":
        raise StartError(f"{due}; it was {_short(line)}")
    games, name = data.get("games"), data.get("name", "")
    if unknown := data.keys() - _HELLO_KEYS:
        raise StartError(f"a hello has no {min(unknown)!a}; it may have {', '.join(sorted(_HELLO_KEYS))}")
    if (
        not isinstance(games, list)
        or not games
        or not all(isinstance(game, str) and game in REGISTRY for game in games)
    ):
        raise StartError(f"the hello has to name `games` of {', '.join(REGISTRY)}; it was {_short(line)}")
    flags = {flag: data.get(flag, flag == "events") for flag in _FLAGS}
    if not isinstance(name, str) or not all(isinstance(value, bool) for value in flags.values()):
        raise StartError(
            f"in a hello, name is a text, and {', '.join(_FLAGS)} are true or false; it was {_short(line)}"
        )
    return Said(_sendable(name), tuple(games), **flags)


def main(command: Sequence[str]) -> None:
    """Play with the program that the command starts, or print what `--cpp` asks for."""
    if len(command) == 1 and command[0] in PRINTED:
        print(PRINTED[command[0]]())
        return
    try:
        _play(command)
    except StartError as error:
        _say(str(error))
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _play(command: Sequence[str]) -> None:
    if not command:
        raise StartError("name the program: python -m pips_sdk.lines COMMAND ...")
    address, token = find_referee()
    program, said = begin(lambda: start_speaker(command))
    with program:
        play_stream(address, hello_of(said, said.name or command[0], token), Bridge(program, said).serve)


def hello_of(said: Said, name: str, token: bytes) -> player_pb2.Hello:
    """The bot's hello to the referee."""
    return player_pb2.Hello(
        protocol_version=PROTOCOL_VERSION, bot_name=name, games=said.games, token=token,
        games_without_events=() if said.events else said.games, most_tables=MOST_TABLES if said.one_table else 0,
    )  # fmt: skip
