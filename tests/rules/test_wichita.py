"""Wichita by its rulebook: every test names the clauses of RULES.md that it covers.

Those of stacks (W4, W5) are in test_wichita_stacks.py.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from pips_referee.cards import CARDS, parse_card, parse_cards
from pips_referee.chance import Chance
from pips_referee.errors import OptionsError
from pips_referee.games.wichita.rules import GAME, WichitaState
from pips_referee.games.wichita.values import (
    Dice,
    DrawOn,
    Drew,
    Laid,
    Lay,
    Rolled,
    RolledForFirst,
    TurnedUp,
    WichitaEvent,
    WichitaOptions,
)
from tests.rigged import RiggedChance
from tests.rules.wichita_table import BIG, Rolls, by_rank, hands, holding, lay, over, pass_until, start

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
