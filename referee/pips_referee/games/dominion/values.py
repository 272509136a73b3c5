"""What travels in Dominion: options, kinds of question, actions, events and the view. Clauses are those of RULES.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import chain
from typing import Any, ClassVar, Final

from pips_referee.cards import Card
from pips_referee.chance import Rng
from pips_referee.errors import OptionsError
from pips_referee.game import Action, Event, Options, View, check_whole
from pips_referee.games.dominion.battle import (
    SIZES,
    Odds,
    is_vertical,
    neighbours,
    odds,
    reach,
    room,
    strength,
)
from pips_referee.value import value

MOST_ROUNDS: Final = 1000
DEFAULT_ROUNDS: Final = ({3: 60, 4: 120, 5: 200}, {3: 60, 4: 200, 5: 100})
"""By size, for two seats and for more (D11)."""

RESIGN, DECLARE, ATTACK, ADVANCE, DEPLOY = "resign", "declare", "attack", "advance", "deploy"
REINFORCE, REMOVE, CONQUER = "reinforce", "remove", "conquer"
OVER: Final = "over"


@dataclass(frozen=True, slots=True)
class DominionOptions(Options):
    """`size` of the playfield: 3, 4 or 5 (D1); `max_rounds`: 1 to 1,000 (D11). None is the default for the seats."""

    size: int | None = None
    max_rounds: int | None = None

    def __post_init__(self) -> None:
        if self.size is not None and (type(self.size) is not int or self.size not in SIZES):
            raise OptionsError(f"size is 3, 4 or 5, not {self.size!r}")
        if self.max_rounds is not None:
            check_whole(self, "max_rounds", 1, MOST_ROUNDS)

    def size_for(self, seats: int) -> int:
        """The size that many seats play on (D1)."""
        return self.size or (5 if seats >= 4 else 4)

    def rounds_for(self, seats: int) -> int:
        """The rounds that many seats play at most (D11)."""
        return self.max_rounds or DEFAULT_ROUNDS[seats > 2][self.size_for(seats)]


class Reason(StrEnum):
    """Why an action is illegal."""

    WRONG_KIND = "wrong_kind"
    NO_SUCH_CELL = "no_such_cell"
    NOT_YOURS = "not_yours"
    OUT_OF_REACH = "out_of_reach"
    NO_ENEMY = "no_enemy"
    MUST_ATTACK = "must_attack"
    NO_ROOM = "no_room"
    NO_ARMIES = "no_armies"
    TOO_FEW_ARMIES = "too_few_armies"
    NOT_ADJACENT = "not_adjacent"
    RANK_TOO_HIGH = "rank_too_high"
    TOO_MANY_ARMIES = "too_many_armies"


@value
class Pass(Action):
    """No: stay in the match (D12), no attack, no further attack (D8), no advance (D9), no deployment (D10)."""


@value
class Resign(Action):
    """Leave the match (D12)."""


@value
class Declare(Action):
    """Turn a card, to attack at least once (D4)."""


@value
class Reinforce(Action):
    """The red king's army goes on this cell (D5)."""

    cell: int


@value
class Remove(Action):
    """The black king takes an army off this cell (D5)."""

    cell: int


@value
class Attack(Action):
    """One battle, out of one cell against another (D4)."""

    source: int
    target: int


@value
class Conquer(Action):
    """That many armies, 0 to all, move into the territory just conquered (D7)."""

    count: int


@value
class Advance(Action):
    """That many armies move from one cell to another (D9)."""

    source: int
    target: int
    count: int


@value
class Deploy(Action):
    """That many new armies on this cell (D10)."""

    cell: int
    count: int


DominionAction = Pass | Resign | Declare | Reinforce | Remove | Attack | Conquer | Advance | Deploy


@value
class Conquest:
    """The choice of a battle's winner (D7): up to `most` armies may move from `source`, which won, into `target`."""

    source: int
    target: int
    most: int


@value
class PlayfieldDealt(Event):
    """The cards of the playfield, by cell (D1)."""

    chance: ClassVar[bool] = True
    playfield: tuple[Card, ...]


@value
class TurnBegan(Event):
    """A seat's turn in a round, counted from 1."""

    round: int
    seat: int


@value
class Resigned(Event):
    """A seat left the match (D12)."""

    seat: int


@value
class CardTurned(Event):
    """The card for the attacks of this turn (D4); `reshuffled` when the discards became a new stock for it."""

    chance: ClassVar[bool] = True
    seat: int
    card: Card
    reshuffled: bool


@value
class Reinforced(Event):
    """A red king's army came (D5)."""

    seat: int
    cell: int


@value
class Removed(Event):
    """An army left for a black king (D5)."""

    seat: int
    cell: int


@value
class Fought(Event):
    """A battle (D6): `advantage` is the attacker's strength minus the defender's; dice in the order they fell."""

    chance: ClassVar[bool] = True
    attacker: int
    defender: int
    source: int
    target: int
    advantage: int
    attacker_dice: tuple[int, int]
    defender_dice: tuple[int, int]
    attacker_losses: int
    defender_losses: int


@value
class Conquered(Event):
    """The winner of a battle moved armies, or none, from the cell that won into the emptied one (D7)."""

    seat: int
    source: int
    target: int
    count: int


@value
class Advanced(Event):
    """Armies moved between two cells of their owner (D9)."""

    seat: int
    source: int
    target: int
    count: int


@value
class DeploymentRolled(Event):
    """The two dice for a deployment, in the order they fell (D10)."""

    chance: ClassVar[bool] = True
    seat: int
    dice: tuple[int, int]


@value
class Deployed(Event):
    """New armies came (D10)."""

    seat: int
    cell: int
    count: int


DominionEvent = (
    PlayfieldDealt
    | TurnBegan
    | Resigned
    | CardTurned
    | Reinforced
    | Removed
    | Fought
    | Conquered
    | Advanced
    | DeploymentRolled
    | Deployed
)


@value
class DominionView(View):
    """The whole table: nothing is hidden but the order of the stock. Tuples without another word are by cell."""

    seat: int
    kind: str
    size: int
    round: int
    """From 1."""
    max_rounds: int
    turn: int
    """Whose turn it is; a conquest (D7) may be asked of another seat."""
    stage: str
    """Where that turn stands: "resign" (it begins), "declare", "attack", "advance" or "deploy"; "over" at the end."""
    playfield: tuple[Card, ...]
    owners: tuple[int | None, ...]
    """The seat whose armies are there, None where there are none."""
    armies: tuple[int, ...]
    turned: Card | None
    """The card turned for the attacks of this turn (D4)."""
    discards: tuple[Card, ...]
    """The cards turned since the stock was last shuffled, the newest last; all others are in the stock."""
    resigned: tuple[bool, ...]
    """By seat."""
    had_armies: tuple[bool, ...]
    """By seat, whether it ever had any: only who has had some and has none left is asked to resign (D12)."""
    attacks: tuple[Attack, ...]
    """declare, attack: every attack now possible."""
    must_attack: bool
    """attack: you turned a card and have not attacked yet, so you may not pass (D4)."""
    cells: tuple[int, ...]
    """reinforce, remove: the cells to choose from."""
    conquest: Conquest | None
    """conquer: where from, where to, and how many at most."""
    advances: tuple[Advance, ...]
    """advance: every possible pair of cells, each with the most armies that may move."""
    dice: tuple[int, int] | None
    """deploy: your roll."""
    deployments: tuple[Deploy, ...]
    """deploy: every possible cell, each with the most armies that may come."""

    @property
    def seats(self) -> int:
        return len(self.resigned)

    @property
    def stock_count(self) -> int:
        return 52 - len(self.discards)

    def cells_of(self, seat: int | None) -> list[int]:
        """The cells that seat occupies; of None, the unoccupied ones."""
        return [cell for cell, owner in enumerate(self.owners) if owner == seat]

    def armies_of(self, seat: int) -> int:
        """All armies of that seat."""
        return sum([count for count, owner in zip(self.armies, self.owners, strict=True) if owner == seat])

    def is_vertical(self, cell: int) -> bool:
        """Whether its narrow ends are up and down."""
        return is_vertical(cell, self.size)

    def reach(self, cell: int) -> tuple[int, ...]:
        """The cells at its narrow ends, which armies there can attack (D4)."""
        return reach(cell, self.size)

    def neighbours(self, cell: int) -> tuple[int, ...]:
        """The cells above, left, right and below."""
        return neighbours(cell, self.size)

    def room(self, cell: int) -> int:
        """How many more armies the cell takes (D2)."""
        return room(self.playfield[cell], self.armies[cell])

    def natural_strength(self, cell: int) -> int:
        """Rank and armies (D2)."""
        return self.playfield[cell].rank + self.armies[cell]

    def strength(self, cell: int) -> int:
        """The strength in battle, with the turned card if there is one (D5)."""
        return strength(self.playfield[cell], self.armies[cell], self.turned)

    def advantage(self, source: int, target: int) -> int:
        """What an attack adds to its dice (D6)."""
        return self.strength(source) - self.strength(target)

    def odds(self, source: int, target: int) -> Odds:
        """What an attack can bring, as things stand."""
        return odds(self.advantage(source, target), self.armies[source], self.armies[target])

    def legal_actions(self) -> Iterator[DominionAction]:
        return actions(self.kind, self.choices, self.must_attack)

    def random_action(self, rng: Rng) -> DominionAction:
        return random_action(self.kind, self.choices, self.must_attack, rng)

    @property
    def choices(self) -> Choices:
        """What the question is about, of whatever kind; nothing for some kinds."""
        if self.conquest is not None:
            return (self.conquest,)
        return self.attacks or self.advances or self.deployments or self.cells


Choices = tuple[Any, ...]
"""What the open question is about, by its kind: the attacks; the cells; the one conquest; or the advances or
deployments, each with its greatest count."""

PASS: Final = Pass()
YES: Final[dict[str, DominionAction]] = {RESIGN: Resign(), DECLARE: Declare()}


# The moves that come up all the time are made once.
ATTACKS: Final = {
    size: [[Attack(cell, target) for target in reach(cell, size)] for cell in range(size**2)] for size in SIZES
}
"""Every attack there can be, by size and by the cell it comes from (D4)."""
advance_of = cache(Advance)
deploy_of = cache(Deploy)


def actions(kind: str, choices: Choices, must_attack: bool) -> Iterator[DominionAction]:
    """The legal answers to a question of that kind, in a fixed order."""
    match kind:
        case "advance":
            moves = (advance_of(move.source, move.target, n) for move in choices for n in range(1, move.count + 1))
            return chain((PASS,), moves)
        case "deploy":
            return chain((PASS,), (deploy_of(most.cell, n) for most in choices for n in range(1, most.count + 1)))
        case "attack":
            return iter(choices) if must_attack else chain((PASS,), choices)
        case "conquer":
            return map(Conquer, range(choices[0].most + 1))
        case "resign" | "declare":
            return iter((PASS, YES[kind]))
        case "reinforce":
            return map(Reinforce, choices)
        case "remove":
            return map(Remove, choices)
        case _:
            return iter(())


def random_action(kind: str, choices: Choices, must_attack: bool, rng: Rng) -> DominionAction:
    """A random legal answer: every choice is as likely as to pass, then every count."""
    match kind:
        case "attack" | "advance" | "deploy":
            picked = rng.randrange(len(choices) + (not must_attack))
            if picked == len(choices):
                return PASS
            choice: Attack | Advance | Deploy = choices[picked]
            if isinstance(choice, Attack):
                return choice
            count = 1 + rng.randrange(choice.count)
            if isinstance(choice, Advance):
                return advance_of(choice.source, choice.target, count)
            return deploy_of(choice.cell, count)
        case "conquer":
            return Conquer(rng.randrange(choices[0].most + 1))
        case "resign" | "declare":
            return rng.choice((PASS, YES[kind]))
        case "reinforce":
            return Reinforce(rng.choice(choices))
        case "remove":
            return Remove(rng.choice(choices))
        case _:
            raise LookupError("nobody is asked, so there is no action")
