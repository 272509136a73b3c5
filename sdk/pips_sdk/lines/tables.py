"""A process for each table, for a bot whose hello says that it plays only one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import monotonic, sleep
from types import TracebackType
from typing import Final, Self

from pips_sdk._runtime.start import StartError
from pips_sdk.lines.speaker import LEAVE_S, Speaker

MOST_TABLES: Final = 4
"""How many tables a bot with a process per table has at once."""


class TableProcesses:
    """A bot's processes, one per table; used like a `Speaker`, with a table per line.

    A process plays one match: its input is closed after `finish`. The next process is
    started ahead, so that no clock runs during a start. All processes must send the
    same hello. A process that ends too early costs only its own match (`ended`).
    """

    _LOOK_S: Final = 0.005

    def __init__(self, first: Speaker, hello: bytes, start: Callable[[], Speaker]) -> None:
        self._start = start
        self._hello = hello
        self._spare = first
        self._greeted = {first}
        self._tables: dict[int, Speaker] = {}
        self._leaving: list[tuple[float, Speaker]] = []
        self.ended: dict[int, str] = {}
        """By table, why its process cannot play on."""

    def say_text(self, line: str, table: int) -> None:
        """Queue a line for a table's process."""
        if (speaker := self._tables.get(table)) is not None:
            speaker.say_text(line)

    def seat(self, table: int) -> None:
        """Give a table its process, and start the next."""
        self._tables[table] = self._spare
        self._spare = self._start()

    def leave(self, table: int) -> None:
        """End a table's match: its process gets no more input, and is to end."""
        self.ended.pop(table, None)
        if (speaker := self._tables.pop(table, None)) is None:
            return
        with suppress(StartError):  # it may have ended before its input
            speaker.exchange(0.0)
        self._let_go(speaker)

    def unfinished(self, table: int) -> bytes:
        """The beginning of an unfinished line from that table's process."""
        speaker = self._tables.get(table)
        return b"" if speaker is None else speaker.unfinished()

    def exchange(self, wait_s: float) -> list[bytes]:
        """Write queued lines; return all processes' complete lines once some come.

        Waits at most `wait_s` seconds, which may be infinite.
        """
        self._reap()
        known = len(self.ended)
        lines = self._take()
        if lines or not wait_s or len(self.ended) > known:
            return lines
        self._spare.wait_for_any(self._tables.values(), wait_s)
        return self._take()

    def _take(self) -> list[bytes]:
        lines: list[bytes] = []
        for table, speaker in list(self._tables.items()):
            try:
                for line in speaker.exchange(0.0):
                    if speaker in self._greeted or line.lstrip()[:1] != b"{":
                        lines.append(line)  # a stray line before its hello
                    else:
                        self._greet(speaker, line)
            except StartError as error:
                self.ended[table] = str(error)
                del self._tables[table]
                self._let_go(speaker)
        return lines

    def _greet(self, speaker: Speaker, hello: bytes) -> None:
        if hello.strip() != self._hello.strip():
            raise StartError("another process of this bot said another hello")
        self._greeted.add(speaker)

    def _let_go(self, speaker: Speaker) -> None:
        self._greeted.discard(speaker)
        speaker.hang_up()
        self._leaving.append((monotonic() + LEAVE_S, speaker))

    def _reap(self) -> None:
        """Collect ended processes; end those that do not end by themselves."""
        now = monotonic()
        for until, speaker in self._leaving[:]:
            if speaker.is_running and now < until:
                continue
            speaker.wait(0.0)
            self._leaving.remove((until, speaker))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for speaker in (self._spare, *self._tables.values()):
            self._let_go(speaker)
        while self._leaving:
            self._reap()
            sleep(self._LOOK_S)
