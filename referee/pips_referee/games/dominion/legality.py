"""Why an action is illegal in Dominion: one reason, and a sentence that names the cell and what lies there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn, assert_never

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

if TYPE_CHECKING:
    from pips_referee.games.dominion.rules import DominionState

ANSWERS: Final[dict[str, tuple[type[DominionAction], ...]]] = {
    RESIGN: (Resign, Pass),
    DECLARE: (Declare, Pass),
    REINFORCE: (Reinforce,),
    REMOVE: (Remove,),
    ATTACK: (Attack, Pass),
    CONQUER: (Conquer,),
    ADVANCE: (Advance, Pass),
    DEPLOY: (Deploy, Pass),
}
"""What may answer a question of each kind."""


def check(state: DominionState, action: DominionAction) -> None:
    """`IllegalAction` with the first reason there is; an action without one is legal."""
    if action.__class__ not in ANSWERS.get(state.kind, ()):
        asked = f"a question to {state.kind}" if state.kind else "anything: nobody is asked"
        raise IllegalAction(Reason.WRONG_KIND, action, f"{action} does not answer {asked}")
    match action:
        case Attack(source, target):
            _check_attack(state, action, source, target)
        case Pass():
            if state.must_attack:
                raise IllegalAction(Reason.MUST_ATTACK, action, f"{state.turned} was turned, so attack at least once")
        case Deploy(cell, count):
            _check_deployment(state, action, cell, count)
        case Advance(source, target, count):
            _check_advance(state, action, source, target, count)
        case Conquer(count):
            conquest = state.choices[0]
            if count < 0:
                _refuse(state, action, Reason.TOO_FEW_ARMIES, conquest.source, f"sends 0 armies or more, not {count}")
            _check_move(state, action, conquest.source, conquest.target, count)
        case Reinforce(cell):
            _check_mine(state, action, cell)
            if cell not in state.choices:
                _refuse(state, action, Reason.NO_ROOM, cell, "is at 14 already")
        case Remove(cell):
            _check_mine(state, action, cell)
        case Declare() | Resign():
            pass
        case _:
            assert_never(action)


def _check_attack(state: DominionState, action: DominionAction, source: int, target: int) -> None:
    _check_mine(state, action, source)
    _check_cell(state, action, target)
    if target not in reach(source, state.size):
        ends = "up and down" if is_vertical(source, state.size) else "left and right"
        _refuse(state, action, Reason.OUT_OF_REACH, source, f"attacks {ends} only, not cell {target}")
    if state.owners[target] in (None, state.to_ask):
        _refuse(state, action, Reason.NO_ENEMY, target, "is not occupied by another player")


def _check_advance(state: DominionState, action: DominionAction, source: int, target: int, count: int) -> None:
    _check_mine(state, action, source)
    _check_mine(state, action, target)
    if target not in neighbours(source, state.size):
        _refuse(state, action, Reason.NOT_ADJACENT, source, f"is not next to cell {target}")
    if count < 1:
        _refuse(state, action, Reason.TOO_FEW_ARMIES, source, f"sends 1 army or more, not {count}")
    _check_move(state, action, source, target, count)


def _check_deployment(state: DominionState, action: DominionAction, cell: int, count: int) -> None:
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


def _check_move(state: DominionState, action: DominionAction, source: int, target: int, count: int) -> None:
    if count > state.armies[source]:
        _refuse(state, action, Reason.NO_ARMIES, source, f"cannot send {count}")
    _check_room(state, action, target, count)


def _check_room(state: DominionState, action: DominionAction, cell: int, count: int) -> None:
    left = room(state.playfield[cell], state.armies[cell])
    if count > left:
        _refuse(state, action, Reason.NO_ROOM, cell, f"has room for {left} more, not {count}")


def _check_mine(state: DominionState, action: DominionAction, cell: int) -> None:
    _check_cell(state, action, cell)
    if state.owners[cell] != state.to_ask:
        _refuse(state, action, Reason.NOT_YOURS, cell, f"is not occupied by seat {state.to_ask}")


def _check_cell(state: DominionState, action: DominionAction, cell: int) -> None:
    if not 0 <= cell < len(state.owners):
        sentence = f"cell {cell} is not on the playfield: cells are 0 to {len(state.owners) - 1}"
        raise IllegalAction(Reason.NO_SUCH_CELL, action, sentence)


def _refuse(state: DominionState, action: DominionAction, reason: Reason, cell: int, what: str) -> NoReturn:
    """Say what is wrong about a cell: `cell 5 (7♣ with 4 armies) has room for 2 more, not 3`."""
    armies = state.armies[cell]
    held = f"{state.playfield[cell]} with {armies} {'army' if armies == 1 else 'armies'}"
    raise IllegalAction(reason, action, f"cell {cell} ({held}) {what}")
