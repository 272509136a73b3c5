"""Wichita's base class: right and wrong answers of a bot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pips_referee.cards import parse_cards
from pips_sdk import play_match
from pips_sdk.bot import BotError
from pips_sdk.wichita import DrawOn, Lay, WichitaBot, WichitaView, best_layout, legal_stacks

STACK = parse_cards("5C 3H")


def view(kind: str, hand: str = "5C 3H 9D") -> WichitaView:
    return WichitaView(0, kind, 0, (5, 3), parse_cards(hand), (3, 4), (0, 0), 40, (0,) * 13, 1)


def answering(answer: Callable[[WichitaView], Any]) -> WichitaBot:
    class Answering(WichitaBot):
        def draw(self, view: WichitaView) -> bool:
            drawn: bool = answer(view)
            return drawn

        def lay(self, view: WichitaView) -> Any:
            return answer(view)

    return Answering()


def test_dice_and_their_sum_are_not_mixed_up() -> None:
    hand = STACK
    with pytest.raises(TypeError, match=r"best_layout\(hand, dice\) takes the two dice, such as view.dice, not their"):
        best_layout(hand, 8)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"legal_stacks\(hand, target\) takes the sum of the dice, view.target, not"):
        next(legal_stacks(hand, (3, 5)))  # type: ignore[arg-type]


def test_a_layout_is_as_good_as_its_stacks() -> None:
    """As the test that `pips-bot new` writes uses it."""
    layout = best_layout(STACK, (3, 5))
    assert (tuple(layout), len(layout)) == (layout.stacks, 1)


def test_the_defaults_are_legal() -> None:
    assert WichitaBot().choose(view("draw")) == DrawOn(more=False)
    assert WichitaBot().choose(view("lay")) == Lay((STACK,))
    for seats in (2, 7, 12):
        assert play_match([WichitaBot] * seats, bytes(32)).outcome.faults == ()


@pytest.mark.parametrize("more", [True, False])
def test_drawing_on(more: bool) -> None:
    assert answering(lambda _: more).choose(view("draw")) == DrawOn(more)


@pytest.mark.parametrize("got", [None, 1, "yes", DrawOn(more=True)])
def test_drawing_on_is_answered_with_true_or_false(got: object) -> None:
    with pytest.raises(BotError, match=r"Answering\.draw\(\) must return True or False"):
        answering(lambda _: got).choose(view("draw"))


@pytest.mark.parametrize(
    "got", [(STACK,), [list(STACK)], (set(STACK),), {STACK}, frozenset({STACK}), (frozenset(STACK),)]
)
def test_stacks_in_any_collection(got: object) -> None:
    action = answering(lambda _: got).choose(view("lay"))
    assert isinstance(action, Lay)
    assert [sorted(stack) for stack in action.stacks] == [sorted(STACK)]


def test_no_stacks() -> None:
    assert answering(lambda _: ()).choose(view("lay")) == Lay(())
    assert answering(lambda _: []).choose(view("lay")) == Lay(())


@pytest.mark.parametrize("got", [None, STACK, "", 5, [5], [STACK, None], ["5C"], iter([STACK])])
def test_what_is_no_collection_of_stacks(got: object) -> None:
    with pytest.raises(BotError, match=r"Answering\.lay\(\) must return a tuple or list of stacks"):
        answering(lambda _: got).choose(view("lay"))


def test_the_best_layout_of_a_view_can_be_laid_as_it_is() -> None:
    bot = answering(lambda view: best_layout(view.hand, view.dice, view.stock_size > 0))
    assert bot.choose(view("lay", "5C 3H 8D")) == Lay((parse_cards("8D"), parse_cards("5C 3H")))
