"""The entries of a league file for games, bots and other parts."""

from __future__ import annotations

import shlex
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, model_validator

from pips_tourney.bots.contents import Caps
from pips_tourney.league.form import Name
from pips_tourney.league.format import Section, Whole
from pips_tourney.league.model_bots import ModelEntry
from pips_tourney.sandbox.limits import Limits
from pips_tourney.sandbox.tiers import COPY_MB, Tier

MOST_MS: Final = 3_600_000


def _split(value: object) -> object:
    return shlex.split(value) if isinstance(value, str) else value


Words = Annotated[list[str], BeforeValidator(_split), Field(min_length=1)]


class GameEntry(Section):
    """A game of the league. In the file, its name alone is enough."""

    name: str
    seats: Whole | None = Field(default=None, ge=1)
    """Unset: the smallest number that the game allows."""
    options: dict[str, Any] = Field(default_factory=dict)
    label: Name | None = None
    """Its name in standings. Required if a game is played twice with the same seats."""
    deals: Whole | None = Field(default=None, ge=1, le=1_000_000)
    """How many of its deals every combination of bots plays.

    Unset: the `count` of the league's deals.
    """


class BotEntry(Section):
    """A bot: a command of its own, or one of the sample bots.

    In the file it may also have a `path`, see submissions.py.
    """

    name: Name
    command: Words | None = None
    """A list of arguments, or one line that is split as a shell would.

    `python` is the interpreter that runs the tournament.
    """
    protocol: Literal["grpc", "lines"] = "grpc"
    """What the command speaks: gRPC itself, or JSON lines (docs/lines.md)."""
    sample: str | None = None
    """A sample bot: `greedy`, which every game has, or `serpent/greedy`."""
    cwd: str | None = None
    """The folder it runs in, from the league file's. All files in it belong to the bot.

    Unset: the league file's folder; then the bot's files are those that the command
    names.
    """
    env: dict[str, str] = Field(default_factory=dict)
    python: str | None = None
    """The interpreter that `python` in its command stands for.

    Unset: the one that runs the tournament.
    """
    install: bool = False
    """Whether the requirements.txt of its folder is installed for it.

    It gets an environment of its own.
    """
    trusted: bool = False
    """Whether the organiser vouches for it.

    It then also plays without a sandbox that fences it in.
    """
    optional: bool = False
    """Whether the night goes on without it if it does not start.

    Bots of a pattern are always optional.
    """
    games: list[str] | None = None
    """The games it plays. Unset: all of the league's."""
    remote: bool = False
    """Whether it runs on another machine and dials in."""
    model: ModelEntry | None = None
    """The language model that it asks; see docs/models.md."""

    submitted: bool = False
    """Whether its author chose command and environment, as under a `path`.

    Then they affect nothing outside its folder.
    """

    def plays(self, game: str) -> bool:
        return self.games is None or game in self.games

    @property
    def is_stranger(self) -> bool:
        """Whether it plays on this machine and nobody vouches for its code."""
        return not (self.trusted or self.ships_with_pips or self.remote)

    @property
    def ships_with_pips(self) -> bool:
        return self.sample is not None or (self.model is not None and self.command is None)

    @property
    def why_not_again(self) -> str:
        """Why matches with it cannot be played again; "" if they can."""
        if self.remote:
            return "it plays on another machine"
        return "" if self.model is None else "its model's answers cost money"

    @property
    def asks_untrusted(self) -> bool:
        """Whether somebody outside sees its questions, and might use them elsewhere."""
        return self.model is not None and not self.model.trusted

    @model_validator(mode="after")
    def _trusted_here(self) -> BotEntry:
        if self.trusted and self.remote:
            raise ValueError("`trusted` vouches for a bot that plays here, and this one plays on another machine")
        return self


class DealsEntry(Section):
    """How many deals every combination of bots plays, and from which suite.

    Without a suite, deals are drawn from the secret. In the file, the count or the
    suite alone is enough.
    """

    count: Whole | None = Field(default=None, ge=1, le=1_000_000)
    """Unset: 20."""
    suite: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _one_or_the_other(cls, value: object) -> object:
        return {"count": value} if isinstance(value, int) else {"suite": value} if isinstance(value, str) else value


class ClockEntry(Section):
    """The bots' time. 0 means no limit."""

    answer_ms: Whole = Field(default=1000, ge=0, le=MOST_MS)
    """The limit for one answer."""
    bank_ms: Whole = Field(default=0, ge=0, le=MOST_MS)
    """A seat's time for the complete match."""
    increment_ms: Whole = Field(default=0, ge=0, le=MOST_MS)
    """Added to the bank after every answer."""
    longest_ms: Whole | None = Field(default=None, ge=1, le=MOST_MS)
    """The longest that one answer may take, including all waits of the bot.

    Unset: ten times the bot's own limit for an answer, at least 10 s.
    """

    def settings(self) -> dict[str, int]:
        """The settings as in referee.proto."""
        return self.model_dump(exclude_none=True)


class AnchorEntry(Section):
    """The bot whose rating is fixed. In the file, its name alone is enough."""

    name: str
    elo: float = 1500.0


class SandboxEntry(Section):
    """The limits of the bots: what they cannot reach, and how much they may use.

    In the file, the tier alone is enough.
    """

    tier: Tier | None = None
    """Unset: the best tier on this machine."""
    memory_mb: Whole = Field(default=Limits().memory_mb, ge=32)
    address_mb: Whole = Field(default=Limits().address_mb, ge=1024)
    cpu_s: Whole = Field(default=Limits().cpu_s, ge=1)
    processes: Whole = Field(default=Limits().processes, ge=1)
    threads: Whole = Field(default=Limits().threads, ge=8)
    file_mb: Whole = Field(default=Limits().file_mb, ge=0)
    readable: list[str] = Field(default_factory=list)
    """Files and folders, relative to the league file, that all bots may read."""
    cgroup: str = ""
    """The control group below which bots get theirs.

    Unset: one that was delegated to this process, if there is any.
    """
    copy_mb: Whole = Field(default=COPY_MB, ge=1, le=4096)
    """How large a bot's folder may be. Each of its processes gets a copy."""
    unfenced: bool = False
    """Whether strangers' bots may play if a fence is impossible or not requested."""

    @property
    def limits(self) -> Limits:
        return Limits(**{name: getattr(self, name) for name in Limits._fields})


class HandInEntry(Section):
    """Limits for a bot under a `path`."""

    files: Whole = Field(default=Caps().files, ge=1, le=10_000_000)
    """The most files and folders."""
    mb: Whole = Field(default=Caps().mb, ge=1, le=1 << 20)
    """The most MB of all files together."""
    wheels: str | None = None
    """A folder, relative to the league file, with all wheels that bots may install.

    Unset: pip's index.
    """

    @property
    def caps(self) -> Caps:
        return Caps(self.files, self.mb)


class TlsEntry(Section):
    """Certificate files, relative to the league file.

    They are the authority's certificate, this machine's own, and its key.
    """

    ca: str
    cert: str
    key: str


class RemoteEntry(Section):
    """What a league allows bots on other machines."""

    grace_s: Whole = Field(default=20, ge=1, le=600)
    """How long a match waits for a bot that lost its stream."""
    rtt_ms: Whole = Field(default=150, ge=0, le=2000)
    """The most network delay, both ways together, that is credited to an answer."""
    drops: Whole = Field(default=5, ge=0, le=1000)
    """How many streams a bot may lose per night without a fault, if it comes back."""
