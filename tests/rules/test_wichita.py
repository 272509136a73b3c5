"""Wichita by its rulebook: every test names the clauses of RULES.md that it covers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

import pytest

from pips_referee.cards import CARDS, Card, parse_card, parse_cards
from pips_referee.chance import Chance
from pips_referee.errors import IllegalAction, OptionsError
from pips_referee.games.wichita.rules import GAME, WichitaState
from pips_referee.games.wichita.stacks import Reason, stack_worth
from pips_referee.games.wichita.values import (
    Dice,
    DrawOn,
    Drew,
    Laid,
    Lay,
    Rolled,
    RolledForFirst,
    TurnedUp,
    WichitaAction,
    WichitaEvent,
    WichitaOptions,
)
from tests.rigged import RiggedChance

Rolls = Mapping[int, Sequence[Dice]]
BIG: Dice = (6, 6)


def start(deck: str, rolls: Rolls, seats: int = 2, **options: int) -> tuple[WichitaState, list[WichitaEvent]]:
    """A match that seat 0 begins, with a stock that begins with these cards and these
    rolls of each seat.
    """
    outcomes: dict[str, Sequence[object] | int] = {"deck": parse_cards(deck)}
    outcomes |= {f"first/{seat}/1": (1, 1) if seat else BIG for seat in range(seats)}
    outcomes |= {f"dice/{seat}/{number}": dice for seat in rolls for number, dice in enumerate(rolls[seat], 1)}
    return GAME.start(GAME.options(options), seats, RiggedChance(outcomes))


def by_rank(card: Card) -> tuple[int, int]:
    return card.rank, card.suit


def lay(*stacks: str) -> Lay:
    return Lay(tuple(parse_cards(stack) for stack in stacks))


def holding(cards: str, dice: Dice) -> WichitaState:
    """A match in which seat 0 has these cards in its hand and is asked what to lay
    after that roll.
    """
    state, _ = start("", {})
    state.hands[0], state.dice, state.kind = sorted(parse_cards(cards), key=by_rank), dice, "lay"
    return state


def pass_until(state: WichitaState, stock_size: int) -> list[WichitaEvent]:
    """Draw no more and lay nothing until the stock is no larger than that."""
    events: list[WichitaEvent] = []
    while state.stock_size > stock_size:
        events += state.apply(DrawOn(more=False) if state.kind == "draw" else Lay(()))
    return events


def reason(state: WichitaState, action: WichitaAction) -> tuple[str, str]:
    """The reason and sentence with which the action is refused; nothing changes."""
    before = [state.view(seat) for seat in range(len(state.hands))]
    with pytest.raises(IllegalAction) as caught:
        state.apply(action)
    assert [state.view(seat) for seat in range(len(state.hands))] == before
    assert caught.value.action is action
    return str(caught.value.reason), caught.value.sentence


def hands(state: WichitaState) -> list[str]:
    return [" ".join(card.code for card in hand) for hand in state.hands]


# W1 The match


def test_two_to_twelve_seats_play() -> None:
    """W1.1"""
    assert GAME.seats(GAME.options()) == range(2, 13)
    for seats in range(2, 13):
        state, _ = GAME.start(GAME.options(), seats, Chance(bytes(32)))
        assert len(state.hands) == seats
    for seats in (1, 13):
        with pytest.raises(OptionsError, match=f"2 to 12 seats, not {seats}"):
            GAME.start(GAME.options(), seats, Chance(bytes(32)))


@pytest.mark.parametrize(
    ("seats", "packs"), [(2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (7, 4), (8, 4), (9, 5), (10, 5), (11, 6), (12, 6)]
)
def test_one_pack_for_every_two_seats(seats: int, packs: int) -> None:
    """W1.2"""
    state, _ = GAME.start(GAME.options(), seats, Chance(bytes(32)))
    assert len(state.stock) == 52 * packs
    assert state.view(0).decks == packs


def test_the_option_decks_takes_another_number_of_packs() -> None:
    """W1.2"""
    for decks in (1, 5, 12):
        state, _ = GAME.start(GAME.options({"decks": decks}), 12, Chance(bytes(32)))
        assert len(state.stock) == 52 * decks
    assert GAME.options({"decks": 0}) == GAME.options()
    for decks in (-1, 13):
        with pytest.raises(OptionsError, match="decks is a whole number from 0 to 12"):
            GAME.options({"decks": decks})


def test_all_packs_are_shuffled_together_and_every_hand_begins_empty() -> None:
    """W1.3"""
    chance = RiggedChance({})
    state, events = GAME.start(GAME.options({"decks": 3}), 4, chance)
    assert sorted(state.stock) == sorted(CARDS * 3)
    assert state.stock == chance.shuffled("deck", CARDS * 3)
    drawn = [event.count for event in events if isinstance(event, Drew)]
    assert sum(map(len, state.hands)) == sum(drawn) == 156 - state.stock_size


# W2 Who begins


def test_the_highest_sum_begins() -> None:
    """W2.1"""
    rolls = {"first/0/1": (2, 5), "first/1/1": (6, 2), "first/2/1": (1, 6), "dice/1/1": (1, 2)}
    state, events = GAME.start(GAME.options(), 3, RiggedChance(rolls))
    assert events[:4] == [
        RolledForFirst(0, (2, 5)),
        RolledForFirst(1, (6, 2)),
        RolledForFirst(2, (1, 6)),
        Rolled(1, (1, 2)),
    ]
    assert state.to_ask == state.player == 1
    assert state.view(0).player == 1


def test_who_shares_the_highest_sum_rolls_again_alone() -> None:
    """W2.2: three of four share it, then two of them, and a higher roll of the others
    would no longer count.
    """
    rolls: dict[str, Dice] = {
        "first/0/1": (3, 4), "first/1/1": (5, 2), "first/2/1": (1, 5), "first/3/1": (6, 1),
        "first/0/2": (4, 4), "first/1/2": (2, 2), "first/3/2": (2, 6),
        "first/0/3": (1, 1), "first/3/3": (1, 2),
        "dice/3/1": (1, 2),
    }  # fmt: skip
    chance = RiggedChance(rolls)
    state, events = GAME.start(GAME.options(), 4, chance)
    rolled = [event for event in events if isinstance(event, RolledForFirst)]
    assert [(event.seat, event.dice) for event in rolled] == [
        (int(name.split("/")[1]), dice) for name, dice in rolls.items() if name.startswith("first")
    ]
    assert state.player == 3
    assert set(rolls) <= set(chance.asked)


# W3 The turn


def test_a_turn_begins_with_two_dice_whose_sum_is_to_be_made() -> None:
    """W3.1"""
    state, events = start("9C", {0: [(1, 3)]})
    assert Rolled(0, (1, 3)) in events
    assert state.view(0).dice == (1, 3)
    assert state.view(0).target == 4


@pytest.mark.parametrize("dice", [(2, 5), (5, 2)])
def test_the_player_draws_as_the_lower_die_shows_and_sees_the_cards(dice: Dice) -> None:
    """W3.2"""
    state, events = start("9H 9C KC", {0: [dice]})
    assert events[-1] == Drew(0, 2, parse_cards("9H 9C"))
    assert state.view(0).hand == parse_cards("9C 9H")
    assert (state.to_ask, state.kind) == (0, "draw")


def test_the_player_may_draw_on_up_to_the_higher_die() -> None:
    """W3.3"""
    state, _ = start("9H 9C 2C 3C 4C 5C", {0: [(2, 5)]})
    assert state.view(0).more_cards == 3
    assert list(state.legal_actions()) == list(state.view(0).legal_actions()) == [DrawOn(more=False), DrawOn(more=True)]
    events = state.copy().apply(DrawOn(more=True))
    assert events == [Drew(0, 3, parse_cards("2C 3C 4C"))]
    declined = state.copy()
    assert declined.apply(DrawOn(more=False))[0] == Laid(0, (), 0)
    assert declined.hands[0] == [*parse_cards("9C 9H")]
    state.apply(DrawOn(more=True))
    assert hands(state)[0] == "2C 3C 4C 9C 9H"
    assert state.kind == "lay"
    assert state.stock_size == 47


def test_drawing_on_is_not_asked_after_doubles() -> None:
    """W3.3"""
    state, events = start("6H 9C 2C 3C", {0: [(3, 3)]})
    assert events[-1] == Drew(0, 3, parse_cards("6H 9C 2C"))
    assert state.kind == "lay"


def test_drawing_on_is_not_asked_when_the_stock_is_empty() -> None:
    """W3.3"""
    state, _ = start("", {0: [BIG] * 4 + [(4, 5)], 1: [BIG] * 4})
    pass_until(state, 4)
    events = pass_until(state, 0)
    assert [type(event) for event in events[-3:]] == [Laid, Rolled, Drew]
    assert state.stock_size == 0
    assert state.kind == "lay"


def test_too_few_cards_for_the_lower_die() -> None:
    """W3.4"""
    state, _ = start("", {0: [BIG] * 5, 1: [BIG] * 4})
    events = pass_until(state, 0)
    last = events[-1]
    assert isinstance(last, Drew)
    assert last.count == 4
    assert last.cards == tuple(state.stock[-4:])


def test_too_few_cards_for_drawing_on() -> None:
    """W3.4"""
    state, _ = start("", {0: [BIG] * 4 + [(1, 6)], 1: [BIG] * 4})
    pass_until(state, 3)
    assert (state.kind, state.view(0).more_cards) == ("draw", 3)
    assert state.apply(DrawOn(more=True))[0] == Drew(0, 3, tuple(state.stock[-3:]))


def test_what_is_not_laid_stays_in_hand_and_the_turn_passes_to_the_left() -> None:
    """W3.5"""
    state, _ = start("9H 6C 9C  2C 3C  5C 7D  4H 5H", {0: [(3, 3), (2, 2)], 1: [(2, 2)], 2: [(2, 2)]}, seats=3)
    events = state.apply(lay("6C"))
    assert events[:2] == [Laid(0, (parse_cards("6C"),), 1), Rolled(1, (2, 2))]
    # Seats 1 and 2 hold nothing that makes 4, and the turn comes back to seat 0.
    assert [event.seat for event in events if isinstance(event, Rolled)] == [1, 2, 0]
    assert hands(state) == ["4H 5H 9C 9H", "2C 3C", "5C 7D"]
    assert state.to_ask == 0


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


def over(state: WichitaState) -> WichitaState:
    """The match played to its end without laying anything."""
    while state.to_ask is not None:
        state.apply(DrawOn(more=False) if state.kind == "draw" else Lay(()))
    return state


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


# W6 An empty hand


def test_an_empty_hand_brings_a_card_and_another_turn() -> None:
    """W6.1, W6.2: any card will do, be it a king; the third turn begins with yet
    another roll.
    """
    state, _ = start("2H 2S KC  AC AD 9H  8C 3C 3D", {0: [(2, 2), (1, 1), (2, 2)], 1: [(1, 2)]})
    assert state.apply(lay("2H 2S")) == [
        Laid(0, (parse_cards("2H 2S"),), 2),
        TurnedUp(0, parse_card("KC")),
        Rolled(0, (1, 1)),
        Drew(0, 1, parse_cards("AC")),
        Laid(0, (), 0),
        *turn_of_seat_1(state),
    ]
    assert state.points == [3, 0]
    assert state.view(1).laid == (0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)


def turn_of_seat_1(state: WichitaState) -> list[WichitaEvent]:
    return [Rolled(1, (1, 2)), Drew(1, 1, parse_cards("AD"))]


def test_again_and_again_as_long_as_the_hand_is_emptied() -> None:
    """W6.2"""
    state, _ = start("2H 2S KC  2D AD  4H QC 9H", {0: [(2, 2), (1, 1), (2, 2)], 1: [(1, 2)]})
    state.apply(lay("2H 2S"))
    assert state.apply(lay("2D")) == [
        Laid(0, (parse_cards("2D"),), 1),
        TurnedUp(0, parse_card("AD")),
        Rolled(0, (2, 2)),
        Drew(0, 2, parse_cards("4H QC")),
    ]
    assert (state.to_ask, state.kind) == (0, "lay")
    assert state.points == [5, 0]
    assert state.apply(lay("4H"))[:2] == [Laid(0, (parse_cards("4H"),), 1), Rolled(1, (1, 2))]


LAST_TURN: Rolls = {0: [(1, 1)] * 7, 1: [BIG] * 7}
"""Seat 0 draws a card and seat 1 six of them, seven times; then three cards are left
and it is seat 0's turn.
"""


def last_turn(dice: Dice, cards: str) -> WichitaState:
    """Seat 0's last turn: it has kept seven cards, and there are three more in the
    stock.
    """
    mine = list(parse_cards(cards))
    others = [card for card in CARDS if card not in mine]
    deck = [card for turn in range(7) for card in (mine[turn], *others[6 * turn : 6 * turn + 6])]
    rolls = {0: [*LAST_TURN[0], dice], 1: LAST_TURN[1]}
    state, _ = start(" ".join(card.code for card in deck + mine[7:]), rolls)
    events = pass_until(state, 2)
    assert Rolled(0, dice) in events
    assert state.hands[0] == sorted(mine[: len(state.hands[0])], key=by_rank)
    return state


def test_no_card_for_an_empty_hand_when_the_stock_is_empty() -> None:
    """W6.3, W7.1"""
    state = last_turn((1, 3), "4C 4D 4H 3C AC 2C 2D QC 8C 4S")
    state.apply(DrawOn(more=True))
    assert state.stock_size == 0
    laid = lay("4C", "4D", "4H", "3C AC", "2C 2D", "QC 8C", "4S")
    assert state.apply(laid) == [Laid(0, laid.stacks, 8)]
    assert state.to_ask is None
    assert state.outcome().scores == (8, -42)


# W7 The end


def test_the_match_ends_with_the_turn_in_which_the_stock_ran_out() -> None:
    """W7.1: the player still lays stacks; the cards kept count against that player."""
    state = last_turn((1, 3), "4C 4D 4H 3C AC 2C 2D QC 8C 4S")
    state.apply(DrawOn(more=True))
    assert (state.to_ask, state.kind) == (0, "lay")
    state.apply(lay("QC 8C"))
    assert (state.to_ask, state.kind, state.player) == (None, "", 0)
    assert state.outcome().scores == (1 - 8, -42)
    assert list(state.legal_actions()) == []
    assert state.view(0).kind == ""
    with pytest.raises(LookupError, match=r"^nobody is asked, so there is no action$"):
        state.sample_action(Random(1))


def test_the_match_ends_without_a_question_when_nothing_can_be_laid() -> None:
    """W7.1, W4.1"""
    state = last_turn((1, 4), "9C 9D 9H 9S 10C 10D 10H 10S 7C 7D")
    assert state.kind == "draw"
    assert state.apply(DrawOn(more=True)) == [Drew(0, 2, parse_cards("7C 7D")), Laid(0, (), 0)]
    assert (state.to_ask, state.kind, state.player) == (None, "", 0)


def test_a_card_turned_up_for_an_empty_hand_may_end_the_match() -> None:
    """W7.2, W6.1"""
    state = last_turn((2, 2), "4C 4D 4H 3C AC 2C 2D QC 8C KS")
    assert state.stock_size == 1
    laid = lay("4C", "4D", "4H", "3C AC", "2C 2D", "QC 8C")
    assert state.apply(laid) == [Laid(0, laid.stacks, 7), TurnedUp(0, parse_card("KS"))]
    assert (state.to_ask, state.kind, state.player) == (None, "", 0)
    assert state.outcome().scores == (8, -42)
    assert state.view(0).laid[12] == 1


# W8 The score


def test_the_score_is_points_minus_cards_in_hand() -> None:
    """W8.1"""
    state, _ = start("2H 2S KC  9D 9C 8C 3C", {0: [(2, 2), (3, 3)], 1: [BIG]})
    state.apply(lay("2H 2S"))
    assert state.points[0] == 3
    assert state.view(1).hand_sizes == (3, 6)
    assert state.view(1).scores == state.outcome().scores == (0, -6)


def test_equal_scores_share_the_place() -> None:
    """W8.2, W8.1: nobody laid anything."""
    state, _ = start("", {seat: [(2, 2)] * 13 for seat in (0, 1)})
    assert over(state).outcome().scores == (-26, -26)
    assert state.outcome().places == (1, 1)


def test_the_highest_score_wins() -> None:
    """W8.2"""
    state = last_turn((2, 2), "4C 4D 4H 3C AC 2C 2D QC 8C KS")
    state.apply(lay("4C", "4D"))
    assert over(state).outcome().places == (1, 2)
    assert state.outcome().scores[0] > state.outcome().scores[1]


# W9 What the players see


def test_drawn_cards_are_seen_by_their_player_alone() -> None:
    """W9.1: everything the other sees is the same when two cards of the stock change
    places with two drawn ones.
    """
    rolls = {0: [(2, 5)], 1: [(1, 2)]}
    state, events = start("9H 8C QD 7C", rolls)
    other_state, other_events = start("QD 7C 9H 8C", rolls)
    assert [event.seen_by(0) for event in events] == events
    assert [event.seen_by(0) for event in other_events] != events
    assert [event.seen_by(1) for event in events] == [event.seen_by(1) for event in other_events]
    assert Drew(0, 2, None) in [event.seen_by(1) for event in events]
    assert state.view(1) == other_state.view(1)
    assert state.view(0) != other_state.view(0)


def test_everything_else_is_seen_by_all() -> None:
    """W9.2"""
    state, _ = start("2H 2S 2C  9D 9C 8C 3C QH", {0: [(2, 2), (1, 1)], 1: [(3, 4)]}, seats=3)
    events = state.apply(lay("2H 2S"))
    for event in events:
        if not isinstance(event, Drew):
            assert event.seen_by(0) is event.seen_by(1) is event
    view = state.view(2)
    assert (view.seat, view.kind, view.player) == (2, "", 1)
    assert view.hand == ()
    assert view.hand_sizes == (1, 3, 0)
    assert view.points == (3, 0, 0)
    assert view.dice == (3, 4)
    assert view.stock_size == 104 - 2 - 1 - 1 - 3
    assert view.laid == (0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    assert state.view(1).kind == "draw"


def test_a_view_counts_the_cards_it_has_not_seen() -> None:
    """W9.2"""
    state, _ = start("2H 2S KC  9D 9C 8C 3C QH", {0: [(2, 2), (1, 1)], 1: [(3, 4)]}, seats=3)
    state.apply(lay("2H 2S"))
    assert state.view(2).unseen == (8, 6, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7)
    assert state.view(1).unseen == (8, 6, 7, 8, 8, 8, 8, 7, 7, 8, 8, 8, 7)
    assert sum(state.view(0).unseen) == 104 - 3 - 1


# What every question has


def test_a_player_who_has_no_choice_is_not_asked() -> None:
    """W3.3, W4.1: a hand of kings, then one that makes nothing; the events still say
    what happened.
    """
    state, events = start("KC KD  9C 8C", {0: [(2, 2)], 1: [(2, 2)], 2: [(1, 2)]}, seats=3)
    assert events[3:] == [
        Rolled(0, (2, 2)),
        Drew(0, 2, parse_cards("KC KD")),
        Laid(0, (), 0),
        Rolled(1, (2, 2)),
        Drew(1, 2, parse_cards("9C 8C")),
        Laid(1, (), 0),
        Rolled(2, (1, 2)),
        events[-1],
    ]
    assert (state.to_ask, state.kind) == (2, "draw")


@pytest.mark.parametrize(("seats", "options", "longest"), [(2, {}, 103), (3, {}, 207), (8, {"decks": 2}, 207)])
def test_no_match_has_more_questions_than_the_game_declares(seats: int, options: dict[str, int], longest: int) -> None:
    """W3.2, W3.3: everybody draws a 3 first; each turn is a card and two questions, but
    for the last card.
    """
    assert GAME.longest(GAME.options(options), seats) == longest
    deck = " ".join(["3C 3D 3H 3S"] * WichitaOptions(**options).decks_for(seats))
    state, _ = start(deck, {seat: [(1, 2)] * 104 for seat in range(seats)}, seats, **options)
    asked = 0
    while state.to_ask is not None:
        asked += 1
        state.apply(DrawOn(more=False) if state.kind == "draw" else Lay(()))
    assert asked == longest


def test_listed_and_random_answers_are_the_same_for_state_and_view() -> None:
    """W3.3, W4.1"""
    state, _ = start("9H 9C 2C 3C 4C 5C", {0: [(2, 5)]})
    view, rng = state.view(0), Random(1)
    assert Counter(view.random_action(rng) for _ in range(400))[DrawOn(more=True)] == pytest.approx(200, abs=40)
    assert {state.sample_action(rng) for _ in range(50)} == set(view.legal_actions()) == set(state.legal_actions())
    state = holding("2C 3C 5C 7D 8H KS", (1, 6))
    view = state.view(0)
    answers = list(state.legal_actions())
    assert list(view.legal_actions()) == answers
    assert len(answers) == 5
    assert {state.sample_action(rng) for _ in range(1000)} == set(answers)
    assert {view.random_action(rng) for _ in range(1000)} == set(answers)
    assert [Lay((stack,)) in answers for stack in view.legal_stacks()] == [True, True, True]
    assert list(state.view(1).legal_actions()) == []


def test_the_same_deal_gives_a_seat_the_same_rolls_whatever_the_others_do() -> None:
    """The luck of a deal (RULES.md, last section)."""

    def rolls(more: bool) -> dict[int, list[Dice]]:
        state, events = GAME.start(GAME.options(), 3, Chance(bytes(31) + b"w"))
        while state.to_ask is not None:
            events += state.apply(DrawOn(more=more and state.to_ask == 1) if state.kind == "draw" else Lay(()))
        return {seat: [e.dice for e in events if isinstance(e, Rolled) and e.seat == seat] for seat in range(3)}

    few, many = rolls(more=False), rolls(more=True)
    for seat in range(3):
        shorter = min(len(few[seat]), len(many[seat]))
        assert few[seat][:shorter] == many[seat][:shorter]
    assert len(few[0]) > len(many[0])


def test_a_copy_is_equal_and_independent() -> None:
    state, _ = start("2H 2S KC  2D AD  4H QC 9H", {0: [(2, 2), (1, 1), (2, 2)], 1: [(1, 2)]})
    twin = state.copy()
    before = everything(state)
    assert everything(twin) == before
    while twin.to_ask is not None:
        twin.apply(list(twin.legal_actions())[-1])
    assert everything(state) == before
    assert all(now != then for now, then in zip(everything(twin)[:-1], before[:-1], strict=True))


def everything(state: WichitaState) -> list[object]:
    constant = ("chance", "decks", "stock")
    changing = [name for name in state.__slots__ if name not in constant]
    return [
        *[repr(getattr(state, name)) for name in changing if name != "player"],
        [getattr(state, name) for name in (*constant, "player")],
    ]
