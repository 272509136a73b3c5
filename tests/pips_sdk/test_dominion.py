"""DominionBot: legal defaults, a method per kind of question, plain error messages."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pips_referee.chance import Chance
from pips_referee.games.dominion.rules import GAME, DominionState
from pips_referee.games.dominion.values import PASS
from pips_sdk import BotError, play_match
from pips_sdk.dominion import (
    Advance,
    Attack,
    Conquer,
    Declare,
    Deploy,
    DominionAction,
    DominionBot,
    DominionOptions,
    DominionView,
    Reinforce,
    Remove,
    Resign,
)
from tests.rules.dominion_positions import play, position

Answer = Callable[[DominionBot, DominionView], object]


def bot_with(method: str, got: object) -> DominionBot:
    bot = type("OneAnswer", (DominionBot,), {method: lambda self, view: got})()
    assert isinstance(bot, DominionBot)
    return bot


def asked(kind: str) -> DominionView:
    """A view that asks a question of that kind."""
    luck = {"battle/0/0": (6, 6), "battle/1/0": (1, 1), "deploy/0/0": (6, 6)}
    stock = {"reinforce": "KH", "remove": "KS"}.get(kind, "AC")
    held = {0: (0, 8), 1: (0, 1), 3: (1, 5), 2: (1, 3)}
    state: DominionState = position(held, stock=stock, luck=luck)
    if kind == "resign":
        state = position({0: (1, 1)})
        state.had_armies[0] = True
        state.stage, state.kind = "resign", ""
        state.proceed([])
    if kind in ("reinforce", "remove", "attack", "conquer"):
        play(state, Declare())
    if kind == "conquer":
        play(state, Attack(0, 3))
    if kind in ("advance", "deploy"):
        play(state, PASS)
    if kind == "deploy":
        play(state, PASS)
    assert state.kind == kind
    return state.view(0)


def test_the_defaults_play_a_match() -> None:
    match = play_match([DominionBot, DominionBot, DominionBot], bytes(32), DominionOptions(3, 20))
    assert match.outcome.faults == ()


def test_the_defaults_play_with_every_option() -> None:
    options = DominionOptions(3, 20, resigning=False, optional_army=True)
    match = play_match([DominionBot, DominionBot, DominionBot], bytes(32), options)
    assert match.outcome.faults == ()


def test_an_army_is_declined_where_that_is_an_option() -> None:
    state = position({0: (0, 8), 1: (0, 1), 3: (1, 5)}, stock="KH", optional_army=True)
    play(state, Declare())
    bot = bot_with("reinforce", None)
    assert bot.choose(state.view(0)) == PASS
    assert DominionBot().choose(state.view(0)) == Reinforce(0)
    with pytest.raises(BotError, match=r"reinforce\(\) must return one of view\.cells"):
        bot.choose(asked("reinforce"))


@pytest.mark.parametrize("kind", GAME.kinds)
def test_the_defaults_are_legal(kind: str) -> None:
    view = asked(kind)
    assert DominionBot().choose(view) in list(view.legal_actions())


@pytest.mark.parametrize(
    ("kind", "got", "action"),
    [
        ("resign", True, Resign()),
        ("resign", False, PASS),
        ("declare", True, Declare()),
        ("declare", False, PASS),
        ("reinforce", 1, Reinforce(1)),
        ("remove", 0, Remove(0)),
        ("attack", Attack(1, 2), Attack(1, 2)),
        ("conquer", 5, Conquer(5)),
        ("advance", Advance(0, 1, 2), Advance(0, 1, 2)),
        ("advance", None, PASS),
        ("deploy", Deploy(4, 1), Deploy(4, 1)),
        ("deploy", None, PASS),
    ],
)
def test_each_kind_has_its_method(kind: str, got: object, action: DominionAction) -> None:
    assert bot_with(kind, got).choose(asked(kind)) == action


@pytest.mark.parametrize(
    ("kind", "got", "complaint"),
    [
        ("resign", None, r"OneAnswer\.resign\(\) must return True or False, but it returned None \(did it forget"),
        ("declare", 1, "must return True or False, but it returned 1"),
        ("reinforce", "b2", "must return one of view.cells, but it returned 'b2'"),
        ("remove", None, "must return one of view.cells"),
        ("attack", (0, 3), r"must return one of view.attacks, or None, but it returned \(0, 3\)"),
        ("attack", Deploy(0, 1), "must return one of view.attacks, or None"),
        ("conquer", None, "must return a number from 0 to view.conquest.most"),
        ("conquer", -1, "must return a number from 0 to view.conquest.most, but it returned -1"),
        ("reinforce", 2**31, "must return one of view.cells"),
        ("deploy", Deploy(4, -4), "must return one of view.deployments, or None, but it returned Deploy"),
        ("advance", Advance(0, 1, "2"), "must return one of view.advances, or None"),  # type: ignore[arg-type]
        ("deploy", 3, "must return one of view.deployments, or None, but it returned 3"),
    ],
)
def test_what_is_no_answer(kind: str, got: object, complaint: str) -> None:
    with pytest.raises(BotError, match=complaint):
        bot_with(kind, got).choose(asked(kind))


def test_an_illegal_answer_is_the_rules_business() -> None:
    """The SDK passes the answer on; the referee says what is wrong with it."""
    assert bot_with("deploy", Deploy(99, 1)).choose(asked("deploy")) == Deploy(99, 1)
    state, _ = GAME.start(DominionOptions(3), 2, Chance(bytes(32)))
    assert state.kind == "deploy"
