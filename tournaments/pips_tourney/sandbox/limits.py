"""What a bot's processes may take: kept by the kernel where it can, else watched by the
keeper.

For the keeper, which must start fast: nothing but a little of the standard library.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

WATCH_S: Final = 0.1
"""How often the keeper looks at what they take."""
FIRST_USER: Final = 61184
"""Where numbers of users begin that belong to nobody: systemd gives them to services of
passing users.
"""
USERS: Final = 4000
GROUP: Final = FIRST_USER
"""The group of all bots that have a user of their own."""
DESCRIPTORS: Final = 1024
"""Open files of each process: pipes and sockets hold memory that no process shows."""
OOM_SCORE: Final = "900"
"""Where the machine runs out of memory the kernel takes bots first, and never the
runner.
"""
MB: Final = 1 << 20


class Limits(NamedTuple):
    """Of one process of a bot and all that it starts."""

    memory_mb: int = 512
    """All memory, over all of them: also shared, in files in memory, in pipes and
    sockets.
    """
    address_mb: int = 16_384
    """Address space of each: a backstop between two looks. gRPC alone maps 400 to 600
    MB.
    """
    cpu_s: int = 600
    """For each match that it sits at."""
    processes: int = 64
    threads: int = 256
    """Of all its processes together."""
    file_mb: int = 64
    """Of each file that it writes."""


def restrict_self(limits: Limits, *, as_another_user: bool, wrapped: bool = False) -> None:
    """In a new process, before it becomes the bot; `as_another_user`: whether it is, or
    will be, a user of its own.

    The last step inside bubblewrap writes the bot's copy before it takes the limit of
    files for good.
    """
    import resource  # `pips-bot` knows of limits on platforms without it

    for what, most in (
        (resource.RLIMIT_AS, limits.address_mb * MB),
        (resource.RLIMIT_FSIZE, limits.file_mb * MB),
        (resource.RLIMIT_NOFILE, DESCRIPTORS),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (least, hard if wrapped and what == resource.RLIMIT_FSIZE else least))
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:  # noqa: PTH123 - no pathlib
        score.write(OOM_SCORE)
    if as_another_user:
        # The kernel counts tasks by user, so that this limit is sound only where each
        # process has its own.
        resource.setrlimit(resource.RLIMIT_NPROC, (limits.threads, limits.threads))


def become(user: int) -> None:
    """One of the users that have nothing; for good."""
    os.setgroups([])
    os.setresgid(GROUP, GROUP, GROUP)
    os.setresuid(user, user, user)


class Usage(NamedTuple):
    """What a process and all that it started take, together."""

    memory_bytes: int = 0
    cpu_s: float = 0.0
    processes: int = 0
    threads: int = 0


@dataclass(slots=True)
class Allowance:
    """What one process of a bot has taken of its limits."""

    limits: Limits
    used_s: float = 0.0
    allowed_s: float = 0.0
    matches: int = 0

    def __post_init__(self) -> None:
        self.allowed_s = float(self.limits.cpu_s)

    def sit(self, by: int) -> None:
        """It sits down at a match, or leaves one. CPU time that it left over there
        cannot be saved up.
        """
        self.matches += by
        if by > 0:
            self.allowed_s += self.limits.cpu_s
        self.allowed_s = min(self.allowed_s, self.used_s + self.limits.cpu_s * (self.matches + 1))

    def excess(self, usage: Usage) -> str:
        """What is too much of all that the process and its descendants take; "" if
        nothing is.
        """
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


def limits_of(values: dict[str, Any] | None) -> Limits | None:
    """As they came in a message."""
    return None if values is None else Limits(**values)
