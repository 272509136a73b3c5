"""A bot on disk: the command that starts it, and a fingerprint of its files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Final

from pips_referee.game import get_game
from pips_referee.installed import VARIABLE, told
from pips_tourney.bots.tuning import TUNING
from pips_tourney.errors import TourneyError
from pips_tourney.secret import canonical

SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store")
"""Folders that every bot can read."""
PYTHON_WORDS: Final = ("python", "python3")
"""Programs in commands that stand for the tournament's or the bot's own interpreter."""
LINES: Final = ("-P", "-m", "pips_sdk.lines")
"""Arguments of the interpreter that make it speak gRPC for a line-protocol program."""
_UNREAD_FOLDERS: Final = {"__pycache__", "node_modules"}
_KEPT_VARIABLES: Final = (
    "HOME", "JAVA_HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "NODE_PATH", "PATH", "PIPS_SEARCH_MS",
    "PIPS_SEARCH_WORLDS", "PYTHONPATH", "TMPDIR", "TZ", "VIRTUAL_ENV",
)  # fmt: skip
_SET_VARIABLES: Final = {
    "PYTHONHASHSEED": "0",  # a bot that iterates over a set gives the same answers in every process
    "PYTHONUNBUFFERED": "1",  # so that its last output is not lost when it ends
    "OMP_NUM_THREADS": "1",  # it has one core
    "OPENBLAS_NUM_THREADS": "1",
}


class BotProblem(TourneyError):
    """A bot cannot be found, read or started; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Executable:
    """How to start a bot."""

    command: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    files: tuple[str, ...] = ()
    """The bot's files and folders, which a sandbox shows to no other bot."""
    submitted: bool = False
    """Whether its author chose the arguments and variables.

    Then they get no files shown in the sandbox.
    """
    interpreter: str = ""
    """The interpreter that the organiser chose; "" if the command names its program."""
    stamp: str = ""
    """Stamp of its folder at the fingerprint (contents.py); "" if none was taken."""
    sockets: tuple[str, ...] = ()
    """Sockets of the organiser that its sandbox shows, besides the referee's."""
    log: str = ""
    """A file to which all its output is appended; "" for none."""


def program(
    command: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    python: str = sys.executable,
    files: Iterable[str] = (),
    *,
    submitted: bool = False,
    lines: bool = False,
) -> Executable:
    """Return how to start a bot's own command; `lines` if it speaks the line protocol.

    From this process's environment it gets only what programs need to run.
    """
    chosen = python if command[0] in PYTHON_WORDS else ""
    words = (chosen or command[0], *command[1:])
    if lines:
        chosen, words = python, (python, *LINES, *words)
    tuned = TUNING if chosen else {}  # gRPC for another language may not know that experiment
    return Executable(words, str(cwd), {**environment(), **tuned, **env}, tuple(files), submitted, chosen)


def environment() -> dict[str, str]:
    """Return every program's environment: some of our variables, and fixed values."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    return {**kept, **_SET_VARIABLES, VARIABLE: told()}


def sample_program(sample: str, game: str, env: Mapping[str, str]) -> Executable:
    """Return a sample bot; raises `BotProblem` if the game has none of that name."""
    file, words = sample_of(sample, game)
    return program(["python", "-P", "-m", *words], file.parent, env)


def sample_of(sample: str, game: str) -> tuple[Path, Sequence[str]]:
    """Return a sample bot's file (`greedy` or `GAME/greedy`), and Python's arguments.

    Raises `BotProblem`, which lists the existing ones.
    """
    from pips_sdk.samples import NoSample, sample_files, sample_words  # reading a night should load no bot

    get_game(game)
    of, _, name = sample.rpartition("/")
    if of not in ("", game):
        raise BotProblem(f"{sample!r} plays {of}, but the league plays {game} too")
    try:
        words = sample_words(game, name)
    except NoSample as error:
        raise BotProblem(str(error)) from None
    return sample_files(game)[name], words


def fingerprint(command: Sequence[str], files: Iterable[tuple[str, Path]], env: Mapping[str, str]) -> str:
    """Return the SHA-256 (hexadecimal) of a bot's command, environment and files."""
    digests = {}
    for name, file in files:
        with file.open("rb") as stream:
            digests[name] = file_digest(stream, "sha256").hexdigest()
    return sha256(canonical([list(command), dict(env), digests])).hexdigest()


REMOTE: Final = fingerprint(["remote"], [], {})
"""The fingerprint of every bot on another machine, whose files are unknown."""


def files_below(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield a bot's files by path in its folder, without hidden files and caches."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in _UNREAD_FOLDERS)
        for name in sorted(files):
            path = Path(place, name)
            if name[0] != "." and path.is_file():
                yield str(path.relative_to(folder)), path


def places_named(command: Sequence[str], folder: Path, *shared: Path) -> Iterator[str]:
    """Yield the folders of the files that a command names, each with everything in it.

    If others use the folder too, only the file is yielded. Such a folder contains one
    of the absolute paths `shared`, or the home of the current user. A program of
    the system, or in any `bin`, does not belong to a bot.
    """
    for word, file in files_named(command, folder):
        beside = file.absolute().parent
        if word == command[0] and beside.name == "bin":
            continue
        if Path(word).is_absolute() and any(beside.is_relative_to(place) for place in SYSTEM):
            continue
        is_shared = any(place.is_relative_to(beside) for place in (*shared, Path.home()))
        yield str(file.absolute() if is_shared else beside)


def files_named(command: Sequence[str], folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files that a command names, by its words."""
    for word in command:
        path = folder / word
        if os.path.isfile(path):  # noqa: PTH113 - raises nothing, whatever a word is
            yield word, path
