"""What only Linux can do, and the sentence that says so."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from typing import Final

from pips_tourney.errors import TourneyError

ELSEWHERE: Final = "on Windows that is WSL 2, on macOS a container or a virtual machine with Linux"
NO_CLOCK: Final = (
    "NO CLOCK: this night is played in one process, where nobody measures how long a bot thinks. "
    f"A night with processes, clocks and a fence needs Linux: {ELSEWHERE}"
)


class NeedsLinux(TourneyError):
    """Something that only Linux can do."""


def is_linux() -> bool:
    """Whether this system can run, time and sandbox bots' processes."""
    return sys.platform == "linux"


def hands_on_sockets() -> bool:
    """Whether a process may be given an open socket when it starts."""
    return sys.platform in ("linux", "darwin")


def need_linux(what: str) -> None:
    """Raise `NeedsLinux` on any other system."""
    if not is_linux():
        raise NeedsLinux(f"{what} needs Linux: {ELSEWHERE}")


def own_cores() -> list[int]:
    """The processor cores that this process may use, in order."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def claim_core() -> tuple[int, socket.socket]:
    """Claim a core that no other process of Pips has claimed; any if all are taken.

    Returns the core and the socket whose abstract name is the claim.
    """
    cores, claim = own_cores(), socket.socket(socket.AF_UNIX)
    for core in cores:
        with suppress(OSError):
            claim.bind(f"\0pips-core-{core}")
            return core, claim
    return cores[os.getpid() % len(cores)], claim
