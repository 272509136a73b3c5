"""Pip-Pip!'s values: what a view says beside its fields, and answers at random."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from pips_referee.cards import Suit, parse_card
from pips_referee.chance import Chance
from pips_referee.games.pippip.rules import GAME
from pips_referee.games.pippip.values import Call, PippipAction, PippipOptions, Play
from tests.rules.pippip_table import Table

HEARTS, DIAMONDS = Suit.HEARTS, Suit.DIAMONDS


def test_a_view_of_a_trick() -> None:
    table = Table("5D 6D", "9D 8D", "7D 6D")
    view = table.view(1)
    assert (view.led, view.winning_seat, view.trick) == (None, None, ())
    table.run("5D 9D")
    view = table.view(1)
    assert (view.led, view.winning_seat) == (DIAMONDS, 1)
    assert sum(view.played) == 2 == view.played[parse_card("5D")] + view.played[parse_card("9D")]
    table.run("7D")
    view = table.view(1)
    assert (view.leader, view.led, view.winning_seat) == (1, None, None)
    assert view.tricks == (0, 1, 0)
    assert sum(view.played) == 3


def test_a_view_counts_the_tricks_and_the_cards_of_a_hand() -> None:
    table = Table("2D AD 2D", "4D 5D 6D", "3D 7D 8D", stock="3C 4C 5C 3C 4C 5C")
    assert table.view(0).drawing
    table.run("2D 4D 3D")
    table.run("2D 5D 7D")
    view = table.view(2)
    assert view.tricks == (2, 0, 0)
    assert view.played[parse_card("2D")] == 2
    assert (view.hand_number, view.hands, view.dealer) == (1, 3, 2)


def test_a_view_of_a_window_before_the_first_trick() -> None:
    view = Table("KH QH", "4C", "4C").view(0)
    assert view.drawing, "a card will be drawn for"
    assert (view.stock_count, view.rest, view.tricks) == (83, (), (0, 0, 0))


def test_what_all_know_of_the_suits_in_a_hand() -> None:
    """P5.1, P8.2: a seat that does not follow has none of the suit led.

    Nobody knows which cards it draws later.
    """
    table = Table("2D", "KH QH 3C", "KS QS 5D", fill="S", stock="3D 4D 6D")

    def limits(seat: int) -> list[int]:
        return [table.view(0).suit_limit(seat, suit) for suit in Suit]

    assert limits(1) == [7, 7, 7, 7]
    table.run("+H +S")
    assert limits(1) == [7, 7, 5, 7], "two hearts less can be hidden"
    assert limits(2) == [7, 7, 7, 5]
    table.run("2D")
    assert limits(0) == [7, 7, 7, 7]
    table.run("KH^")
    assert limits(1) == [7, 1, 6, 7], "no diamonds but the card just drawn; the king was not hidden"
    table.run("5D")
    assert limits(2) == [7, 7, 7, 6]
    table = Table("2D", "4D 5D", "3D", stock_size=0)
    table.run("2D")
    assert limits(0) == [7, 6, 7, 7]


def test_the_hand_is_all_that_is_held() -> None:
    table = Table("KH QH 5D", "4C", "4C")
    table.run("+H")
    view = table.view(0)
    assert Counter(view.hand) == Counter([*view.hidden, parse_card("KH"), parse_card("QH")])


def test_only_the_asked_seat_is_asked() -> None:
    table = Table("KH QH 5D", "4C", "4C")
    assert [table.view(seat).kind for seat in range(3)] == ["call", "", ""]
    assert [table.view(seat).callable for seat in range(3)] == [(HEARTS,), (), ()]
    assert list(table.view(0).legal_actions()) == [Call(), Call((HEARTS,))]
    table.run("+H")
    assert [table.view(seat).kind for seat in range(3)] == ["play", "", ""]
    assert [bool(table.view(seat).playable) for seat in range(3)] == [True, False, False]
    assert table.view(0).callable == ()
    assert list(table.view(0).legal_actions()) == table.legal


Answering = Callable[[Table, Random], PippipAction]


@pytest.mark.parametrize(
    "answer",
    [lambda table, rng: table.state.sample_action(rng), lambda table, rng: table.view(0).random_action(rng)],
    ids=["state", "view"],
)
def test_every_legal_answer_can_come_up_equally_often(answer: Answering) -> None:
    rng = Random(1)
    table = Table("KH KH QH QH KS QS 5D", "4C", "4C")
    for script, kind in (("", Call), ("+H", Play)):
        table.run(script)
        found = Counter(answer(table, rng) for _ in range(1800))
        assert set(found) == set(table.legal)
        assert all(isinstance(action, kind) for action in found)
        assert min(found.values()) > 0.7 * 1800 / len(table.legal)


def test_who_is_not_asked_has_no_answer() -> None:
    view = Table("KH QH", "4C", "4C").view(1)
    assert list(view.legal_actions()) == []
    with pytest.raises(LookupError, match=r"^nobody is asked, so there is no action$"):
        view.random_action(Random(1))


@pytest.mark.parametrize(
    ("rules", "seats", "rounds", "longest"),
    [("hervey", 2, 1, 4 * 2 * 52), ("fosdick", 3, 1, 9 * 2 * 34), ("fosdick", 12, 10, 1440 * 2 * 8)],
)
def test_the_longest_match(rules: str, seats: int, rounds: int, longest: int) -> None:
    """A window and a card for every seat in every trick.

    There are windows before the first trick, and none after the last.
    """
    assert GAME.longest(PippipOptions(rules, rounds), seats) == longest


def test_no_match_is_as_long_as_the_longest() -> None:
    options = PippipOptions("hervey")
    state, _ = GAME.start(options, 2, Chance(bytes(32)))
    questions = 0
    while state.to_ask is not None:
        questions += 1
        state.apply(next(state.legal_actions()))
    assert 150 < questions < GAME.longest(options, 2)
