"""A night's programme: everything that decides which matches are played, and when.

It is made from a league file (from_league.py) and stored in the night's log. Adaptive
rounds, knockouts and checks also need results to determine the matches.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from hashlib import sha256
from typing import Any, Final

from pips_referee.game import AnyGame, Options, get_game
from pips_tourney.bots.executable import REMOTE
from pips_tourney.league.form import Format, GameName, Name, OrderedBy
from pips_tourney.league.suites import Deal
from pips_tourney.secret import as_json, canonical

METHOD: Final = 8
"""The version of drawing and rating. Nights of another version are refused."""


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

    This is the maximum if results may stop the contest. In a Swiss tournament or a
    knockout, it is the number in every round.
    """
    form: Format = field(default_factory=Format)

    @cached_property
    def rules(self) -> tuple[AnyGame, Options]:
        """Its game, and the game's options."""
        game = get_game(self.game)
        return game, game.options(self.options)

    @property
    def matches_a_deal(self) -> int:
        """How many matches a combination plays per deal."""
        return self.seats if self.form.duplicate else 1

    def part_label(self, *, final: bool) -> str:
        """The label of the contest's table, or of its final's, in the standings.

        The final's label is unique, because no contest's label contains a comma.
        """
        return f"{self.label}, final" if final else self.label


@dataclass(frozen=True)
class Entrant:
    """A player of the night.

    `fingerprints` are by game, for those it plays. A sample bot that fills a seat is
    not rated.
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

    Two nights with equal programmes and the same secret have the same matches.
    """

    league: str
    contests: tuple[Contest, ...]
    entrants: tuple[Entrant, ...]
    deals: tuple[Deal, ...]
    clock: Mapping[str, int]
    """As in referee.proto."""
    anchor: Anchor | None = None
    max_faults: int | None = None
    """This many faults withdraw a bot for the rest of the night."""
    method: int = METHOD
    """The value of `METHOD` when the night began."""
    rate: OrderedBy = "results"
    """What decides the order of a game's table."""

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
        """The rated bots, plus sample bots if there are too few for the seats."""
        here = [entrant for entrant in self.entrants if contest.game in entrant.fingerprints]
        rated = [entrant for entrant in here if entrant.rated]
        house = [entrant for entrant in here if not entrant.rated]
        return (*rated, *house[: max(0, contest.seats - len(rated))])

    @property
    def all_copies(self) -> tuple[tuple[str, ...], ...]:
        """Groups of bots that are in truth the same bot, in some game."""
        games = dict.fromkeys(contest.game for contest in self.contests)
        return tuple(dict.fromkeys(group for game in games for group in self.copies(game)))

    def copies(self, *games: str) -> tuple[tuple[str, ...], ...]:
        """The names of bots that are in truth the same bot, because they play alike.

        They have the same commands and files, apart from the names of the files.
        """
        alike: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        for entrant in self.entrants:
            marks = tuple(entrant.fingerprints.get(game, "").rpartition(":")[2] for game in games)
            if not {"", REMOTE} & {*marks}:
                alike[marks].append(entrant.name)
        return tuple(tuple(sorted(bots)) for bots in alike.values() if len(bots) > 1)


@cache
def _adapter() -> Any:
    from pydantic import TypeAdapter  # playing two bots should not import it

    return TypeAdapter(Programme)


def load_programme(dumped: object) -> Programme:
    """Load a programme from its dump; raises `ValidationError` for an invalid one.

    Files and folders are named after its games, bots and contests. So a label that is
    not a name, such as `../x`, is refused here and never becomes a path.
    """
    programme: Programme = _adapter().validate_python(dumped)
    return programme
