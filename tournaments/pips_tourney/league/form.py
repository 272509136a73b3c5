"""The format of a contest: who meets whom, when it is over, and what follows.

Playing only two bots needs no league file and should not import pydantic. So pydantic
is imported here only when a value is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log2
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pips_referee.installed import is_game_name
from pips_tourney.names import RULE, is_name
from pips_tourney.schedule.league import MAX_TABLES
from pips_tourney.schedule.rounds import knockout_rounds

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

NO_NAME: Final = "no_name"
"""Pydantic's error type for a value that is no name."""


@dataclass(frozen=True)
class _NameCheck:
    """Has pydantic refuse a text that is no name."""

    says: str
    is_right: Callable[[str], bool]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check the value before its type is checked."""
        from pydantic_core import PydanticCustomError, core_schema

        def checked(value: object) -> object:
            if isinstance(value, str) and not self.is_right(value):
                raise PydanticCustomError(NO_NAME, self.says)
            return value

        return core_schema.no_info_before_validator_function(checked, handler(source))


Name = Annotated[str, _NameCheck(RULE, is_name)]
GameName = Annotated[str, _NameCheck("a game is named as in my_game, or openspiel:chess", is_game_name)]
Kind = Literal["round-robin", "gauntlet", "swiss", "knockout"]
OrderedBy = Literal["results", "points"]
"""Whether bots are compared by how often they win, or by how many points they score."""


@dataclass(frozen=True)
class Stop:
    """Like `StopEntry`."""

    confidence: float
    max_deals: int
    by: OrderedBy = "results"
    spread: Literal["equal", "adaptive"] = "equal"
    """Like `StopEntry.deals`."""
    matches: int | None = None


@dataclass(frozen=True)
class Knockout:
    """Like `FinalEntry`, with everything but the number of bots set (None: all)."""

    bots: int | None
    deals: int
    advance: int | None


@dataclass(frozen=True)
class Format:
    """How a contest is played."""

    schedule: Kind = "round-robin"
    hero: str | None = None
    rounds: int | None = None
    advance: int | None = None
    max_tables: int = MAX_TABLES
    stop: Stop | None = None
    final: Knockout | None = None
    duplicate: bool = True
    """Whether every deal is played in all rotations of the seats, or in one."""

    @property
    def has_rounds(self) -> bool:
        """Whether some matches depend on the results of others."""
        return self.schedule in ("swiss", "knockout") or self.final is not None

    @property
    def is_adaptive(self) -> bool:
        """Whether pairs that are still open get more deals."""
        return self.stop is not None and self.stop.spread == "adaptive"

    def swiss_rounds(self, bots: int) -> int:
        return self.rounds or max(1, ceil(log2(max(bots, 1))))

    def main_deals(self, bots: int, seats: int, deals: int) -> int:
        """How many deals everything before the final needs.

        Every combination or round plays `deals`.
        """
        match self.schedule:
            case "swiss":
                return deals * self.swiss_rounds(bots)
            case "knockout":
                return deals * knockout_rounds(bots, seats, self.advance)
            case _:
                return deals

    def all_deals(self, bots: int, seats: int, deals: int) -> int:
        """How many deals the contest needs in all."""
        needed = self.main_deals(bots, seats, deals)
        if self.final is not None:
            finalists = min(bots, self.final.bots or bots)
            needed += self.final.deals * knockout_rounds(finalists, seats, self.final.advance)
        return needed
