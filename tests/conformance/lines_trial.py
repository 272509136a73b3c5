"""Transcripts of the conformance kit, played to a bot in JSON lines.

The bridge runs within this process, and the transcript is its stream. So the bot is the
only process that is started, and a transcript takes what the bot itself takes.
"""

from __future__ import annotations

import io
import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr
from threading import Timer
from typing import IO, Any, Final, NoReturn, Protocol

from pips.v1 import player_pb2
from pips_sdk._runtime.start import StartError
from pips_sdk.lines.bridge import Bridge, begin, hello_of
from pips_sdk.lines.speaker import Speaker
from pips_tourney.bots.executable import LINES, Executable

_MODULE: Final = LINES[-1]


class RefereeSide(Protocol):
    """A transcript: the referee's side of a stream, and what is wrong first."""

    problem: str

    def play(self, requests: Iterator[player_pb2.PlayRequest], context: Any) -> Iterator[bytes]: ...


class _StreamEnded(Exception):
    """The transcript ends its stream with a status that is not OK."""


class _Context:
    """What a transcript needs of a call's context."""

    def abort(self, code: object, details: str) -> NoReturn:
        raise _StreamEnded(details)


class _TrialStream:
    """A transcript as the bridge's stream: neither side waits for the other."""

    def __init__(self, trial: RefereeSide, hello: player_pb2.Hello) -> None:
        self._sent = deque([player_pb2.PlayRequest(hello=hello)])
        self._messages = trial.play(self._requests(), _Context())

    def _requests(self) -> Iterator[player_pb2.PlayRequest]:
        while self._sent:
            yield self._sent.popleft()

    def write(self, data: bytes) -> None:
        """Keep a message for the transcript."""
        self._sent.append(player_pb2.PlayRequest.FromString(data))

    def read(self, reply: bytes | None = None) -> bytes | None:
        """Return the transcript's next message, None at its end."""
        if reply is not None:
            self.write(reply)
        try:
            return next(self._messages, None)
        except _StreamEnded:
            return None

    def end(self) -> NoReturn:
        """Nobody asks a transcript for its status."""
        raise NotImplementedError

    def close(self) -> None:
        """Leave the transcript."""


def words_in_lines(program: Executable) -> Sequence[str]:
    """Return the words that start a bot in lines; none if it speaks gRPC itself."""
    words = program.command
    if _MODULE in words[1:4] and words[words.index(_MODULE) - 1] == "-m":
        return words[words.index(_MODULE) + 1 :]
    return ()


def run_lines(trial: RefereeSide, program: Executable, token: bytes, patience_s: float) -> str:
    """Play the transcript to a new process of the bot; return what was printed.

    The process has to end by itself, with status 0, after its input was closed. Lines
    that the bridge would only name in the log are a mistake here.
    """
    ours = io.StringIO()
    with tempfile.TemporaryFile() as log:
        with redirect_stderr(ours):
            try:
                _play(trial, _Starter(program, log), token, patience_s)
            except StartError as error:
                trial.problem = trial.problem or str(error)
        trial.problem = trial.problem or ours.getvalue().partition("\n")[0]
        log.seek(0)
        return log.read().decode(errors="replace") + ours.getvalue()


class _Starter:
    """Starts processes of a bot, and ends them all when time is up."""

    def __init__(self, program: Executable, log: IO[bytes]) -> None:
        self._program, self._log = program, log
        self._started: list[Speaker] = []

    def __call__(self) -> Speaker:
        words, program = words_in_lines(self._program), self._program
        self._started.append(Speaker(words, program.cwd, program.env, self._log, apart=True))
        return self._started[-1]

    def kill(self) -> None:
        for speaker in self._started:
            speaker.kill()

    @property
    def how_ended(self) -> str:
        """What is wrong with how the first of them ended that did so wrongly."""
        return next((speaker.how_ended for speaker in self._started if speaker.how_ended), "")


def _play(trial: RefereeSide, start: _Starter, token: bytes, patience_s: float) -> None:
    watchdog = Timer(patience_s, start.kill)
    watchdog.daemon = True
    watchdog.start()
    try:
        program, said = begin(start)
        with program:
            stream = _TrialStream(trial, hello_of(said, said.name, token))
            Bridge(program, said).serve(stream, stream.read())
    except StartError as error:
        late = f"it was not done after {patience_s:g} s" if watchdog.finished.is_set() else str(error)
        trial.problem = f"{late}: {trial.problem}" if trial.problem else late
    finally:
        watchdog.cancel()
    if not trial.problem and (how := start.how_ended):
        trial.problem = f"it {how} after its standard input was closed, but has to end with 0"
