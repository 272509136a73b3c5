"""The kinds of bots that an argument names: a file, a sample, or any other program."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pips_sdk import Bot
from pips_sdk._runtime.start import StartError
from pips_sdk.run_file import DESCRIBE, load_bots
from pips_sdk.samples import NoSample, sample_class
from pips_tourney.bots.described import DESCRIBE_VARIABLE, describe_program, games_told, hints_told
from pips_tourney.bots.executable import (
    BotProblem,
    Executable,
    files_named,
    places_named,
    program,
    sample_program,
)
from pips_tourney.system import ELSEWHERE

__all__ = ["RUNNERS", "BotProblem", "Command", "FoundBot", "NodeFile", "PythonFile", "Sample", "SourceFile", "there"]

READ_S: Final = 20.0
"""Timeout for reading a file; after that it counts as an endless loop."""
RUNNERS: Final = {
    ".py": ("python", "-P", "-m", "pips_sdk.run_file"),
    ".js": ("node",),
    ".mjs": ("node",),
    ".cjs": ("node",),
}
"""Programs that run a bot's file, by its suffix."""
NO_REFEREE: Final = 2
"""Exit status of a bot that cannot start (docs/protocol.md)."""


@dataclass(frozen=True, slots=True)
class FoundBot(ABC):
    """A bot that a command-line argument names; results use its `name`."""

    name: str
    word: str = field(default="", kw_only=True, compare=False)
    """The argument as typed; "" without one."""

    @property
    def command(self) -> tuple[str, ...]:
        """Return the command that starts it in its folder; empty for a sample bot.

        `python` stands for whichever interpreter runs it.
        """
        return ()

    def games(self) -> tuple[str, ...]:
        """Return the games it is known to play; empty if only its process knows."""
        return ()

    def hints(self) -> tuple[str, ...]:
        """Return what the SDK finds odd in it, such as a method that looks misspelt."""
        return ()

    @abstractmethod
    def program(self, game: str) -> Executable:
        """Return how to start it for a game; raises `BotProblem` if it cannot start."""

    def bot_class(self, game: str) -> type[Bot]:
        """Return its class, to be played in this process.

        Raises `BotProblem` if it has no class, or none for the game.
        """
        raise BotProblem(
            f"{self.name} is a program of its own: in this process only Python files and sample bots play. "
            f"Others need Linux: {ELSEWHERE}"
        )

    @property
    def folder(self) -> Path | None:
        """Return the folder of its files; None for a bot without an author's files."""
        return None


@dataclass(frozen=True, slots=True)
class SourceFile(FoundBot):
    """A file with a bot that a runner runs."""

    path: Path

    def hints(self) -> tuple[str, ...]:
        return hints_told(self._described().stdout)

    @abstractmethod
    def _described(self) -> subprocess.CompletedProcess[str]:
        """Let the file describe itself in a process of its own."""

    def program(self, game: str) -> Executable:
        return program(self.command, self.folder, {}, files=places_named(self.command, self.folder))

    @property
    def folder(self) -> Path:
        return self.path.absolute().parent


@dataclass(frozen=True, slots=True)
class PythonFile(SourceFile):
    """A Python file with a bot class."""

    def games(self) -> tuple[str, ...]:
        """Return the games, read in a separate process: the file may do anything.

        Raises `BotProblem`, which says what went wrong.
        """
        ended = self._described()
        if ended.returncode != 0:
            raise BotProblem(ended.stderr.strip() or f"{self.path} cannot be read: Python ended by {ended.returncode}")
        return games_told(ended.stdout)

    def _described(self) -> subprocess.CompletedProcess[str]:
        return _read(self.path, [sys.executable, *RUNNERS[".py"][1:], DESCRIBE], {})

    @property
    def command(self) -> tuple[str, ...]:
        return (*RUNNERS[".py"], self.path.name)

    def bot_class(self, game: str) -> type[Bot]:
        try:
            bots = load_bots(self.path)
        except StartError as error:
            raise BotProblem(str(error)) from None
        for bot in bots:
            if bot.game == game:
                return bot
        raise BotProblem(f"{self.path} has no bot for {game}; it plays {', '.join(bot.game for bot in bots)}")


@dataclass(frozen=True, slots=True)
class NodeFile(SourceFile):
    """A JavaScript file that Node runs.

    With the SDK it can print its games; otherwise only its hello names them.
    """

    def games(self) -> tuple[str, ...]:
        """Return its games; empty if the file cannot print them.

        Raises `BotProblem` if Node cannot run it.
        """
        ended = self._described()
        if ended.returncode not in (0, NO_REFEREE):
            raise BotProblem(f"{self.path} cannot be run:\n{ended.stderr.strip()}{_todo(self.path, ended.stderr)}")
        if ended.returncode == 0 and not ended.stdout.strip() and not ended.stderr.strip():
            raise BotProblem(
                f"{self.path} ran to its end and played nothing: does it call run? "
                "Its last line has to be `run(MyBot);`, with the name of your class."
            )
        return games_told(ended.stdout) if ended.returncode == 0 else ()

    def _described(self) -> subprocess.CompletedProcess[str]:
        return _read(self.path, [there("node")], {DESCRIBE_VARIABLE: "1"})

    @property
    def command(self) -> tuple[str, ...]:
        return (there("node"), self.path.name)


@dataclass(frozen=True, slots=True)
class Sample(FoundBot):
    """A sample bot: of every game that has one by this name, or of `of` alone."""

    of: str | None

    def games(self) -> tuple[str, ...]:
        return () if self.of is None else (self.of,)

    def program(self, game: str) -> Executable:
        return sample_program(self.name, game, {})

    def bot_class(self, game: str) -> type[Bot]:
        try:
            return sample_class(game, self.name)
        except NoSample as error:
            raise BotProblem(str(error)) from None


@dataclass(frozen=True, slots=True)
class Command(FoundBot):
    """A program in any language."""

    words: tuple[str, ...]
    place: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    only: tuple[str, ...] = ()
    """The games in its bot.toml; empty without that file."""
    by_toml: bool = False
    """Whether the command is from a folder's bot.toml: an author's choice, not ours."""
    lines: bool = False
    """Whether it speaks the line protocol."""

    @property
    def command(self) -> tuple[str, ...]:
        return self.words

    def games(self) -> tuple[str, ...]:
        """Return the games that it is said to play, or that it says itself.

        A program in a folder may be a stranger's, so it is not started to ask it. A
        typed command is started with PIPS_DESCRIBE. A program that does not know this
        variable does not play then, and its games stay unknown.
        """
        if self.only or self.by_toml:
            return self.only
        return describe_program(self._program(lines=False)).games

    def program(self, game: str) -> Executable:
        return self._program(lines=self._speaks_lines())

    def _speaks_lines(self) -> bool:
        """Return whether it speaks the line protocol, as declared or by its hello."""
        return self.lines or (not self.by_toml and describe_program(self._program(lines=False)).lines)

    def _program(self, *, lines: bool) -> Executable:
        folder = self.folder or Path.cwd()
        if self.place is None:
            return program(self.words, folder, self.env, files=places_named(self.words, folder), lines=lines)
        alone = Path.home().is_relative_to(self.place)  # a folder that contains more than the bot
        files = [str(file) for _, file in files_named(self.words, folder)] if alone else [str(self.place)]
        return program(self.words, folder, self.env, files=files, submitted=True, lines=lines)

    @property
    def folder(self) -> Path | None:
        return self.place


def _read(path: Path, runner: Sequence[str], more: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Let a bot's file describe itself in a process of its own."""
    try:
        return subprocess.run(
            [*runner, path.name], cwd=path.absolute().parent, env={**os.environ, **more}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=READ_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise BotProblem(
            f"{path} was read for {READ_S:g} seconds without coming to an end. "
            "Does it loop, or compute for long, outside its class?"
        ) from None


def _todo(path: Path, told: str) -> str:
    if "ERR_MODULE_NOT_FOUND" not in told:
        return ""
    return f"\nInstall what it imports: `npm install` in {path.absolute().parent} (docs: sdk/js/README.md)"


def there(command: str) -> str:
    """Return the command if this machine has it; raises `BotProblem` if not."""
    if shutil.which(command) is None:
        raise BotProblem(f"{command} is not installed on this machine: install it, or fix its name")
    return command
