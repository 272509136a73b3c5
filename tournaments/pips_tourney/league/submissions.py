"""Bots that a league names by path: a file, a folder, or a pattern for many.

An example of a pattern is `submissions/*`. Each bot found becomes an ordinary entry: a
command and the folder it runs in, marked as `submitted`.

One bot of a pattern that cannot be read does not stop the others: it is listed as
broken, with a reason. One process in a sandbox reads all folders (sandbox/reading.py);
this process only unpacks archives (collected.py).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import pips_sdk
from pips_tourney.bots.archives import HandInError, Most
from pips_tourney.bots.contents import ARCHIVES, BOT_FILE, SOURCES, Caps
from pips_tourney.bots.find import of_file, of_folder
from pips_tourney.bots.found import RUNNERS, BotProblem, Command
from pips_tourney.errors import TourneyError
from pips_tourney.league.collected import Item, in_folder, in_zip, items, participant, unpack
from pips_tourney.names import name_from, numbered
from pips_tourney.sandbox.reading import read

PATH: Final = "path"
_REPLACED: Final = ("command", "sample", "cwd")


@dataclass(slots=True)
class FoundBots:
    """The bots of a league file, as entries without a path."""

    entries: Any = field(default_factory=list)
    """A list; or the value in the file, if that is not a list."""
    places: list[int] = field(default_factory=list)
    """By entry, the index of its bot in the file."""
    broken: dict[str, str] = field(default_factory=dict)
    """Bots of a pattern that cannot be read, by the name they would have had.

    Each has its place and the reason.
    """
    mistakes: list[tuple[str, str]] = field(default_factory=list)
    """Each mistake's place in the file, and what is wrong."""
    names: set[str] = field(default_factory=set)
    """Names already taken.

    Bots that the file names one by one come first, then bots of patterns, including
    broken ones.
    """
    followed: set[Path] = field(default_factory=set)
    """The paths of these bots. Two entries with the same path are one bot."""
    where: dict[str, str] = field(default_factory=dict)
    """By name, the paths of bots that have one, relative to the league's folder.

    Broken ones are included.
    """


class NoBots(TourneyError):
    """A path in a league file at which there is no bot."""


@dataclass(frozen=True, slots=True)
class _Slot:
    """A bot that has no entry yet: a value in the file, or a path that was followed."""

    place: int
    entry: object
    """The value in the file; with a path, its other keys."""
    path: Path | None = None
    """The bot's path; None for a bot without one."""
    name: str = ""
    many: bool = False
    shown: Path | None = None
    """The path at which it was handed in, if that differs."""
    why_not: str = ""
    """Why it could not be unpacked."""


def roster(bots: object, folder: Path, caps: Caps | None = None) -> FoundBots:
    """The bots under `bots`, with paths followed from the league's folder.

    A value that is not a list of bots stays as it is.
    """
    listed = [bots] if isinstance(bots, str) else bots
    if not isinstance(listed, list):
        return FoundBots(bots)
    found = FoundBots()
    listed = [{PATH: bot} if isinstance(bot, str) else bot for bot in listed]
    for entry in listed:
        _reserve(entry, folder, found)
    slots: list[_Slot] = []
    most = _most(caps or Caps())
    for place, entry in enumerate(listed):
        if isinstance(entry, dict) and isinstance(entry.get(PATH), str | Path):
            slots += _followed(place, entry, folder, found, most)
        else:
            slots.append(_Slot(place, entry))
    slots, looks = _unpacked(slots, folder, caps, most)
    for slot in slots:
        _take(slot, looks, folder, found)
    return found


def _most(caps: Caps) -> Most:
    return Most(caps.files, caps.mb << 20)


def _unpacked(
    slots: Sequence[_Slot], folder: Path, caps: Caps | None, most: Most
) -> tuple[list[_Slot], dict[Path, Mapping[str, Any]]]:
    """The bots, unpacked to have their files on top, and what their folders contain."""
    folders = [slot.path for slot in slots if slot.path is not None and os.path.isdir(slot.path)]  # noqa: PTH112
    looks, unpacked, more = look_into(folders, caps), [], []
    for slot in slots:
        if slot.path is None or _is_foreign_link(slot) or not _is_wrapped(looks.get(slot.path, {})):
            unpacked.append(slot)
            continue
        new = _slot_of(in_folder(slot.path, slot.name, most), slot, folder, most)
        unpacked.append(new)
        more += [new.path] if new.path is not None and not new.why_not else []
    return unpacked, looks | look_into(more, caps)


def _is_wrapped(look: Mapping[str, Any]) -> bool:
    """Whether a folder has its bot in a zip, or in its only folder with sources."""
    names = look.get("files", ())
    if any(name == BOT_FILE or name.endswith(SOURCES) for name in names):
        return False
    return len(look.get("folders", ())) == 1 or any(name.lower().endswith(".zip") for name in names)


def _slot_of(item: Item, slot: _Slot, folder: Path, most: Most) -> _Slot:
    """A bot at its final path, after unpacking it if necessary."""
    if item.uploads is None:
        return replace(slot, path=item.shown)
    try:
        return replace(slot, path=unpack(item, slot.name, folder, most), shown=item.shown)
    except HandInError as error:
        return replace(slot, path=item.shown, shown=item.shown, why_not=str(error))


def look_into(folders: Sequence[Path], caps: Caps | None = None) -> dict[Path, Mapping[str, Any]]:
    """The bots in strangers' folders, read in a sandbox.

    A folder that cannot be read has an `error` instead.
    """
    jobs = [{"do": "look", "place": str(folder.absolute())} for folder in folders]
    return dict(zip(folders, read(jobs, caps, links_may_lead_to()), strict=True))


def look_at_stranger(folder: Path) -> Mapping[str, Any]:
    """The bot in one stranger's folder. Raises `BotProblem` if it cannot be read."""
    found = look_into([folder])[folder]
    if "error" in found:
        raise BotProblem(_with_its_place(found["error"], folder))
    return found


def links_may_lead_to() -> tuple[str, ...]:
    """Folders of Pips to which `npm install` makes links."""
    sdk = Path(pips_sdk.__file__).parent
    return tuple(str(place) for place in (sdk / "js", sdk.parent / "js") if place.is_dir())


def _take(slot: _Slot, looks: Mapping[Path, Mapping[str, Any]], folder: Path, found: FoundBots) -> None:
    """Add a bot's entry, or what is wrong with it, to those found."""
    if slot.path is None:
        found.entries.append(slot.entry)
        found.places.append(slot.place)
        return
    assert isinstance(slot.entry, dict)
    shown = slot.shown or slot.path
    found.where[slot.name] = _printable(_seen_from(folder, shown))
    try:
        started = _entry(slot, looks.get(slot.path), folder)
    except (NoBots, BotProblem) as problem:
        if slot.many:
            told = str(problem).replace(str(slot.path.absolute()), str(shown)).replace(str(slot.path), str(shown))
            found.broken[slot.name] = _with_place(told, shown, folder)
        else:
            found.mistakes.append((f"bots[{slot.place}].{PATH}", _printable(str(problem))))
        return
    optional = {"optional": True} if slot.many else {}
    found.entries.append({"name": slot.name, **started, **optional, **slot.entry})
    found.places.append(slot.place)


def _reserve(entry: object, folder: Path, found: FoundBots) -> None:
    """Reserve the name and path of a bot that does not come from a pattern."""
    if not isinstance(entry, dict):
        return
    name, path = entry.get("name"), entry.get(PATH)
    if isinstance(path, str | Path) and not _is_pattern(path, folder):
        found.followed.add((folder / path).absolute())
        name = name or name_of(folder / path)
    if isinstance(name, str):
        found.names.add(name)


def _followed(place: int, entry: Mapping[str, Any], folder: Path, found: FoundBots, most: Most) -> Iterator[_Slot]:
    """The bots to which a path leads."""
    where, path, more = f"bots[{place}].{PATH}", entry[PATH], {key: entry[key] for key in entry if key != PATH}
    if both := [key for key in _REPLACED if key in entry]:
        found.mistakes.append((where, f"a path already says what {both[0]} would: give only one of them"))
        return
    is_pattern = _is_pattern(path, folder)
    is_of_many = not is_pattern and "name" not in entry and str(path).lower().endswith(".zip")
    collected = in_zip(folder / path, most) if is_of_many else []
    many = is_pattern or bool(collected)
    places = sorted(_matching(folder, path)) if is_pattern else [folder / path]
    collected = collected or items(places, _stem, most)
    if many and "name" in entry:
        found.mistakes.append((f"bots[{place}].name", "the bots of a pattern are called as their folders are"))
        return
    if many and entry.get("trusted"):
        told = "a pattern vouches for nobody, since anyone may put a bot there: name each bot that you trust by itself"
        found.mistakes.append((f"bots[{place}].trusted", told))
        return
    if not places:
        found.mistakes.append((where, f"nothing in {folder} is called {path}"))
    named = _named(collected, found) if many else [(it, entry.get("name") or name_from(it.called)) for it in collected]
    for item, name in named:
        yield _slot_of(item, _Slot(place, more, name=name, many=many), folder, most)


def _is_pattern(path: str | Path, folder: Path) -> bool:
    """Whether a path may name many bots.

    A `Path` never does, nor does an existing path with brackets in its name.
    """
    if isinstance(path, Path):
        return False
    return "*" in path or "?" in path or ("[" in path and not os.path.lexists(folder / path))


def _matching(folder: Path, pattern: str) -> Iterator[Path]:
    """Folders, files that are bots, and archives with no unpacked folder beside them.

    Hidden ones are left out.
    """
    root, rest = (Path("/"), pattern.lstrip("/")) if pattern.startswith("/") else (folder, pattern)
    for path in root.glob(rest):
        if path.name[0] in "._":
            continue
        is_bot = os.path.isdir(path) or path.suffix in RUNNERS or participant(path.name) is not None  # noqa: PTH112
        if is_bot or (is_archive(path) and not os.path.isdir(path.parent / _stem(path))):  # noqa: PTH112
            yield path


def is_archive(path: Path) -> bool:
    """Whether a file's suffix is that of an archive."""
    return os.path.isfile(path) and path.suffix.lower() in ARCHIVES  # noqa: PTH113 - raises nothing


def name_of(path: Path) -> str:
    """The name of the bot at a path: that of its file or folder.

    Characters that are not allowed in names are replaced.
    """
    return name_from(_stem(path))


def _stem(path: Path) -> str:
    if os.path.isdir(path):  # noqa: PTH112 - raises nothing
        return path.name if path.name not in ("", "..") else path.resolve().name
    return path.stem.removesuffix(".tar") if path.suffix.lower() in ARCHIVES else path.stem


def _named(submissions: Sequence[Item], found: FoundBots) -> list[tuple[Item, str]]:
    """The bots of a pattern that are not in the league yet, with their names.

    If several would have the same name, it goes to the bot whose file is named exactly
    so. The others get a number, in the order of their paths.
    """
    new = {item.shown: item for item in submissions if item.shown.absolute() not in found.followed}
    found.followed.update(path.absolute() for path in new)
    names: dict[Path, str] = {}
    for path, item in sorted(new.items(), key=lambda each: name_from(each[1].called) != each[1].called):
        names[path] = numbered(name_from(item.called), found.names)
        found.names.add(names[path])
    return [(item, names[path]) for path, item in new.items()]


def _with_place(problem: str, path: Path, folder: Path) -> str:
    """The problem of a bot, with its path.

    The path is shown once, relative to the league's folder.
    """
    place = _seen_from(folder, path)
    return _with_its_place(problem.replace(str(path.absolute()), place).replace(str(path), place), place)


def _with_its_place(problem: str, place: Path | str) -> str:
    told = problem if str(place) in problem else f"{place}: {problem}"
    return _printable(told)


def _printable(text: str) -> str:
    """The text with escapes for bytes that are not UTF-8, so that it can be logged."""
    return text.encode("utf-8", "backslashreplace").decode()


def _entry(slot: _Slot, look: Mapping[str, Any] | None, folder: Path) -> dict[str, Any]:
    """The entry of a league file that would start a bot.

    For a folder, `look` is what was read in it.
    """
    path = slot.path
    assert path is not None
    if slot.why_not:
        raise NoBots(slot.why_not)
    if not os.path.lexists(path):
        raise NoBots(f"there is no {path}")
    if is_archive(path):
        raise NoBots(f"{path} is an archive of another kind than .zip: unpack it into a folder of that name")
    if _is_foreign_link(slot):
        raise NoBots("it is a link that somebody else has made, and so may lead anywhere: put the bot itself there")
    if look is None:
        return {"command": _from(folder, path), "submitted": True}
    if "error" in look:
        raise NoBots(str(look["error"]))
    bot = of_folder(path, look)
    entry: dict[str, Any] = {"command": list(bot.command), "cwd": _seen_from(folder, path), "submitted": True}
    if isinstance(bot, Command):
        entry |= {"env": dict(bot.env)} if bot.env else {}
        entry |= {"games": list(bot.only)} if bot.only else {}
        entry |= {"protocol": "lines"} if bot.lines else {}
    return entry


def _is_foreign_link(slot: _Slot) -> bool:
    """Whether a bot of a pattern is a link made by somebody else."""
    path = slot.path
    return slot.many and path is not None and path.is_symlink() and path.lstat().st_uid not in (0, os.geteuid())


def _from(folder: Path, path: Path) -> list[str]:
    """The command for a bot that is a single file.

    It runs in the league's folder. The file is the complete bot.
    """
    if not os.path.isfile(path):  # noqa: PTH113 - raises nothing
        raise NoBots(f"{path} is neither a file nor a folder that can be read")
    bot = of_file(path, path.stem)
    return [_seen_from(folder, path) if word == path.name else word for word in bot.command]


def _seen_from(folder: Path, path: Path) -> str:
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path.absolute())
