"""Wichita by its rulebook: stacks, and what they are worth (W4, W5)."""

from __future__ import annotations

import pytest

from pips_referee.cards import parse_cards
from pips_referee.errors import IllegalAction
from pips_referee.games.wichita.stacks import Reason, stack_worth
from pips_referee.games.wichita.values import Dice, DrawOn, Laid, Lay
from tests.rules.wichita_table import hands, holding, lay, over, reason, start

# W4 Stacks

STACKS = [
    # W4.2, W4.3: one card, adding, subtracting; ace 1, jack 11, queen 12
    ("8C", 8), ("6C 2D", 8), ("10C 2D", 8), ("10C 2D", 12), ("10C AD AH", 8), ("10C AD AH", 12),
    ("QC 5D", 7), ("QC", 12), ("JC", 11), ("JC AC", 12), ("JC AC", 10), ("AC AD", 2), ("QC 2C 3C 4C", 3),
    # W4.4: kings double or halve the whole base
    ("6C KD", 12), ("6C KD", 3), ("QC 8D KC KD", 5), ("2C KC KD", 8), ("AC KC KD KH", 8), ("QC 4C KC KD", 2),
    ("JC 5D KC", 12), ("JC 5D KC", 8), ("JC 5D KC", 3), ("QS QD QH QC KC KD", 12),
]  # fmt: skip


@pytest.mark.parametrize(("cards", "target"), STACKS)
def test_stacks(cards: str, target: int) -> None:
    """W4.2, W4.3, W4.4, W4.6: in any order of the cards"""
    stack = parse_cards(cards)
    dice = (target // 2, target - target // 2)
    assert stack_worth(stack, dice) > 0
    assert stack_worth(stack[::-1], dice) > 0


NO_STACKS = [
    ("10C 5D 4C", 11, Reason.MIXED_SIGNS),  # W4.3: 10 + 5 - 4
    ("10C 5D 4C KC", 3, Reason.WRONG_TOTAL),
    ("QC JD 3C 2C KC", 12, Reason.MIXED_SIGNS),  # 12 + 11 + 3 - 2 = 24
    ("8C KD 3H", 7, Reason.WRONG_TOTAL),  # W4.4: half of 8, plus 3
    ("8C KD KH", 8, Reason.KINGS_BOTH_WAYS),  # W4.4
    ("QC 8C KD KH KC", 10, Reason.KINGS_BOTH_WAYS),  # 20 doubled once and halved twice
    ("9C 4D KC", 6, Reason.WRONG_TOTAL),  # W4.4: half of 13 does not come out even
    ("KD", 2, Reason.ONLY_KINGS),  # W4.5
    ("KD KC KH", 8, Reason.ONLY_KINGS),
    ("", 7, Reason.EMPTY_STACK),
    ("7C", 8, Reason.WRONG_TOTAL),
    ("3C 9C", 7, Reason.WRONG_TOTAL),
    ("5C 5D", 2, Reason.WRONG_TOTAL),
]


@pytest.mark.parametrize(("cards", "target", "reason"), NO_STACKS)
def test_no_stacks(cards: str, target: int, reason: Reason) -> None:
    """W4.3, W4.4, W4.5: none of these is worth anything, and a player who lays one
    hears why.
    """
    dice = (target // 2, target - target // 2)
    assert stack_worth(parse_cards(cards), dice) == 0
    with pytest.raises(IllegalAction) as caught:
        holding(cards, dice).apply(lay(cards))
    assert caught.value.reason is reason


def test_any_number_of_stacks_in_one_action() -> None:
    """W4.1, W4.6"""
    state = holding("8C 2D 6H 10D 2C", (5, 5))
    laid = lay("8C 2C", "10D")
    assert laid in list(state.legal_actions())
    assert state.apply(laid)[0] == Laid(0, laid.stacks, 2)
    assert hands(state)[0] == "2D 6H"
    assert state.points == [2, 0]


def test_laying_nothing_is_allowed_and_looks_like_having_nothing_to_lay() -> None:
    """W4.1, W9.1: the other seat is told the same when there was no choice."""
    rolls = {0: [(2, 2)], 1: [(1, 4)]}
    state, events = start("4H 9C 3D", rolls)
    assert (state.to_ask, state.kind) == (0, "lay")
    events += state.apply(Lay(()))
    other_state, other_events = start("8H 9C 3D", rolls)
    assert (other_state.to_ask, other_state.kind) == (1, "draw")
    told = [event.seen_by(1) for event in events]
    assert told == [event.seen_by(1) for event in other_events]
    assert Laid(0, (), 0) in told
    assert state.view(1) == other_state.view(1)


def test_a_card_is_laid_once() -> None:
    """W4.1: identical cards of two packs are two cards."""
    deck = "4H 4H 9C"
    state, _ = start(deck, {0: [(2, 2)]}, decks=2)
    assert state.copy().apply(lay("4H", "4H"))[0] == Laid(0, (parse_cards("4H"),) * 2, 2)
    state, _ = start("4H 9H 9C", {0: [(2, 2)]}, decks=2)
    assert reason(state, lay("4H", "4H")) == (
        "not_in_hand",
        "4♥ of stack 2 (4♥) is not in the hand, or was laid before",
    )
    assert reason(state, lay("4D"))[0] == "not_in_hand"


ILLEGAL: list[tuple[tuple[str, ...], str, str]] = [
    (("10C 2D", "KD KH"), "only_kings", "stack 2 (K♦ K♥) has only kings: they double or halve other cards"),
    (("10C 2D", ""), "empty_stack", "stack 2 () has no cards"),
    (("10C 4D 2D",), "mixed_signs", "stack 1 (10♣ 4♦ 2♦) makes 8 only by adding and subtracting in one stack"),
    (
        ("8C KD KH",),
        "kings_both_ways",
        "stack 1 (8♣ K♦ K♥) makes 8 only with kings that double and kings that halve",
    ),
    (("10C",), "wrong_total", "stack 1 (10♣) makes 10, not 8"),
    (("8C", "2D KD"), "wrong_total", "stack 2 (2♦ K♦) makes 1 or 4, not 8"),
    (("5S 8C",), "wrong_total", "stack 1 (5♠ 8♣) makes 3 or 13, not 8"),
    (("5S 8C KD",), "wrong_total", "stack 1 (5♠ 8♣ K♦) makes 1.5 or 6 or 6.5 or 26, not 8"),
    (("5S 4D 2D",), "wrong_total", "stack 1 (5♠ 4♦ 2♦) makes 11, not 8"),
    (("5S 4D",), "wrong_total", "stack 1 (5♠ 4♦) makes 1 or 9, not 8"),
    (("5S 3S 2D",), "wrong_total", "stack 1 (5♠ 3♠ 2♦) makes 10, not 8"),
]


@pytest.mark.parametrize(("stacks", "why", "sentence"), ILLEGAL)
def test_an_illegal_stack_is_named_with_the_reason(stacks: tuple[str, ...], why: str, sentence: str) -> None:
    """W4.3, W4.4, W4.5, W4.6"""
    assert reason(holding("8C KD KH 10C 2D 3S 4D 5S", (4, 4)), lay(*stacks)) == (why, sentence)


def test_an_answer_of_the_wrong_kind() -> None:
    state, _ = start("4H 9C", {0: [(2, 3)]})
    assert reason(state, lay("4H"))[0] == "wrong_kind"
    assert reason(state, lay("4H"))[1].endswith("does not answer a question to draw")
    state, _ = start("4H 9C", {0: [(2, 2)]})
    assert reason(state, DrawOn(more=True))[0] == "wrong_kind"
    state = over(state)
    assert reason(state, DrawOn(more=True))[1].endswith("does not answer a question to nobody")
    assert reason(state, Lay(()))[0] == "wrong_kind"


# W5 What a stack is worth


@pytest.mark.parametrize(
    ("dice", "cards", "worth"),
    [
        ((2, 4), "2C 4D", 2),  # W5.2
        ((4, 2), "2C 4D", 2),
        ((2, 4), "4C 2D", 2),
        ((3, 3), "3C 3D", 2),  # doubles
        ((1, 6), "6C AD", 2),
        ((3, 3), "2C 4D", 1),  # W5.1
        ((2, 4), "3C 3D", 1),
        ((2, 4), "5C AD", 1),
        ((2, 4), "6D", 1),
        ((2, 4), "8C 2D", 1),
        ((2, 4), "10C 4D", 1),
        ((2, 4), "2C 3C AC", 1),
        ((2, 4), "2C 4C QD KC KD", 0),
        ((4, 4), "4C KD", 1),
        ((2, 4), "8C 4D KD", 1),
        ((2, 4), "2C AC KD", 1),
        ((2, 2), "4C 4D KD", 1),
        ((2, 4), "2C 2D 2H", 1),
        ((2, 4), "2C 5D", 0),
    ],
)
def test_what_a_stack_is_worth(dice: Dice, cards: str, worth: int) -> None:
    """W5.1, W5.2"""
    assert stack_worth(parse_cards(cards), dice) == worth


def test_points_of_what_is_laid() -> None:
    """W5.1, W5.2: both pairs that show the dice count double."""
    state = holding("2C 4D 2H 4H 6S 9C", (2, 4))
    stacks = lay("2C 4D", "4H 2H", "6S")
    assert state.apply(stacks)[0] == Laid(0, stacks.stacks, 5)
    assert state.points == [5, 0]
