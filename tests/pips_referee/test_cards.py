from __future__ import annotations

import copy
import pickle

import pytest

from pips_referee.cards import ACE, CARDS, JACK, KING, QUEEN, Card, Suit, card, cards, parse_card, parse_cards


def test_a_pack_is_52_cards_by_their_byte() -> None:
    assert [int(c) for c in CARDS] == list(range(52))
    assert [(c.suit, c.rank) for c in CARDS] == [(suit, rank) for suit in Suit for rank in range(1, 14)]


def test_a_card_is_found_by_byte_and_by_rank_and_suit() -> None:
    assert card(0) is CARDS[0] is Card.of(ACE, Suit.CLUBS)
    assert card(51) is Card.of(KING, Suit.SPADES)
    assert Card.of(QUEEN, Suit.SPADES) == 50 and Card.of(JACK, Suit.DIAMONDS) == 23


def test_cards_print_as_people_write_them() -> None:
    assert str(Card.of(QUEEN, Suit.SPADES)) == repr(Card.of(QUEEN, Suit.SPADES)) == "Q♠"
    assert " ".join(map(str, parse_cards("AC 10D JH KS"))) == "A♣ 10♦ J♥ K♠"
    assert [c.code for c in parse_cards("A♣ 10♦ J♥ K♠")] == ["AC", "10D", "JH", "KS"]
    assert [str(suit) for suit in Suit] == [suit.symbol for suit in Suit] == list("♣♦♥♠")


def test_every_card_is_one_also_the_one_whose_byte_is_0() -> None:
    assert all(CARDS) and bool(Card.of(1, Suit.CLUBS))


def test_red_suits() -> None:
    assert [suit.is_red for suit in Suit] == [False, True, True, False]
    assert [c.is_red for c in parse_cards("AC AD AH AS")] == [False, True, True, False]


def test_the_same_card_stays_the_same_object() -> None:
    queen = parse_card("QS")
    for other in (copy.copy(queen), copy.deepcopy(queen), pickle.loads(pickle.dumps(queen)), copy.deepcopy([queen])[0]):
        assert other is queen


@pytest.mark.parametrize("text", ["10H", "10♥", "TH", "th", " 10h "])
def test_ways_to_write_a_card(text: str) -> None:
    assert parse_card(text) is Card.of(10, Suit.HEARTS)


@pytest.mark.parametrize("text", ["", "1H", "QX", "Q", "QSS", "0C"])
def test_what_is_no_card_is_said_so(text: str) -> None:
    with pytest.raises(ValueError, match="is no card: write a rank and a suit"):
        parse_card(text)


def test_several_cards() -> None:
    assert parse_cards("QS, 10H\n2c") == (card(50), card(35), card(1))
    assert parse_cards(" ") == ()
    assert cards(b"\x00\x33") == (CARDS[0], CARDS[51])
    assert cards(b"") == ()


@pytest.mark.parametrize("byte", [-1, 52, 255])
def test_bytes_outside_the_pack_are_no_cards(byte: int) -> None:
    with pytest.raises(ValueError, match=f"^{byte} is no card: a card is a byte from 0 to 51$"):
        card(byte)


def test_the_first_byte_that_is_no_card_is_named() -> None:
    with pytest.raises(ValueError, match=r"^52 is no card"):
        cards(bytes([3, 52, 255]))


def test_a_suit_is_found_by_its_number_or_name() -> None:
    for suit in Suit:
        assert Suit(suit.value) is Suit[suit.name] is Suit(suit) is suit and type(suit.value) is int
    for wrong in (True, 1.0, 4, -1, "HEARTS", [1]):
        with pytest.raises(ValueError, match="is no suit"):
            Suit(wrong)  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        Suit["hearts"]
