"""Start a bot without namespaces: Landlock, a filter, and a separate user.

Containers do not block Landlock, while few allow bubblewrap. Landlock closes files. It
cannot close the path of a socket, so each process of a bot is a separate user with its
own socket. That needs root, or the right to change users. The filter refuses networks,
named sockets, and all that would open a file to others.

On each machine the fence is tested by attacks from within.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread
from typing import Any, Final

import pips_sdk
from pips_tourney.bots.executable import Executable
from pips_tourney.sandbox.bubblewrap import (
    Bubblewrap,
    EnclosedProgram,
    find_bubblewrap,
    last_step,
    packed,
    shown_to,
    start_now,
)
from pips_tourney.sandbox.counting.processes import folder_prefix
from pips_tourney.sandbox.homes import TEMPORARY
from pips_tourney.sandbox.limits import FIRST_USER, GROUP
from pips_tourney.sandbox.places import closed_to_others, mounts, packages
from pips_tourney.sandbox.seccomp import seccomp_filter
from pips_tourney.system import ELSEWHERE, is_linux

HOMES: Final = "homes"
"""The folder for bots' homes in an arena."""
ATTEMPTS: Final = str(Path(__file__).with_name("attempts.py"))


@dataclass(frozen=True, slots=True)
class Landlock:
    """A fence of Landlock that holds on this machine."""

    as_root: bool

    def enclose(
        self, program: Executable, socket: str, folder: Path, more: Sequence[str], hidden: Sequence[str], copy_mb: int
    ) -> EnclosedProgram:
        """Return the program wrapped for its start.

        Packs are written to `folder`, which is private; the bot's home will be beside
        it. Raises `OSError` if the command cannot be found, and `PackError` if its
        files cannot be copied.
        """
        pack, copied = packed(program, folder, hidden, copy_mb)
        home = str(folder.parent / HOMES / os.urandom(8).hex())
        words = list(mounts(shown_to(program, more, hidden, copied), [*hidden, str(folder)], [], 0))
        places = [words[at + 1] for at, word in enumerate(words) if word == "--ro-bind-try"]
        places += {f"{Path(package).parent}/" for package in packages()}  # an import lists the folder above the package

        def moved(word: str) -> str:
            """Return the path in the home for a path of the bot's own files."""
            return os.pathsep.join(
                f"{home}{part}" if any(f"{part}/".startswith(f"{place}/") for place in copied) else part
                for part in word.split(os.pathsep)
            )

        temporary = f"{home}/{TEMPORARY}"
        env = {name: moved(value) for name, value in program.env.items()} | {"HOME": temporary, "TMPDIR": temporary}
        cwd = program.cwd if program.files and not copied else f"{home}{program.cwd}".rstrip("/")
        inside = replace(program, command=tuple(map(moved, program.command)), cwd=cwd, env=env)
        return last_step(inside, pack, home=home, places=places)

    def probe(self) -> str:
        """Try from within what a bot must not do; return what succeeded, or ""."""
        user = FIRST_USER if self.as_root else None
        with _surroundings(user) as (folder, targets):
            words = (sys.executable, "-I", "-S", ATTEMPTS, json.dumps(targets))
            program = Executable(words, "/", {}, interpreter=sys.executable)
            try:
                ended = start_now(self.enclose(program, "", folder, [ATTEMPTS], [], 1), user)
                through = json.loads(ended.stdout or "null")
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                return str(error) or type(error).__name__
        if through is None:
            return (ended.stderr.strip().splitlines() or [f"it ended with {ended.returncode}"])[-1]
        return f"it does not keep a bot from {', '.join(through)}" if through else ""


Found = tuple[Bubblewrap | Landlock | None, str]
"""A fence, or None and why there is none."""


@contextmanager
def _surroundings(user: int | None) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield a private folder and the targets of attempts: sockets as of two arenas."""
    with ExitStack() as kept:
        arenas = [Path(kept.enter_context(tempfile.TemporaryDirectory(prefix=folder_prefix()))) for _ in range(2)]
        (folder := arenas[0] / "organiser").mkdir(0o700)
        doors = {}
        for number, (name, place) in enumerate(
            {
                "its own": arenas[0],
                "another bot's": arenas[0],
                "another arena's": arenas[1],
                "the organiser's": folder,
            }.items()
        ):
            if place is not folder:
                place.chmod(0o711)
            path = doors[name] = str(place / str(number))
            door = kept.enter_context(socket.socket(socket.AF_UNIX))
            door.bind(path)
            door.listen()
            Path(path).chmod(0o700)
            if user is not None and place is not folder:
                os.chown(path, user + number, GROUP)
        (secret := arenas[0] / "secret").touch(0o644)
        targets = {"own": doors.pop("its own"), "doors": doors, "secret": str(secret), "runner": os.getpid()}
        yield folder, targets


def find_landlock() -> tuple[Landlock | None, str]:
    """Return a fence of Landlock that holds on this machine, or None and the reason."""
    if not is_linux():
        return None, f"a fence needs Linux: {ELSEWHERE}"
    if seccomp_filter() is None:
        return None, f"no filter of system calls is written for {os.uname().machine}"
    as_root = os.geteuid() == 0
    needed = (sys.executable, os.__file__, pips_sdk.__file__, f"{tempfile.gettempdir()}/socket")
    if as_root and (shut := next(filter(None, map(closed_to_others, needed)), None)) is not None:
        return None, f"bots would be users without rights, and these cannot open {shut}"
    landlock = Landlock(as_root)
    why = landlock.probe()
    return (None, why) if why else (landlock, "")


def find_fence() -> tuple[Bubblewrap | Landlock | None, str]:
    """Return the best fence that works on this machine, or None and why none does."""
    bubblewrap, why = find_bubblewrap()
    if bubblewrap is not None or not is_linux():
        return bubblewrap, why
    landlock, and_why = find_landlock()
    return landlock, why if landlock is not None else f"{why}. Without it, {and_why}"


def looked_for(find: Callable[[], Found]) -> Callable[[], Found]:
    """Start a search in a thread; the returned function waits for its result.

    The end of the process does not wait for the thread.
    """
    found: Future[Found] = Future()

    def look() -> None:
        try:
            found.set_result(find())
        except Exception as error:  # noqa: BLE001 - raised again by the returned function
            found.set_exception(error)

    Thread(target=look, daemon=True).start()
    return found.result
