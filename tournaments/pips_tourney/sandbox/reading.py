"""Read submissions in a sandboxed process, so that the runner opens none of them.

One process reads many, in order. It has no network, sees only its submissions and the
system, and writes nothing. Time, memory and output are limited. If the process dies or
does not finish, its current submission counts as unreadable, and another process reads
the rest. Without bubblewrap only the limits apply.
"""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any, Final, Self

from pips_tourney.bots import contents
from pips_tourney.bots.contents import SYSTEM, Caps
from pips_tourney.errors import TourneyError
from pips_tourney.system import is_linux

with suppress(ImportError):  # Windows has none
    import resource

MOST_OUTPUT: Final = 32 << 20
"""Most bytes of output for one submission."""
GRACE_S: Final = 10.0
"""Seconds of extra wait beyond `Caps.seconds`: the process normally ends by itself."""
START_S: Final = 20.0
_DEAD: Final = "reading it ended the process that read it"
_ENDLESS: Final = "reading it did not come to an end"
_FORBIDDEN: Final = "it cannot be read: its permissions forbid it (chmod -R u+rwX,go+rX)"
_PATH: Final = "/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin"
"""The search path for bubblewrap; a submission cannot change it."""

Job = Mapping[str, Any]


class ReadingError(TourneyError):
    """No submission can be read on this machine, whatever its content."""

    def __init__(self, why: str) -> None:
        super().__init__(f"the process that reads submissions cannot start on this machine: {why}")


def read(jobs: Sequence[Job], caps: Caps | None = None, allowed: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the result for each job (see contents.py), or `{"error": sentence}`.

    Each job's `place` is shown to the process. `trusted` jobs are read separately,
    because places that the league file itself names may lie anywhere. Links may lead
    into `allowed` folders.
    """
    if not is_linux():
        return [_read_plainly(job, caps or Caps(), allowed) for job in jobs]
    told: list[dict[str, Any]] = [{} for _ in jobs]
    for trusted in (False, True):
        left: deque[int] = deque()
        for number, job in enumerate(jobs):
            if job.get("trusted", False) is not trusted:
                continue
            if (why := _why_not(job["place"], job.get("words", ()))) is None:
                left.append(number)
            else:
                told[number] = {"error": why}
        while left:
            for found in _read_some([jobs[number] for number in left], caps or Caps(), allowed, trusted=trusted):
                told[left.popleft()] = found
    return told


def _why_not(place: str, words: Sequence[str]) -> str | None:
    """Return why a place cannot be shown to the process; None if it can."""
    try:
        "".join([place, *words]).encode()
    except UnicodeEncodeError:
        return "its name is no UTF-8: rename it"
    is_folder = os.path.isdir(place)  # noqa: PTH112 - Path.is_dir raises if access is denied
    if not os.access(place, os.R_OK | (os.X_OK if is_folder else 0)):
        return _FORBIDDEN if os.path.lexists(place) else "it is not there any more"
    return None


def _read_some(jobs: Sequence[Job], caps: Caps, allowed: Sequence[str], *, trusted: bool) -> Iterator[dict[str, Any]]:
    """Yield one process's results: for all jobs, or for some and then an error."""
    asked = {"caps": caps._asdict(), "allowed": [f"{place}{os.sep}" for place in allowed], "jobs": list(jobs)}
    places = None if trusted else [*(str(job["place"]) for job in jobs), *allowed]
    with _Reader(asked, places) as reader:
        if reader.line(START_S) is None:  # any of the places may be at fault, so each is tried separately
            if len(jobs) > 1:
                for job in jobs:
                    yield from _read_some([job], caps, allowed, trusted=trusted)
            else:
                _check_machine()
                yield {"error": _DEAD}
            return
        for _ in jobs:
            found = reader.line(caps.seconds + GRACE_S)
            yield found if found is not None else {"error": _ENDLESS if reader.lives else _DEAD}
            if found is None:
                return


def _check_machine() -> None:
    """Raise `ReadingError` if even a process that reads nothing does not start."""
    with _Reader({"caps": Caps()._asdict(), "allowed": [], "jobs": []}, []) as reader:
        if reader.line(START_S) is None:
            raise ReadingError(f"it ended at once; {_limits()}")


def _limits() -> str:
    files, tasks = (resource.getrlimit(what)[0] for what in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC))
    return f"it may open {files} files (ulimit -n), and its user may have {tasks} processes (ulimit -u): raise these"


def _read_plainly(job: Job, caps: Caps, allowed: Sequence[str]) -> dict[str, Any]:
    """Read one job in a plain process, if no stranger's bot plays."""
    asked = {"caps": caps._asdict(), "allowed": [f"{place}{os.sep}" for place in allowed], "jobs": [job]}
    try:
        ended = subprocess.run(
            [*_PYTHON, _SCRIPT], input=json.dumps(asked).encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=caps.seconds + GRACE_S, check=False,
        )  # fmt: skip
        found: dict[str, Any] = json.loads(ended.stdout.splitlines()[1])
    except subprocess.TimeoutExpired:
        return {"error": _ENDLESS}
    except (ValueError, IndexError):
        return {"error": _DEAD}
    return found


class _Reader:
    """The process that reads; `with` always ends it."""

    def __init__(self, asked: Mapping[str, Any], places: Sequence[str] | None) -> None:
        self._unread = b""
        self._process: subprocess.Popen[bytes]
        with tempfile.TemporaryFile() as question, tempfile.TemporaryFile() as arguments:
            question.write(json.dumps(asked).encode())
            question.seek(0)
            wrapper: list[str] = []
            if (found := bubblewrap()) is not None:
                shown = _shown(places)
                arguments.write(b"".join(os.fsencode(word) + b"\0" for word in (*_MACHINE, *shown)))
                arguments.seek(0)
                wrapper = [found, "--args", str(arguments.fileno()), "--"]
            try:
                self._process = subprocess.Popen(
                    [*wrapper, *_PYTHON, _SCRIPT], stdin=question, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                    cwd="/", env={"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}, start_new_session=True,
                    pass_fds=[arguments.fileno()] if wrapper else [],
                )  # fmt: skip
            except OSError as error:
                raise ReadingError(f"{error.strerror}; {_limits()}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdout is not None
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.stdout.close()
        with suppress(subprocess.TimeoutExpired):  # a process that waits for a lost disk ends when the disk is back
            self._process.wait(GRACE_S)

    @property
    def lives(self) -> bool:
        return self._process.poll() is None

    def line(self, seconds: float) -> dict[str, Any] | None:
        """Return the next line, parsed; None if it is late or malformed."""
        assert self._process.stdout is not None
        ends_at = monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._unread:
                if len(self._unread) > MOST_OUTPUT or not selector.select(max(0.0, ends_at - monotonic())):
                    return None
                data = os.read(self._process.stdout.fileno(), 1 << 20)
                if not data:
                    self._process.wait(GRACE_S)
                    return None
                self._unread += data
        told, _, self._unread = self._unread.partition(b"\n")
        try:
            found = json.loads(told)
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None


_SCRIPT: Final = str(Path(contents.__file__).absolute())
_PYTHON: Final = (os.path.realpath(sys.executable), "-I", "-S")
_MACHINE: Final = (
    "--die-with-parent", "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts",
    "--unshare-cgroup-try", "--cap-drop", "ALL", "--uid", "65534", "--gid", "65534", "--clearenv",
    "--setenv", "LC_ALL", "C.UTF-8", "--setenv", "PYTHONUTF8", "1",
)  # fmt: skip
"""No network, no other processes, no rights, no environment, no /proc and no /dev."""


def _shown(places: Sequence[str] | None) -> Iterator[str]:
    """Arguments that show these places read-only; None shows all."""
    if places is None:
        yield from ("--ro-bind", "/", "/", "--tmpfs", "/proc", "--tmpfs", "/dev", "--tmpfs", "/sys")
    else:
        yield from system()
        for place in (sys.base_prefix, _SCRIPT, *dict.fromkeys(places)):
            yield from ("--ro-bind-try", place, place)
    yield from ("--remount-ro", "/", "--chdir", "/")


def system() -> Iterator[str]:
    """Arguments that show the system's files."""
    for folder in (place.rstrip("/") for place in SYSTEM):
        if Path(folder).is_symlink():
            yield from ("--symlink", str(Path(folder).readlink()), folder)
        else:
            yield from ("--ro-bind-try", folder, folder)


@cache
def bubblewrap() -> str | None:
    """Return the path of bubblewrap, if it works on this machine."""
    found = shutil.which("bwrap", path=_PATH)
    if found is None:
        return None
    try:
        subprocess.run(
            [found, *_MACHINE, *_shown([]), "--", *_PYTHON, "-c", ""], env={}, cwd="/", stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=START_S, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return found
