"""What a bot's process can reach: the tiers `none`, `limits` and `bubblewrap`, and how
a command is put into one.

`none` is a process like any other. `limits` bounds what it takes (limits.py) and which
system calls it makes (seccomp.py), and makes it another user where the night is root's.
`bubblewrap` bounds it too, and shows it a machine of its own: no network, no other
processes, a copy of its folder, and of the disk only the system and the interpreter
with its packages.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from pips_tourney.bots.executable import Executable
from pips_tourney.errors import TourneyError
from pips_tourney.sandbox.bubblewrap import PROBE_S, Bubblewrap, find_bubblewrap
from pips_tourney.sandbox.limits import FIRST_USER, GROUP, Limits

COPY_MB: Final = 64
_INSTALL: Final = (
    "install the package bubblewrap (Debian, Ubuntu and Fedora call it so) on a kernel that lets it make namespaces"
)


class Tier(StrEnum):
    """How much a bot is kept from."""

    NONE = "none"
    LIMITS = "limits"
    BUBBLEWRAP = "bubblewrap"


class SandboxError(TourneyError):
    """A tier that this machine cannot give."""


@dataclass(frozen=True, slots=True)
class Shelter:
    """What a league file says of the sandbox besides its tier and its limits."""

    readable: Sequence[str] = ()
    """Files and folders that all bots may read."""
    hidden: Iterable[str] = ()
    """Files and folders that no bot may read but the one whose they are."""
    copy_mb: int = COPY_MB
    """How large the copy of a bot's folder may be that each of its processes gets."""
    bots_as_root: bool = False
    """Whether root's bots may be root where no other user can start the interpreter."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """How bots are started. `hidden` are files and folders that no bot may read but the
    one whose they are.
    """

    tier: Tier = Tier.NONE
    limits: Limits | None = None
    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    as_another_user: bool = False
    bubblewrap: Bubblewrap | None = None
    copy_mb: int = COPY_MB
    notes: tuple[str, ...] = ()
    """What a person is told at the start of a night."""
    group: str = ""
    """The control group in which every bot's process gets one of its own; "" where
    there is none.
    """

    def enclose(self, program: Executable, socket: str, folder: Path) -> Executable:
        """The program as it is to be started; what it needs for that goes to `folder`,
        which is private.

        `OSError` where its command cannot be found, `PackError` where its files cannot
        be copied.
        """
        if self.bubblewrap is None:
            return program
        env = {**program.env, "HOME": "/tmp", "TMPDIR": "/tmp"}  # noqa: S108 - the bot's own
        inside = replace(program, env=env)
        return self.bubblewrap.enclose(inside, socket, folder, self.readable, self.hidden, self.copy_mb)


NO_SANDBOX: Final = Sandbox()
_PLAIN: Final = Shelter()


def choose(asked: Tier | None, limits: Limits, shelter: Shelter = _PLAIN) -> Sandbox:
    """The sandbox of that tier, tried out; when none is asked for, the best there is.
    `SandboxError` says why not.
    """
    if asked is Tier.NONE:
        return Sandbox(notes=(f"Sandbox: none. {_unprotected('the network, memory, the disk')}",))
    unless = ""
    if asked is not Tier.LIMITS:
        bubblewrap, why = find_bubblewrap()
        if bubblewrap is not None:
            return Sandbox(
                Tier.BUBBLEWRAP, limits, _absolute(shelter.readable),
                (*_absolute(shelter.hidden), tempfile.gettempdir()),
                as_another_user=bubblewrap.as_root, bubblewrap=bubblewrap, copy_mb=shelter.copy_mb,
            )  # fmt: skip
        if asked is Tier.BUBBLEWRAP:
            raise SandboxError(f"sandbox = bubblewrap: {why}; {_INSTALL}. Else ask for sandbox = limits")
        unless = f", since bubblewrap does not work here ({why})"
    other, why_not = _probe_user()
    if os.geteuid() == 0 and not other and not shelter.bots_as_root:
        raise SandboxError(
            f"sandbox = limits{unless}: bots would be root and could do anything on this machine, for {why_not}. "
            f"Run the night as a user without rights, {'' if asked else 'or install bubblewrap, '}"
            "or install Pips where all users can read it, "
            'or say `sandbox = { tier = "limits", bots_as_root = true }` if you trust every bot with all of it'
        )
    unprotected = "the network, the disk" if other else f"the network, the disk; {why_not}"
    note = f"Sandbox: limits{unless}. {_unprotected(unprotected)}"
    return Sandbox(Tier.LIMITS, limits, as_another_user=other, notes=(note,))


def _absolute(places: Iterable[str]) -> tuple[str, ...]:
    return tuple(str(Path(place).absolute()) for place in places)


def _unprotected(what: str) -> str:
    return f"Not protected: the league's secret, tokens, other bots' files, {what}"


def _probe_user() -> tuple[bool, str]:
    """Whether bots can be users of their own; else why not."""
    if os.geteuid() != 0:
        return False, "bots are the user who runs the night"
    try:
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", ""], user=FIRST_USER, group=GROUP, extra_groups=[], check=True,
            capture_output=True, timeout=PROBE_S,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return False, f"other users cannot start {sys.executable}"
    return True, ""
