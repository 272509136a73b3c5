"""Find a bot by its word on the command line: file, folder, command or sample name."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pips_referee.game import REGISTRY
from pips_tourney.bots.contents import BOT_FILE, Unreadable, bot_toml
from pips_tourney.bots.described import DESCRIBE_VARIABLE, describe_program, games_told, hints_told
from pips_tourney.bots.executable import (
    PYTHON_WORDS,
    SAMPLES,
    Executable,
    ProgramError,
    files_named,
    places_named,
    program,
    sample_of,
    sample_program,
)
from pips_tourney.errors import TourneyError

if TYPE_CHECKING:
    from pips_sdk import Bot

READ_S: Final = 20.0
"""How long reading a file may take; after that it counts as an endless loop."""
RUNNERS: Final = {
    ".py": ("python", "-P", "-m", "pips_sdk.run_file"),
    ".js": ("node",),
    ".mjs": ("node",),
    ".cjs": ("node",),
}
"""Programs that run a bot's file, by its suffix."""
NO_REFEREE: Final = 2
"""Exit status of a bot that cannot start (docs/protocol.md)."""
Look = Callable[[Path], Mapping[str, Any]]


class BotProblem(TourneyError):
    """A bot that cannot be found, read or started: what, where, and what to do."""


@dataclass(frozen=True, slots=True)
class FoundBot(ABC):
    """A bot that a word of the command line names; results use its `name`."""

    name: str
    word: str = field(default="", kw_only=True, compare=False)
    """The word that was typed; "" without one."""

    @property
    def command(self) -> tuple[str, ...]:
        """Return the words that start it in its folder; none for a sample bot.

        `python` stands for whichever interpreter runs it.
        """
        return ()

    def games(self) -> tuple[str, ...]:
        """Return the games it is known to play; empty if only its process knows."""
        return ()

    def hints(self) -> tuple[str, ...]:
        """Return what its SDK finds odd in it: a method that looks misspelt."""
        return ()

    @abstractmethod
    def program(self, game: str) -> Executable:
        """Return how to start it for a game; raises `BotProblem` if it cannot be."""

    def bot_class(self, game: str) -> type[Bot]:
        """Return its class, to be played in this process.

        Raises `BotProblem` if it has none, or none for the game.
        """
        raise BotProblem(
            f"{self.name} is a program of its own: only Python files and sample bots play --in-process, "
            "or without Linux"
        )

    @property
    def folder(self) -> Path | None:
        """Return the folder of its files; None for a bot without an author's files."""
        return None


@dataclass(frozen=True, slots=True)
class PythonFile(FoundBot):
    """A Python file with a bot class."""

    path: Path

    def games(self) -> tuple[str, ...]:
        """Return the games, read in a separate process: the file may do anything.

        Raises `BotProblem`, which says what went wrong.
        """
        ended = self._described()
        if ended.returncode != 0:
            raise BotProblem(ended.stderr.strip() or f"{self.path} cannot be read: Python ended by {ended.returncode}")
        return games_told(ended.stdout)

    def hints(self) -> tuple[str, ...]:
        return hints_told(self._described().stdout)

    def _described(self) -> subprocess.CompletedProcess[str]:
        from pips_sdk.run_file import DESCRIBE

        return _read(self.path, [sys.executable, *RUNNERS[".py"][1:], DESCRIBE], {})

    @property
    def command(self) -> tuple[str, ...]:
        return (*RUNNERS[".py"], self.path.name)

    def program(self, game: str) -> Executable:
        return program(self.command, self.folder, {}, files=places_named(self.command, self.folder))

    def bot_class(self, game: str) -> type[Bot]:
        from pips_sdk.run_file import load_bots
        from pips_sdk.stream import StartError

        try:
            bots = load_bots(self.path)
        except StartError as error:
            raise BotProblem(str(error)) from None
        for bot in bots:
            if bot.game == game:
                return bot
        raise BotProblem(f"{self.path} has no bot for {game}; it plays {', '.join(bot.game for bot in bots)}")

    @property
    def folder(self) -> Path:
        return self.path.absolute().parent


@dataclass(frozen=True, slots=True)
class NodeFile(FoundBot):
    """A JavaScript file that Node runs.

    With the SDK it can print its games; otherwise only its hello names them.
    """

    path: Path

    def games(self) -> tuple[str, ...]:
        """Return its games; empty if the file cannot print them.

        Raises `BotProblem` if Node cannot run it.
        """
        ended = _read(self.path, [_there("node")], {DESCRIBE_VARIABLE: "1"})
        if ended.returncode not in (0, NO_REFEREE):
            raise BotProblem(f"{self.path} cannot be run:\n{ended.stderr.strip()}{_todo(self.path, ended.stderr)}")
        if ended.returncode == 0 and not ended.stdout.strip() and not ended.stderr.strip():
            raise BotProblem(
                f"{self.path} ran to its end and played nothing: does it call run? "
                "Its last line has to be `run(MyBot);`, with the name of your class."
            )
        return games_told(ended.stdout) if ended.returncode == 0 else ()

    def hints(self) -> tuple[str, ...]:
        return hints_told(_read(self.path, [_there("node")], {DESCRIBE_VARIABLE: "1"}).stdout)

    @property
    def command(self) -> tuple[str, ...]:
        return (_there("node"), self.path.name)

    def program(self, game: str) -> Executable:
        return program(self.command, self.folder, {}, files=places_named(self.command, self.folder))

    @property
    def folder(self) -> Path:
        return self.path.absolute().parent


@dataclass(frozen=True, slots=True)
class Sample(FoundBot):
    """A sample bot: of every game that has one of this name, or of the game `of`."""

    of: str | None

    def games(self) -> tuple[str, ...]:
        return () if self.of is None else (self.of,)

    def program(self, game: str) -> Executable:
        try:
            return sample_program(self.name, game, {})
        except ProgramError as error:
            raise BotProblem(str(error)) from None

    def bot_class(self, game: str) -> type[Bot]:
        from pips_sdk import Bot

        try:
            file = sample_of(self.name, game)
        except ProgramError as error:
            raise BotProblem(str(error)) from None
        module = import_module(f"{SAMPLES}.{game}.{file.stem}")
        found = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Bot)]
        return next(bot for bot in found if bot.__module__ == module.__name__)


@dataclass(frozen=True, slots=True)
class Command(FoundBot):
    """A program in any language."""

    words: tuple[str, ...]
    place: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    only: tuple[str, ...] = ()
    """The games its bot.toml says it plays; empty without one."""
    by_toml: bool = False
    """Whether a folder's bot.toml names the command: an author's words, not ours."""
    lines: bool = False
    """Whether it speaks the line protocol."""

    @property
    def command(self) -> tuple[str, ...]:
        return self.words

    def games(self) -> tuple[str, ...]:
        """Return the games that it is said to play, or that it says itself.

        A folder's program is somebody's: it is not started to be asked. A command that
        was typed is started with PIPS_DESCRIBE; a program that does not know it plays
        nothing, and its games stay unknown.
        """
        if self.only or self.by_toml:
            return self.only
        return describe_program(self._program(lines=False)).games

    def program(self, game: str) -> Executable:
        return self._program(lines=self._speaks_lines())

    def _speaks_lines(self) -> bool:
        """Return whether it speaks the line protocol: as is said, or by its hello."""
        return self.lines or (not self.by_toml and describe_program(self._program(lines=False)).lines)

    def _program(self, *, lines: bool) -> Executable:
        folder = self.folder or Path.cwd()
        if self.place is None:
            return program(self.words, folder, self.env, files=places_named(self.words, folder), lines=lines)
        alone = Path.home().is_relative_to(self.place)  # a folder that holds more than the bot
        files = [str(file) for _, file in files_named(self.words, folder)] if alone else [str(self.place)]
        return program(self.words, folder, self.env, files=files, submitted=True, lines=lines)

    @property
    def folder(self) -> Path | None:
        return self.place


def find_bot(word: str, look: Look | None = None) -> FoundBot:
    """Return the bot that a word names; `look` looks into a folder.

    Raises `BotProblem` if there is none, or if the word is ambiguous.
    """
    return replace(_found(word, look or look_here), word=word)


def _found(word: str, look: Look) -> FoundBot:
    path = Path(word)
    if path.is_dir():
        return of_folder(path, look(path))
    if path.is_file():
        return of_file(path, path.stem)
    game, _, name = word.rpartition("/")
    if name in sample_names() and game in ("", *REGISTRY):
        return Sample(name, game or None)
    if len(words := _words(word)) > 1:
        if words[0] not in PYTHON_WORDS and shutil.which(words[0]) is None:
            raise BotProblem(f"there is no command {words[0]} on this machine, and {_not_there(word)[9:]}")
        return _of_command(words)
    raise BotProblem(_not_there(word))


def sample_names(game: str | None = None) -> list[str]:
    """Return the names of the sample bots, of one game or of all."""
    names = set()
    for room in REGISTRY if game is None else (game,):
        package = import_module(f"{SAMPLES}.{room}")
        names |= {file.stem.removesuffix("_bot") for place in package.__path__ for file in Path(place).glob("*_bot.py")}
    return sorted(names)


def look_here(folder: Path) -> Mapping[str, Any]:
    """Return what one's own folder says about its bot (see contents.py).

    Raises `BotProblem` if it cannot be read. A stranger's folder is read by
    sandbox/reading.py.
    """
    try:
        names = sorted(file.name for file in folder.iterdir() if os.path.isfile(file))  # noqa: PTH113 - raises nothing
        said = bot_toml(str(folder)) if BOT_FILE in names else None
    except OSError as error:
        raise BotProblem(f"{folder} cannot be read: {error.strerror}") from None
    except Unreadable as error:
        raise BotProblem(str(error)) from None
    return {"toml": said, "files": names}


def of_folder(folder: Path, found: Mapping[str, Any]) -> FoundBot:
    """Return a folder's bot from what was found: its bot.toml, or its file."""
    said = found["toml"]
    if said is None:
        return of_file(_file_in(folder, found["files"]), _name_of(folder))
    words = _words(said["command"]) if isinstance(said["command"], str) else said["command"]
    if not words:
        raise BotProblem(f"{folder / BOT_FILE}: its `command` is no line of words: a quotation in it is not closed")
    if unknown := [game for game in said["games"] if game not in REGISTRY]:
        raise BotProblem(f"{folder / BOT_FILE}: there is no game {unknown[0]!r}; the games are {', '.join(REGISTRY)}")
    games, lines = tuple(said["games"]), said["protocol"] == "lines"
    return Command(_name_of(folder), tuple(words), folder.absolute(), said["env"], games, by_toml=True, lines=lines)


def _name_of(folder: Path) -> str:
    return folder.resolve().name


def _words(command: str) -> list[str]:
    """Return the words of a command; none if a quotation in it is not closed."""
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _file_in(folder: Path, names: Sequence[str]) -> Path:
    """Return the bot's file: the folder's name, `bot`, `main`, or the only one."""
    sources = [folder / name for name in names]
    sources = [file for file in sources if file.suffix in RUNNERS and not _is_test(file)]
    for stem in (_name_of(folder), "bot", "main"):
        for file in sources:
            if file.stem == stem:
                return file
    if len(sources) == 1:
        return sources[0]
    there = f"it has {', '.join(file.name for file in sources)}" if sources else "it has no file of a bot"
    raise BotProblem(
        f"{folder}: which file is the bot? It is looked for as {_name_of(folder)}.py, bot.py or main.py "
        f"(or .js), but {there}. Rename the bot's file, name the file itself, or say how to start it in {BOT_FILE}."
    )


def _is_test(file: Path) -> bool:
    return file.stem.startswith(("test_", "conftest")) or file.stem.endswith(".test")


def of_file(path: Path, name: str) -> FoundBot:
    if path.suffix == ".py":
        return PythonFile(name, path)
    if path.suffix in RUNNERS:
        _there("node")
        return NodeFile(name, path)
    if shutil.which(path.absolute()) is not None:
        return Command(name, (str(path.absolute()),), path.absolute().parent)
    if zipfile.is_zipfile(path) or tarfile.is_tarfile(path):
        raise BotProblem(f"{path} is an archive, not a bot: unzip it, and give the folder that is in it")
    raise BotProblem(
        f"{path} is no bot: a bot is a Python file (.py), a JavaScript file (.js), or a program that can be started. "
        "For anything else give the whole command in quotes."
    )


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


def _of_command(words: list[str]) -> Command:
    files = [word for word in words[1:] if Path(word).is_file()]
    return Command(Path(files[0] if files else words[0]).stem, tuple(words))


def _there(command: str) -> str:
    if shutil.which(command) is None:
        raise BotProblem(f"there is no command {command} on this machine: install it, or fix its name")
    return command


def _not_there(word: str) -> str:
    around = Path(word).parent
    files = [str(around / file.name) for file in around.iterdir()] if around.is_dir() else []
    samples = sample_names()
    close = get_close_matches(word, [*files, *samples, *(f"{file}.py" for file in files)], 1, 0.7)
    meant = f" Did you mean {close[0]}?" if close else ""
    return (
        f"there is no bot {word}: no file or folder has that name in {around.absolute()}, and no sample bot.{meant} "
        f"The sample bots are {', '.join(samples)}; `pips-bot new NAME --game GAME` makes a new bot."
    )
