"""Arenas that are begun ahead: while the runner still loads, and reads its league.

What a league file says of them is looked at before anybody has checked it. An arena
that was begun on a wrong guess, or that nobody takes, is ended again.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from pips_tourney.arena.cores import allowed_cores
from pips_tourney.arena.folder import GRACE_STARTS, referee_command, short_folder, start_keeper
from pips_tourney.bots.tuning import STARTUP_MS


class ArenaAhead(NamedTuple):
    """An arena's keeper, which was told to start the referee."""

    core: int
    startup_s: float
    folder: Path
    key: bytes
    """What its referee makes all tokens from."""
    keeper: subprocess.Popen[bytes]

    @staticmethod
    def begin(core: int, startup_s: float) -> ArenaAhead:
        """Start the keeper; raises `OSError` if the machine refuses that."""
        folder, key = short_folder(), os.urandom(32)
        command = json.dumps(referee_command(folder, key, GRACE_STARTS * startup_s)).encode() + b"\n"
        try:
            keeper = start_keeper(folder, core)
        except OSError:
            shutil.rmtree(folder)
            raise
        assert keeper.stdin is not None
        os.write(keeper.stdin.fileno(), command)
        return ArenaAhead(core, startup_s, folder, key, keeper)

    def end(self) -> None:
        """Let the keeper end, and with it all that it has started; do not wait."""
        for pipe in (self.keeper.stdin, self.keeper.stdout):
            assert pipe is not None
            pipe.close()


class ArenasAhead:
    """The arenas that were begun ahead and not taken yet."""

    def __init__(self) -> None:
        self._arenas: list[ArenaAhead] = []

    def begin(self, arenas: int, startup_s: float) -> None:
        """Begin at most one on each core; what the machine refuses is tried later."""
        with suppress(OSError):
            for core in allowed_cores()[:arenas]:
                self._arenas.append(ArenaAhead.begin(core, startup_s))

    def take(self, core: int, startup_s: float) -> ArenaAhead | None:
        """The one on that core, if it was begun for starts of that length."""
        for arena in self._arenas:
            if (arena.core, arena.startup_s) == (core, startup_s):
                self._arenas.remove(arena)
                return arena
        return None

    def end(self) -> None:
        """End those that nobody has taken."""
        for arena in self._arenas:
            arena.end()
        while self._arenas:
            self._arenas.pop().keeper.wait()


@contextmanager
def arenas_ahead(league: Path, arenas: int | None) -> Iterator[ArenasAhead]:
    """Those that a league will need, as it seems; ended in the end if nobody took them.

    `arenas` is how many are asked for, if not as many as the file says.
    """
    ahead = ArenasAhead()
    try:
        if (guess := _guess(league, arenas)) is not None:
            ahead.begin(*guess)
        yield ahead
    finally:
        ahead.end()


def _guess(league: Path, arenas: int | None) -> tuple[int, float] | None:
    """How many arenas play on this machine, and how long a bot's start may take.

    None if there are none, or the file is wrong: who reads it will tell. A pipe can be
    read once, and is left alone.
    """
    if not league.is_file():
        return None
    try:
        said = tomllib.loads(league.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    count, startup_ms = arenas or said.get("arenas", len(allowed_cores())), said.get("startup_ms", STARTUP_MS)
    if said.get("engine", "local") != "local" or not isinstance(count, int) or not isinstance(startup_ms, int):
        return None
    return max(count, 0), startup_ms / 1000
