"""Dominion's values: options, kinds of question, actions, and full events."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar, Final

from msgspec import Meta

from pips_referee.cards import Card
from pips_referee.errors import OptionsError
from pips_referee.game import Action, Event, Options, Value, check_flag, check_whole
from pips_referee.games.dominion.battle import SIZES

MOST_ROUNDS: Final = 10_000
DEFAULT_ROUNDS: Final = ({3: 60, 4: 120, 5: 200}, {3: 60, 4: 200, 5: 100})
"""The default number of rounds by size, for two seats and for more (D11)."""

RESIGN, DECLARE, ATTACK, ADVANCE, DEPLOY = "resign", "declare", "attack", "advance", "deploy"
REINFORCE, REMOVE, CONQUER = "reinforce", "remove", "conquer"
END, OVER = "end", "over"
AFTER: Final = {RESIGN: DECLARE, DECLARE: ADVANCE, ATTACK: ADVANCE, ADVANCE: DEPLOY, DEPLOY: END}
"""The stage that follows each stage once it is over or passed (D3).

Between "declare" and "attack" a card is turned.
"""


@dataclass(frozen=True, slots=True)
class DominionOptions(Options):
    """`size` of the playfield: 3, 4 or 5 (D1). `max_rounds`: 1 to 10,000 (D11).

    For both, None means the default for the number of seats. `resigning`: whether
    beaten players may resign (D12). `optional_army`: whether a red king's army may be
    declined (D5).
    """

    later: ClassVar[frozenset[str]] = frozenset({"resigning", "optional_army"})
    size: int | None = None
    max_rounds: int | None = None
    resigning: bool = True
    optional_army: bool = False

    def __post_init__(self) -> None:
        if self.size is not None and (type(self.size) is not int or self.size not in SIZES):
            raise OptionsError(f"size is 3, 4 or 5, not {self.size!r}")
        if self.max_rounds is not None:
            check_whole(self, "max_rounds", 1, MOST_ROUNDS)
        check_flag(self, "resigning")
        check_flag(self, "optional_army")

    def size_for(self, seats: int) -> int:
        """The size of the playfield for that many seats (D1)."""
        return self.size or (5 if seats >= 4 else 4)

    def rounds_for(self, seats: int) -> int:
        """The most rounds for that many seats (D11)."""
        return self.max_rounds or DEFAULT_ROUNDS[seats > 2][self.size_for(seats)]


Count = Annotated[int, Meta(ge=0, lt=2**32)]
"""A cell or a number of armies that fits into a message."""


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


class Pass(Action, Value):
    """No: do not resign (D12), attack (D4, D8), advance (D9) or deploy (D10).

    Also declines a red king's army if that is optional (D5).
    """


class Resign(Action, Value):
    """Leave the match (D12)."""


class Declare(Action, Value):
    """Turn a card, with the duty to attack at least once (D4)."""


class Reinforce(Action, Value):
    """Put the red king's army on this cell (D5)."""

    cell: Count


class Remove(Action, Value):
    """Take an army off this cell for the black king (D5)."""

    cell: Count


class Attack(Action, Value):
    """Fight one battle, from one cell against another (D4)."""

    source: Count
    target: Count


class Conquer(Action, Value):
    """Move 0 to all armies into the territory just conquered (D7)."""

    count: Count


class Advance(Action, Value):
    """Move `count` armies from one cell to another (D9)."""

    source: Count
    target: Count
    count: Count


class Deploy(Action, Value):
    """Put `count` new armies on this cell (D10)."""

    cell: Count
    count: Count


DominionAction = Pass | Resign | Declare | Reinforce | Remove | Attack | Conquer | Advance | Deploy
PASS: Final = Pass()


class Conquest(Value):
    """The choice after a conquest (D7).

    Up to `most` armies may move from `source`, whose armies won, into `target`.
    """

    source: int
    target: int
    most: int


class PlayfieldDealt(Event, Value):
    """The cards of the playfield, by cell (D1)."""

    chance: ClassVar[bool] = True
    playfield: tuple[Card, ...]


class TurnBegan(Event, Value):
    """A seat's turn began in this round, counted from 1."""

    round: int
    seat: int


class Resigned(Event, Value):
    """A seat left the match (D12)."""

    seat: int


class CardTurned(Event, Value):
    """A card was turned for the attacks of this turn (D4).

    `reshuffled`: the discards were shuffled into a new stock first.
    """

    chance: ClassVar[bool] = True
    seat: int
    card: Card
    reshuffled: bool


class Reinforced(Event, Value):
    """A red king brought an army (D5)."""

    seat: int
    cell: int


class Removed(Event, Value):
    """A black king took an army (D5)."""

    seat: int
    cell: int


class Fought(Event, Value):
    """A battle was fought (D6). Dice are in the order they fell.

    `advantage` is the attacker's strength minus the defender's.
    """

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


class Conquered(Event, Value):
    """A battle's winner moved `count` armies, maybe 0, into the emptied cell (D7)."""

    seat: int
    source: int
    target: int
    count: int


class Advanced(Event, Value):
    """Armies moved between two cells of their owner (D9)."""

    seat: int
    source: int
    target: int
    count: int


class DeploymentRolled(Event, Value):
    """Two dice were rolled for a deployment; they are in the order they fell (D10)."""

    chance: ClassVar[bool] = True
    seat: int
    dice: tuple[int, int]


class Deployed(Event, Value):
    """New armies were deployed (D10)."""

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
