"""Bots that a league names by where they lie: a file, a folder, or a pattern such as `submissions/*` for many.

What is found becomes an entry like any other, a command and the folder it runs in. One of many that cannot be read
does not stop the rest: it is broken, with a reason.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pips_tourney.errors import TourneyError
from pips_tourney.find_bot import RUNNERS, BotProblem, Command, FoundBot, find_bot

PATH: Final = "path"
_PATTERN: Final = re.compile(r"[*?\[]")
_REPLACED: Final = ("command", "sample", "cwd")
LONGEST_NAME: Final = 40


@dataclass(slots=True)
class Roster:
    """The bots of a league file, as entries without a path."""

    entries: Any = field(default_factory=list)
    """A list, or what stands in the file where it is none."""
    places: list[int] = field(default_factory=list)
    """By entry, which of the file's bots it comes from."""
    broken: dict[str, str] = field(default_factory=dict)
    """Those of many that cannot be read, with the reason."""
    mistakes: list[tuple[str, str]] = field(default_factory=list)
    """Places in the file, and what is wrong there."""


class NoBots(TourneyError):
    """A path of a league file that leads to no bot."""


def roster(bots: object, folder: Path) -> Roster:
    """What stands under `bots`, with paths followed from the league's folder; what is no list of bots stays."""
    listed = [bots] if isinstance(bots, str) else bots
    if not isinstance(listed, list):
        return Roster(bots)
    found = Roster()
    named = {bot.get("name") for bot in listed if isinstance(bot, dict) and PATH not in bot}
    for place, bot in enumerate(listed):
        entry = {PATH: bot} if isinstance(bot, str) else bot
        if not isinstance(entry, dict) or not isinstance(entry.get(PATH), str):
            found.entries.append(entry)
            found.places.append(place)
            continue
        _follow(place, entry, folder, found, named)
    return found


def _follow(place: int, entry: Mapping[str, Any], folder: Path, found: Roster, named: set[Any]) -> None:
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
    for at in places:
        name = entry.get("name") or name_of(at)
        try:
            started = _entry(at, folder, name, named if many else ())
            found.entries.append({"name": name, **started, **({"optional": True} if many else {}), **more})
        except (NoBots, BotProblem) as problem:
            if many:
                found.broken[_unused(str(at.relative_to(folder)), found.broken)] = str(problem)
            else:
                found.mistakes.append((where, str(problem)))
            continue
        found.places.append(place)
        named.add(name)


def _matching(folder: Path, pattern: str) -> Iterator[Path]:
    """Folders, and files that are bots, that are not hidden."""
    root, rest = (Path("/"), pattern.lstrip("/")) if pattern.startswith("/") else (folder, pattern)
    for path in root.glob(rest):
        if path.name[0] not in "._" and (path.is_dir() or path.suffix in RUNNERS):
            yield path


def name_of(path: Path) -> str:
    """What a bot is called that lies there: the file or folder, with what no name may hold replaced."""
    stem = path.resolve().name if path.is_dir() else path.stem
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9 ._+-]", "_", plain).lstrip(" ._+-")[:LONGEST_NAME] or "bot"


def _unused(name: str, taken: Mapping[str, str]) -> str:
    return name if name not in taken else f"{name} ({len(taken)})"


def _entry(path: Path, folder: Path, name: str, taken: Collection[Any]) -> dict[str, Any]:
    """A bot as the entry of a league file that would start it."""
    if name in taken:
        raise NoBots(f"another bot is called {name} already")
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
