"""Pip-Pip! by its rulebook, the calls: every test names the clauses of RULES.md that it
covers.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from pips_referee.cards import parse_card, parse_cards
from pips_referee.game import Event
from pips_referee.games.pippip.rules import GAME
from pips_referee.games.pippip.values import (
    Call,
    Called,
    Dealt,
    Drew,
    HandEnded,
    PippipOptions,
    PippipView,
    Play,
    Played,
    TrickWon,
    TrumpsChanged,
)
from pips_referee.match import Match
from tests.rigged import RiggedChance
from tests.rules.pippip_table import LOW_DRAWS, Table, of_type, suits

HEARTS, SPADES, DIAMONDS, CLUBS = suits("HSDC")


def calls(table: Table) -> list[str]:
    """What may be called in this window, as letters."""
    return ["".join("CDHS"[suit] for suit in call.suits) for call in of_type(Call, table.legal)]


# P7 Pairs and when they are called


def test_a_pair_is_a_king_and_a_queen_of_one_suit_in_one_hand() -> None:
    """P7.1"""
    table = Table("KH QS JH AH", "QH KD JD", "KS QC 4H")
    assert table.asked == (0, "play"), "nobody has a pair"
    table = Table("KH QS JH AH", "QH KD JD", "KS QS 4H")
    assert table.asked == (2, "call")
    assert calls(table) == ["", "S"]


def test_trumps_cannot_be_called() -> None:
    """P7.2: a pair of trumps alone is no question; with another pair it is refused."""
    table = Table("KC QC", "KC QC KH QH", "4C", trumps="C")
    assert table.asked == (1, "call")
    assert calls(table) == ["", "H"]
    assert table.view(1).callable == (HEARTS,)
    assert table.refusal(Call(suits("C"))) == ("trumps_already", "♣ is trumps now and cannot be called")
    assert table.refusal(Call(suits("CH")))[0] == "trumps_already"
    table.run("+H")
    assert table.points == (0, 50, 0)


def test_everybody_has_a_window_before_the_first_trick() -> None:
    """P7.3: once, from the dealer's left round; seats without a pair are not asked."""
    table = Table("KH QH", "4C", "KS QS", "KD QD")
    asked = [table.asked]
    for word in ("-", "+S", "-"):
        table.run(word)
        asked.append(table.asked)
    assert asked == [(0, "call"), (2, "call"), (3, "call"), (0, "play")]
    assert of_type(Called, table.log) == [Called(2, (SPADES,))]


def test_a_window_comes_after_each_card_of_ones_own() -> None:
    """P7.4: before the next seat plays; a pair that was kept back can be called in any
    of them.
    """
    table = Table("KH QH 5D 6D", "7D 8D", "9D 4D", fill="CS", stock="10S 10S 10C 10C")
    table.run("- 5D")
    assert table.asked == (0, "call")
    assert of_type(Played, table.log)[1:] == []
    table.run("- 7D 9D")
    assert table.asked == (2, "play")
    table.run("4D 6D")
    assert table.asked == (0, "call")
    assert table.points[0] == 0
    table.run("+H")
    assert table.points[0] == 50


def test_the_last_of_a_trick_has_his_window_before_the_next_lead() -> None:
    """P7.4, P9.1"""
    table = Table("2D 6D", "7D 8D", "9D KH QH", stock="3S 3S 4S")
    table.run("-")
    table.run("2D 7D 9D")
    assert table.asked == (2, "call")
    assert len(table.view(2).trick) == 3
    events = table.run("+H")
    assert events == [Called(2, (HEARTS,)), TrickWon(0, 11), TrumpsChanged(HEARTS)]
    assert table.asked == (0, "play")


def test_the_card_just_drawn_may_make_the_pair() -> None:
    """P7.4"""
    table = Table("KH 5D", "QS 7D", "9D 4D", stock="QH KS 3C")
    assert table.asked == (0, "play")
    events = table.run("5D")
    assert of_type(Drew, events) == [Drew(0, parse_card("QH"))]
    assert table.asked == (0, "call")
    events = table.run("+H 7D")
    assert of_type(Called, events) == [Called(0, (HEARTS,))]
    assert table.asked == (1, "call")
    assert calls(table) == ["", "S"]


def test_the_card_that_was_played_no_longer_makes_a_pair() -> None:
    """P7.1, P7.4"""
    table = Table("KH QH 5D", "7D 8D", "9D 4D", fill="CS", stock="10S 10S 10C")
    table.run("- QH")
    assert table.asked == (1, "play")


def test_pairs_are_called_in_the_last_seven_tricks_too() -> None:
    """P7.5: there nothing is drawn; the window comes after the card."""
    table = Table("KH QH 5D 6D", "7D 8D", "9D 4D", fill="CS", stock_size=0)
    table.run("- 5D")
    assert not table.view(0).drawing
    assert table.asked == (0, "call")
    table.run("+H 7D 9D")
    assert table.points == (50, 0, 0)
    assert table.view(0).trumps == HEARTS


def test_a_call_with_the_last_two_cards() -> None:
    """P7.5: the last window in which a pair can be held is the last but two; its trumps
    rule the last two tricks.
    """
    table = Table("3D 4D 5D 6D 7D KH QH", "3C 4C 5C 6C 7C 8C 2S", "3S 4S 5S 6S 7S 8S 9S", trumps="D", stock_size=0)
    table.run("-")
    for rank in "3456":
        table.run(f"{rank}D - {rank}C {rank}S")
    table.run("7D +H 7C 7S")
    assert table.view(0).hand_counts == (2, 2, 2)
    events = table.run("QH^ 8C 8S KH^ 2S 9S")
    assert of_type(HandEnded, events)
    assert [won.seat for won in of_type(TrickWon, table.log)] == [0] * 7, "hearts beat the two of spades"


def test_after_the_last_card_nothing_is_called() -> None:
    """P7.5: the pair is kept to the end; its queen and king are the last two cards."""
    table = Table("3D 4D 5D 6D 7D KH QH", "3C 4C 5C 6C 7C 8C 9C", "3S 4S 5S 6S 7S 8S 9S", trumps="D", stock_size=0)
    table.run("-")
    for rank in "34567":
        assert table.asked == (0, "play")
        table.run(f"{rank}D - {rank}C {rank}S")
    table.run("QH 8C 8S")
    assert of_type(Called, table.log) == []
    ended = [type(event) for event in table.log].index(HandEnded)
    assert [played.card for played in of_type(Played, table.log[:ended])][-3:] == list(parse_cards("KH 9C 9S"))


def test_any_of_the_pairs_in_any_order() -> None:
    """P7.6"""
    table = Table("KH QH KS QS", "4C", "4C")
    assert sorted(calls(table)) == ["", "H", "HS", "S", "SH"]
    assert table.view(0).callable == (HEARTS, SPADES)
    reason, sentence = table.refusal(Call(suits("HSH")))
    assert (reason, sentence) == ("no_pair", "no unused king and queen of ♥ in hand for that call")
    assert table.refusal(Call(suits("D")))[0] == "no_pair"
    number: Any = int(HEARTS)
    assert table.refusal(Call((number,))) == ("no_pair", "2 is no suit"), "though it is equal to one"
    table.run("+SH")
    assert of_type(Called, table.log) == [Called(0, (SPADES, HEARTS))]


def test_three_pairs_in_one_window() -> None:
    """P7.6, P8.4: two of them of one suit."""
    table = Table("KH QH KH QH KS QS", "4C", "4C")
    assert sorted(calls(table)) == ["", "H", "HH", "HHS", "HS", "HSH", "S", "SH", "SHH"]
    table.run("+HSH")
    assert table.points == (150, 0, 0)
    assert table.view(0).trumps == HEARTS


def test_three_pairs_of_different_suits() -> None:
    """P7.6: sixteen things to say."""
    table = Table("KH QH KD QD KS QS", "4C", "4C")
    assert len(calls(table)) == len(set(calls(table))) == 16


@pytest.mark.parametrize("answer", ["", "H", "SH"])
def test_any_pair_in_the_order_of_the_caller(answer: str) -> None:
    """P7.6"""
    table = Table("KH QH KS QS", "4C", "4C")
    table.run("+" + answer)
    assert of_type(Called, table.log) == ([Called(0, suits(answer))] if answer else [])
    assert table.points == (50 * len(answer), 0, 0)


# P7.7 What the others cannot know

Told = list[tuple[int, PippipView, tuple[Event, ...]]]


def told_to_the_others(hand: str, plays: str) -> Told:
    """All that seats 0 and 2 are asked and told in two tricks, where seat 1 holds this
    hand and plays these cards.

    Seat 1 calls nothing, the others play the first card they may.
    """
    deck = f"5D 6D 7D 8D 5S 6S 7S {hand} 9D 4D 10D 6D 4S 9S 6S 10H 9H 8H 7H 6H 5H 4H 3H"
    draws = parse_cards(LOW_DRAWS)[:2] + parse_cards("2C")
    match = Match(GAME, GAME.options(), 3, RiggedChance({"dealer": draws, "deck/1": parse_cards(deck)}))
    told: Told = []
    while len(told) < 5:
        question = match.question()
        assert isinstance(question.view, PippipView)
        if question.seat != 1:
            told.append((question.number, question.view, question.events))
            match.answer(next(question.view.legal_actions()))
        elif question.kind == "call":
            match.answer(Call())
        else:
            number = sum(played.seat == 1 for played in of_type(Played, match.log))
            match.answer(Play(parse_cards(plays)[number]))
    return told


def test_a_declined_window_looks_like_no_window() -> None:
    """P7.7: numbers, views and events of the others are the same, be there a pair, a
    pair of trumps or none.
    """
    none = told_to_the_others("KH JH 3D 3D KS 3C 4C", "3D 3D")
    assert [(number, view.seat) for number, view, _ in none] == [(1, 0), (1, 2), (2, 0), (2, 2), (3, 2)]
    assert told_to_the_others("KH QH 3D 3D KS 3C 4C", "3D 3D") == none
    assert told_to_the_others("KC QC 3D 3D KS 3C 4C", "3D 3D") == none
    assert told_to_the_others("KH QH 3D 3D KS QS AC", "3D 3D") == none


def test_a_card_played_unasked_looks_like_a_choice() -> None:
    """P5.4, P7.7"""
    forced = told_to_the_others("3D 3D 3C 4C 5C 6C 7C", "3D 3D")
    free = told_to_the_others("3D 3D 2D AD KD 2C AC", "3D 3D")
    assert forced == free


# P8 What a call does


def test_every_pair_scores_fifty_at_once() -> None:
    """P8.1"""
    table = Table("KH QH KS QS", "KD QD", "4C")
    table.run("+HS")
    assert table.points == (100, 0, 0)
    table.run("+D")
    assert table.points == (100, 50, 0)
    assert table.plays == []


def test_the_called_cards_lie_face_up_for_all_to_see() -> None:
    """P8.2"""
    table = Table("KH QH 3C", "4C", "4C")
    [called] = table.run("+H")[:1]
    assert called == Called(0, (HEARTS,)) == called.seen_by(2)
    for seat in range(3):
        assert table.view(seat).face_up == (parse_cards("KH QH"), (), ())
        assert table.view(seat).hand_counts == (7, 7, 7)
    view = table.view(0)
    assert len(view.hidden) == 5
    assert set(view.hand) == {*view.hidden, *parse_cards("KH QH")}


def test_a_card_face_up_is_played_like_any_other() -> None:
    """P8.2: it may be led, must follow suit, and leaves the others lying."""
    table = Table("KH QH 3C", "5H 6H", "2H 4S", fill="DS", stock="9C 9C 8C")
    table.run("+H")
    assert Play(parse_card("KH"), True) in table.legal
    assert Play(parse_card("KH"), False) not in table.legal
    assert table.refusal(Play(parse_card("KH"))) == ("not_in_hand", "there is no K♥ hidden in the hand")
    events = table.run("KH^")
    assert events[0] == Played(0, parse_card("KH"), True) == events[0].seen_by(1)
    table.run("5H 2H")
    assert table.view(1).face_up == (parse_cards("QH"), (), ())
    assert table.view(1).leader == 2


def test_what_lies_face_up_must_follow_suit() -> None:
    """P8.2, P5.1: the only heart of the hand lies face up."""
    table = Table("2H 3H", "KH QH", "4C", fill="DS", stock="3C 4C")
    table.run("+H 2H")
    assert table.legal == [Play(parse_card("KH"), True), Play(parse_card("QH"), True)]
    diamond = table.view(1).hidden[0]
    assert table.refusal(Play(diamond))[0] == "must_follow"


def test_a_card_that_was_called_makes_no_second_pair() -> None:
    """P8.3: a queen comes to the king that lies face up; with a second king she makes a
    pair.
    """
    table = Table("KH QH 2D 5D", "KS QS 8D", "9D", fill="CH", stock="QH 3C 3C KH")
    table.run("+H +S 2D 8D 9D")
    assert table.view(0).trumps == SPADES
    assert parse_card("QH") in table.view(0).hidden
    assert table.asked == (0, "play"), "there was no window: the queen just drawn found no unused king"
    table.run("5D")
    assert table.asked == (0, "call")
    assert calls(table) == ["", "H"]
    table.run("+H")
    assert table.points == (100 + 11, 50, 0)


def test_two_pairs_of_one_suit_in_one_window() -> None:
    """P8.4"""
    table = Table("KH KH QH QH", "4C", "4C")
    assert calls(table) == ["", "H", "HH"]
    assert table.view(0).callable == (HEARTS, HEARTS)
    table.run("+HH")
    assert table.points == (100, 0, 0)
    assert table.view(0).face_up[0] == parse_cards("KH QH KH QH")
    assert of_type(TrumpsChanged, table.log) == [TrumpsChanged(HEARTS)]


def test_the_second_pair_of_a_suit_waits_while_it_is_trumps() -> None:
    """P8.4: called in two windows, with another's call in between."""
    table = Table("KH KH QH QH 2D 5D 6D", "7D 3D KS", "9D 4D", fill="CS", stock="3C 3C 4C 4C QS 5C 5C")
    table.run("+H 2D")
    assert table.view(0).trumps == HEARTS
    assert table.asked == (1, "play"), "hearts are trumps: the other pair of hearts waits"
    table.run("7D 9D 5D 3D +S 4D")
    assert table.view(0).trumps == SPADES
    table.run("6D")
    assert table.asked == (0, "call")
    assert calls(table) == ["", "H"]
    table.run("+H")
    assert table.points[:2] == (100 + 11, 50)


def test_three_queens_are_not_two_pairs() -> None:
    """P7.1, P8.4: the scarcer of the two decides."""
    table = Table("KH QH QH", "KS KS QS", "4C")
    assert calls(table) == ["", "H"]
    table.run("-")
    assert calls(table) == ["", "S"]


# P9 The trumps change


def test_the_trick_in_progress_is_won_under_the_old_trumps() -> None:
    """P9.1"""
    table = Table("AD 5S", "KH QH 3H", "4C 3D 7D", fill="CS", trumps="S", stock="8C 8C 7C")
    table.run("- AD")
    table.run("3H")
    assert table.asked == (1, "call")
    table.run("+H")
    assert (table.view(2).trumps, table.view(2).next_trumps) == (SPADES, HEARTS)
    events = table.run("3D")
    assert events[-2:] == [TrickWon(0, 10), TrumpsChanged(HEARTS)], "the three of hearts was no trump yet"
    assert (table.view(2).trumps, table.view(2).next_trumps) == (HEARTS, None)


def test_the_old_trumps_hold_for_what_may_be_called() -> None:
    """P9.1: hearts were called already, spades are trumps still."""
    table = Table("KH QH", "KH QH KS QS", "4C", trumps="S")
    table.run("+H")
    assert table.asked == (1, "call")
    assert calls(table) == ["", "H"]
    assert table.refusal(Call((SPADES,)))[0] == "trumps_already"


def test_before_the_first_trick_the_trumps_change_after_the_last_window() -> None:
    """P9.1, P7.3"""
    table = Table("KH QH", "KH QH", "4C", trumps="C")
    table.run("+H")
    assert (table.view(0).trumps, table.view(0).next_trumps) == (CLUBS, HEARTS)
    events = table.run("+H")
    assert events == [Called(1, (HEARTS,)), TrumpsChanged(HEARTS)]
    assert table.points == (50, 50, 0)


@pytest.mark.parametrize(("rules", "trumps"), [("fosdick", "S"), ("hervey", "H")])
def test_in_one_window_the_last_or_the_first_call_counts(rules: str, trumps: str) -> None:
    """P9.2, P9.3"""
    table = Table("KH QH KS QS KD QD", "4C", "4C", rules=rules)
    table.run("+HDS")
    assert (table.view(1).trumps,) == suits(trumps)


@pytest.mark.parametrize(("rules", "trumps"), [("fosdick", "D"), ("hervey", "H")])
def test_over_several_windows_the_last_or_the_first_call_counts(rules: str, trumps: str) -> None:
    """P9.2, P9.3: windows of one trick; in one between them nothing is called."""
    table = Table("5S KH QH", "6S KS QS", "7S KD QD", fill="CH", rules=rules, stock="3C 4C 5C")
    table.run("- - - 5S +H 6S - 7S +D")
    assert of_type(TrumpsChanged, table.log) == [TrumpsChanged(*suits(trumps))]
    assert table.points == (50, 0, 50)


def test_under_hervey_each_lead_opens_the_contest_anew() -> None:
    """P9.3: the first call since the lead before, not of the hand."""
    table = Table("2S KH QH", "6S KS QS", "7S KD QD", fill="CH", rules="hervey", stock="3C 4C 5C")
    table.run("+H - - 2S 6S +S 7S +D")
    assert of_type(TrumpsChanged, table.log) == [TrumpsChanged(HEARTS), TrumpsChanged(SPADES)]


def test_a_pair_of_the_old_trumps_can_be_called_once_they_have_changed() -> None:
    """P7.2, P9.1"""
    table = Table("5S KC QC", "6S KS QS", "7S 8S", fill="DH", stock="3H 4H 5H")
    assert table.asked == (1, "call"), "clubs are trumps"
    table.run("+S 5S")
    assert table.asked == (0, "call")
    assert calls(table) == ["", "C"]


def test_a_new_hand_forgets_the_calls() -> None:
    """P3.5, P8.2, P9.1: nothing lies face up, and the cut alone sets the trumps."""
    rng = RiggedChance({}).stream("random play")
    state, log = GAME.start(PippipOptions("hervey", 2), 4, RiggedChance({}))
    called = 0
    while state.to_ask is not None:
        events = state.apply(state.sample_action(rng))
        log += events
        if dealt := of_type(Dealt, events):
            called += 1
            assert state.next_trumps is None
            assert state.face_up == [()] * 4
            assert state.view(0).trumps == dealt[0].trumps
    assert called == 7
    assert of_type(Called, log)
    assert Counter(type(event) for event in log)[HandEnded] == 8
