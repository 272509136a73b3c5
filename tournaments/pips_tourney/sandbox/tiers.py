"""What a bot's process can reach: the tiers `none`, `limits` and `bubblewrap`, and how a command is put into one.

`none` is a process like any other. `limits` bounds what it takes (limits.py), and makes it another user where the night
is root's. `bubblewrap` bounds it too, and shows it a machine of its own: no network, no other processes, nothing to
write but 64 MB, and of the disk only the system, the interpreter with its packages, and the bot.
"""

from __future__ import annotations

import errno
import os
import shutil
import site
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pips_tourney.bots.executable import Executable
from pips_tourney.bots.interpreter import cache_folder
from pips_tourney.errors import TourneyError
from pips_tourney.sandbox.limits import FIRST_USER, GROUP, MB, Limits

PROBE_S: Final = 20.0
TEMPORARY_MB: Final = 64
NOBODY: Final = "65534"
_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store")
_SETTINGS: Final = (
    "alternatives", "group", "hosts", "java", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "nsswitch.conf",
    "passwd", "pki", "ssl", "timezone",
)  # fmt: skip
_PACKAGES: Final = ("pips", "pips_referee", "pips_sdk", "pips_sample_bots")
_PLACES_NAMED: Final = ("JAVA_HOME", "LD_LIBRARY_PATH", "NODE_PATH", "PYTHONPATH", "VIRTUAL_ENV")
"""Variables that hold places which a bot reads from."""
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
class Sandbox:
    """How bots are started. `hidden` are files and folders that no bot may read but the one whose they are."""

    tier: Tier = Tier.NONE
    limits: Limits | None = None
    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    as_another_user: bool = False
    options: tuple[str, ...] = ()
    """Of bubblewrap, which some versions of it lack."""
    notes: tuple[str, ...] = ()
    """What a person is told at the start of a night."""
    group: str = ""
    """The control group in which every bot's process gets one of its own; "" where there is none."""

    def enclose(self, program: Executable, socket: str) -> Executable:
        """The program as it is to be started; `OSError` where its command cannot be found."""
        if self.tier is not Tier.BUBBLEWRAP:
            return program
        env = {**program.env, "HOME": "/tmp", "TMPDIR": "/tmp"}  # noqa: S108 - the bot's own
        places = list(_outermost(_readable(program, self.readable)))
        masks = [path for path in self.hidden if _is_below(path, places) and not _holds(path, program.files)]
        words = [*_empty_machine(self.options), *_shown(places), *_masked(masks)]
        words += ["--ro-bind", socket, socket, "--dir", program.cwd, "--chdir", program.cwd, "--remount-ro", "/", "--"]
        return replace(program, command=("bwrap", *words, *program.command), env=env)


NO_SANDBOX: Final = Sandbox()


def choose(asked: Tier | None, limits: Limits, readable: Sequence[str] = (), hidden: Iterable[str] = ()) -> Sandbox:
    """The sandbox of that tier, or, when none is asked for, the best there is; tried out. `SandboxError` says why not.

    What is `readable` is shown to all bots, what is `hidden` to none but those whose it is.
    """
    if asked is Tier.NONE:
        return Sandbox(notes=(f"Sandbox: none. {_unprotected('the network, memory, the disk')}",))
    unless = ""
    if asked is not Tier.LIMITS:
        works, options, why = _probe_bubblewrap()
        if works:
            shown = tuple(str(Path(place).absolute()) for place in readable)
            kept = tuple(str(Path(place).absolute()) for place in hidden)
            return Sandbox(Tier.BUBBLEWRAP, limits, shown, kept, options=options)
        if asked is Tier.BUBBLEWRAP:
            raise SandboxError(f"sandbox = bubblewrap: {why}; {_INSTALL}. Else ask for sandbox = limits")
        unless = f", since bubblewrap does not work here ({why})"
    other, why_not = _probe_user()
    unprotected = "the network, the disk" if other else f"the network, the disk; {why_not}"
    note = f"Sandbox: limits{unless}. {_unprotected(unprotected)}"
    return Sandbox(Tier.LIMITS, limits, as_another_user=other, notes=(note,))


def _unprotected(what: str) -> str:
    return f"Not protected: the league's secret, tokens, other bots' files, {what}"


def _probe_bubblewrap() -> tuple[bool, tuple[str, ...], str]:
    """Whether a process can be started in it, with which options; else why not."""
    found = shutil.which("bwrap")
    if found is None:
        return False, (), "there is no bwrap on this machine"
    said = ""
    for options in (("--disable-userns",), ()):
        words = [
            *_empty_machine(options),
            *_shown(_outermost(_interpreter())),
            "--",
            sys.executable,
            "-I",
            "-S",
            "-c",
            "",
        ]
        try:
            tried = subprocess.run(
                [found, *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=PROBE_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return False, (), str(error)
        if tried.returncode == 0:
            return True, options, ""
        said = (tried.stderr.strip().splitlines() or ["it failed"])[-1]
    return False, (), said


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
        return False, f"bots are root, for other users cannot start {sys.executable}"
    return True, ""


def _empty_machine(options: Sequence[str]) -> Iterator[str]:
    """A machine with the system's files and nothing else on it."""
    yield from ("--die-with-parent", "--unshare-user", *options, "--unshare-ipc", "--unshare-pid", "--unshare-net")
    yield from ("--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL", "--uid", NOBODY, "--gid", NOBODY)
    for place in _SYSTEM:
        if Path(place).is_symlink():
            yield from ("--symlink", str(Path(place).readlink()), place)
        else:
            yield from ("--ro-bind-try", place, place)
    for name in _SETTINGS:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
    yield from ("--proc", "/proc", "--dev", "/dev")
    for place in ("/tmp", "/dev/shm"):  # noqa: S108 - its own
        yield from ("--size", str(TEMPORARY_MB * MB), "--tmpfs", place)
    yield from ("--remount-ro", "/dev")


def _shown(places: Iterable[str]) -> Iterator[str]:
    for place in places:
        yield from ("--ro-bind-try", place, place)


def _masked(places: Iterable[str]) -> Iterator[str]:
    for place in places:
        if Path(place).is_dir():
            yield from ("--tmpfs", place, "--remount-ro", place)
        elif Path(place).exists():
            yield from ("--ro-bind", "/dev/null", place)


def _readable(program: Executable, more: Iterable[str]) -> Iterator[str]:
    """What a bot reads that is no part of the system."""
    yield from program.files
    yield from _node_modules(program.files)
    yield from _interpreter()
    yield from _executable(program)
    for name in _PLACES_NAMED:
        yield from (place for place in program.env.get(name, "").split(os.pathsep) if Path(place).is_absolute())
    yield from more


def _node_modules(files: Iterable[str]) -> Iterator[str]:
    """Where Node looks for what a file imports: beside it and above, and where the packages there are links to."""
    folders = {folder for file in files for folder in (Path(file), *Path(file).parents)}
    for modules in (folder / "node_modules" for folder in folders):
        if modules.is_dir():
            yield str(modules)
            yield from (os.path.realpath(package) for package in modules.iterdir() if package.is_symlink())


def _interpreter() -> Iterator[str]:
    """The interpreter that runs the tournament, and what it imports from."""
    yield from (sys.prefix, sys.base_prefix)
    yield from _around(sys.executable)
    yield str(cache_folder() / "sdk")
    if site.ENABLE_USER_SITE:
        yield site.getusersitepackages()
    for package in _PACKAGES:
        spec = find_spec(package)
        yield from (str(Path(place).absolute()) for place in (spec and spec.submodule_search_locations) or ())


def _executable(program: Executable) -> Iterator[str]:
    """The program itself, with what was installed with it."""
    word = program.command[0]
    search = program.env.get("PATH", os.defpath)
    found = shutil.which(Path(program.cwd, word) if os.sep in word else word, path=search)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), word)
    yield from _around(found)


def _around(executable: str) -> Iterator[str]:
    """A program, the files that it is a link to, and the folder above the `bin` that each of them is in."""
    link: Path | None = Path(executable).absolute()
    while link is not None:
        yield str(link)
        above = link.parent.parent
        if link.parent.name == "bin" and not Path.home().is_relative_to(above):
            yield str(above)
        link = Path(os.path.normpath(link.parent / link.readlink())) if link.is_symlink() else None


def _outermost(places: Iterable[str]) -> Iterator[str]:
    """Those that are in none of the others and not of the system, parents first."""
    seen: list[str] = []
    for place in sorted({os.path.normpath(place) for place in places}, key=lambda place: (place.count(os.sep), place)):
        if not _is_below(place, [*_SYSTEM, *seen]) and place not in _SYSTEM and place != os.sep:
            seen.append(place)
            yield place


def _is_below(path: str, places: Iterable[str]) -> bool:
    return any(path != place and Path(path).is_relative_to(place) for place in places)


def _holds(path: str, files: Iterable[str]) -> bool:
    return any(Path(file).is_relative_to(path) for file in files)
