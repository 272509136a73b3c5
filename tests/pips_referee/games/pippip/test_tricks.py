"""Tricks and pairs, and their tables, against brute-force twins."""

from __future__ import annotations

from random import Random

from pips_referee.cards import CARDS, Card, Suit, parse_cards
from pips_referee.games.pippip.tricks import (
    HEIGHT,
    PAIR_CARDS,
    POINTS,
    RANKS,
    STRENGTH,
    call_orders,
    card_points,
    following,
    pairs,
    strengths,
    winner,
    would_win,
)
from pips_referee.games.pippip.values import Call, plays
from tests.pips_referee.games.pippip.twin import ORDER, WORTH, Piece, legal_calls, legal_plays, winning

PACK = CARDS * 2
CLUBS, DIAMONDS, HEARTS, SPADES = Suit


def test_tables() -> None:
    """P2.2, P7.1, P10.1"""
    assert len(RANKS) == 13
    for card in CARDS:
        rank = str(card)[:-1]
        assert HEIGHT[card] == ORDER.index(rank) + 1
        assert POINTS[card] == card_points(card) == WORTH.get(rank, 0)
    assert tuple((king, queen) for king, queen in zip(CARDS[12::13], CARDS[11::13], strict=True)) == PAIR_CARDS


def test_strength_orders_every_two_cards_like_the_twin() -> None:
    """P5.2: for all trumps, suits led and cards."""
    for trumps in Suit:
        for led in CARDS[::13]:
            strength = strengths(trumps, led.suit)
            assert strength == STRENGTH[trumps][led.suit]
            for card in CARDS:
                beats = winning([(0, Piece(led)), (1, Piece(card))], trumps) == 1
                assert (strength[card] >= strength[led]) == beats
                assert (strength[card] == 0) == (card.suit not in (trumps, led.suit))


def test_winner_agrees_with_the_twin() -> None:
    """P5.2, P5.3: tricks of every size.

    Every third has three ranks only, so that many cards are identical.
    """
    rng = Random(1)
    for number in range(4000):
        pack = [card for card in PACK if number % 3 or card.rank in (2, 3, 13)]
        trick = rng.sample(pack, 1 + number % 12)
        trumps = rng.choice(list(Suit))
        expected = winning([(seat, Piece(card)) for seat, card in enumerate(trick)], trumps)
        assert winner(trick, trumps) == expected
        assert would_win(trick[-1], trick[:-1], trumps) == (expected == len(trick) - 1)


def test_a_card_that_is_led_is_winning() -> None:
    assert would_win(CARDS[2], (), SPADES)


def test_what_may_be_played_agrees_with_the_twin() -> None:
    """P5.1, P12.1: hands with cards that lie face up."""
    rng = Random(2)
    for _ in range(3000):
        few = rng.sample(PACK, 20)
        hand = [Piece(card, rng.random() < 0.3) for card in (*few[:5], *rng.sample(few[:5], 2))]
        hidden = sorted(piece.card for piece in hand if not piece.face_up)
        lying = [piece.card for piece in hand if piece.face_up]
        cards = hidden + lying
        fitting = following(cards, few[-1].suit) or cards
        assert set(plays(fitting, hidden, lying)) == legal_plays(hand, [(0, Piece(few[-1]))])
        assert {play.card for play in plays(cards, hidden, lying)} == set(cards)


def test_following_keeps_the_order() -> None:
    assert following(parse_cards("5D 3C 9D 3C 2D"), DIAMONDS) == list(parse_cards("5D 9D 2D"))
    assert following(parse_cards("5D 3C"), SPADES) == []


def test_plays_are_listed_once_with_the_hidden_ones_first() -> None:
    """P12.1"""
    king, queen, three = parse_cards("KH QH 3C")
    listed = plays((three, queen, king), (three, king), (king, queen))
    assert [(play.card, play.face_up) for play in listed] == [
        (three, False),
        (king, False),
        (queen, True),
        (king, True),
    ]


def test_what_may_be_called_agrees_with_the_twin() -> None:
    """P7.1, P7.2, P7.6, P8.4: hands with many kings and queens."""
    rng = Random(3)
    royal: list[Card] = [card for card in PACK if card.rank >= 12]
    sizes = set()
    for number in range(1500):
        hidden = rng.sample(royal, number % 8)
        for trumps in Suit:
            orders = call_orders(pairs(hidden, trumps))
            assert len(orders) == len(set(orders))
            assert {Call(order) for order in orders} == legal_calls([Piece(card) for card in hidden], trumps)
            sizes.add(len(orders))
    assert sizes == {1, 2, 3, 5, 9, 16}


def test_pairs_by_suit() -> None:
    """P8.4"""
    hand = parse_cards("KH KH QH QH KC QC KD QS")
    assert pairs(hand, DIAMONDS) == (CLUBS, HEARTS, HEARTS)
    assert pairs(hand, CLUBS) == (HEARTS, HEARTS)
    assert pairs(hand, HEARTS) == (CLUBS,)
    assert pairs(parse_cards("KH KH QH"), CLUBS) == (HEARTS,)
    assert pairs(parse_cards("KH QH QH"), CLUBS) == (HEARTS,)


def test_call_orders() -> None:
    """P7.6: nothing first, all last."""
    assert call_orders(()) == [()]
    assert call_orders((HEARTS, HEARTS)) == [(), (HEARTS,), (HEARTS, HEARTS)]
    assert call_orders((CLUBS, HEARTS)) == [(), (CLUBS,), (HEARTS,), (CLUBS, HEARTS), (HEARTS, CLUBS)]
