"""Bots that a league names by where they lie: a file, a folder, or a pattern such as `submissions/*` for many.

What is found becomes an entry like any other, a command and the folder it runs in. One of many that cannot be read
does not stop the rest: it is broken, with a reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pips_tourney.bots.find import RUNNERS, BotProblem, Command, FoundBot, find_bot
from pips_tourney.errors import TourneyError
from pips_tourney.names import name_from, numbered

PATH: Final = "path"
_PATTERN: Final = re.compile(r"[*?\[]")
_REPLACED: Final = ("command", "sample", "cwd")


@dataclass(slots=True)
class FoundBots:
    """The bots of a league file, as entries without a path."""

    entries: Any = field(default_factory=list)
    """A list, or what stands in the file where it is none."""
    places: list[int] = field(default_factory=list)
    """By entry, which of the file's bots it comes from."""
    broken: dict[str, str] = field(default_factory=dict)
    """Those of many that cannot be read, by the name that they would have, with their place and the reason."""
    mistakes: list[tuple[str, str]] = field(default_factory=list)
    """Places in the file, and what is wrong there."""
    names: set[str] = field(default_factory=set)
    """Those that are given away: to the bots that the file names one by one, then to those of patterns, also broken."""
    followed: set[Path] = field(default_factory=set)
    """Where these lie: what two entries lead to is one bot."""


class NoBots(TourneyError):
    """A path of a league file that leads to no bot."""


def roster(bots: object, folder: Path) -> FoundBots:
    """What stands under `bots`, with paths followed from the league's folder; what is no list of bots stays."""
    listed = [bots] if isinstance(bots, str) else bots
    if not isinstance(listed, list):
        return FoundBots(bots)
    found = FoundBots()
    listed = [{PATH: bot} if isinstance(bot, str) else bot for bot in listed]
    for entry in listed:
        _reserve(entry, folder, found)
    for place, entry in enumerate(listed):
        if not isinstance(entry, dict) or not isinstance(entry.get(PATH), str):
            found.entries.append(entry)
            found.places.append(place)
            continue
        _follow(place, entry, folder, found)
    return found


def _reserve(entry: object, folder: Path, found: FoundBots) -> None:
    """The name and the place of a bot that is no pattern's."""
    if not isinstance(entry, dict):
        return
    name, path = entry.get("name"), entry.get(PATH)
    if isinstance(path, str) and not _PATTERN.search(path):
        found.followed.add((folder / path).absolute())
        name = name or name_of(folder / path)
    if isinstance(name, str):
        found.names.add(name)


def _follow(place: int, entry: Mapping[str, Any], folder: Path, found: FoundBots) -> None:
    where, path, more = f"bots[{place}].{PATH}", entry[PATH], {key: entry[key] for key in entry if key != PATH}
    if both := [key for key in _REPLACED if key in entry]:
        found.mistakes.append((where, f"a path says already what {both[0]} would: give it one of them"))
        return
    many = _PATTERN.search(path) is not None
    places = sorted(_matching(folder, path)) if many else [folder / path]
    if many and "name" in entry:
        found.mistakes.append((f"bots[{place}].name", "the bots of a pattern are called as their folders are"))
        return
    if not places:
        found.mistakes.append((where, f"nothing in {folder} is called {path}"))
    for at, name in _named(places, found) if many else [(at, entry.get("name") or name_of(at)) for at in places]:
        try:
            started = _entry(at, folder)
            found.entries.append({"name": name, **started, **({"optional": True} if many else {}), **more})
        except (NoBots, BotProblem) as problem:
            if many:
                found.broken[name] = _with_place(str(problem), at, folder)
            else:
                found.mistakes.append((where, str(problem)))
            continue
        found.places.append(place)


def _matching(folder: Path, pattern: str) -> Iterator[Path]:
    """Folders, and files that are bots, that are not hidden."""
    root, rest = (Path("/"), pattern.lstrip("/")) if pattern.startswith("/") else (folder, pattern)
    for path in root.glob(rest):
        if path.name[0] not in "._" and (path.is_dir() or path.suffix in RUNNERS):
            yield path


def name_of(path: Path) -> str:
    """What a bot is called that lies there: the file or folder, with what no name may hold replaced."""
    return name_from(_stem(path))


def _stem(path: Path) -> str:
    return path.resolve().name if path.is_dir() else path.stem


def _named(places: Sequence[Path], found: FoundBots) -> list[tuple[Path, str]]:
    """Those of many that are not in the league yet, with their names: where several would have one name, who is called
    so to the letter has it, and the others a number, in the order of their places."""
    new = [path for path in places if path.absolute() not in found.followed]
    found.followed.update(path.absolute() for path in new)
    names: dict[Path, str] = {}
    for path in sorted(new, key=lambda path: name_of(path) != _stem(path)):
        names[path] = numbered(name_of(path), found.names)
        found.names.add(names[path])
    return [(path, names[path]) for path in new]


def _with_place(problem: str, path: Path, folder: Path) -> str:
    """What is wrong with a bot that lies there, the place in it as the league's folder sees it, and once."""
    place = _seen_from(folder, path)
    told = problem.replace(str(path), place)
    return told if place in told else f"{place}: {told}"


def _entry(path: Path, folder: Path) -> dict[str, Any]:
    """A bot as the entry of a league file that would start it."""
    if not path.exists():
        raise NoBots(f"there is no {path}")
    bot = find_bot(str(path))
    entry: dict[str, Any] = {"command": _from(folder, path, bot)}
    if path.is_dir():
        entry["cwd"] = _seen_from(folder, path)
    if isinstance(bot, Command):
        entry |= {"env": dict(bot.env)} if bot.env else {}
        entry |= {"games": list(bot.only)} if bot.only else {}
    return entry


def _from(folder: Path, path: Path, bot: FoundBot) -> Sequence[str]:
    """A folder's command runs in it; a file's in the league's folder, and the file is all there is of the bot."""
    if path.is_dir():
        return list(bot.command)
    return [_seen_from(folder, path) if word == path.name else word for word in bot.command]


def _seen_from(folder: Path, path: Path) -> str:
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path.absolute())
