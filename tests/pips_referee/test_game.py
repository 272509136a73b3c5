from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Self

import pytest

from pips_referee.errors import OptionsError, UnknownGame
from pips_referee.game import REGISTRY, Action, Event, Options, State, check_whole, get_game, places_of
from pips_referee.wire import get_wire


@dataclass(frozen=True, slots=True)
class TwoOptions(Options):
    low: int = 1
    high: int = 2

    def __post_init__(self) -> None:
        check_whole(self, "low", 0, 5)
        check_whole(self, "high", 0, 5)


def test_an_unknown_game_is_told_which_there_are() -> None:
    for find in (get_game, get_wire):
        with pytest.raises(UnknownGame, match="there is no game 'chess'; the games are " + ", ".join(REGISTRY)):
            find("chess")


def test_a_game_is_found_by_its_name() -> None:
    game = get_game("serpent")
    assert (game.name, game.title) == ("serpent", "Serpent")
    assert game.rulebook().startswith("# Serpent") and game.room.name == "serpent"


class Counts(State[Any, Any, Any], lists="numbers", nested="rows"):
    __slots__ = ("kind", "numbers", "rows", "to_ask")
    numbers: list[int]
    rows: list[list[int]]

    def view(self, seat: int) -> Any: ...
    def apply(self, action: object) -> Any: ...
    def outcome(self) -> Any: ...


class MoreCounts(Counts, lists="more"):
    __slots__ = ("more",)
    more: list[int]


class OwnCopy(Counts):
    __slots__ = ()

    def copy(self) -> Self:
        return self


def test_a_copy_shares_no_list_of_its_class_or_those_above() -> None:
    state = MoreCounts()
    state.kind, state.to_ask, state.numbers, state.rows, state.more = "a", 0, [1], [[2]], [3]
    twin = state.copy()
    assert (twin.kind, twin.to_ask, twin.numbers, twin.rows, twin.more) == ("a", 0, [1], [[2]], [3])
    assert twin.numbers is not state.numbers
    assert twin.rows[0] is not state.rows[0]
    assert twin.more is not state.more
    assert (own := OwnCopy()).copy() is own


@pytest.mark.parametrize("body", [{"__slots__": ("wrong",)}, {}])
def test_a_state_that_cannot_be_copied_slot_by_slot_is_refused(body: dict[str, object]) -> None:
    for above, lists in ((State, "numbers"), (Counts, "" if not body else "other")):
        with pytest.raises(TypeError, match="Bad is copied slot by slot: its __slots__ have to name"):
            type("Bad", (above,), body, lists=lists)


def test_options_from_names_and_values() -> None:
    game = get_game("serpent")
    assert game.options() == game.options({}) == game.options({"max_tiebreaks": 10})
    with pytest.raises(OptionsError, match="serpent has no option speed, size; it has max_tiebreaks"):
        game.options({"speed": 1, "max_tiebreaks": 3, "size": 2})


@pytest.mark.parametrize("value", [-1, 6, 1.0, True, "1", None])
def test_an_option_out_of_range(value: object) -> None:
    with pytest.raises(OptionsError, match=re.escape(f"high is a whole number from 0 to 5, not {value!r}")):
        TwoOptions(high=value)  # type: ignore[arg-type]


def test_options_at_the_ends_of_their_range() -> None:
    assert TwoOptions(low=0, high=5) == TwoOptions(0, 5)


def test_other_rules_for_that_number_of_seats_are_named() -> None:
    game = get_game("pippip")
    with pytest.raises(OptionsError, match=r"rules=fosdick is for 3 to 12 seats, not 2; rules=hervey is for 2 to 12$"):
        game.check_seats(game.options({}), 2)
    with pytest.raises(OptionsError, match=r"3 to 12 seats, not 13$"):
        game.check_seats(game.options({}), 13)


@pytest.mark.parametrize("seats", [0, 1, 3, 12])
def test_a_number_of_seats_that_cannot_play(seats: int) -> None:
    game = get_game("serpent")
    with pytest.raises(OptionsError, match=f"serpent is for 2 seats, not {seats}"):
        game.check_seats(game.options(), seats)


@pytest.mark.parametrize(
    ("scores", "places"),
    [((30, 10), (1, 2)), ((10, 10), (1, 1)), ((30, 10, 10, 40), (2, 3, 3, 1)), ((5,), (1,)), ((0, -3, 0), (1, 3, 1))],
)
def test_equal_scores_share_a_place(scores: tuple[int, ...], places: tuple[int, ...]) -> None:
    assert places_of(scores) == places


def test_an_event_is_public_unless_it_says_otherwise() -> None:
    event = Event()
    assert event.seen_by(0) is event and not event.chance


def test_actions_and_events_carry_nothing_of_their_own() -> None:
    assert Action.__slots__ == Event.__slots__ == ()
