"""Files in which all is kept that bots print, one for each bot and rotation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from pips_sdk.log_marks import VARIABLE
from pips_tourney.bots.executable import Executable
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.errors import TourneyError


class LogProblem(TourneyError):
    """A folder in which no logs can be kept."""


def logged(program_of: Callable[[str], Executable], folder: Path) -> Callable[[str], Executable]:
    """How processes are started, so that the folder gets what they print.

    Raises `LogProblem` if there can be no such folder.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LogProblem(f"{folder} cannot hold logs: {error.strerror}; name another folder with --logs") from None
    return lambda process: replace(program_of(process), log=str(log_of(folder, process).absolute()))


def log_of(folder: Path, process: str) -> Path:
    """The log of a process: `BOT.CONTEST.ROTATION.log`."""
    name = ProcessName.parse(process)
    return folder / f"{name.bot}.{name.contest}.{name.turn}.log"


def marked(program_of: Callable[[str], Executable]) -> Callable[[str], Executable]:
    """How processes are started so that their logs have marks (log_marks.py)."""

    def with_marks(process: str) -> Executable:
        program = program_of(process)
        return replace(program, env={**program.env, VARIABLE: "1"})

    return with_marks


def printed_in(folder: Path, bot: str) -> Iterator[str]:
    """The lines that a bot's processes printed."""
    for file in sorted(folder.glob("*.log")):
        if file.name.rsplit(".", 3)[0] == bot:
            yield from file.read_text(encoding="utf-8", errors="replace").removesuffix("\n").split("\n")
