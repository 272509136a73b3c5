"""Limits for a bot's processes: by the kernel if possible, otherwise by the keeper.

The keeper imports this module and must start fast. So it uses little of the standard
library, and no `dataclasses`, which imports modules that parse source code.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final, NamedTuple

with suppress(ImportError):  # Windows has none
    import resource

WATCH_S: Final = 0.1
"""Seconds between two checks of what bots use."""
FIRST_USER: Final = 61184
"""The first user number that belongs to nobody; systemd uses these for services."""
USERS: Final = 4000
GROUP: Final = FIRST_USER
"""The group of all bots that run as separate users."""
DESCRIPTORS: Final = 1024
"""The most open files of a process; pipes and sockets take memory that none shows."""
OOM_SCORE: Final = "900"
"""If the machine runs out of memory, the kernel kills bots first, never the runner."""
MB: Final = 1 << 20
TEMPORARY_MB: Final = 64
"""The most MB that a fenced bot may write to each of its temporary folders."""


class Limits(NamedTuple):
    """Limits of one process of a bot and of all that it starts."""

    memory_mb: int = 512
    """Memory of all its processes, with shared memory, files, pipes and sockets."""
    address_mb: int = 16_384
    """Address space of each process: a backstop between two checks.

    gRPC alone maps 400 to 600 MB.
    """
    cpu_s: int = 600
    """CPU time for each match at which the process sits."""
    processes: int = 64
    threads: int = 256
    """Threads of all its processes together."""
    file_mb: int = 64
    """Size of each file that the process writes."""


def restrict_self(limits: Limits, *, as_another_user: bool, copies: bool = False) -> None:
    """Apply the limits to this new process, before it becomes the bot.

    `as_another_user` says whether the process is, or will be, a separate user. If the
    last step `copies` the bot's files, it also makes the file limit final.
    """
    for what, most in (
        (resource.RLIMIT_AS, limits.address_mb * MB),
        (resource.RLIMIT_FSIZE, limits.file_mb * MB),
        (resource.RLIMIT_NOFILE, DESCRIPTORS),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (least, hard if copies and what == resource.RLIMIT_FSIZE else least))
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:  # noqa: PTH123 - no pathlib
        score.write(OOM_SCORE)
    if as_another_user:
        # The kernel counts tasks by user, so only a process of a separate user can be
        # limited.
        resource.setrlimit(resource.RLIMIT_NPROC, (limits.threads, limits.threads))


def become(user: int) -> None:
    """Become one of the users without rights, permanently."""
    os.setgroups([])
    os.setresgid(GROUP, GROUP, GROUP)
    os.setresuid(user, user, user)


class Usage(NamedTuple):
    """The resources used by a process and all its descendants together."""

    memory_bytes: int = 0
    cpu_s: float = 0.0
    processes: int = 0
    threads: int = 0


class Allowance:
    """How much of its limits a process of a bot has used."""

    used_s: float = 0.0
    matches: int = 0

    def __init__(self, limits: Limits) -> None:
        self.limits, self.allowed_s = limits, float(limits.cpu_s)

    def sit(self, by: int) -> None:
        """Add a match, or remove one (negative); unused CPU time cannot be saved up."""
        self.matches += by
        if by > 0:
            self.allowed_s += self.limits.cpu_s
        self.allowed_s = min(self.allowed_s, self.used_s + self.limits.cpu_s * (self.matches + 1))

    def excess(self, usage: Usage) -> str:
        """Return which limit the process and its descendants exceed; "" if none."""
        limits = self.limits
        self.used_s = max(self.used_s, usage.cpu_s)
        if usage.memory_bytes > limits.memory_mb * MB:
            return f"it took {usage.memory_bytes / MB:.0f} MB of memory and may take {limits.memory_mb}"
        if usage.processes > limits.processes:
            return f"it had {usage.processes} processes and may have {limits.processes}"
        if usage.threads > limits.threads:
            return f"it had {usage.threads} threads and may have {limits.threads}"
        if self.used_s > self.allowed_s:
            return f"it computed for {self.used_s:.0f} s and may for {limits.cpu_s} s a match"
        return ""
