"""Dominion as a seat sees it: the whole table, but not the order of the stock."""

from __future__ import annotations

from collections.abc import Iterator

from pips_referee.cards import Card
from pips_referee.chance import Rng
from pips_referee.game import Value, View
from pips_referee.games.dominion.battle import Odds, is_vertical, neighbours, odds, reach, room, strength
from pips_referee.games.dominion.choices import Choices, actions, random_action
from pips_referee.games.dominion.values import REINFORCE, Advance, Attack, Conquest, Deploy, DominionAction


class DominionView(View, Value):
    """The whole table: only the order of the stock is hidden.

    Tuples are by cell unless stated otherwise.
    """

    seat: int
    kind: str
    size: int
    round: int
    """From 1."""
    max_rounds: int
    turn: int
    """The seat whose turn it is; a conquest (D7) may ask another seat."""
    stage: str
    """The stage of the turn, from "resign" (its beginning) to "deploy", or "over"."""
    playfield: tuple[Card, ...]
    owners: tuple[int | None, ...]
    """The seat that occupies the cell, None for an empty cell."""
    armies: tuple[int, ...]
    turned: Card | None
    """The card turned for the attacks of this turn (D4)."""
    discards: tuple[Card, ...]
    """Cards turned since the last shuffle, newest last; the stock has all others."""
    resigned: tuple[bool, ...]
    """By seat."""
    had_armies: tuple[bool, ...]
    """By seat, whether it ever had armies; if not, it is not asked to resign (D12)."""
    attacks: tuple[Attack, ...]
    """For "declare" and "attack": every attack now possible."""
    must_attack: bool
    """For "attack": you may not pass, as you turned a card and owe an attack (D4)."""
    cells: tuple[int, ...]
    """For "reinforce" and "remove": the cells to choose from."""
    conquest: Conquest | None
    """For "conquer": the source, the target, and the most armies that may move."""
    advances: tuple[Advance, ...]
    """For "advance": every pair of cells, each with the most armies that may move."""
    dice: tuple[int, int] | None
    """For "deploy": your roll."""
    deployments: tuple[Deploy, ...]
    """For "deploy": every cell, each with the most armies it may get."""
    resigning: bool
    """Whether beaten players may resign (D12)."""
    optional_army: bool
    """Whether `Pass` answers "reinforce": a red king's army may be declined (D5)."""

    @property
    def seats(self) -> int:
        return len(self.resigned)

    @property
    def stock_count(self) -> int:
        return 52 - len(self.discards)

    def cells_of(self, seat: int | None) -> list[int]:
        """The cells that the seat occupies; for None, the unoccupied ones."""
        return [cell for cell, owner in enumerate(self.owners) if owner == seat]

    def armies_of(self, seat: int) -> int:
        """All armies of that seat."""
        return sum([count for count, owner in zip(self.armies, self.owners, strict=True) if owner == seat])

    def is_vertical(self, cell: int) -> bool:
        """Whether the cell's narrow ends are up and down."""
        return is_vertical(cell, self.size)

    def reach(self, cell: int) -> tuple[int, ...]:
        """The cells at this cell's narrow ends: its armies can attack them (D4)."""
        return reach(cell, self.size)

    def neighbours(self, cell: int) -> tuple[int, ...]:
        """The cells above, left, right and below."""
        return neighbours(cell, self.size)

    def room(self, cell: int) -> int:
        """How many more armies the cell can take (D2)."""
        return room(self.playfield[cell], self.armies[cell])

    def natural_strength(self, cell: int) -> int:
        """The card's rank plus the armies on it (D2)."""
        return self.playfield[cell].rank + self.armies[cell]

    def strength(self, cell: int) -> int:
        """The strength in battle, with the turned card if there is one (D5)."""
        return strength(self.playfield[cell], self.armies[cell], self.turned)

    def advantage(self, source: int, target: int) -> int:
        """The attacker's advantage in a battle between these cells (D6)."""
        return self.strength(source) - self.strength(target)

    def odds(self, source: int, target: int) -> Odds:
        """The odds of an attack now."""
        return odds(self.advantage(source, target), self.armies[source], self.armies[target])

    def legal_actions(self) -> Iterator[DominionAction]:
        return actions(self.kind, self.choices, self.must_choose)

    def random_action(self, rng: Rng) -> DominionAction:
        return random_action(self.kind, self.choices, self.must_choose, rng)

    @property
    def must_choose(self) -> bool:
        """Whether `Pass` is illegal now, for a kind of question that can be passed."""
        return self.must_attack or (self.kind == REINFORCE and not self.optional_army)

    @property
    def choices(self) -> Choices:
        """What the open question offers, whatever its kind; empty for some kinds."""
        if self.conquest is not None:
            return (self.conquest,)
        return self.attacks or self.advances or self.deployments or self.cells
