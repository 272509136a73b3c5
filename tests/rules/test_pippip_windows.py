"""Pip-Pip! by its rulebook, the windows of both authors. Every test names clauses."""

from __future__ import annotations

from random import Random

import pytest

from pips_referee.chance import Chance
from pips_referee.errors import OptionsError
from pips_referee.games.pippip.rules import GAME
from pips_referee.games.pippip.values import (
    Called,
    HandEnded,
    PippipOptions,
    Played,
    StockTurned,
    TrickWon,
    TrumpsChanged,
)
from tests.rules.pippip_table import Table, of_type, suits

HEARTS, SPADES = suits("HS")


# P13 Other windows


def test_the_option_windows() -> None:
    """P13.1"""
    assert PippipOptions().windows == "house"
    for windows in ("house", "fosdick", "hervey"):
        options = GAME.options({"windows": windows})
        state, _ = GAME.start(options, 4, Chance(bytes(32)))
        assert state.view(0).windows == windows
    with pytest.raises(OptionsError, match="windows is house, fosdick or hervey, not 'phillips'"):
        GAME.options({"windows": "phillips"})


@pytest.mark.parametrize("windows", ["house", "fosdick", "hervey"])
def test_who_sets_the_trumps_goes_by_the_rules_and_not_by_the_windows(windows: str) -> None:
    """P13.1, P1.3, P9.2, P9.3"""
    for rules, trumps in (("fosdick", SPADES), ("hervey", HEARTS)):
        table = Table("KH QH", "KS QS", "4C", rules=rules, windows=windows)
        table.run("+H +S")
        assert table.view(2).trumps == trumps


def test_fosdicks_windows_are_open_after_everybodys_card() -> None:
    """P13.2: seat 2 may call after the card of seat 0, before seat 1 plays."""
    table = Table("5D 6D", "7D 8D", "KH QH 9D", fill="CS", stock="10S 10S 10C", windows="fosdick")
    table.run("- 5D")
    assert table.asked == (2, "call")
    assert [played.seat for played in of_type(Played, table.log)] == [0]
    table.run("- 7D")
    assert table.asked == (2, "call")
    events = table.run("+H 9D")
    assert [type(event) for event in events][:1] == [Called]
    assert of_type(TrumpsChanged, events) == [TrumpsChanged(HEARTS)], "with the next lead"


def test_a_pair_can_be_called_right_before_one_of_it_has_to_be_played() -> None:
    """P13.2: in the house's windows seat 1 would have had to call before the lead."""
    script = "- 5H"
    table = Table("5H 6D", "KH QH", "9D 4D", fill="CS", stock="10S 10S 10C", windows="fosdick")
    table.run(script)
    assert table.asked == (1, "call")
    table.run("+H KH^")
    assert table.points[1] == 50
    table = Table("5H 6D", "KH QH", "9D 4D", fill="CS", stock="10S 10S 10C")
    table.run(script)
    assert table.asked == (1, "play")


def test_the_seat_that_played_is_the_first_to_be_asked() -> None:
    """P13.2: then to the left; before the first trick the dealer's left begins."""
    table = Table("KD QD 5S", "KH QH 7S", "KS QS 9S", stock="10C 9C 8C", windows="fosdick")
    asked = [table.asked]
    for _ in range(2):
        table.run("-")
        asked.append(table.asked)
    table.run("- 5S - - - 7S")
    for _ in range(3):
        asked.append(table.asked)
        table.run("-")
    assert [seat for seat, _ in asked] == [0, 1, 2, 1, 2, 0]
    assert {kind for _, kind in asked} == {"call"}


def test_each_call_gives_all_others_another_chance() -> None:
    """P13.2: also to those who had called nothing; the caller itself is not asked
    again.
    """
    table = Table("KH QH KD QD", "KS QS", "4C", windows="fosdick")
    lefts = []
    for word, asked in (("-", 0), ("+S", 1), ("+H", 0)):
        assert table.asked == (asked, "call")
        lefts.append(table.view(asked).windows_left)
        assert table.view(1 - asked).windows_left == 0, "nobody else sees who is asked"
        table.run(word)
    assert lefts == [3, 2, 1]
    assert table.asked == (0, "play"), "seat 0 could have called diamonds with hearts"
    assert table.view(0).trumps == HEARTS


def test_a_call_is_answered_until_nobody_calls_any_more() -> None:
    """P13.2"""
    table = Table("KH QH KD QD", "KS QS KS QS", "4C", windows="fosdick")
    table.run("- +S +H +S +D")
    assert [called.suits for called in of_type(Called, table.log)] == [(SPADES,), (HEARTS,), (SPADES,), suits("D")]
    assert table.asked == (0, "play")
    assert table.points == (100, 100, 0)


def test_fosdicks_windows_are_open_between_two_tricks_and_in_the_last_seven() -> None:
    """P13.2: after the last card of a trick everybody may call before the next lead."""
    table = Table("2D KH QH 5D", "7D 8D", "9D 4D", fill="CS", stock_size=0, windows="fosdick")
    table.run("- 2D - 7D - 9D")
    assert table.asked == (0, "call")
    events = table.run("+H")
    assert [type(event) for event in events] == [Called, TrickWon, TrumpsChanged]
    assert not table.view(0).drawing


def test_herveys_windows_come_with_the_deal_and_with_a_drawn_card() -> None:
    """P13.3"""
    table = Table("KH QH 2D 6D", "7D 8D", "9D 4D", fill="CS", stock="10S 10S 10C 9C", stock_size=4, windows="hervey")
    assert table.asked == (0, "call")
    table.run("- 2D")
    assert table.asked == (0, "call"), "a card was drawn"
    events = table.run("- 7D 9D")
    assert of_type(StockTurned, events) and not table.view(0).drawing
    table.run("6D")
    assert table.asked == (1, "play"), "nothing was drawn"


def test_in_herveys_last_seven_tricks_nothing_is_called() -> None:
    """P13.3: the match goes on to its end."""
    table = Table("KH QH 5D 6D", "7D 8D", "9D 4D", fill="CS", stock_size=0, windows="hervey")
    table.run("-")
    rng, kinds = Random(1), set()
    while not of_type(HandEnded, table.log):
        kinds.add(table.state.kind)
        table.answer(table.state.sample_action(rng))
    assert kinds == {"play"}


@pytest.mark.parametrize("seats", [3, 12])
@pytest.mark.parametrize("windows", ["house", "fosdick", "hervey"])
def test_no_match_is_longer_than_the_longest(windows: str, seats: int) -> None:
    """P13.2: seats that call as late as they can are asked most often."""
    options = PippipOptions(windows=windows, hands=2)
    state, _ = GAME.start(options, seats, Chance(bytes([seats] * 32)))
    questions, calls = 0, 0
    while state.to_ask is not None:
        questions += 1
        calls += state.kind == "call"
        state.apply(next(state.legal_actions()))
    assert questions <= GAME.longest(options, seats)
    assert calls > 0
