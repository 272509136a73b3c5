"""The standard streams of a command, even if closed, full, ended or ASCII only.

A command that cannot print its output ends with a sentence and status 2. Characters
that an encoding lacks are written in ASCII: `QS` for `Q♠`.
"""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any, Final

STATUS: Final = 2
CLOSED: Final = "standard output is closed: say where it goes, for example > /dev/null"
IN_ASCII: Final = "pips-in-ascii"
_ASCII: Final = codecs.lookup("ascii")
_PLAIN: Final = {
    "♣": "C", "♦": "D", "♥": "H", "♠": "S", "⚀": "1", "⚁": "2", "⚂": "3", "⚃": "4", "⚄": "5", "⚅": "6",
    "–": "-", "—": "-", "…": "...", "±": "+-", "×": "x", "·": ".", "↑": "^", "↓": "v", "→": "->", "✓": "+", "✗": "x",
    "‘": "'", "’": "'", "“": '"', "”": '"', "\xa0": " ",
}  # fmt: skip


class OutputLost(Exception):
    """Standard output takes no more.

    It is no `OSError`, which callers would take for an error of a file that they read.
    """


class _Out(FileIO):
    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OutputLost(error.strerror or str(error)) from None


class _Err(FileIO):
    def write(self, data: Any) -> int:
        """Write the data, or drop it: there is nobody else to tell."""
        try:
            return super().write(data)
        except OSError:
            return len(data)


@contextmanager
def standard_streams() -> Iterator[None]:
    """A context with safe streams; `SystemExit` if nothing can be printed."""
    closed = [number for number in range(3) if not _is_open(number)]
    for _ in closed:
        os.open(os.devnull, os.O_RDWR)  # takes the lowest descriptor, or a database would
    _mend_streams()
    if 1 in closed:
        _end(CLOSED)
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except OutputLost as error:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)  # so that flushing the buffer cannot fail
        os.close(nowhere)
        _end(f"standard output cannot be written: {error}; what it should have said is cut off")


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _mend_streams() -> None:
    """Let this process's streams fail as they should; ASCII ones replace characters."""
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115 - for the life of the process
    elif isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - the same
    sys.stdout, sys.stderr = _mended(sys.stdout, 1, _Out), _mended(sys.stderr, 2, _Err)


def _mended(stream: Any, number: int, kind: type[FileIO]) -> Any:
    if not isinstance(stream, TextIOWrapper):
        return stream
    is_buffered = not isinstance(stream.buffer, FileIO)
    if type(getattr(stream.buffer, "raw", stream.buffer)) is not FileIO or stream.fileno() != number:
        stream.reconfigure(errors=IN_ASCII)  # for a test's stream, or a Windows console
        return stream
    stream.flush()
    raw = kind(number, "w", closefd=False)
    into: Any = BufferedWriter(raw) if is_buffered else raw
    encoding = IN_ASCII if codecs.lookup(stream.encoding) is _ASCII else stream.encoding
    return TextIOWrapper(
        into, encoding, IN_ASCII, line_buffering=stream.line_buffering, write_through=stream.write_through
    )


def _end(why: str) -> None:
    sys.stderr.write(f"Error: {why}\n")
    sys.stderr.flush()
    raise SystemExit(STATUS)


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    written = (_PLAIN.get(char) or char.encode("ascii", "backslashreplace").decode() for char in text)
    return "".join(written), error.end


def _named_codec(name: str) -> codecs.CodecInfo | None:
    """ASCII under a name of ours: click would take the usual name for UTF-8."""
    if name.replace("_", "-") != IN_ASCII:
        return None
    made = codecs.CodecInfo(*_ASCII, _ASCII.incrementalencoder, _ASCII.incrementaldecoder)
    made.name = IN_ASCII
    return made


codecs.register_error(IN_ASCII, _in_ascii)
codecs.register(_named_codec)
