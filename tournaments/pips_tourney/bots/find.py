"""Find the bot that an argument names: a file, folder, command or sample bot."""

from __future__ import annotations

import os
import shlex
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pips_referee.game import REGISTRY
from pips_referee.installed import family_of
from pips_sdk.samples import sample_files
from pips_tourney.bots.contents import ARCHIVES, BOT_FILE, Unreadable, bot_toml, is_test
from pips_tourney.bots.executable import PYTHON_WORDS
from pips_tourney.bots.found import RUNNERS, BotProblem, Command, FoundBot, NodeFile, PythonFile, Sample, there

Look = Callable[[Path], Mapping[str, Any]]


def find_bot(word: str, look: Look | None = None) -> FoundBot:
    """Return the bot that an argument names; `look` looks into a folder.

    Raises `BotProblem` if there is none, or if the name is ambiguous.
    """
    return replace(_found(word, look or look_here), word=word)


def _found(word: str, look: Look) -> FoundBot:
    path = Path(word)
    if path.is_dir():
        return of_folder(path, look(path))
    if path.is_file():
        return of_file(path, path.stem)
    game, _, name = word.rpartition("/")
    if (name in sample_names() and game in ("", *REGISTRY)) or (family_of(game) and name in sample_names(game)):
        return Sample(name, game or None)
    if len(words := _words(word)) > 1:
        if words[0] not in PYTHON_WORDS and shutil.which(words[0]) is None:
            raise BotProblem(f"there is no command {words[0]} on this machine, and {_not_there(word)[9:]}")
        return _of_command(words)
    raise BotProblem(_not_there(word))


def sample_names(game: str | None = None) -> list[str]:
    """Return the names of the sample bots, of one game or of all."""
    return sorted({name for room in (REGISTRY if game is None else (game,)) for name in sample_files(room)})


def look_here(folder: Path) -> Mapping[str, Any]:
    """Return what a folder of the user's own says about its bot (see contents.py).

    Raises `BotProblem` if it cannot be read. A stranger's folder is read by
    sandbox/reading.py instead.
    """
    try:
        names = sorted(file.name for file in folder.iterdir() if os.path.isfile(file))  # noqa: PTH113 - raises nothing
        said = bot_toml(str(folder)) if BOT_FILE in names else None
        folders = sorted({file.parent.name for file in folder.glob("*/*") if file.suffix in RUNNERS})
    except OSError as error:
        raise BotProblem(f"{folder} cannot be read: {error.strerror}") from None
    except Unreadable as error:
        raise BotProblem(str(error)) from None
    return {"toml": said, "files": names, "folders": folders}


def of_folder(folder: Path, found: Mapping[str, Any]) -> FoundBot:
    """Return a folder's bot from what `look` found: by its bot.toml, or by its file."""
    said = found["toml"]
    if said is None:
        return of_file(_file_in(folder, found["files"], found["folders"]), _name_of(folder))
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
    """Return the words of a command; none if a quotation mark in it is not closed."""
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _file_in(folder: Path, names: Sequence[str], folders: Sequence[str]) -> Path:
    """Return the bot's file: the folder's name, `bot`, `main`, or the only file."""
    sources = [folder / name for name in names]
    sources = [file for file in sources if file.suffix in RUNNERS and not is_test(file.name) and file.name[:2] != "._"]
    for stem in (_name_of(folder), "bot", "main"):
        for file in sources:
            if file.stem == stem:
                return file
    if len(sources) == 1:
        return sources[0]
    there = f"it has {', '.join(file.name for file in sources)}" if sources else "it has no file of a bot"
    if packed := [name for name in names if not sources and name.lower().endswith(ARCHIVES)]:
        raise BotProblem(f"{folder}: {packed[0]} is an archive, not a bot: unzip it in that folder")
    if folders and not sources:
        raise BotProblem(
            f"{folder}: its files are one folder deeper, in {', '.join(folders)}: move those of the bot up"
        )
    raise BotProblem(
        f"{folder}: which file is the bot? It is looked for as {_name_of(folder)}.py, bot.py or main.py "
        f"(or .js), but {there}. Rename the bot's file, name the file itself, or say how to start it in {BOT_FILE}."
    )


def of_file(path: Path, name: str) -> FoundBot:
    if path.suffix == ".py":
        return PythonFile(name, path)
    if path.suffix in RUNNERS:
        there("node")
        return NodeFile(name, path)
    if shutil.which(path.absolute()) is not None:
        return Command(name, (str(path.absolute()),), path.absolute().parent)
    if zipfile.is_zipfile(path) or tarfile.is_tarfile(path):
        raise BotProblem(f"{path} is an archive, not a bot: unzip it, and give the folder that is in it")
    raise BotProblem(
        f"{path} is no bot: a bot is a Python file (.py), a JavaScript file (.js), or a program that can be started. "
        "For anything else give the whole command in quotes."
    )


def _of_command(words: list[str]) -> Command:
    files = [word for word in words[1:] if Path(word).is_file()]
    return Command(Path(files[0] if files else words[0]).stem, tuple(words))


def _not_there(word: str) -> str:
    around = Path(word).parent
    files = [str(around / file.name) for file in around.iterdir()] if around.is_dir() else []
    samples = sample_names()
    close = get_close_matches(word, [*files, *samples], 1, 0.7)
    close = [word.removesuffix(".py")] if word.removesuffix(".py") in files else close
    meant = f" Did you mean {close[0]}?" if close else ""
    return (
        f"there is no bot {word}: no file or folder has that name in {around.absolute()}, and no sample bot.{meant} "
        f"The sample bots are {', '.join(samples)}; `pips-bot new NAME --game GAME` makes a new bot."
    )
