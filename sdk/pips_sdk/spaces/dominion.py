"""The meaning of the numbers of `pips_sdk.env` in Dominion."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice
from typing import Any, cast

from pips_referee.cards import CARDS, Card
from pips_referee.game import Action, Options
from pips_sdk.dominion import (
    Advance,
    Attack,
    Conquer,
    Deploy,
    DominionAction,
    DominionOptions,
    DominionView,
    Pass,
    Reinforce,
    Remove,
    neighbours,
)
from pips_sdk.learning.fields import ObservedField
from pips_sdk.learning.space import Numbers, Space, seats_from, write_counts, write_row


class DominionSpace(Space[DominionView]):
    """Pass, yes, and moves by cell and direction.

    With n cells, in this order: pass; yes (resign, declare); a king's army on or off
    each of n cells; conquer with 0 to 13 armies; attack out of each cell by direction
    (4 n); deploy 1 to 6 armies on each cell (6 n); advance 1 to 13 armies out of each
    cell by direction (52 n). Directions are above, left, right, below.

    An observation has, by cell: rank, suit plus 1, armies, owner plus 1. By card:
    whether it was discarded. Then the turned card; the kind of question; whether it
    must attack; the conquest's cells plus 1, and the most armies that may move; the
    dice; the current and the last round. By seat: whether it resigned, and whether it
    is its turn.
    """

    KINDS = ("resign", "declare", "reinforce", "remove", "attack", "conquer", "advance", "deploy")
    PASS, YES, KING = 0, 1, 2
    COUNTS = 13

    def __init__(self, options: DominionOptions, seats: int) -> None:
        self.size = options.size_for(seats)
        self.seats = seats
        cells = self.cells = self.size**2
        self.conquer = self.KING + cells
        self.attack = self.conquer + self.COUNTS + 1
        self.deploy = self.attack + 4 * cells
        self.advance = self.deploy + 6 * cells
        self.action_count = self.advance + 4 * self.COUNTS * cells
        self.fields = (
            ObservedField("ranks", cells, 13),
            ObservedField("suits", cells, 4),
            ObservedField("armies", cells, 13),
            ObservedField("owners", cells, seats),
            ObservedField("discards", len(CARDS)),
            ObservedField("turned", 1, len(CARDS)),
            ObservedField("kind", len(self.KINDS)),
            ObservedField("must_attack", 1),
            ObservedField("conquest", 2, cells),
            ObservedField("conquest_most", 1, self.COUNTS),
            ObservedField("dice", 2, 13),
            ObservedField("round", 1, 100),
            ObservedField("max_rounds", 1, 100),
            ObservedField("resigned", seats),
            ObservedField("turn", seats),
        )
        self.directions = {
            (cell, other): self._direction(other - cell)
            for cell in range(cells)
            for other in neighbours(cell, self.size)
        }
        self._view: DominionView | None = None
        self._numbers: list[int] = []
        self._playfield: Sequence[Card] = ()
        self._ranks_and_suits: list[int] = []

    def _direction(self, step: int) -> int:
        return (-self.size, -1, 1, self.size).index(step)

    def numbers(self, view: DominionView, said: Sequence[int] = ()) -> Sequence[int]:
        if view is not self._view:  # the numbers for the last view are cached
            self._view, self._numbers = view, self._legal(view)
        return self._numbers

    def _legal(self, view: DominionView) -> list[int]:
        """The numbers of the legal actions, in ascending order."""
        most: Sequence[Advance | Deploy] = view.advances or view.deployments
        if most:  # consecutive numbers for up to that many armies each
            last = [self.number(move) for move in most]
            counts = [range(end + 1 - move.count, end + 1) for end, move in zip(last, most, strict=True)]
            return [self.PASS, *chain.from_iterable(counts)]
        return [*map(self.number, view.legal_actions())]

    def action(self, view: DominionView, said: Sequence[int]) -> Action:
        return next(islice(view.legal_actions(), self.numbers(view).index(said[0]), None))

    def spell(self, view: DominionView, action: Action) -> tuple[int, ...]:
        return (self.number(cast(DominionAction, action)),)

    def number(self, action: DominionAction) -> int:
        """The number of an action."""
        if isinstance(action, Advance):  # the most frequent first; `match` takes twice as long
            edge = 4 * action.source + self.directions[action.source, action.target]
            return self.advance + self.COUNTS * edge + action.count - 1
        if isinstance(action, Deploy):
            return self.deploy + 6 * action.cell + action.count - 1
        if isinstance(action, Attack):
            return self.attack + 4 * action.source + self.directions[action.source, action.target]
        if isinstance(action, Pass):
            return self.PASS
        if isinstance(action, Conquer):
            return self.conquer + action.count
        return self.KING + action.cell if isinstance(action, (Reinforce, Remove)) else self.YES

    def write(self, view: DominionView, said: Sequence[int], into: Numbers, at: int) -> None:
        conquest, cells, seat = view.conquest, self.cells, view.seat
        if view.playfield is not self._playfield:
            ranks, suits = [card.rank for card in view.playfield], [card.suit + 1 for card in view.playfield]
            self._playfield, self._ranks_and_suits = view.playfield, ranks + suits
        owners = [0 if owner is None else (owner - seat) % self.seats + 1 for owner in view.owners]
        write_row((*self._ranks_and_suits, *view.armies, *owners), into, at)
        at += 4 * cells
        write_counts(view.discards, into, at)
        at += len(CARDS)
        if view.turned is not None:
            into[at] = view.turned + 1
        if view.kind:
            into[at + 1 + self.KINDS.index(view.kind)] = 1
        numbers = (
            view.must_attack,
            *((0, 0, 0) if conquest is None else (conquest.source + 1, conquest.target + 1, conquest.most)),
            *(view.dice or (0, 0)),
            view.round,
            view.max_rounds,
            *seats_from(seat, view.resigned),
        )
        write_row(numbers, into, at + 1 + len(self.KINDS))
        into[at + 1 + len(self.KINDS) + len(numbers) + (view.turn - seat) % self.seats] = 1


def space(options: Options, seats: int) -> Space[Any]:
    """The space of a table with these options and seats."""
    assert isinstance(options, DominionOptions)
    return DominionSpace(options, seats)
