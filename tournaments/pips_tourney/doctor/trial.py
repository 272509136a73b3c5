"""Try attacks from within the sandbox of a night on this machine.

What a sandbox shows depends on where the league is stored. So the doctor makes a league
of its own beside the league in question. Each attack (attacks.py) is a bot in it,
started by an arena.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pips_tourney.arena.arena import Arena
from pips_tourney.arena.starting import StartFailure
from pips_tourney.bots.executable import Executable
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.doctor import attacks
from pips_tourney.doctor.attacks import ATTACKS, HOLDING, MARK
from pips_tourney.league.league import League
from pips_tourney.league.read import read_league
from pips_tourney.sandbox.tiers import Sandbox
from pips_tourney.system import own_cores

MEMORY_MB: Final = 96
PROCESSES: Final = 12
START_S: Final = 30.0
CONTEST: Final = "doctor"
TRIES: Final = 3
"""A machine that is short of something may break an arena; the next arena may work."""
UNTRIED: Final = "nothing known, because it was not tried"
_TEXT: Final = Path(attacks.__file__).read_text(encoding="utf-8")
_HELD: Final = "the secret of a night"
_LEAGUE: Final = """
game = "serpent"
sandbox = {sandbox}
bots = [
    {{ name = "attacker", command = ["python", "-I", "-c", "pass"], cwd = "attacker", submitted = true }},
    {{ name = "neighbour", command = ["python", "bot.py"], cwd = "neighbour", submitted = true }},
]
"""


def try_attacks(folder: Path, asked: Mapping[str, Any]) -> tuple[Sandbox, dict[str, str]]:
    """Return the sandbox of a league in this folder, and what each attack reached.

    That is "" for an attack that was stopped. `asked` is what the league file says
    about the sandbox. Raises what a night would raise: `SandboxError`, `ArenaLost`, and
    `OSError` if the folder cannot be written.
    """
    with _league(folder, asked) as (league, secret), _listening() as port:
        word = f"pips-doctor-{os.getpid()}"
        sandbox = league.sandbox([secret])
        plan = {
            "port": port, "secret": str(secret), "neighbour": str(league.folder / "neighbour/bot.py"), "word": word,
            "folder": str(league.folder), "runner": os.getpid(), "memory_mb": MEMORY_MB, "processes": PROCESSES,
        }  # fmt: skip
        got = asyncio.run(_try_all(league, sandbox, plan))
        if left := _end_left(word):
            got["daemon"] = f"{left} that the night's end did not end"
        return sandbox, got


async def _try_all(league: League, sandbox: Sandbox, plan: Mapping[str, Any]) -> dict[str, str]:
    attacker = next(bot for bot in league.file.bots if bot.name == "attacker")
    program = league.program(attacker, league.file.games[0].name)

    def program_of(process: str) -> Executable:
        name = ProcessName.parse(process).bot
        return replace(program, command=(*program.command[:3], _TEXT, name, json.dumps(plan)))

    got = dict.fromkeys(ATTACKS, UNTRIED)
    for _ in range(TRIES):
        untried = [str(ProcessName(name, CONTEST, "0")) for name, what in got.items() if what.startswith(UNTRIED)]
        if untried:
            async with Arena(own_cores()[0], program_of, START_S, sandbox=sandbox) as arena:
                failures = await arena.start(untried)
            got.update((ProcessName.parse(failure.process).bot, _got(failure)) for failure in failures)
    return got


def _got(failure: StartFailure) -> str:
    """Return what an attack reached, by its output; "" if it was stopped.

    An attack on a limit must have come halfway before it was stopped.
    """
    lines = [line.removeprefix(MARK).strip() for line in failure.last_output.splitlines() if line.startswith(MARK)]
    for line in lines:
        if line.startswith("through: "):
            return line.removeprefix("through: ")
    stopped = failure.how.startswith(("ended, for ", "killed by SIGKILL")) or "MemoryError" in failure.last_output
    if "kept" not in lines and not stopped:
        return f"{UNTRIED}: {failure.how}"
    if ProcessName.parse(failure.process).bot in HOLDING and "held" not in lines:
        return f"{UNTRIED}: it was stopped before it held anything ({failure.how})"
    return ""


@contextmanager
def _league(folder: Path, asked: Mapping[str, Any]) -> Iterator[tuple[League, Path]]:
    """Yield a league of an attacker and a neighbour, and a stand-in for a database."""
    place = Path(tempfile.mkdtemp(prefix=".pips-doctor-", dir=folder))
    try:
        place.chmod(0o755)
        for name in ("attacker", "neighbour"):
            (place / name).mkdir()
            (place / name / "bot.py").write_text(f"# the source of {name}\n", encoding="utf-8")
        (place / "night.db").write_text(_HELD, encoding="utf-8")
        limits = {"memory_mb": MEMORY_MB, "processes": PROCESSES, "file_mb": 16, "unfenced": True}
        said = {name: value for name, value in asked.items() if name in ("tier", "cgroup") and value}
        entry = ", ".join(f"{name} = {json.dumps(value)}" for name, value in {**said, **limits}.items())
        (place / "night.toml").write_text(_LEAGUE.format(sandbox=f"{{ {entry} }}"), encoding="utf-8")
        yield read_league(place / "night.toml"), place / "night.db"
    finally:
        shutil.rmtree(place, ignore_errors=True)


@contextmanager
def _listening() -> Iterator[int]:
    """Yield a port on loopback that answers."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        yield door.getsockname()[1]


def _end_left(word: str) -> str:
    """End the processes whose command contains that word; return them, or ""."""
    left = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if word.encode() in (process / "cmdline").read_bytes().split(b"\0")[-2:-1]:
                os.kill(int(process.name), signal.SIGKILL)
                left.append(process.name)
    return f"process {' and '.join(left)}" if left else ""
