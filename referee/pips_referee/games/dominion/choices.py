"""The choices of Dominion's questions: attacks, advances, deployments, answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any, Final

from pips_referee.cards import Card
from pips_referee.chance import Rng
from pips_referee.games.dominion.battle import NEIGHBOURS, SIZES, deployment_limits, reach
from pips_referee.games.dominion.values import (
    DECLARE,
    PASS,
    RESIGN,
    Advance,
    Attack,
    Conquer,
    Declare,
    Deploy,
    DominionAction,
    Reinforce,
    Remove,
    Resign,
)

Choices = tuple[Any, ...]
"""What a question offers, by its kind: attacks, cells, or the one conquest.

Each advance and deployment has the largest count allowed.
"""

YES: Final[dict[str, DominionAction]] = {RESIGN: Resign(), DECLARE: Declare()}


# Frequently used moves are made once.
ATTACKS: Final = {
    size: [[Attack(cell, target) for target in reach(cell, size)] for cell in range(size**2)] for size in SIZES
}
"""Every possible attack, by size and by the cell it comes from (D4)."""
advance_of = cache(Advance)
deploy_of = cache(Deploy)


def attacks(owners: Sequence[int | None], seat: int, size: int) -> tuple[Attack, ...]:
    """Every attack of that seat (D4)."""
    return tuple([
        attack
        for owner, possible in zip(owners, ATTACKS[size], strict=True)
        if owner == seat
        for attack in possible
        if (other := owners[attack.target]) is not None and other != seat
    ])  # fmt: skip


def advances(
    owners: Sequence[int | None], armies: Sequence[int], capacity: Sequence[int], seat: int, size: int
) -> tuple[Advance, ...]:
    """Every pair of cells for an advance, with the most armies that may move (D9)."""
    return tuple([
        advance_of(source, target, min(armies[source], room))
        for source, owner in enumerate(owners)
        if owner == seat
        for target in NEIGHBOURS[size][source]
        if owners[target] == seat and (room := capacity[target] - armies[target]) > 0
    ])  # fmt: skip


def rooms_for(
    owners: Sequence[int | None], armies: Sequence[int], capacity: Sequence[int], seat: int
) -> list[tuple[int, int]]:
    """The cells with room that the seat may deploy on, each with that room (D10)."""
    return [
        (cell, room)
        for cell, owner in enumerate(owners)
        if (owner is None or owner == seat) and (room := capacity[cell] - armies[cell]) > 0
    ]


def deployments(
    open_cells: Sequence[tuple[int, int]], playfield: Sequence[Card], dice: tuple[int, int]
) -> tuple[Deploy, ...]:
    """The cells that the dice allow, each with the most armies it may get (D10)."""
    highest, most = deployment_limits(dice)
    return tuple([deploy_of(cell, min(room, most)) for cell, room in open_cells if playfield[cell].rank <= highest])


def kings_cells(
    owners: Sequence[int | None], armies: Sequence[int], capacity: Sequence[int], seat: int, king: Card
) -> list[int]:
    """The cells where a king may add an army for the seat, or take one (D5)."""
    mine = [cell for cell, owner in enumerate(owners) if owner == seat]
    return [cell for cell in mine if armies[cell] <= capacity[cell]] if king.is_red else mine


def actions(kind: str, choices: Choices, must_choose: bool) -> Iterator[DominionAction]:
    """The legal answers to a question of `kind`, in a fixed order."""
    match kind:
        case "advance":
            moves = (advance_of(move.source, move.target, n) for move in choices for n in range(1, move.count + 1))
            return chain((PASS,), moves)
        case "deploy":
            return chain((PASS,), (deploy_of(most.cell, n) for most in choices for n in range(1, most.count + 1)))
        case "attack":
            return iter(choices) if must_choose else chain((PASS,), choices)
        case "conquer":
            return map(Conquer, range(choices[0].most + 1))
        case "resign" | "declare":
            return iter((PASS, YES[kind]))
        case "reinforce":
            return map(Reinforce, choices) if must_choose else chain((PASS,), map(Reinforce, choices))
        case "remove":
            return map(Remove, choices)
        case _:
            return iter(())


def random_action(kind: str, choices: Choices, must_choose: bool, rng: Rng) -> DominionAction:
    """A random legal answer: `Pass` and the choices are equally likely; any count."""
    match kind:
        case "attack" | "advance" | "deploy":
            picked = rng.randrange(len(choices) + (not must_choose))
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
            picked = rng.randrange(len(choices) + (not must_choose))
            return PASS if picked == len(choices) else Reinforce(choices[picked])
        case "remove":
            return Remove(rng.choice(choices))
        case _:
            raise LookupError("nobody is asked, so there is no action")
