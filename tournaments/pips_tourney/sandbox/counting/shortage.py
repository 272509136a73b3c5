"""Shortages of the machine: a bot that fails because of one is not at fault.

The keeper imports this module and must start fast, so it imports few others.
"""

# No pathlib: its import would take longer than most of the others.
# ruff: noqa: PTH123

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Final

from pips_tourney.sandbox.counting.memory import machine_memory
from pips_tourney.sandbox.limits import MB

with suppress(ImportError):  # Windows has none
    import resource

REFUSED: Final = frozenset(
    {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EDQUOT, errno.EUSERS}
)
"""The kernel's errors for lack of process numbers, memory, descriptors or room."""
LEAST_NUMBERS: Final = 128
"""The fewest free process numbers; a bot takes about twenty."""
LEAST_MEMORY: Final = 64 * MB
LEAST_SHARE: Final = 0.01
LEAST_ROOM: Final = MB


def is_refusal(error: BaseException) -> bool:
    """Return whether the error is a refusal by the machine."""
    return isinstance(error, OSError) and error.errno in REFUSED


def shortage(places: Iterable[str] = ()) -> str:
    """Return a sentence about what the machine lacks now, or "".

    `places` are folders that need free space.
    """
    with suppress(OSError, ValueError):
        return _few_numbers() or _little_memory() or _few_descriptors() or _no_room(places)
    return ""


def why_not_started(error: BaseException, word: str, cwd: str, env: Mapping[str, str]) -> str:
    """Return why a command did not start: what is missing, if anything is.

    `word` is the first word of the command.
    """
    if not isinstance(error, (FileNotFoundError, PermissionError)) or error.filename != word:
        return str(error)
    path = word if word[:1] == os.sep else f"{cwd}/{word}"
    if os.sep not in word:
        if not any(os.access(f"{place}/{word}", os.F_OK) for place in env.get("PATH", os.defpath).split(os.pathsep)):
            return f"{word} is not installed"
    elif not os.access(path, os.F_OK):
        return f"there is no {word}"
    elif not os.access(path, os.X_OK):
        return f"{word} has no execute bit: chmod +x {word}"
    elif isinstance(error, FileNotFoundError):
        if _first_line(path).endswith(b"\r\n"):
            return f"the lines of {word} end as on Windows: write it with Unix line ends (sed -i 's/\\r$//' {word})"
        return f"{word} names a program in its first line that is not installed"
    return f"{word} may not be started: {error.strerror}"


def _first_line(path: str) -> bytes:
    with suppress(OSError), open(path, "rb") as file:
        return file.readline(256)
    return b""


def cannot_fork() -> str:
    """Try to start a process; return why that fails, or ""."""
    try:
        pid = os.fork()
    except OSError as error:
        return f"no process can be started ({error.strerror})"
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)
    return ""


def kills_for_memory() -> int:
    """Return how many processes the kernel has ever killed for lack of memory."""
    with suppress(OSError, ValueError, IndexError), open("/proc/vmstat", "rb") as vmstat:
        return int(vmstat.read().partition(b"\noom_kill ")[2].split(None, 1)[0])
    return 0


def most_tasks(*, of_user: bool) -> int:
    """Return how many processes and threads this machine, or this user, may have."""
    most, own = sys.maxsize, resource.getrlimit(resource.RLIMIT_NPROC)[0]
    with suppress(OSError):
        most = min(_number("/proc/sys/kernel/pid_max"), _number("/proc/sys/kernel/threads-max"))
    return min(most, own) if of_user and own != resource.RLIM_INFINITY else most


def _few_numbers() -> str:
    with open("/proc/loadavg", "rb") as loadavg:
        tasks = int(loadavg.read().split()[3].partition(b"/")[2])
    most = most_tasks(of_user=False)
    return f"{tasks} of its {most} process numbers are taken" if most - tasks < LEAST_NUMBERS else ""


def _little_memory() -> str:
    memory = machine_memory()
    if memory.available >= min(LEAST_MEMORY, LEAST_SHARE * memory.total):
        return ""
    return f"{memory.available // MB} MB of its {memory.total // MB} MB of memory are left"


def _few_descriptors() -> str:
    with open("/proc/sys/fs/file-nr", "rb") as files:
        taken, free, most = map(int, files.read().split())
    return f"{taken - free} of its {most} open files are taken" if most - taken + free < LEAST_SHARE * most else ""


def _no_room(places: Iterable[str]) -> str:
    for place in places:
        space = os.statvfs(place)
        if space.f_bavail * space.f_frsize < LEAST_ROOM:
            return f"no room is left in {place}"
    return ""


def _number(path: str) -> int:
    with open(path, "rb") as file:
        return int(file.read())
