"""The child process on systems without polled pipes, such as Windows: with threads."""

from __future__ import annotations

import os
import select
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Condition, Thread
from time import monotonic
from typing import Final, Self

from pips_sdk.lines.speaker import LEAVE_S, Speaker

CHUNK: Final = 1 << 16
NEWS: Final = Condition()
"""Notified whenever any process has written something."""


def start_speaker(command: Sequence[str]) -> Speaker:
    """Start a program in the way that this system supports."""
    return (Speaker if hasattr(select, "poll") else SpeakerInThreads)(command)


class SpeakerInThreads(Speaker):
    """One thread writes queued lines, another one reads."""

    def _open_pipes(self) -> None:
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        self._incoming: deque[bytes] = deque()
        self._reader = Thread(target=self._read_on, daemon=True)
        self._reader.start()
        Thread(target=self._write_on, daemon=True).start()

    def exchange(self, wait_s: float) -> list[bytes]:
        """As in `Speaker`; a thread writes the queued lines."""
        if self._to_write:
            self._outgoing.put(bytes(self._to_write))
            self._to_write.clear()
        until, lines = monotonic() + wait_s, list[bytes]()
        while not lines:
            left_s = until - monotonic()
            self.wait_for_any([self], max(0.0, left_s))
            if not self._incoming:
                return []
            lines = self._lines_of(self._incoming.popleft())
        while self._incoming and self._incoming[0]:  # the end is reported next time
            lines += self._lines_of(self._incoming.popleft())
        return lines

    def wait_for_any(self, others: Iterable[Self], wait_s: float) -> None:
        asked = [*others]
        with NEWS:
            NEWS.wait_for(lambda: any(other.has_news for other in asked), None if wait_s == float("inf") else wait_s)

    def hang_up(self) -> None:
        """Close the program's input once everything queued is written."""
        self._outgoing.put(None)

    @property
    def has_news(self) -> bool:
        """Whether the program has unread output, or has ended."""
        return bool(self._incoming)

    def _close_output(self) -> None:
        self._reader.join(LEAVE_S)
        if not self._reader.is_alive():  # otherwise a process that it started has the pipe open
            super()._close_output()

    def _write_on(self) -> None:
        with suppress(OSError):  # it has ended, as its output shows
            while (data := self._outgoing.get()) is not None:
                while data:
                    data = data[os.write(self._in, data) :]
        super().hang_up()

    def _read_on(self) -> None:
        data = b"it runs"
        while data:
            try:
                data = os.read(self._out, CHUNK)
            except OSError:
                data = b""
            with NEWS:
                self._incoming.append(data)
                NEWS.notify_all()
