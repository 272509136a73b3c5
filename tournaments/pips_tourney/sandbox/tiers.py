"""The tiers, and how a command is put into one.

`bubblewrap` and `landlock` are fences. Strangers' bots play only within a fence;
without one there is no night. Trusted bots use a fence too, but play without one if
none works.

`none` is an ordinary process. `limits` bounds what a process uses (limits.py) and its
system calls (seccomp.py). If a league lets strangers play this way (`unfenced`) and
root runs the night, bots are also separate users. `bubblewrap` has the same bounds and
shows the process a machine of its own, without a network or other processes. That
machine has a copy of the bot's folder, the system, and the interpreter with its
packages. `landlock` shows the same files and closes all others, without namespaces.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

import pips_sdk
from pips_tourney.bots.executable import Executable
from pips_tourney.errors import TourneyError
from pips_tourney.sandbox.bubblewrap import PROBE_S, Bubblewrap, find_bubblewrap
from pips_tourney.sandbox.landlock import Landlock, find_fence, find_landlock
from pips_tourney.sandbox.limits import FIRST_USER, GROUP, Limits
from pips_tourney.sandbox.places import closed_to_others
from pips_tourney.system import is_linux

COPY_MB: Final = 64
MOST_NAMED: Final = 3
APT: Final = "on Debian and Ubuntu: apt-get install bubblewrap"
_ON_A_KERNEL: Final = "Its kernel has to let it make namespaces; `pips-tourney check` looks at all of this"
VOUCH: Final = "say `trusted = true` if you vouch for it"


Finding = Callable[[], tuple[Bubblewrap | Landlock | None, str]]
"""Finds a tested fence, or says why there is none."""


class Tier(StrEnum):
    """How strictly a bot is confined."""

    NONE = "none"
    LIMITS = "limits"
    LANDLOCK = "landlock"
    BUBBLEWRAP = "bubblewrap"

    @property
    def is_fence(self) -> bool:
        return self in (Tier.LANDLOCK, Tier.BUBBLEWRAP)


class SandboxError(TourneyError):
    """A tier that this machine cannot provide."""


@dataclass(frozen=True, slots=True)
class WhoPlays:
    """The authors of the bots that play; it matters if there is no fence."""

    strangers: Sequence[str] = ()
    """Bots that play on this machine and that nobody vouches for."""
    alone: Sequence[str] = ()
    """Strangers that the league file names one by one, so it may vouch for them."""
    guests: Sequence[str] = ()
    """Bots that dial in; empty if only sample bots play on this machine."""
    unfenced: bool = False
    """Whether the league file lets strangers play without a fence."""


ALL_TRUSTED: Final = WhoPlays()


@dataclass(frozen=True, slots=True)
class Shelter:
    """A league file's sandbox settings other than tier and limits."""

    readable: Sequence[str] = ()
    """Files and folders that all bots may read."""
    hidden: Iterable[str] = ()
    """Files and folders that only the bot that owns them may read."""
    copy_mb: int = COPY_MB
    """Size limit of the copy of a bot's folder that each of its processes gets."""
    files: Sequence[str] = ()
    """Files and folders of all bots."""
    who: WhoPlays = ALL_TRUSTED


@dataclass(frozen=True, slots=True)
class Sandbox:
    """How bots are started; only the bot that owns a `hidden` file may read it."""

    tier: Tier = Tier.NONE
    limits: Limits | None = None
    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    as_another_user: bool = False
    fence: Bubblewrap | Landlock | None = None
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
        if self.fence is None:
            return program
        return self.fence.enclose(program, socket, folder, self.readable, self.hidden, self.copy_mb)


LESS: Final = "Bots are fenced in by Landlock, under which two processes can talk (docs/faults.md)"
NO_SANDBOX: Final = Sandbox()
_PLAIN: Final = Shelter()


def finder(asked: Tier | None) -> Finding:
    """Return a function that finds the fence of a tier; by default the best one."""
    if asked is None:
        return find_fence
    return find_landlock if asked is Tier.LANDLOCK else find_bubblewrap


def choose(asked: Tier | None, limits: Limits, shelter: Shelter = _PLAIN, find: Finding | None = None) -> Sandbox:
    """Return the sandbox of the asked tier, tested; by default the best available.

    `find` may have started the test of a fence earlier.

    Raises `SandboxError`, which says why these bots can have none.
    """
    why = f"the league file says sandbox = {asked}"
    if asked is None or asked.is_fence:
        fence, why = (find or finder(asked))()
        if fence is not None:
            return Sandbox(
                Tier.BUBBLEWRAP if isinstance(fence, Bubblewrap) else Tier.LANDLOCK, limits,
                _absolute(shelter.readable), (*_every_name(shelter.hidden), tempfile.gettempdir()),
                as_another_user=fence.as_root, fence=fence, copy_mb=shelter.copy_mb,
                notes=(f"{LESS}: {why}",) if asked is None and isinstance(fence, Landlock) else (),
            )  # fmt: skip
        if asked is not None:
            raise SandboxError(f"sandbox = {asked}: {why}. {_cure(asked)}")
    if not shelter.who.unfenced:
        _check_trust(asked, why, shelter.who)
    if not is_linux():
        return Sandbox(notes=(_on_trust(why),))
    if asked is Tier.NONE:
        return Sandbox(notes=(f"{_on_trust(why)}, without any limit",))
    others = bool(shelter.who.strangers) and os.geteuid() == 0
    if others:
        _check_open(shelter.files)
    return Sandbox(Tier.LIMITS, limits, as_another_user=others, notes=(_on_trust(why, others=others),))


def _check_trust(asked: Tier | None, why: str, who: WhoPlays) -> None:
    """Raise `SandboxError` if a stranger or guest would play, but there is no fence."""
    if who.strangers:
        many = "is a stranger's bot" if len(who.strangers) == 1 else "are strangers' bots"
        told = f"{_listed(who.strangers)} {many} and would not be fenced in: {why}. {_cure(asked)}"
        if who.alone:
            told += f". Of {_listed(who.alone)}, which the league file names alone: {VOUCH}"
        raise SandboxError(told)
    if who.guests:
        raise SandboxError(
            f"{_listed(who.guests)} will dial in, and bots that play here could read the secret of the night, "
            f"since nothing fences them in: {why}. {_cure(asked)}. Or let no bots but samples play here"
        )


def _cure(asked: Tier | None) -> str:
    if asked in (Tier.NONE, Tier.LIMITS):
        return (
            "Leave that out, and they are fenced in where a fence works. If they may all do what you may, "
            f'say `sandbox = {{ tier = "{asked}", unfenced = true }}`'
        )
    return f"Install bubblewrap ({APT}). {_ON_A_KERNEL}" if is_linux() else "Bots that you vouch for play here"


def _listed(names: Sequence[str]) -> str:
    """Return the first names, and the number of the others."""
    shown, more = names[:MOST_NAMED], len(names) - MOST_NAMED
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _on_trust(why: str, *, others: bool = False) -> str:
    may = "read what every user of this machine may" if others else "do what you may"
    return f"No fence: the bots play on trust and could {may}, since {why}"


def _absolute(places: Iterable[str]) -> tuple[str, ...]:
    return tuple(os.path.abspath(place) for place in places)  # noqa: PTH100 - Path keeps `..`


def _every_name(places: Iterable[str]) -> tuple[str, ...]:
    """Each place by its path without `..`, and by its path without links."""
    return tuple({name for place in _absolute(places) for name in (place, os.path.realpath(place))})


def _check_open(files: Sequence[str]) -> None:
    """Raise `SandboxError` if users without rights cannot start the bots."""
    told = "strangers' bots do not play as root but as users without rights, and these cannot"
    needed = (sys.executable, os.__file__, pips_sdk.__file__, tempfile.gettempdir(), *files)
    if (shut := next(filter(None, map(closed_to_others, needed)), None)) is not None:
        raise SandboxError(
            f"{told} open {shut}. Install bubblewrap ({APT}), or, if all users of this machine may: "
            f"chmod o+rx {shlex.quote(str(shut))}"
        )
    try:
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", ""], user=FIRST_USER, group=GROUP, extra_groups=[], check=True,
            capture_output=True, timeout=PROBE_S,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxError(f"{told} start {sys.executable} ({error}). Install bubblewrap ({APT})") from None
