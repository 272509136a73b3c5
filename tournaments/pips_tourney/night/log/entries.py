"""The required content of each kind of log entry, and a sentence on each bad entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from pips_tourney.errors import TourneyError
from pips_tourney.league.entries import BotEntry
from pips_tourney.night.log.commitment import Commitment, Hash, first_mistake
from pips_tourney.night.log.store import Entry, Store, StoreError

Count = Annotated[int, Field(ge=0)]


class EntryError(TourneyError):
    """An entry of the log lacks what its kind requires."""


class _Shape(BaseModel):
    """The fields that are read must be valid; later versions may add more."""

    model_config = ConfigDict(strict=True, extra="allow", defer_build=True)  # most nights use few kinds


class _Reasoned(_Shape):
    reason: str = ""


class _Begun(_Shape):
    programme: dict[str, Any]
    secret_commitment: Hash
    games: dict[str, dict[str, str]] = {}


def _shape(base: type[_Shape] = _Shape, /, **required: Any) -> type[BaseModel]:
    fields: dict[str, Any] = {name: (kind, ...) for name, kind in required.items()}
    return create_model("Entry", __base__=base, **fields)


_DEALS: Final[Mapping[str, Any]] = {"deals": dict[str, Count], "among": list[str]}
SHAPES: Final[Mapping[str, type[BaseModel]]] = {
    "night": _Begun,
    "end": _shape(secret=Hash, digest=Hash, standings_sha256=str),
    "commitment": Commitment,
    "beacon": _shape(text=Annotated[str, Field(min_length=1)]),
    "void": _shape(match=str, why=str),
    "refused": _shape(bot=str, why=str),
    "output": _shape(match=str, output=dict[str, str]),
    "out of turn": _shape(match=str, us=dict[str, Count]),
    "pause": _shape(_Reasoned),
    "resume": _shape(_Reasoned),
    "add": _shape(bot=dict[str, Any]),
    "withdraw": _shape(_Reasoned, bot=str, **_DEALS),
    "reinstate": _shape(_Reasoned, bot=str),
    "annul": _shape(_Reasoned, match=str, block=str),
    "restore": _shape(_Reasoned, match=str, block=str),
    "replay": _shape(_Reasoned, match=str, attempt=Count),
    "redeal": _shape(_Reasoned, match=str, block=str, bot=str, deal=Count),
    "absent": _shape(_Reasoned, bot=str, fingerprints=dict[str, str], **_DEALS),
    "broken": _shape(bots=dict[str, str]),
    "unfenced": _shape(bots=list[str], on_trust_alone=bool),
    "handed in": _shape(places=dict[str, str], samples=list[str]),
    "round": _shape(contest=str, round=Count, level=Count, deals=dict[str, Count]),
    "time up": _shape(minutes=float, results=Count, looks=dict[str, Count], standings_sha256=str),
    "games": _shape(games=dict[str, dict[str, str]]),
    "models": _shape(bots=dict[str, dict[str, Any]]),
}
"""Shapes by kind. Add every new kind of entry here, too."""


def check_entry(entry: Entry) -> None:
    """Raise `EntryError` if an entry lacks what its kind requires."""
    if mistake := _mistake(entry):
        raise EntryError(f"entry {entry.seq} of the log ({entry.kind}) cannot be read: {mistake}")


def entry_problems(store: Store) -> Iterator[str]:
    """A sentence about each unreadable entry of a database's log."""
    for raw in store.raw_log():
        try:
            check_entry(store.entry(raw))
        except (StoreError, EntryError) as error:
            yield str(error)
        else:
            if not _is_time(raw.at):
                yield f"entry {raw.seq} of the log ({raw.kind}) has no time"


def unknown_kinds(store: Store) -> list[str]:
    """Kinds of entries that must come from a later version, or from somebody else."""
    return sorted({str(raw.kind) for raw in store.raw_log()} - SHAPES.keys())


def _mistake(entry: Entry) -> str:
    shape = SHAPES.get(entry.kind)
    if shape is None:
        return ""  # nothing reads this entry; `unknown_kinds` lists it
    try:
        shape.model_validate(entry.payload)
        if entry.kind == "add":
            BotEntry.model_validate(entry.payload["bot"])
    except ValidationError as error:
        return first_mistake(error)
    return ""


def _is_time(at: object) -> bool:
    try:
        datetime.fromisoformat(at if isinstance(at, str) else "")
    except ValueError:
        return False
    return True
