"""The tiers `none`, `limits` and `bubblewrap`, and how a command is put into one.

`none` is a process like any other. `limits` bounds what it uses (limits.py) and which
system calls it makes (seccomp.py). If root runs the night, it also becomes another
user. `bubblewrap` has the same bounds and shows the process a machine of its own. That
machine has no network and no other processes. It has a copy of the bot's folder, the
system, and the interpreter with its packages.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from pips_referee.value import value
from pips_tourney.bots.executable import Executable
from pips_tourney.errors import TourneyError
from pips_tourney.sandbox.bubblewrap import PROBE_S, Bubblewrap, find_bubblewrap
from pips_tourney.sandbox.limits import FIRST_USER, GROUP, Limits

COPY_MB: Final = 64
_INSTALL: Final = (
    "install the package bubblewrap (Debian, Ubuntu and Fedora call it so) on a kernel that lets it make namespaces"
)


Finding = Callable[[], tuple[Bubblewrap | None, str]]
"""Finds a bubblewrap that was tried out, or says why there is none."""


class Tier(StrEnum):
    """How strictly a bot is confined."""

    NONE = "none"
    LIMITS = "limits"
    BUBBLEWRAP = "bubblewrap"


class SandboxError(TourneyError):
    """A tier that this machine cannot provide."""


@value
class Shelter:
    """A league file's settings of the sandbox beside tier and limits."""

    readable: Sequence[str] = ()
    """Files and folders that all bots may read."""
    hidden: Iterable[str] = ()
    """Files and folders that only the bot which owns them may read."""
    copy_mb: int = COPY_MB
    """Size limit of the copy of a bot's folder that each of its processes gets."""
    bots_as_root: bool = False
    """Whether root's bots may be root if no other user can start the interpreter."""


@value
class Sandbox:
    """How bots are started; only the bot that owns a `hidden` file may read it."""

    tier: Tier = Tier.NONE
    limits: Limits | None = None
    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    as_another_user: bool = False
    bubblewrap: Bubblewrap | None = None
    copy_mb: int = COPY_MB
    notes: tuple[str, ...] = ()
    """Lines printed for the organiser at the start of a night."""
    group: str = ""
    """The control group that holds the groups of bots' processes; "" if none."""

    def enclose(self, program: Executable, socket: str, folder: Path) -> Executable:
        """Return the wrapped program; its files go to the private `folder`.

        Raises `OSError` if its command cannot be found, and `PackError` if its files
        cannot be copied.
        """
        if self.bubblewrap is None:
            return program
        env = {**program.env, "HOME": "/tmp", "TMPDIR": "/tmp"}  # noqa: S108 - the bot's own
        inside = replace(program, env=env)
        enclosed = self.bubblewrap.enclose(inside, socket, folder, self.readable, self.hidden, self.copy_mb)
        return replace(enclosed, log=program.log)


NO_SANDBOX: Final = Sandbox()
_PLAIN: Final = Shelter()


def choose(asked: Tier | None, limits: Limits, shelter: Shelter = _PLAIN, find: Finding = find_bubblewrap) -> Sandbox:
    """Return the sandbox of the asked tier, tried out; by default the best available.

    `find` may have begun to try bubblewrap out before.

    Raises `SandboxError`, which says why the tier is not available.
    """
    if asked is Tier.NONE:
        return Sandbox(notes=(f"Sandbox: none. {_unprotected('the network, memory, the disk')}",))
    unless = ""
    if asked is not Tier.LIMITS:
        bubblewrap, why = find()
        if bubblewrap is not None:
            return Sandbox(
                Tier.BUBBLEWRAP, limits, _absolute(shelter.readable),
                (*_every_name(shelter.hidden), tempfile.gettempdir()),
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
    return tuple(os.path.abspath(place) for place in places)  # noqa: PTH100 - Path keeps `..`


def _every_name(places: Iterable[str]) -> tuple[str, ...]:
    """Each place by its path without `..`, and by the path without links."""
    return tuple({name for place in _absolute(places) for name in (place, os.path.realpath(place))})


def _unprotected(what: str) -> str:
    return f"Not protected: the league's secret, tokens, other bots' files, {what}"


def _probe_user() -> tuple[bool, str]:
    """Return whether bots can be users of their own; if not, why."""
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
