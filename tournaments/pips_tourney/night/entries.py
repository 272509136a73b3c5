"""What each kind of log entry holds, and a sentence about each that is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pips_tourney.errors import TourneyError
from pips_tourney.night.commitment import Commitment, Hash

if TYPE_CHECKING:
    from pips_tourney.night.store import Entry, Store

Count = Annotated[int, Field(ge=0)]
Text = str


class EntryError(TourneyError):
    """An entry of the log does not hold what its kind requires."""


class _Shape(BaseModel):
    """The fields that are read must be valid; later versions may add more."""

    model_config = ConfigDict(strict=True, extra="allow", defer_build=True)  # most nights have few kinds


class _NightShape(_Shape):
    programme: dict[str, Any]
    secret_commitment: Hash


class _EndShape(_Shape):
    secret: Hash
    digest: Hash
    standings_sha256: str


class _BeaconShape(_Shape):
    text: Annotated[str, Field(min_length=1)]


class _VoidShape(_Shape):
    match: str
    why: str


class _RefusedShape(_Shape):
    bot: str
    why: str


class _OutputShape(_Shape):
    match: str
    output: dict[str, str]


class _OutOfTurnShape(_Shape):
    match: str
    us: dict[str, Count]


class _ReasonShape(_Shape):
    reason: str = ""


class _AddShape(_Shape):
    bot: dict[str, Any]


class _BotShape(_ReasonShape):
    bot: str


class _WithdrawShape(_BotShape):
    deals: dict[str, Count]
    among: list[str]


class _AbsentShape(_WithdrawShape):
    fingerprints: dict[str, str]


class _BlockShape(_ReasonShape):
    match: str
    block: str


class _RedealShape(_BlockShape):
    bot: str
    deal: Count


class _ReplayShape(_ReasonShape):
    match: str
    attempt: Count


class _BrokenShape(_Shape):
    bots: dict[str, str]


class _RoundShape(_Shape):
    contest: str
    round: Count
    level: Count
    deals: dict[str, Count]


class _TimeUpShape(_Shape):
    minutes: float
    results: Count
    looks: dict[str, Count]
    standings_sha256: str


class _UnfencedShape(_Shape):
    bots: list[str]
    on_trust_alone: bool


class _HandedInShape(_Shape):
    places: dict[str, str]
    samples: list[str]


class _ModelsShape(_Shape):
    bots: dict[str, dict[str, Any]]


SHAPES: Final[Mapping[str, type[BaseModel]]] = {
    "night": _NightShape,
    "end": _EndShape,
    "commitment": Commitment,
    "beacon": _BeaconShape,
    "void": _VoidShape,
    "refused": _RefusedShape,
    "output": _OutputShape,
    "out of turn": _OutOfTurnShape,
    "pause": _ReasonShape,
    "resume": _ReasonShape,
    "add": _AddShape,
    "withdraw": _WithdrawShape,
    "reinstate": _BotShape,
    "annul": _BlockShape,
    "restore": _BlockShape,
    "replay": _ReplayShape,
    "redeal": _RedealShape,
    "absent": _AbsentShape,
    "broken": _BrokenShape,
    "unfenced": _UnfencedShape,
    "handed in": _HandedInShape,
    "round": _RoundShape,
    "time up": _TimeUpShape,
    "models": _ModelsShape,
}
"""Shapes by kind. A new kind of entry is added here too."""


def check_entry(entry: Entry) -> None:
    """Raise `EntryError` if an entry does not hold what its kind requires."""
    if mistake := _mistake(entry):
        raise EntryError(f"entry {entry.seq} of the log ({entry.kind}) cannot be read: {mistake}")


def entry_problems(store: Store) -> Iterator[str]:
    """A sentence about each unreadable entry of a database's log."""
    from pips_tourney.night.store import StoreError

    for raw in store.raw_log():
        try:
            check_entry(store.entry(raw))
        except StoreError as error:
            yield str(error)
        except EntryError as error:
            yield str(error)
        else:
            if not _is_time(raw.at):
                yield f"entry {raw.seq} of the log ({raw.kind}) says no time when it was made"


def unknown_kinds(store: Store) -> list[str]:
    """Kinds of entries that a later version, or somebody else, has written."""
    return sorted({str(raw.kind) for raw in store.raw_log()} - SHAPES.keys())


def _mistake(entry: Entry) -> str:
    shape = SHAPES.get(entry.kind)
    if shape is None:
        return ""  # nothing reads it; `unknown_kinds` names it
    try:
        shape.model_validate(entry.payload)
        if entry.kind == "add":
            _check_bot(entry.payload["bot"])
    except ValidationError as error:
        wrong = error.errors()[0]
        where = ".".join(map(str, wrong["loc"]))
        return f"{where}: {wrong['msg']}" if where else wrong["msg"]
    return ""


def _check_bot(entry: Mapping[str, Any]) -> None:
    """Raise ValidationError if this is no bot in the form of a league file."""
    from pips_tourney.league.entries import BotEntry

    BotEntry.model_validate(entry)


def _is_time(at: object) -> bool:
    try:
        datetime.fromisoformat(at if isinstance(at, str) else "")
    except ValueError:
        return False
    return True
