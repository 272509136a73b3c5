"""The child process: lines in, lines out, and neither side blocks the other."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from json import JSONEncoder
from types import TracebackType
from typing import IO, Final, Self

from pips_referee.records.record_json import Json
from pips_sdk._runtime.start import StartError

encode: Final = JSONEncoder(separators=(",", ":")).encode
"""A JSON value as ASCII text without blanks."""
LONGEST_LINE: Final = 1 << 20
_CHUNK: Final = 1 << 16
LEAVE_S: Final = 2.0
"""Seconds the program may go on after its standard input was closed."""
_OURS: Final = ("PIPS_REFEREE", "PIPS_TOKEN_FD", "PIPS_CA", "PIPS_TLS_NAME")
"""Environment variables for the bridge only."""


def _environment(env: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in env.items() if name not in _OURS}


class Speaker:
    """A running program; as a context manager, it closes its input and ends it.

    Its standard error goes to `log`, or to the standard error of this process. With
    `apart` it gets its own process group; if it has to be killed, so are the processes
    it started.
    """

    def __init__(
        self,
        command: Sequence[str],
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        log: IO[bytes] | None = None,
        *,
        apart: bool = False,
    ) -> None:
        variables = _environment(os.environ if env is None else env)
        try:
            self._process = subprocess.Popen(
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, bufsize=0, cwd=cwd,
                env=variables, start_new_session=apart,
            )  # fmt: skip
        except OSError as error:
            missing = shutil.which(command[0], path=variables.get("PATH")) is None and os.sep not in command[0]
            why = "it is not installed" if missing else error.strerror
            raise StartError(f"{command[0]} cannot be started: {why}") from None
        self._apart = apart
        self._ended_itself = True
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._to_write = bytearray()
        self.ended: dict[int, str] = {}
        """By table, why no answer will come; always empty for one process."""
        self._read = b""
        """The beginning of an unfinished line."""
        self._open_pipes()

    def _open_pipes(self) -> None:
        """Create both pipes so that neither side blocks the other."""
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._heard, self._both = select.poll(), select.poll()
        for poll in (self._heard, self._both):
            poll.register(self._out, select.POLLIN)
        self._both.register(self._in, select.POLLOUT)

    def say(self, line: Mapping[str, Json]) -> None:
        """Queue a line; `exchange` writes it."""
        self.say_text(encode(line))

    def say_text(self, line: str, table: int = 0) -> None:
        """Queue a line given as text, without its line break.

        `table` makes no difference: one process has all tables.
        """
        self._to_write += line.encode() + b"\n"

    def exchange(self, wait_s: float) -> list[bytes]:
        """Write queued lines; return complete lines as soon as there are some.

        Waits at most `wait_s` seconds, which may be infinite. Without a wait, it still
        writes everything. `StartError` if the program has ended.
        """
        while True:
            if self._to_write:
                self._write()
            writing = bool(self._to_write)
            endless = wait_s == float("inf") or (writing and not wait_s)
            ready = (self._both if writing else self._heard).poll(None if endless else 1000 * wait_s)
            lines = self._received() if any(file == self._out for file, _ in ready) else []
            if lines or not ready or not (wait_s or writing):
                return lines

    def wait_for_any(self, others: Iterable[Self], wait_s: float) -> None:
        """Wait until one of the other processes can be read or written.

        Waits at most `wait_s` seconds, which may be infinite.
        """
        poll = select.poll()
        for other in others:
            other.register(poll)
        poll.poll(None if wait_s == float("inf") else 1000 * wait_s)

    def register(self, poll: select.poll) -> None:
        """Let the poll wake up when this process can be read or written."""
        poll.register(self._out, select.POLLIN)
        if self._to_write:
            poll.register(self._in, select.POLLOUT)

    @property
    def is_running(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    @property
    def how_ended(self) -> str:
        """A description of an abnormal end; "" for status 0 without a kill."""
        if not self._ended_itself:
            return "went on"
        return f"ended with status {self._process.returncode}" if self._process.poll() else ""

    def kill(self) -> None:
        """Kill the program at once."""
        self._ended_itself = False
        if self._apart and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def unfinished(self, table: int = 0) -> bytes:
        """The beginning of an unfinished line."""
        return self._read

    def seat(self, table: int) -> None:
        """A match begins; the program needs no message."""

    def leave(self, table: int) -> None:
        """A match is over; the program needs no message."""

    def hang_up(self) -> None:
        """Close the program's input, so that it ends."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()

    def wait(self, wait_s: float) -> None:
        """Wait `wait_s` for the program to end, then kill it."""
        try:
            self._process.wait(max(0.0, wait_s))
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        self._close_output()

    def _close_output(self) -> None:
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _write(self) -> None:
        try:
            del self._to_write[: os.write(self._in, self._to_write[:_CHUNK])]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._ended()

    def _received(self) -> list[bytes]:
        try:
            data = os.read(self._out, _CHUNK)
        except BlockingIOError:
            return []
        return self._lines_of(data)

    def _lines_of(self, data: bytes) -> list[bytes]:
        """The complete lines after reading `data`, which is empty at the end."""
        if not data:
            self._ended()
        *lines, self._read = (self._read + data).split(b"\n")
        if len(self._read) > LONGEST_LINE:
            self.kill()  # no wait: the log says why before the end of the stream is examined
            raise StartError(f"a line of more than {LONGEST_LINE >> 20} MiB came: no answer is as long as that")
        return [line for line in lines if line.strip()]

    def _ended(self) -> None:
        try:
            status = self._process.wait(LEAVE_S)
        except subprocess.TimeoutExpired:
            raise StartError("the program closed its standard input or output, and goes on") from None
        raise StartError(f"the program ended with status {status} while the match went on")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hang_up()
        self.wait(LEAVE_S)
