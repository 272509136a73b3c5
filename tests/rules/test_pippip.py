"""Pip-Pip! by its rulebook, all but the calls: every test names the clauses of RULES.md
that it covers.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from pips_referee.cards import CARDS, RANK_NAMES, Suit, parse_card, parse_cards
from pips_referee.chance import Chance
from pips_referee.errors import IllegalAction, OptionsError
from pips_referee.game import Outcome
from pips_referee.games.pippip.rules import GAME, PippipState
from pips_referee.games.pippip.tricks import card_points, winner
from pips_referee.games.pippip.values import (
    Call,
    Cut,
    Dealt,
    DrawnForDeal,
    Drew,
    HandEnded,
    PippipOptions,
    Play,
    Played,
    StockTurned,
    TrickWon,
    TrumpsChanged,
)
from tests.rules.pippip_table import Table, of_type, play_out, start

SEATS = range(2, 13)

# P1 The two rule sets


def test_the_rule_sets() -> None:
    """P1.1"""
    assert GAME.options() == PippipOptions("fosdick", 1) == GAME.options({"rules": "fosdick"})
    assert GAME.options({"rules": "hervey"}).rules == "hervey"  # type: ignore[attr-defined]
    with pytest.raises(OptionsError, match="rules is fosdick or hervey, not 'phillips'"):
        GAME.options({"rules": "phillips"})


def test_how_many_may_play() -> None:
    """P1.2"""
    assert GAME.seats(PippipOptions("fosdick")) == range(3, 13)
    assert GAME.seats(PippipOptions("hervey")) == range(2, 13)
    for rules, seats in (("fosdick", 2), ("hervey", 1), ("fosdick", 13), ("hervey", 13)):
        with pytest.raises(OptionsError, match=f"to 12 seats, not {seats}"):
            GAME.start(PippipOptions(rules), seats, Chance(bytes(32)))


def test_one_table_two_trumps() -> None:
    """P1.3, P9.2, P9.3: the same cards and calls differ in the trumps and in nothing
    else.
    """
    tables = [Table("KH QH", "KS QS", "4C", rules=rules) for rules in ("fosdick", "hervey")]
    changed = [of_type(TrumpsChanged, table.run("+H +S")) for table in tables]
    assert changed == [[TrumpsChanged(Suit.SPADES)], [TrumpsChanged(Suit.HEARTS)]]
    logs = [[event for event in table.log if not isinstance(event, TrumpsChanged)] for table in tables]
    assert logs[0] == logs[1]


# P2 The cards


@pytest.mark.parametrize("seats", SEATS)
def test_two_packs(seats: int) -> None:
    """P2.1, P3.6: after the draw for the deal all 104 cards are shuffled."""
    state, log = GAME.start(PippipOptions("hervey"), seats, Chance(bytes([seats] * 32)))
    assert of_type(DrawnForDeal, log)
    [dealt] = of_type(Dealt, log)
    held = Counter(card for hand in dealt.hands for card in hand or ())
    assert held + Counter(state.deck[7 * seats :]) == Counter(CARDS * 2)


def test_the_order_of_the_ranks() -> None:
    """P2.2: each rank beats the next, whoever leads."""
    order = ["2", "A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3"]
    assert sorted(order) == sorted(RANK_NAMES)
    for high, low in pairwise([parse_card(rank + "D") for rank in order]):
        assert winner([high, low], Suit.CLUBS) == winner([high, low], Suit.DIAMONDS) == 0
        assert winner([low, high], Suit.CLUBS) == winner([low, high], Suit.DIAMONDS) == 1


# P3 Dealer and first trumps


def test_the_highest_card_drawn_deals_and_its_suit_is_trumps() -> None:
    """P3.1, P3.3, P2.2: the two is higher than the ace."""
    _, log = start(4, {"dealer": parse_cards("AD KC 2H QS")})
    assert log[0] == DrawnForDeal((0, 1, 2, 3), parse_cards("AD KC 2H QS"))
    assert all(log[0].seen_by(seat) == log[0] for seat in range(4)), "all see it"
    assert isinstance(log[1], Dealt)
    assert (log[1].hand_number, log[1].dealer, log[1].trumps) == (1, 2, Suit.HEARTS)


def test_the_tied_draw_again_from_what_is_left() -> None:
    """P3.2: three aces, then two kings, then a five beats a three; another's ten in
    between counts for nothing.
    """
    _, log = start(4, {"dealer": parse_cards("AD AH 10C AH  KC 4S KC  3D 5S")})
    assert log[:3] == [
        DrawnForDeal((0, 1, 2, 3), parse_cards("AD AH 10C AH")),
        DrawnForDeal((0, 1, 3), parse_cards("KC 4S KC")),
        DrawnForDeal((0, 3), parse_cards("3D 5S")),
    ]
    assert isinstance(log[3], Dealt)
    assert (log[3].dealer, log[3].trumps) == (3, Suit.SPADES)


def test_what_was_drawn_does_not_come_again() -> None:
    """P3.2: however often the tied draw, no card is drawn more often than there are of
    it.
    """
    rounds = 0
    for number in range(60):
        _, log = GAME.start(PippipOptions(), 12, Chance(bytes([number] * 32)))
        drawn = of_type(DrawnForDeal, log)
        assert max(Counter(card for event in drawn for card in event.cards).values()) <= 2
        rounds = max(rounds, len(drawn))
    assert rounds >= 3


def test_later_hands_are_dealt_by_the_left_and_cut_for_by_the_right() -> None:
    """P3.4, P3.5: all 104 cards can be cut; two packs lie one after the other."""
    cuts: dict[str, object] = {"cut/2": 0, "cut/3": 103, "cut/4": 52 + 13}
    state, log = start(4, {"dealer": parse_cards("3D 5D 4H 3S"), **cuts})
    log = play_out(state, log)
    assert of_type(Cut, log) == [
        Cut(1, parse_card("AC")),
        Cut(2, parse_card("KS")),
        Cut(3, parse_card("AD")),
    ]
    deals = [(deal.hand_number, deal.dealer, deal.trumps) for deal in of_type(Dealt, log)]
    assert deals == [(1, 1, Suit.DIAMONDS), (2, 2, Suit.CLUBS), (3, 3, Suit.SPADES), (4, 0, Suit.DIAMONDS)]
    assert of_type(Cut, log)[0].seen_by(3) == Cut(1, parse_card("AC")), "all see it"


def test_each_hand_has_a_shuffle_of_its_own() -> None:
    """P3.6"""
    deck = parse_cards("3C 4C 5C 6C 7C 8C 9C")
    state, log = start(3, {"dealer": parse_cards("3D 4D 5D"), "deck/2": deck})
    deals = of_type(Dealt, play_out(state, log))
    assert deals[1].hands[1] == deck, "the dealer of the second hand is seat 0"
    assert len({deal.hands for deal in deals}) == 3


# P4 The deal


def test_seven_cards_each_from_the_dealers_left() -> None:
    """P4.1"""
    deck = parse_cards("9C 8C 7C 6C 5C 4C 3C  9D 8D 7D 6D 5D 4D 3D  9H 8H 7H 6H 5H 4H 3H")
    state, log = start(3, {"dealer": parse_cards("3D 5D 4H"), "deck/1": deck})
    [dealt] = of_type(Dealt, log)
    clubs, diamonds, hearts = (tuple(sorted(deck[place : place + 7])) for place in (0, 7, 14))
    assert dealt.dealer == 1
    assert dealt.hands == (diamonds, hearts, clubs)
    assert state.view(0).hidden == diamonds
    assert state.view(0).hand_number == 1
    assert state.view(0).stock_count == 83
    assert dealt.seen_by(0) == Dealt(1, 1, Suit.DIAMONDS, (diamonds, None, None))
    assert dealt.seen_by(2) == Dealt(1, 1, Suit.DIAMONDS, (None, None, clubs))


def test_who_leads() -> None:
    """P4.2: the dealer's left, then the winner of the trick before, and the others
    follow to the left.
    """
    table = Table("5D 6D", "9D 5H", "7D 6H")
    assert table.view(0).dealer == 2
    assert table.view(0).leader == 0
    table.run("5D 9D 7D")
    assert table.view(0).leader == 1
    table.run("5H")
    table.run("6H")
    assert [played.seat for played in table.plays][:5] == [0, 1, 2, 1, 2]


# P5 Tricks


def test_any_card_may_be_led() -> None:
    """P5.1"""
    table = Table("5D 2C KS 3H AH 9D 9D", "4C", "4C")
    assert {play.card for play in of_type(Play, table.legal)} == set(parse_cards("5D 2C KS 3H AH 9D"))


def test_who_can_must_follow_suit() -> None:
    """P5.1"""
    table = Table("5D", "4D 9D 2C AC 5H 6H 7H", "4C")
    table.run("5D")
    assert table.legal == [Play(parse_card("4D")), Play(parse_card("9D"))]
    reason, sentence = table.refusal(Play(parse_card("2C")))
    assert reason == "must_follow"
    assert sentence == "2♣ does not follow suit: play one of 4♦ 9♦"
    assert table.refusal(Play(parse_card("8S"))) == ("not_in_hand", "there is no 8♠ hidden in the hand")
    assert table.refusal(Play(parse_card("4D"), face_up=True))[1] == "there is no 4♦ face up before the seat"


def test_who_cannot_follow_plays_anything() -> None:
    """P5.1"""
    table = Table("5D", "4S 9S 2C AC 5H 6H 7H", "4C")
    table.run("5D")
    assert [play.card for play in of_type(Play, table.legal)] == list(table.view(1).hidden)
    table.run("9S")


@pytest.mark.parametrize(
    ("trick", "trumps", "place"),
    [
        ("5D 9D 7D", "C", 1),
        ("9D 5D 7D", "C", 0),
        ("5D 2S 2H", "C", 0),  # the highest of the suit led, not the highest
        ("5D 3C 2D", "C", 1),  # any trump
        ("5D 3C 4C", "C", 2),
        ("5D AC KC", "C", 1),
        ("5D AD KD", "D", 1),  # trumps led
        ("AD 3D 2H", "H", 2),
        ("5D 2H 6S", "S", 2),
    ],
)
def test_who_wins(trick: str, trumps: str, place: int) -> None:
    """P5.2, in the middle of a match."""
    table = Table(*trick.split(), trumps=trumps, fill="HS")
    [won] = of_type(TrickWon, table.run(trick))
    assert won.seat == place == winner(parse_cards(trick), table.view(0).trumps)


@pytest.mark.parametrize(
    ("trick", "trumps", "place"),
    [
        ("9D 9D 5D", "C", 1),
        ("9D 5D 9D", "C", 2),
        ("9D 9C 9C", "C", 2),  # trumps too
        ("9D 9S 9S", "C", 0),  # but not two that have no say
        ("9D 9D 2D", "C", 2),
        ("9D 9D 3C", "C", 2),
    ],
)
def test_of_two_identical_cards_the_later_wins(trick: str, trumps: str, place: int) -> None:
    """P5.3"""
    table = Table(*trick.split(), trumps=trumps, fill="HS")
    assert [won.seat for won in of_type(TrickWon, table.run(trick))] == [place]


def test_a_card_without_alternative_is_played_unasked() -> None:
    """P5.4: a single card of the suit led, two identical ones, and the last card of
    all.
    """
    table = Table("5D", "4D 3C 3C 3H 3H 3S 3S", "9D 9D 4C 4C 4H 4H 4S")
    events = table.run("5D")
    assert of_type(Played, events) == [
        Played(0, parse_card("5D"), False),
        Played(1, parse_card("4D"), False),
        Played(2, parse_card("9D"), False),
    ]
    assert table.asked == (2, "play")


def test_the_last_trick_asks_nobody() -> None:
    """P5.4"""
    table = Table("3C 4C 5C 6C 7C 8C 9C", "3D 4D 5D 6D 7D 8D 9D", "3H 4H 5H 6H 7H 8H 9H", stock_size=0)
    script = " ".join(f"{rank}C {rank}D {rank}H" for rank in range(3, 8))
    table.run(script)
    events = table.run("8C 8D 8H")
    assert of_type(Played, events)[-3:] == [Played(seat, parse_card("9" + "CDH"[seat]), False) for seat in range(3)]
    assert of_type(HandEnded, events)


# P6 The stock


def test_who_has_played_draws_at_once() -> None:
    """P6.1"""
    table = Table("5D 6D", "7D 8D", "9D 4D", stock="AS KH 10C")
    events = table.run("5D")
    assert events == [Played(0, parse_card("5D"), False), Drew(0, parse_card("AS"))]
    assert [events[1].seen_by(seat) for seat in range(3)] == [Drew(0, parse_card("AS")), Drew(0, None), Drew(0, None)]
    assert parse_card("AS") in table.view(0).hidden
    assert table.view(1).hand_counts == (7, 7, 7)
    assert table.view(1).stock_count == 82
    events = table.run("7D 9D")
    assert of_type(Drew, events) == [Drew(1, parse_card("KH")), Drew(2, parse_card("10C"))]


def test_a_stock_of_exactly_one_card_for_every_seat_is_drawn() -> None:
    """P6.2: the second and third to play draw although the stock is smaller by then;
    nothing is left to turn up.
    """
    table = Table("5D 6D", "7D 8D", "9D 4D", stock="AS KH 10C", stock_size=3)
    assert table.view(0).drawing
    events = table.run("5D 7D 9D")
    assert [drew.seat for drew in of_type(Drew, events)] == [0, 1, 2]
    assert of_type(StockTurned, table.log) == []
    assert not table.view(0).drawing
    assert (table.view(0).stock_count, table.view(0).rest) == (0, ())


def test_a_stock_that_is_too_small_is_turned_up() -> None:
    """P6.3, P6.4"""
    table = Table("5D 6D", "7D 8D", "9D 4D", stock="AS KH 10C JC 3S", stock_size=5)
    events = table.run("5D 7D 9D")
    rest = parse_cards("JC 3S")
    assert events[-1] == StockTurned(rest) == events[-1].seen_by(1)
    assert all(table.view(seat).rest == rest for seat in range(3))
    assert table.view(0).stock_count == 0
    events = table.run("4D")
    assert events == [Played(2, parse_card("4D"), False)], "nothing is drawn"
    assert table.view(0).hand_counts == (7, 7, 6)
    log = play_out(table.state, events)
    assert len(of_type(StockTurned, log)) <= 2, "once a hand"


def test_a_stock_too_small_from_the_beginning() -> None:
    """P6.3"""
    table = Table("5D", "7D", "9D", stock="AS KH", stock_size=2)
    assert table.log[-1] == StockTurned(parse_cards("AS KH"))
    assert not table.view(0).drawing


@pytest.mark.parametrize("seats", SEATS)
def test_how_many_tricks_a_hand_has(seats: int) -> None:
    """P6.2, P6.3, P6.4: as many as the stock is worth, and seven more."""
    state, log = GAME.start(PippipOptions("hervey"), seats, Chance(bytes([seats] * 32)))
    while not of_type(HandEnded, log):
        log += state.apply(next(state.legal_actions()))
    hand = log[: log.index(of_type(HandEnded, log)[0])]
    drawing, left = divmod(104 - 7 * seats, seats)
    assert len(of_type(TrickWon, hand)) == drawing + 7
    assert len(of_type(Drew, hand)) == drawing * seats
    assert [len(turned.cards) for turned in of_type(StockTurned, hand)] == ([left] if left else [])
    assert of_type(HandEnded, log)[0].points == state.view(0).points or of_type(Dealt, log)[1:]


# P10 What tricks are worth


def test_card_points() -> None:
    """P10.1"""
    worth = {"2": 11, "A": 10, "K": 5, "Q": 4, "J": 3}
    assert all(card_points(card) == worth.get(RANK_NAMES[card.rank - 1], 0) for card in CARDS)
    assert sum(card_points(card) for card in CARDS * 2) == 264


def test_the_winner_scores_the_whole_trick() -> None:
    """P10.1"""
    table = Table("QD", "KD", "2D", "AD", "JD", "10D")
    events = table.run("QD KD 2D AD JD 10D")
    assert of_type(TrickWon, events) == [TrickWon(2, 4 + 5 + 11 + 10 + 3)]
    assert table.points == (0, 0, 33, 0, 0, 0)
    assert table.view(5).tricks == (0, 0, 1, 0, 0, 0)


def test_every_point_of_a_hand_is_won_by_somebody() -> None:
    """P10.1, P8.1: without calls a hand is worth 264 points less what lies in the rest
    of the stock.
    """
    state, log = GAME.start(PippipOptions(), 3, Chance(bytes([7] * 32)))
    log = play_out(state, log)
    rest = sum(card_points(card) for turned in of_type(StockTurned, log) for card in turned.cards)
    assert sum(state.outcome().scores) == 3 * 264 - rest


# P11 The match


@pytest.mark.parametrize(("seats", "rounds"), [(3, 1), (3, 2), (4, 3), (12, 1)])
def test_everybody_deals_equally_often(seats: int, rounds: int) -> None:
    """P11.1, P3.4"""
    state, log = GAME.start(PippipOptions("hervey", rounds), seats, Chance(bytes([rounds] * 32)))
    assert state.view(0).hands == seats * rounds
    log = play_out(state, log)
    assert Counter(deal.dealer for deal in of_type(Dealt, log)) == dict.fromkeys(range(seats), rounds)
    assert [ended.hand_number for ended in of_type(HandEnded, log)] == list(range(1, seats * rounds + 1))
    assert state.to_ask is None
    assert state.kind == ""
    assert list(state.legal_actions()) == []


def test_the_option_rounds() -> None:
    """P11.1"""
    assert PippipOptions(rounds=10).rounds == 10
    for rounds in (0, 11, True, "2"):
        with pytest.raises(OptionsError, match="rounds is a whole number from 1 to 10"):
            GAME.options({"rounds": rounds})


@pytest.mark.parametrize("hands", [1, 5, 8])
def test_another_number_of_hands(hands: int) -> None:
    """P11.3: the deal passes on as ever."""
    state, log = GAME.start(PippipOptions(hands=hands), 4, Chance(bytes([hands] * 32)))
    log = play_out(state, log)
    dealers = [deal.dealer for deal in of_type(Dealt, log)]
    assert dealers == [(dealers[0] + number) % 4 for number in range(hands)]
    assert state.view(0).hands == len(of_type(HandEnded, log)) == hands


def test_hands_take_the_place_of_rounds() -> None:
    """P11.3"""
    assert PippipOptions(hands=120).hands_for(3) == 120
    for hands in (0, 121, True, "2"):
        with pytest.raises(OptionsError, match="hands is a whole number from 1 to 120"):
            GAME.options({"hands": hands})
    with pytest.raises(OptionsError, match="hands takes the place of rounds: give one of them, not both"):
        GAME.options({"hands": 4, "rounds": 2})


def test_the_points_of_all_hands_add_up() -> None:
    """P11.2"""
    state, log = GAME.start(PippipOptions(), 4, Chance(bytes([9] * 32)))
    log = play_out(state, log)
    won = Counter[int]()
    for event in of_type(TrickWon, log):
        won[event.seat] += event.points
    assert state.outcome().scores == tuple(won[seat] for seat in range(4)) == of_type(HandEnded, log)[-1].points


def test_the_highest_total_wins_and_equal_totals_share() -> None:
    """P11.2"""
    state = PippipState(PippipOptions(), 4, Chance(bytes(32)))
    state.points = [120, 300, 120, 90]
    assert state.outcome() == Outcome((2, 1, 2, 4), (120, 300, 120, 90))


# P12 Identical cards

ONE_UP_ONE_HIDDEN = ("KH KH QH 3H 4D 4D 5D", "6H 3S", "7H 4S")


def test_one_hidden_and_one_face_up_are_two_answers() -> None:
    """P12.1"""
    king = parse_card("KH")
    table = Table(*ONE_UP_ONE_HIDDEN)
    table.run("+H")
    assert table.view(0).playable.count(king) == 1
    assert {Play(king, False), Play(king, True)} <= set(table.legal)
    for face_up in (False, True):
        state = table.state.copy()
        assert state.apply(Play(king, face_up))[0] == Played(0, king, face_up)
        assert (king in state.hidden[0]) is face_up
        assert (king in state.face_up[0]) is not face_up


def test_the_choice_between_them_is_a_question() -> None:
    """P12.1, P5.4: to follow with this king or with that one are two legal answers."""
    king = parse_card("KD")
    table = Table("2D 9D", "KD KD QD", "8D 7D", stock="3S 4S 5S", fill="HS")
    table.run("+D 2D QD^ 8D")
    table.run("9D")
    assert table.asked == (1, "play")
    assert table.view(1).playable == (king,)
    assert table.legal == [Play(king, False), Play(king, True)]


def test_two_alike_in_one_place_are_one_answer() -> None:
    """P12.1"""
    table = Table("5D 5D 6D 7D 8D 9D 10D", "4C", "4C")
    assert len(table.legal) == 6
    table = Table("2D 9D", "KD KD QD QD", "8D 7D", fill="HS")
    table.run("+DD 2D")
    assert table.legal == [Play(parse_card("KD"), True), Play(parse_card("QD"), True)]


def test_a_question_needs_two_legal_answers() -> None:
    """P5.4, P7.7: over many random matches, nobody is asked what has only one."""
    rng = Chance(bytes(32)).stream("random play")
    for number in range(12):
        state, _ = GAME.start(PippipOptions(), 3 + number % 3, Chance(bytes([number] * 32)))
        while state.to_ask is not None:
            assert len(list(state.legal_actions())) > 1
            state.apply(state.sample_action(rng))


def test_a_copy_is_equal_and_leads_a_life_of_its_own() -> None:
    rng = Chance(bytes([2] * 32)).stream("random play")
    state, _ = GAME.start(PippipOptions(), 4, Chance(bytes([2] * 32)))
    while state.to_ask is not None:
        before = inside(state)
        twin = state.copy()
        assert inside(twin) == before
        twin.apply(twin.sample_action(rng))
        assert inside(state) == before
        state.apply(state.sample_action(rng))


def inside(state: PippipState) -> dict[str, str]:
    return {name: repr(getattr(state, name)) for name in PippipState.__slots__}


def test_an_answer_to_another_question_is_refused() -> None:
    table = Table("KH QH 3H", "4C", "4C")
    reason, sentence = table.refusal(Play(parse_card("KH")))
    assert reason == "wrong_kind"
    assert "does not answer a question to call" in sentence
    table.run("-")
    assert table.refusal(Call())[0] == "wrong_kind"
    state, log = GAME.start(PippipOptions(), 3, Chance(bytes(32)))
    play_out(state, log)
    with pytest.raises(IllegalAction, match="question to nobody"):
        state.apply(Call())
