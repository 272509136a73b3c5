"""Wichita for a terminal: the dice, your hand by rank, the table, possible stacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final, assert_never

from pips_referee.cards import RANK_NAMES, Card, parse_card
from pips_referee.errors import UnreadableAnswer
from pips_referee.games.wichita.stacks import stack_worth
from pips_referee.games.wichita.values import (
    Dice,
    DrawOn,
    Drew,
    Laid,
    Lay,
    Rolled,
    RolledForFirst,
    Stack,
    TurnedUp,
    WichitaAction,
    WichitaEvent,
    WichitaView,
)

FACES: Final = " ⚀⚁⚂⚃⚄⚅"
STACKS_SHOWN: Final = 12


def view_text(view: WichitaView) -> str:
    """The table as that seat sees it, and the question to it."""
    turn = "your turn" if view.player == view.seat else f"seat {view.player}'s turn"
    laid = [f"{name}×{count}" for name, count in zip(RANK_NAMES, view.laid, strict=True) if count]
    seats = zip(view.points, view.hand_sizes, view.scores, strict=True)
    lines = [
        f"{turn}, {_dice(view.dice)}; {_count(view.stock_size, 'card')} in the stock",
        *[_seat(seat, seat == view.seat, *numbers) for seat, numbers in enumerate(seats)],
        f"laid so far: {', '.join(laid) or 'nothing'}",
        f"your hand: {_cards(view.hand) or 'nothing'}",
        *_question(view),
    ]
    return "\n".join(lines)


def event_text(event: WichitaEvent) -> str:
    """What happened, in one line."""
    match event:
        case RolledForFirst(seat, dice):
            return f"seat {seat} rolls {_dice(dice)} for the first turn"
        case Rolled(seat, dice):
            return f"seat {seat} rolls {_dice(dice)}"
        case Drew(seat, count, cards):
            return f"seat {seat} draws {_count(count, 'card')}" + (f": {_cards(cards)}" if cards else "")
        case Laid(seat, (), _):
            return f"seat {seat} lays nothing"
        case Laid(seat, stacks, points):
            return f"seat {seat} lays {_stacks(stacks)} for {_count(points, 'point')}"
        case TurnedUp(seat, card):
            return f"seat {seat} has no cards left and turns up {card} for 1 point"
        case _:
            assert_never(event)


def action_text(action: WichitaAction) -> str:
    """The answer in a few words."""
    match action:
        case DrawOn(more):
            return "draw on" if more else "draw no more"
        case Lay(()):
            return "lay nothing"
        case Lay(stacks):
            return f"lay {_stacks(stacks)}"
        case _:
            assert_never(action)


READS_ALL: Final = frozenset({"lay"})
"""Kinds of question whose every answer `read_action` can parse."""


def read_action(words: Sequence[str], view: WichitaView) -> Lay | None:
    """Parse an answer into stacks; None if it does not begin with `lay`.

    There may be too many layouts to compare the answer with each. `UnreadableAnswer`
    says which card or stack cannot be laid.
    """
    if view.kind != "lay" or words[:1] != ("lay",):
        return None
    if words == ("lay", "nothing"):
        return Lay(())
    try:
        stacks = [tuple(map(parse_card, part.split())) for part in " ".join(words[1:]).split(",")]
    except ValueError as error:
        raise UnreadableAnswer(f"{error}. Lay stacks with commas between them, as in: lay 9C 4H, KS 3D") from None
    missing = Counter(card for stack in stacks for card in stack) - Counter(view.hand)
    if missing:
        raise UnreadableAnswer(f"{_cards(missing.elements())}: that is not in your hand, or not so often")
    for stack in stacks:
        if not stack or not stack_worth(stack, view.dice):
            raise UnreadableAnswer(f"{_cards(stack) or 'a stack of no card'} does not make {view.target}")
    return Lay(tuple(stacks))


def _seat(seat: int, is_mine: bool, points: int, cards: int, score: int) -> str:
    name = f"seat {seat}{' (you)' if is_mine else ''}"
    return f"  {name:<13}{_count(points, 'point'):>9}, {_count(cards, 'card'):>8}: {score:>3}"


def _question(view: WichitaView) -> list[str]:
    match view.kind:
        case "draw":
            return [f"draw {view.more_cards} more?"]
        case "lay":
            found = list(islice(view.legal_stacks(), STACKS_SHOWN + 1))
            shown = [_cards(stack) + _doubled(stack, view.dice) for stack in found[:STACKS_SHOWN]]
            more = ["..."] if len(found) > STACKS_SHOWN else []
            return [f"lay stacks that make {view.target}, such as:", *[f"  {line}" for line in shown + more]]
        case _:
            return ["you are not asked"]


def _doubled(stack: Stack, dice: Dice) -> str:
    return " (2 points)" if stack_worth(stack, dice) == 2 else ""


def _dice(dice: Dice) -> str:
    return f"{FACES[dice[0]]} {FACES[dice[1]]} ({dice[0]} + {dice[1]} = {sum(dice)})"


def _cards(cards: Iterable[Card]) -> str:
    return " ".join(map(str, cards))


def _stacks(stacks: Iterable[Stack]) -> str:
    return ", ".join(map(_cards, stacks))


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def situation(view: WichitaView) -> str:
    """The kind of situation: the kind of question, and how near the end is."""
    each = view.stock_size / len(view.points)
    when = "early" if each > 16 else "middle" if each > 6 else "late"
    return f"{view.kind}, {when}, {'large' if len(view.hand) > 6 else 'small'} hand"
