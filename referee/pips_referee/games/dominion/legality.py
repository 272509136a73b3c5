"""Why an action is illegal in Dominion: a reason, and a sentence about the cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn, Protocol

from pips_referee.cards import Card
from pips_referee.errors import IllegalAction
from pips_referee.games.dominion.battle import deployment_limits, is_vertical, neighbours, reach, room
from pips_referee.games.dominion.values import (
    ADVANCE,
    ATTACK,
    CONQUER,
    DECLARE,
    DEPLOY,
    REINFORCE,
    REMOVE,
    RESIGN,
    Advance,
    Attack,
    Conquer,
    Declare,
    Deploy,
    DominionAction,
    Pass,
    Reason,
    Reinforce,
    Remove,
    Resign,
)

ANSWERS: Final[dict[str, tuple[type[DominionAction], ...]]] = {
    RESIGN: (Resign, Pass),
    DECLARE: (Declare, Pass),
    REINFORCE: (Reinforce, Pass),
    REMOVE: (Remove,),
    ATTACK: (Attack, Pass),
    CONQUER: (Conquer,),
    ADVANCE: (Advance, Pass),
    DEPLOY: (Deploy, Pass),
}
"""The actions that may answer a question of each kind."""


class Position(Protocol):
    """What the checks read of a match: the table and the open question."""

    kind: str
    to_ask: int | None
    size: int
    playfield: tuple[Card, ...]
    owners: list[int | None]
    armies: list[int]
    turned: Card | None
    dice: tuple[int, int] | None

    @property
    def choices(self) -> Sequence[Any]: ...

    @property
    def must_choose(self) -> bool: ...


def check(state: Position, action: DominionAction) -> None:
    """Raise `IllegalAction` with the first reason found, if there is one."""
    if action.__class__ not in ANSWERS.get(state.kind, ()):
        raise _wrong_kind(state, action)
    if action.__class__ in CHECKS:
        CHECKS[action.__class__](state, action)


def _wrong_kind(state: Position, action: DominionAction) -> IllegalAction:
    asked = f"a question to {state.kind}" if state.kind else "anything: nobody is asked"
    return IllegalAction(Reason.WRONG_KIND, action, f"{action!r} does not answer {asked}")


def _check_pass(state: Position, action: Pass) -> None:
    if state.kind == REINFORCE and state.must_choose:
        raise _wrong_kind(state, action)
    if state.must_choose:
        raise IllegalAction(Reason.MUST_ATTACK, action, f"{state.turned} was turned, so attack at least once")


def _check_conquest(state: Position, action: Conquer) -> None:
    conquest = state.choices[0]
    if action.count < 0:
        sentence = f"sends 0 armies or more, not {action.count}"
        _refuse(state, action, Reason.TOO_FEW_ARMIES, conquest.source, sentence)
    _check_move(state, action, conquest.source, conquest.target, action.count)


def _check_reinforcement(state: Position, action: Reinforce) -> None:
    _check_mine(state, action, action.cell)
    if action.cell not in state.choices:
        _refuse(state, action, Reason.NO_ROOM, action.cell, "is at 14 already")


def _check_removal(state: Position, action: Remove) -> None:
    _check_mine(state, action, action.cell)


def _check_attack(state: Position, action: Attack) -> None:
    source, target = action.source, action.target
    _check_mine(state, action, source)
    _check_cell(state, action, target)
    if target not in reach(source, state.size):
        ends = "up and down" if is_vertical(source, state.size) else "left and right"
        _refuse(state, action, Reason.OUT_OF_REACH, source, f"attacks {ends} only, not cell {target}")
    if state.owners[target] in (None, state.to_ask):
        _refuse(state, action, Reason.NO_ENEMY, target, "is not occupied by another player")


def _check_advance(state: Position, action: Advance) -> None:
    source, target, count = action.source, action.target, action.count
    _check_mine(state, action, source)
    _check_mine(state, action, target)
    if target not in neighbours(source, state.size):
        _refuse(state, action, Reason.NOT_ADJACENT, source, f"is not next to cell {target}")
    if count < 1:
        _refuse(state, action, Reason.TOO_FEW_ARMIES, source, f"sends 1 army or more, not {count}")
    _check_move(state, action, source, target, count)


def _check_deployment(state: Position, action: Deploy) -> None:
    cell, count = action.cell, action.count
    assert state.dice is not None
    highest, most = deployment_limits(state.dice)
    _check_cell(state, action, cell)
    owner = state.owners[cell]
    if owner not in (None, state.to_ask):
        _refuse(state, action, Reason.NOT_YOURS, cell, f"is occupied by seat {owner}")
    if state.playfield[cell].rank > highest:
        _refuse(state, action, Reason.RANK_TOO_HIGH, cell, f"ranks above {highest}, the sum of the dice")
    if count < 1:
        _refuse(state, action, Reason.TOO_FEW_ARMIES, cell, f"gets 1 army or more, not {count}")
    if count > most:
        _refuse(state, action, Reason.TOO_MANY_ARMIES, cell, f"gets {most} armies at most by the dice, not {count}")
    _check_room(state, action, cell, count)


def _check_move(state: Position, action: DominionAction, source: int, target: int, count: int) -> None:
    if count > state.armies[source]:
        _refuse(state, action, Reason.NO_ARMIES, source, f"cannot send {count}")
    _check_room(state, action, target, count)


def _check_room(state: Position, action: DominionAction, cell: int, count: int) -> None:
    left = room(state.playfield[cell], state.armies[cell])
    if count > left:
        _refuse(state, action, Reason.NO_ROOM, cell, f"has room for {left} more, not {count}")


def _check_mine(state: Position, action: DominionAction, cell: int) -> None:
    _check_cell(state, action, cell)
    if state.owners[cell] != state.to_ask:
        _refuse(state, action, Reason.NOT_YOURS, cell, f"is not occupied by seat {state.to_ask}")


def _check_cell(state: Position, action: DominionAction, cell: int) -> None:
    if not 0 <= cell < len(state.owners):
        sentence = f"cell {cell} is not on the playfield: cells are 0 to {len(state.owners) - 1}"
        raise IllegalAction(Reason.NO_SUCH_CELL, action, sentence)


def _refuse(state: Position, action: DominionAction, reason: Reason, cell: int, what: str) -> NoReturn:
    """Raise `IllegalAction`: `cell 5 (7♣ with 4 armies) has room for 2 more, not 3`."""
    armies = state.armies[cell]
    held = f"{state.playfield[cell]} with {armies} {'army' if armies == 1 else 'armies'}"
    raise IllegalAction(reason, action, f"cell {cell} ({held}) {what}")


CHECKS: Final[dict[type[DominionAction], Callable[[Position, Any], None]]] = {
    Attack: _check_attack,
    Pass: _check_pass,
    Deploy: _check_deployment,
    Advance: _check_advance,
    Conquer: _check_conquest,
    Reinforce: _check_reinforcement,
    Remove: _check_removal,
}
"""The check for each kind of answer; `Declare` and `Resign` are always legal."""
