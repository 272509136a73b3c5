"""A night's programme: all that decides which matches are played, in schedule order.

It is made from a league file (from_league.py) and kept in the night's log. Nothing else
is needed to know which matches there are (fixtures.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from pips_referee.game import AnyGame, Options, get_game
from pips_tourney.bots.executable import REMOTE
from pips_tourney.league.form import Format, GameName, Name, OrderedBy
from pips_tourney.league.suites import Deal
from pips_tourney.secret import as_json, canonical

if TYPE_CHECKING:
    from pydantic import TypeAdapter


METHOD: Final = 8
"""How nights are drawn and rated. Those of another method are refused."""


@dataclass(frozen=True)
class Contest:
    """One game of the night, with its options and seats."""

    label: Name
    game: GameName
    rules_version: int
    seats: int
    options: Mapping[str, Any]
    deals: int
    """How many of the night's deals every combination plays.

    It is the maximum where results may stop the contest. In a Swiss tournament and a
    knockout it holds for every round.
    """
    form: Format = field(default_factory=Format)

    @cached_property
    def rules(self) -> tuple[AnyGame, Options]:
        """Its game, and the options of it."""
        game = get_game(self.game)
        return game, game.options(self.options)

    @property
    def matches_a_deal(self) -> int:
        """Matches of a deal that every combination plays."""
        return self.seats if self.form.duplicate else 1

    def part_label(self, *, final: bool) -> str:
        """The label of the contest's table, or of its final's, in the standings.

        The final's label is unique: no contest's label holds a comma.
        """
        return f"{self.label}, final" if final else self.label


@dataclass(frozen=True)
class Entrant:
    """A player of the night.

    `fingerprints` are by the games it plays. A house bot that fills a seat is not
    rated.
    """

    name: Name
    fingerprints: Mapping[str, str]
    rated: bool = True


@dataclass(frozen=True)
class Anchor:
    """The bot whose rating is fixed."""

    name: str
    elo: float


@dataclass(frozen=True)
class Programme:
    """What a night plays.

    Two nights with equal programmes and one secret have the same matches.
    """

    league: str
    contests: tuple[Contest, ...]
    entrants: tuple[Entrant, ...]
    deals: tuple[Deal, ...]
    clock: Mapping[str, int]
    """As in referee.proto."""
    anchor: Anchor | None = None
    max_faults: int | None = None
    """This many faults take a bot out for the rest of the night."""
    method: int = METHOD
    """`METHOD` when the night began."""
    rate: OrderedBy = "results"
    """What the order of a game's table is decided by."""

    @cached_property
    def digest(self) -> str:
        return sha256(canonical(self.dump())).hexdigest()

    def dump(self) -> dict[str, Any]:
        """The programme as JSON values."""
        parts = [part.name for part in fields(self) if part.name != "deals"]
        dumped = {name: as_json(getattr(self, name)) for name in parts}
        dumped["deals"] = [[*deal] for deal in self.deals]
        return dumped

    def players(self, contest: Contest) -> tuple[Entrant, ...]:
        """The rated bots, and house bots if there are too few of them for the seats."""
        here = [entrant for entrant in self.entrants if contest.game in entrant.fingerprints]
        rated = [entrant for entrant in here if entrant.rated]
        house = [entrant for entrant in here if not entrant.rated]
        return (*rated, *house[: max(0, contest.seats - len(rated))])

    @property
    def all_copies(self) -> tuple[tuple[str, ...], ...]:
        """Bots that are one bot in truth in some game."""
        games = dict.fromkeys(contest.game for contest in self.contests)
        return tuple(dict.fromkeys(group for game in games for group in self.copies(game)))

    def copies(self, *games: str) -> tuple[tuple[str, ...], ...]:
        """The names of bots that are one bot in truth: they play alike.

        Their commands and files are the same, whatever the files are called.
        """
        alike: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        for entrant in self.entrants:
            marks = tuple(entrant.fingerprints.get(game, "").rpartition(":")[2] for game in games)
            if not {"", REMOTE} & {*marks}:
                alike[marks].append(entrant.name)
        return tuple(tuple(sorted(bots)) for bots in alike.values() if len(bots) > 1)


@cache
def _adapter() -> TypeAdapter[Programme]:
    from pydantic import TypeAdapter  # who plays two bots reads no programme

    return TypeAdapter(Programme)


def load_programme(dumped: object) -> Programme:
    """Load a programme from its dump; `ValidationError` if it holds what none can.

    Files and folders are called after its games, bots and contests. So a label that is
    no name, such as `../x`, is refused here and reaches no path.
    """
    return _adapter().validate_python(dumped)
