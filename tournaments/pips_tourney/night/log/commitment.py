"""An organiser's commitment: what is published before hand-in, and what is kept secret.

The commitment fixes the secret before anybody can know the bots or the beacon. It is
stored with the secret in a private file beside the database until the night begins.
docs/chance.md explains its purpose.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pips_referee.written import written_text
from pips_tourney.errors import TourneyError
from pips_tourney.night.log.file_watch import PLEDGE
from pips_tourney.secret import Secret

LONGEST_BEACON: Final = 1 << 16
Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
_Kind = TypeVar("_Kind", bound=BaseModel)


class CommitmentError(TourneyError):
    """A commitment cannot be made, read or stored; the text says why."""


class Commitment(BaseModel):
    """The public part, sent to everybody before hand-in closes."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    pips: Literal["commitment 1"] = "commitment 1"
    league: str
    secret_sha256: Hash
    beacon: str = ""
    """The round of a public beacon whose text will enter the seeds.

    Empty for no beacon.
    """
    made: str
    """When it was made, UTC."""
    programme_sha256: Hash | None = None
    """The hash of the programme, including the bots, once hand-in has closed."""
    closed: str | None = None
    """When the programme was fixed, UTC."""

    def text(self) -> str:
        """The text of the file to send to everybody."""
        return json.dumps(self.model_dump(), indent=2, ensure_ascii=False) + "\n"

    def lines(self) -> list[str]:
        """The commitment as lines for a person."""
        closed = f"{self.programme_sha256} ({self.closed})" if self.programme_sha256 else "open: hand-in goes on"
        return [
            f"League:                   {self.league}",
            f"Made:                     {self.made}",
            f"SHA-256 of the secret:    {self.secret_sha256}",
            f"Beacon:                   {self.beacon or 'none'}",
            f"SHA-256 of the programme: {closed}",
        ]


class Pledge(BaseModel):
    """The secret together with its public commitment."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    secret: Hash
    commitment: Commitment

    @property
    def opened(self) -> Secret:
        """The secret, without the beacon's text."""
        return Secret(bytes.fromhex(self.secret))

    def close(self, programme: str) -> Self:
        """The pledge after hand-in has closed.

        Raises `CommitmentError` if another programme was fixed before.
        """
        known = self.commitment.programme_sha256
        if known == programme:
            return self
        if known is not None:
            raise CommitmentError(
                "hand-in was closed with another programme: a bot, a game or the deals have changed since "
                f"{self.commitment.closed}. Put them back, or begin with a new commitment"
            )
        closed = self.commitment.model_copy(update={"programme_sha256": programme, "closed": _now()})
        return self.model_copy(update={"commitment": closed})


def make_pledge(league: str, beacon: str, secret: Secret | None = None) -> Pledge:
    """Make a new pledge."""
    drawn = secret or Secret.draw()
    public = Commitment(league=league, secret_sha256=drawn.commitment, beacon=beacon, made=_now())
    return Pledge(secret=drawn.key.hex(), commitment=public)


def pledge_file(database: Path) -> Path:
    """The path of the pledge for the next night of a database."""
    return Path(f"{database}{PLEDGE}")


def keep_pledge(database: Path, pledge: Pledge) -> None:
    """Write the pledge for its owner alone, completely or not at all."""
    file = pledge_file(database)
    new = file.with_name(f"{file.name}.new")
    try:
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as opened:
            opened.write(pledge.model_dump_json(indent=1) + "\n")
            opened.flush()
            os.fsync(opened.fileno())
        new.replace(file)
    except OSError as error:
        raise CommitmentError(f"{file}: {error.strerror}") from None


def read_pledge(database: Path) -> Pledge | None:
    """The pledge for the next night; None if there is none.

    Raises `CommitmentError` if its file does not contain one.
    """
    file = pledge_file(database)
    if not file.exists():
        return None
    pledge = _read(file, Pledge)
    if pledge.opened.commitment != pledge.commitment.secret_sha256:
        raise CommitmentError(f"{file}: its secret is not the one of its hash; somebody has changed this file")
    return pledge


def drop_pledge(database: Path) -> None:
    """Delete the pledge, after the night has taken it over."""
    pledge_file(database).unlink(missing_ok=True)


def read_commitment(file: Path) -> Commitment:
    """Read a commitment's public file; raises `CommitmentError` if it has none."""
    return _read(file, Commitment)


def beacon_text(text: str) -> str:
    """A beacon's text as it enters the seeds, without surrounding white space.

    Raises `CommitmentError` if that is empty.
    """
    stripped = text.strip()
    if not stripped or len(stripped) > LONGEST_BEACON:
        raise CommitmentError(f"a beacon's text has 1 to {LONGEST_BEACON} characters; this one has {len(stripped)}")
    return stripped


def read_beacon(file: Path) -> str:
    """Read the beacon's text from a file."""
    return beacon_text(_text_of(file))


def _read(file: Path, kind: type[_Kind]) -> _Kind:
    try:
        return kind.model_validate_json(_text_of(file))
    except ValidationError as error:
        raise CommitmentError(f"{file}: this is no {kind.__name__.lower()} of Pips: {first_mistake(error)}") from None


def first_mistake(error: ValidationError) -> str:
    """Return the place of the first mistake, and its description."""
    wrong = error.errors()[0]
    return ": ".join(filter(None, [".".join(map(str, wrong["loc"])), wrong["msg"]]))


def _text_of(file: Path) -> str:
    try:
        return written_text(file)
    except OSError as error:
        raise CommitmentError(f"{file}: {error.strerror}") from None
    except ValueError:
        raise CommitmentError(f"{file}: this is no text in UTF-8") from None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
