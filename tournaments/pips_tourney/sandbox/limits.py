"""What a bot's processes may take: set by the kernel where it can, else watched by the keeper.

For the keeper, which must start fast: nothing but a little of the standard library.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from pips_tourney.sandbox.processes import Process

WATCH_S: Final = 0.1
"""How often the keeper looks at what they take."""
FIRST_USER: Final = 61184
"""Where numbers of users begin that belong to nobody: those that systemd gives to services of passing users."""
USERS: Final = 4000
GROUP: Final = FIRST_USER
"""The group of all bots that have a user of their own."""
TASKS_A_PROCESS: Final = 32
MB: Final = 1 << 20


class Limits(NamedTuple):
    """Of one process of a bot and all that it starts."""

    memory_mb: int = 512
    """Resident memory, over all of them."""
    address_mb: int = 16_384
    """Address space of each: a backstop between two looks, wide because gRPC alone maps 400 to 600 MB."""
    cpu_s: int = 600
    """For each match that it sits at."""
    processes: int = 64
    file_mb: int = 64
    """Of each file that it writes."""


def restrict_self(limits: Limits, *, as_another_user: bool) -> None:
    """In a new process, before it becomes the bot."""
    import resource  # `pips-bot` knows of limits on platforms without it

    for what, most in (
        (resource.RLIMIT_AS, limits.address_mb * MB),
        (resource.RLIMIT_FSIZE, limits.file_mb * MB),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        resource.setrlimit(what, (least := most if hard == resource.RLIM_INFINITY else min(most, hard), least))
    if as_another_user:
        # The kernel counts tasks by user, so that this one limit is sound only where each process has its own.
        tasks = TASKS_A_PROCESS * limits.processes
        resource.setrlimit(resource.RLIMIT_NPROC, (tasks, tasks))
        os.setgroups([])
        os.setgid(GROUP)
        os.setuid(FIRST_USER + os.getpid() % USERS)


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
        """It sits down at a match, or leaves one. CPU time that it left over there cannot be saved up."""
        self.matches += by
        if by > 0:
            self.allowed_s += self.limits.cpu_s
        self.allowed_s = min(self.allowed_s, self.used_s + self.limits.cpu_s * (self.matches + 1))

    def excess(self, tree: Iterable[Process]) -> str:
        """What is too much of all that the process and its descendants take; "" if nothing is."""
        memory = cpu_s = count = 0.0
        for process in tree:
            memory += process.memory_bytes
            cpu_s += process.cpu_s
            count += 1
        self.used_s = max(self.used_s, cpu_s)
        if memory > self.limits.memory_mb * MB:
            return f"it took {memory / MB:.0f} MB of memory and may take {self.limits.memory_mb}"
        if count > self.limits.processes:
            return f"it had {count:.0f} processes and may have {self.limits.processes}"
        if self.used_s > self.allowed_s:
            return f"it computed for {self.used_s:.0f} s and may for {self.limits.cpu_s} s a match"
        return ""


def limits_of(values: dict[str, Any] | None) -> Limits | None:
    """As they came in a message."""
    return None if values is None else Limits(**values)
