"""What an organiser publishes of a night before bots are handed in.

A pledge fixes the secret and the night's key while nobody can know the bots or the
beacon. It waits in a private file beside the database. The night that begins takes it
over. docs/chance.md says what this is good for.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pips_tourney.errors import TourneyError
from pips_tourney.night.signing import new_key, public_of, write_private
from pips_tourney.secret import Secret

PLEDGE: Final = ".pledge"
"""The suffix of the private file, after the database's name."""
LONGEST_BEACON: Final = 1 << 16
Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
_Kind = TypeVar("_Kind", bound=BaseModel)


class PledgeError(TourneyError):
    """A pledge that cannot be made, read or kept; the text says why and what to do."""


class Commitment(BaseModel):
    """The public part: it is sent round before hand-in closes."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    pips: Literal["commitment 1"] = "commitment 1"
    league: str
    secret_sha256: Hash
    public_key: Hash
    beacon: str = ""
    """The round of a public beacon whose text will enter the seeds.

    Empty: none will.
    """
    made: str
    """When, UTC."""
    programme_sha256: Hash | None = None
    """The hash of what is played, bots included, once hand-in has closed."""
    closed: str | None = None
    """When that was fixed, UTC."""

    def text(self) -> str:
        """The text of the file to send round."""
        return json.dumps(self.model_dump(), indent=2, ensure_ascii=False) + "\n"

    def lines(self) -> list[str]:
        """The commitment in lines for a person."""
        closed = f"{self.programme_sha256} ({self.closed})" if self.programme_sha256 else "open: hand-in goes on"
        return [
            f"League:                   {self.league}",
            f"Made:                     {self.made}",
            f"SHA-256 of the secret:    {self.secret_sha256}",
            f"Public key of the night:  {self.public_key}",
            f"Beacon:                   {self.beacon or 'none'}",
            f"SHA-256 of the programme: {closed}",
        ]


class Pledge(BaseModel):
    """The private part with the public one."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    secret: Hash
    key: Hash
    commitment: Commitment

    @property
    def opened(self) -> Secret:
        """The secret, without the beacon's text."""
        return Secret(bytes.fromhex(self.secret))

    def close(self, programme: str) -> Self:
        """The same once hand-in has closed.

        `PledgeError` when another programme was fixed before.
        """
        known = self.commitment.programme_sha256
        if known == programme:
            return self
        if known is not None:
            raise PledgeError(
                "hand-in was closed with another programme: a bot, a game or the deals have changed since "
                f"{self.commitment.closed}. Put them back, or begin with a new commitment"
            )
        closed = self.commitment.model_copy(update={"programme_sha256": programme, "closed": _now()})
        return self.model_copy(update={"commitment": closed})


def make_pledge(league: str, beacon: str, secret: Secret | None = None) -> Pledge:
    """Make a new pledge."""
    drawn, key = secret or Secret.draw(), new_key()
    public = Commitment(
        league=league, secret_sha256=drawn.commitment, public_key=public_of(key), beacon=beacon, made=_now()
    )
    return Pledge(secret=drawn.key.hex(), key=key.hex(), commitment=public)


def pledge_file(database: Path) -> Path:
    """The path of the pledge for the next night of a database."""
    return Path(f"{database}{PLEDGE}")


def keep_pledge(database: Path, pledge: Pledge) -> None:
    """Write the pledge, readable by its owner alone."""
    write_private(pledge_file(database), pledge.model_dump_json(indent=1))


def read_pledge(database: Path) -> Pledge | None:
    """The pledge for the next night; None where none was made.

    `PledgeError` when its file holds none.
    """
    file = pledge_file(database)
    found = _read(file, Pledge) if file.exists() else None
    if found is None:
        return None
    if found.opened.commitment != found.commitment.secret_sha256:
        raise PledgeError(f"{file}: its secret is not the one of its hash; somebody has changed this file")
    return found


def drop_pledge(database: Path) -> None:
    """Delete the pledge: the night has taken it over."""
    pledge_file(database).unlink(missing_ok=True)


def read_commitment(file: Path) -> Commitment:
    """Read the file that was sent round; `PledgeError` when it is no commitment."""
    return _read(file, Commitment)


def beacon_text(text: str) -> str:
    """A beacon's text as it enters the seeds: without white space around it.

    `PledgeError` when nothing is left.
    """
    found = text.strip()
    if not found or len(found) > LONGEST_BEACON:
        raise PledgeError(f"a beacon's text has 1 to {LONGEST_BEACON} characters; this one has {len(found)}")
    return found


def read_beacon(file: Path) -> str:
    """Read the beacon's text from a file."""
    try:
        return beacon_text(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise PledgeError(f"{file}: {error.strerror}") from None
    except ValueError:
        raise PledgeError(f"{file}: this is no text in UTF-8") from None


def _read(file: Path, kind: type[_Kind]) -> _Kind:
    what = "commitment" if kind is Commitment else "pledge"
    try:
        return kind.model_validate_json(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise PledgeError(f"{file}: {error.strerror}") from None
    except (ValidationError, ValueError) as error:
        said = _first(error)
        raise PledgeError(f"{file}: this is no {what} of Pips: {said}") from None


def _first(error: ValueError) -> str:
    """The first mistake, in one line."""
    if not isinstance(error, ValidationError):
        return "no text in UTF-8"
    wrong: dict[str, Any] = dict(error.errors()[0])
    where = ".".join(map(str, wrong["loc"]))
    return f"{where}: {wrong['msg']}" if where else str(wrong["msg"])


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
