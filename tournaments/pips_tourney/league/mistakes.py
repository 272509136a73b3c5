"""The mistakes of a league file as sentences, with their places in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from pips_tourney.errors import TourneyError
from pips_tourney.league.entries import BotEntry
from pips_tourney.league.file import LeagueFile
from pips_tourney.league.form import NO_NAME
from pips_tourney.league.model_bots import ModelEntry
from pips_tourney.league.submissions import PATH
from pips_tourney.names import RULE, is_name, one_form


class Mistake(NamedTuple):
    """A mistake and its place in the file, such as `bots[2].command`."""

    where: str
    what: str


class LeagueError(TourneyError):
    """A league file that cannot be played. `mistakes` lists every mistake."""

    def __init__(self, path: Path, mistakes: Sequence[Mistake]) -> None:
        self.path = path
        self.mistakes = tuple(mistakes)
        count = "1 mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
        super().__init__("\n".join([f"{path}: {count}", *(f"  {where}: {what}" for where, what in mistakes)]))


def mistake_of(detail: ErrorDetails) -> Mistake:
    """A mistake found by pydantic, in the terms of a league file."""
    where, what = _place(detail["loc"]), detail["msg"]
    if detail["type"] == "extra_forbidden":
        known: type[BaseModel] = LeagueFile
        if len(detail["loc"]) > 1:
            known = _section_in(LeagueFile.model_fields[str(detail["loc"][0])].annotation) or LeagueFile
        if "model" in detail["loc"][:-1]:
            known = ModelEntry
        what = f"there is no such entry{_advice(str(detail['loc'][-1]), known)}"
    elif detail["type"] == "missing":
        what = "is missing"
    elif detail["type"] == "model_type":
        what = f"is a table, such as {{ name = value }}, not {detail['input']!r}"
    elif detail["type"] == NO_NAME:
        what = f"{detail['input']!r}: a name is {RULE}"
        if is_name(near := one_form(detail["input"])):
            what = f"{detail['input']!a} is not in Unicode's normal form C: write {near!a}, which looks alike"
    else:
        what = f"{what[0].lower()}{what[1:]}, not {detail['input']!r}"
    return Mistake(where, what)


def _advice(entry: str, known: type[BaseModel]) -> str:
    """The right place for that entry, or the nearest entry of this section."""
    for name, section in LeagueFile.model_fields.items():
        if (there := _section_in(section.annotation)) and there is not known and entry in there.model_fields:
            return f"; it belongs in {name}"
    close = get_close_matches(entry, [*known.model_fields, *([PATH] if known is BotEntry else [])], 1)
    return f"; did you mean {close[0]}?" if close else ""


def _section_in(annotation: Any) -> type[BaseModel] | None:
    """The section that an entry's type names."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_section_in, get_args(annotation))), None)


def _place(loc: Sequence[str | int]) -> str:
    place = ""
    for step in loc:
        place += f"[{step}]" if isinstance(step, int) else f".{step}" if place else step
    return place


_ASKS_FOR_BOTS: Final = re.compile(r"bots|games\[\d+\]\.seats|anchor|schedule\.hero")


def left_out(mistakes: Sequence[Mistake], broken: Mapping[str, str]) -> Iterator[Mistake]:
    """The broken bots of a pattern, if these may be the bots that are missing."""
    if any(_ASKS_FOR_BOTS.fullmatch(where) for where, _ in mistakes):
        for name, reason in broken.items():
            yield Mistake("bots", f"{name} is left out: {reason}")


def placed(mistakes: Iterable[Mistake], places: Sequence[int]) -> Iterator[Mistake]:
    """The mistakes with the indices that bots have in the file.

    One path in the file may lead to many bots.
    """
    for where, what in mistakes:
        yield Mistake(re.sub(r"^bots\[(\d+)\]", lambda found: f"bots[{places[int(found[1])]}]", where), what)


def position(where: str, order: Sequence[str]) -> int:
    """The position in the file of the entry with the mistake.

    An entry that is not in the file comes last.
    """
    key = re.split(r"[\[.]", where)[0]
    return order.index(key) if key in order else len(order)
