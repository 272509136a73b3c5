"""The matches of one bot, signed with the night's key: what an author keeps of a night.

docs/record.md has the format. An organiser who changes a match afterwards is
contradicted by their own signature.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pips_tourney.errors import TourneyError
from pips_tourney.night.chain import Chain
from pips_tourney.night.night import BEGUN, ENDED, last_night, nights
from pips_tourney.night.pledge import Commitment, Hash
from pips_tourney.night.result import row_problem
from pips_tourney.night.signing import is_signed, public_of, read_key, sign
from pips_tourney.night.store import Row, Store
from pips_tourney.secret import canonical

FIELDS: Final = ("seats", "places", "scores", "faults", "questions", "times")
"""Columns of a row, besides id, hash and record."""
Strict = ConfigDict(strict=True, extra="forbid", frozen=True)


class TranscriptError(TourneyError):
    """A transcript that cannot be written or read."""


class KeptMatch(BaseModel):
    """A result as it was stored, with the columns of a database row."""

    model_config = Strict

    id: str
    game: str
    seats: str
    places: str
    scores: str
    faults: str
    questions: int
    times: str
    sha256: Hash
    record: str | None = None
    """In base64, once the night is over."""

    @property
    def names(self) -> list[str]:
        """The bots by seat; ValueError when the text is no list of names."""
        names = json.loads(self.seats)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError("seats are no list of names")
        return names

    def row(self) -> Row:
        """The row as in the database; ValueError when the record is no base64."""
        record = b"" if self.record is None else b64decode(self.record, validate=True)
        texts = (self.game, self.seats, self.places, self.scores, self.faults)
        return Row(self.id, *texts, self.questions, self.times, bytes.fromhex(self.sha256), record)


class Signed(BaseModel):
    """The signed part, as canonical JSON."""

    model_config = Strict

    pips: Literal["transcript 1"] = "transcript 1"
    league: str
    bot: str
    at: str
    """When it was written, UTC."""
    public_key: Hash
    secret_sha256: Hash
    head: Hash
    """The head of the chain at that time."""
    ended: bool
    """Whether the night was over and its secret revealed."""
    matches: list[KeptMatch]
    """All matches of the bot, in the order of storing."""

    def message(self) -> bytes:
        return canonical(self.model_dump())


class Transcript(BaseModel):
    """A transcript with its signature."""

    model_config = Strict

    signed: Signed
    signature: Annotated[str, Field(pattern="^[0-9a-f]{128}$")]

    def text(self) -> str:
        """The text of the file."""
        return json.dumps(self.model_dump(), indent=1, ensure_ascii=False) + "\n"


def write_transcript(store: Store, bot: str) -> Transcript:
    """All matches of a bot so far.

    `TranscriptError` when there is no such bot, `KeyFileError` without the key.
    """
    known = {entrant.name for programme in nights(store) for entrant in programme.entrants}
    night = last_night(store)
    if bot not in known:
        raise TranscriptError(f"there is no bot {bot}; there are {', '.join(sorted(known))}")
    key = read_key(store.path)
    with store.snapshot():
        begun = store.log(BEGUN)[0].payload
        if begun.get("public_key") != public_of(key):
            raise TranscriptError(f"{store.path}: the key beside it is not the one that the night began with")
        ended = bool(store.last(ENDED))
        signed = Signed(
            league=night.programme.league,
            bot=bot,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            public_key=begun["public_key"],
            secret_sha256=begun["secret_commitment"],
            head=store.head(),
            ended=ended,
            matches=[_match(store, row, ended=ended) for _, row in store.since(0) if bot in json.loads(row.seats)],
        )
    return Transcript(signed=signed, signature=sign(key, signed.message()))


def _match(store: Store, row: Row, *, ended: bool) -> KeptMatch:
    columns = row._asdict() | {"sha256": row.sha256.hex(), "record": None}
    if ended:
        columns["record"] = b64encode(store.rows([row.id])[row.id].record).decode()
    return KeptMatch(**columns)


def read_transcript(file: Path) -> Transcript:
    """Read the transcript in a file; `TranscriptError` when it is none."""
    try:
        return Transcript.model_validate_json(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise TranscriptError(f"{file}: {error.strerror}") from None
    except ValidationError as error:
        wrong: Mapping[str, Any] = error.errors()[0]
        where = ".".join(map(str, wrong["loc"]))
        raise TranscriptError(f"{file}: this is no transcript: {where}: {wrong['msg']}") from None
    except ValueError:
        raise TranscriptError(f"{file}: this is no text in UTF-8") from None


def own_problems(transcript: Transcript, commitment: Commitment | None = None) -> Iterator[str]:
    """The problems that a transcript shows by itself.

    They concern its signature, its key as it was published, and its records.
    """
    signed = transcript.signed
    if not is_signed(signed.public_key, signed.message(), transcript.signature):
        yield "its signature does not fit: it was changed after it was signed"
        return
    if commitment is not None and commitment.public_key != signed.public_key:
        yield "it is signed with another key than the commitment's"
    if commitment is not None and commitment.secret_sha256 != signed.secret_sha256:
        yield "its night has another secret than the commitment's"
    for match in signed.matches:
        try:
            row, names = match.row(), match.names
        except (ValueError, RecursionError) as error:
            yield f"match {match.id}: it cannot be read: {error}"
            continue
        if signed.bot not in names:
            yield f"match {match.id}: {signed.bot} did not sit there"
        elif match.record is not None and (wrong := row_problem(row)):
            yield f"match {match.id}: {wrong}"


def night_problems(transcript: Transcript, store: Store, chain: Chain | None) -> Iterator[str]:
    """Contradictions between a night and a correctly signed transcript of it."""
    signed, begun = transcript.signed, store.log(BEGUN)
    if not begun or begun[0].payload.get("public_key") != signed.public_key:
        yield "it is signed with another key than this night's"
    if not begun or begun[0].payload.get("secret_commitment") != signed.secret_sha256:
        yield "its night has another secret than this one"
    link = None if chain is None else chain.find(signed.head)
    if link is None:
        yield f"the chain of this night never had the head that was signed on {signed.at}: what was stored was changed"
    stored = dict(_stored(store, signed.bot))
    for match in signed.matches:
        _, now = stored.pop(match.id, (0, None))
        if now is None:
            yield f"match {match.id}: it was played when this was signed, and is gone"
        elif differing := _differing(match, now):
            yield f"match {match.id}: it is not what was signed: {', '.join(differing)}"
    if link is not None:
        for match_id, (number, _) in stored.items():
            if number <= link.results:
                yield f"match {match_id}: it was stored before this was signed, and is not in it"


def _stored(store: Store, bot: str) -> Iterator[tuple[str, tuple[int, Row]]]:
    """A bot's matches by id, each with its number in the order of storing."""
    for number, row in store.since(-(1 << 62)):
        try:
            names = json.loads(row.seats)
        except (ValueError, TypeError, RecursionError):
            continue  # `verify` reports it
        if isinstance(names, list) and bot in names:
            yield row.id, (number, row)


def _differing(match: KeptMatch, row: Row) -> list[str]:
    names = [name for name in ("game", *FIELDS) if getattr(match, name) != getattr(row, name)]
    return names if row.sha256 == bytes.fromhex(match.sha256) else [*names, "its record"]
