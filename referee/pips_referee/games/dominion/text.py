"""Dominion for a terminal: the playfield, its cards as they lie, and the events."""

from __future__ import annotations

from typing import Final, assert_never

from pips_referee.games.dominion.values import (
    Advance,
    Advanced,
    Attack,
    CardTurned,
    Conquer,
    Conquered,
    Declare,
    Deploy,
    Deployed,
    DeploymentRolled,
    DominionAction,
    DominionEvent,
    Fought,
    Pass,
    PlayfieldDealt,
    Reinforce,
    Reinforced,
    Remove,
    Removed,
    Resign,
    Resigned,
    TurnBegan,
)
from pips_referee.games.dominion.view import DominionView

CELL_WIDTH: Final = 15


def view_text(view: DominionView) -> str:
    """The table, and the question to this seat."""
    turned = f", {view.turned} is turned" if view.turned is not None else ""
    stage = {"resign": "begins", "over": "the match is over"}.get(view.stage, view.stage)
    lines = [
        f"round {view.round} of {view.max_rounds}, turn of seat {view.turn}: {stage}{turned}",
        *playfield_lines(view),
        *[_standing(view, seat) for seat in range(view.seats)],
        f"stock: {_count(view.stock_count, 'card')}; discards: {' '.join(map(str, view.discards)) or 'none'}",
        _question_text(view),
    ]
    return "\n".join(lines)


def playfield_lines(view: DominionView) -> list[str]:
    """Five lines for each row of cells: cell number, rank and suit, seat and armies."""
    lines = []
    for first in range(0, view.size**2, view.size):
        row = [_card_lines(view, cell) for cell in range(first, first + view.size)]
        lines += ["".join(parts).rstrip() for parts in zip(*row, strict=True)]
    return lines


def event_text(event: DominionEvent) -> str:
    """A line that says what happened."""
    match event:
        case PlayfieldDealt(playfield):
            return f"the playfield: {' '.join(map(str, playfield))}"
        case TurnBegan(round_, seat):
            return f"round {round_}, turn of seat {seat}"
        case Resigned(seat):
            return f"seat {seat} resigns"
        case CardTurned(seat, card, reshuffled):
            return f"seat {seat} turns {card}" + (" from the shuffled discards" if reshuffled else "")
        case Reinforced(seat, cell):
            return f"the red king brings seat {seat} an army on cell {cell}"
        case Removed(seat, cell):
            return f"the black king takes an army of seat {seat} from cell {cell}"
        case Fought():
            return _battle_text(event)
        case Conquered(seat, source, target, count):
            armies = _count(count, "army", "armies") if count else "nothing"
            return f"seat {seat} has conquered cell {target} and moves in {armies} from cell {source}"
        case Advanced(seat, source, target, count):
            return f"seat {seat} advances {_count(count, 'army', 'armies')} from cell {source} to cell {target}"
        case DeploymentRolled(seat, dice):
            return f"seat {seat} rolls {dice[0]} and {dice[1]} to deploy"
        case Deployed(seat, cell, count):
            return f"seat {seat} deploys {_count(count, 'army', 'armies')} on cell {cell}"
        case _:
            assert_never(event)


def action_text(action: DominionAction) -> str:
    """The answer in a few words."""
    match action:
        case Pass():
            return "pass"
        case Resign():
            return "resign"
        case Declare():
            return "turn a card to attack"
        case Reinforce(cell):
            return f"put an army on cell {cell}"
        case Remove(cell):
            return f"take an army from cell {cell}"
        case Attack(source, target):
            return f"attack cell {target} from cell {source}"
        case Conquer(count):
            return f"move in {count or 'nothing'}"
        case Advance(source, target, count):
            return f"advance {count} from cell {source} to cell {target}"
        case Deploy(cell, count):
            return f"deploy {count} on cell {cell}"
        case _:
            assert_never(action)


def _card_lines(view: DominionView, cell: int) -> list[str]:
    owner, name = view.owners[cell], str(view.playfield[cell])
    seat, armies = ("", "") if owner is None else (f"s{owner}", f"×{view.armies[cell]}")
    if view.is_vertical(cell):
        lines = [f"┌{cell:─<5}┐", f"│ {name:4}│", f"│ {seat:4}│", f"│ {armies:4}│", "└─────┘"]
    else:
        lines = ["", f"┌{cell:─<11}┐", f"│ {name:3} {seat:2} {armies:3}│", "└───────────┘", ""]
    return [f"{line:^{CELL_WIDTH}}" for line in lines]


def _standing(view: DominionView, seat: int) -> str:
    you = " (you)" if seat == view.seat else ""
    if view.resigned[seat]:
        return f"seat {seat}{you} has resigned"
    territories = _count(len(view.cells_of(seat)), "territory", "territories")
    return f"seat {seat}{you}: {territories}, {_count(view.armies_of(seat), 'army', 'armies')}"


def _battle_text(battle: Fought) -> str:
    advantage = f"advantage {battle.advantage}" if battle.advantage >= 0 else f"disadvantage {-battle.advantage}"
    rolls = f"rolls {_dice(battle.attacker_dice)} against {_dice(battle.defender_dice)} of seat {battle.defender}"
    if battle.attacker_losses or battle.defender_losses:
        loser = battle.attacker if battle.attacker_losses else battle.defender
        result = f"seat {loser} loses {battle.attacker_losses or battle.defender_losses}"
    else:
        result = "nobody loses any"
    return (
        f"seat {battle.attacker} attacks cell {battle.target} from cell {battle.source}, {advantage}: {rolls}; {result}"
    )


def _question_text(view: DominionView) -> str:
    match view.kind:
        case "resign":
            return "you have no armies left: resign?"
        case "declare":
            return f"turn a card to attack? {_attacks_text(view)}"
        case "reinforce":
            choice = ", or pass" if view.optional_army else ""
            return f"a red king: put an army on cell {_cells(view)}{choice}"
        case "remove":
            return f"a black king: take an army from cell {_cells(view)}"
        case "attack":
            return f"attack{' (you must)' if view.must_attack else ' or pass'}: {_attacks_text(view)}"
        case "conquer":
            assert view.conquest is not None
            source, target, most = view.conquest.source, view.conquest.target, view.conquest.most
            return f"you conquered cell {target}: move in 0 to {most} from cell {source}"
        case "advance":
            moves = ", ".join([f"{m.count} from cell {m.source} to cell {m.target}" for m in view.advances])
            return f"advance at most, or pass: {moves}"
        case "deploy":
            assert view.dice is not None
            options = ", ".join([f"{most.count} on cell {most.cell}" for most in view.deployments])
            return f"you rolled {_dice(view.dice)}; deploy at most, or pass: {options}"
        case _:
            return "you are not asked"


def _attacks_text(view: DominionView) -> str:
    return ", ".join(
        [f"cell {a.target} from cell {a.source} ({view.advantage(a.source, a.target):+})" for a in view.attacks]
    )


def _cells(view: DominionView) -> str:
    return " or ".join(map(str, view.cells))


def _dice(dice: tuple[int, int]) -> str:
    return f"{dice[0]}+{dice[1]}"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def situation(view: DominionView) -> str:
    """The kind of situation: the kind of question, and who is ahead."""
    mine = view.owners.count(view.seat)
    others = [view.owners.count(seat) for seat in range(len(view.resigned)) if seat != view.seat]
    standing = "ahead" if mine > max(others) else "behind" if mine < max(others) else "level"
    return f"{view.kind}, {standing}"
