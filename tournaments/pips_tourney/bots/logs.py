"""Log files with everything that bots print, one for each bot, contest and rotation."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from pips_sdk._runtime.log_marks import VARIABLE
from pips_tourney.bots.executable import Executable
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.files import check_log, make_folder, writable

HINT: Final = "name another folder with --logs"


def logged(program_of: Callable[[str], Executable], folder: Path) -> Callable[[str], Executable]:
    """Have processes start with a log in this folder for everything that they print.

    Raises `NotWritten` if that is impossible, now or when a process starts.
    """
    make_folder(folder, HINT)

    def with_log(process: str) -> Executable:
        log = log_of(folder, process).absolute()
        check_log(log, HINT)
        return replace(program_of(process), log=str(log))

    return with_log


def log_of(folder: Path, process: str) -> Path:
    """The log of a process: `BOT.CONTEST.ROTATION.log`."""
    name = ProcessName.parse(process)
    return folder / f"{writable(name.bot)}.{name.contest}.{name.turn}.log"


def marked(program_of: Callable[[str], Executable]) -> Callable[[str], Executable]:
    """Have processes start so that their logs have marks (log_marks.py)."""

    def with_marks(process: str) -> Executable:
        program = program_of(process)
        return replace(program, env={**program.env, VARIABLE: "1"})

    return with_marks


def printed_in(folder: Path, bot: str, last: int | None = None) -> Iterator[str]:
    """The lines that a bot's processes printed; only the `last` bytes of each log."""
    for path in logs_of(folder, bot):
        with path.open("rb") as file:
            if last is not None:
                file.seek(max(0, file.seek(0, os.SEEK_END) - last))
            yield from file.read().decode(errors="replace").removesuffix("\n").split("\n")


def logs_of(folder: Path, bot: str) -> list[Path]:
    """The logs of a bot's processes."""
    return [path for path in sorted(folder.glob("*.log")) if bot_of(path) == writable(bot)]


def bot_of(log: Path) -> str:
    """The bot that printed a log, as its name is written in the log's."""
    return log.name.rsplit(".", 3)[0]
