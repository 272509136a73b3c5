"""Dominion for a terminal: the drawing; a sentence for each question, answer, event."""

from __future__ import annotations

import pytest

from pips_referee.cards import parse_card, parse_cards
from pips_referee.games.dominion.rules import DominionState
from pips_referee.games.dominion.text import action_text, event_text, playfield_lines, view_text
from pips_referee.games.dominion.values import (
    PASS,
    Advance,
    Advanced,
    Attack,
    CardTurned,
    Conquer,
    Conquered,
    Declare,
    Deploy,
    Deployed,
    DeploymentRolled,
    DominionAction,
    DominionEvent,
    Fought,
    PlayfieldDealt,
    Reinforce,
    Reinforced,
    Remove,
    Removed,
    Resign,
    Resigned,
    TurnBegan,
)
from tests.rules.dominion_positions import play, position


def question(state: DominionState) -> str:
    assert state.to_ask is not None
    return view_text(state.view(state.to_ask)).splitlines()[-1]


def test_the_playfield() -> None:
    state = position({0: (0, 10), 3: (1, 5), 4: (7, 1)}, cards="3S 10H 7C 2D 4C 6H AS 8D 9C", seats=8)
    assert playfield_lines(state.view(0)) == [
        "    ┌0────┐                       ┌2────┐",
        "    │ 3♠  │     ┌1──────────┐     │ 7♣  │",
        "    │ s0  │     │ 10♥       │     │     │",
        "    │ ×10 │     └───────────┘     │     │",
        "    └─────┘                       └─────┘",
        "                   ┌4────┐",
        " ┌3──────────┐     │ 4♣  │     ┌5──────────┐",
        " │ 2♦  s1 ×5 │     │ s7  │     │ 6♥        │",
        " └───────────┘     │ ×1  │     └───────────┘",
        "                   └─────┘",
        "    ┌6────┐                       ┌8────┐",
        "    │ A♠  │     ┌7──────────┐     │ 9♣  │",
        "    │     │     │ 8♦        │     │     │",
        "    │     │     └───────────┘     │     │",
        "    └─────┘                       └─────┘",
    ]


def test_the_table_around_it() -> None:
    state = position({0: (0, 1), 3: (1, 5), 6: (1, 1)}, seats=3, stock="QH", max_rounds=9)
    state.resigned[2] = True
    lines = view_text(state.view(0)).splitlines()
    assert lines[0] == "round 1 of 9, turn of seat 0: declare"
    assert lines[16:] == [
        "seat 0 (you): 1 territory, 1 army",
        "seat 1: 2 territories, 6 armies",
        "seat 2 has resigned",
        "stock: 52 cards; discards: none",
        "turn a card to attack? cell 3 from cell 0 (-3)",
    ]
    play(state, Declare())
    lines = view_text(state.view(2)).splitlines()
    assert lines[0] == "round 1 of 9, turn of seat 0: attack, Q♥ is turned"
    assert lines[18:] == ["seat 2 (you) has resigned", "stock: 51 cards; discards: Q♥", "you are not asked"]


def test_the_beginning_and_the_end_of_a_turn() -> None:
    state = position({0: (1, 1)}, luck={"deploy/0/0": (6, 6)})
    state.had_armies[0] = True
    state.stage, state.kind = "resign", ""
    state.proceed([])
    assert view_text(state.view(0)).startswith("round 1 of 10, turn of seat 0: begins\n")
    assert question(state) == "you have no armies left: resign?"
    play(state, Resign())
    assert view_text(state.view(0)).startswith("round 1 of 10, turn of seat 0: the match is over\n")


def test_questions() -> None:
    luck = {"battle/0/0": (6, 6), "battle/1/0": (1, 1), "deploy/0/0": (6, 3)}
    state = position({0: (0, 8), 3: (1, 5), 8: (0, 1), 5: (1, 1)}, stock="KH", luck=luck)
    play(state, Declare())
    assert question(state) == "a red king: put an army on cell 0 or 8"
    play(state, Reinforce(8))
    assert question(state) == "attack (you must): cell 3 from cell 0 (+4), cell 5 from cell 8 (+4)"
    play(state, Attack(0, 3))
    assert question(state) == "you conquered cell 3: move in 0 to 8 from cell 0"
    play(state, Conquer(3))
    assert question(state) == "attack or pass: cell 5 from cell 8 (+4)"
    play(state, PASS)
    assert question(state) == "advance at most, or pass: 5 from cell 0 to cell 3, 3 from cell 3 to cell 0"
    play(state, PASS)
    assert question(state).startswith("you rolled 6+3; deploy at most, or pass: 4 on cell 0, 4 on cell 1,")
    state = position({0: (0, 8), 3: (1, 5), 8: (0, 1)}, stock="KS")
    play(state, Declare())
    assert question(state) == "a black king: take an army from cell 0 or 8"


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (PlayfieldDealt(parse_cards("3S 10H")), "the playfield: 3♠ 10♥"),
        (TurnBegan(3, 1), "round 3, turn of seat 1"),
        (Resigned(2), "seat 2 resigns"),
        (CardTurned(1, parse_card("QH"), False), "seat 1 turns Q♥"),
        (CardTurned(1, parse_card("QH"), True), "seat 1 turns Q♥ from the shuffled discards"),
        (Reinforced(0, 4), "the red king brings seat 0 an army on cell 4"),
        (Removed(0, 4), "the black king takes an army of seat 0 from cell 4"),
        (
            Fought(0, 1, 0, 3, 2, (6, 2), (3, 4), 0, 3),
            "seat 0 attacks cell 3 from cell 0, advantage 2: rolls 6+2 against 3+4 of seat 1; seat 1 loses 3",
        ),
        (
            Fought(0, 1, 0, 3, -1, (6, 2), (6, 6), 5, 0),
            "seat 0 attacks cell 3 from cell 0, disadvantage 1: rolls 6+2 against 6+6 of seat 1; seat 0 loses 5",
        ),
        (
            Fought(0, 1, 0, 3, 0, (6, 2), (4, 4), 0, 0),
            "seat 0 attacks cell 3 from cell 0, advantage 0: rolls 6+2 against 4+4 of seat 1; nobody loses any",
        ),
        (Conquered(1, 3, 0, 4), "seat 1 has conquered cell 0 and moves in 4 armies from cell 3"),
        (Conquered(1, 3, 0, 0), "seat 1 has conquered cell 0 and moves in nothing from cell 3"),
        (Advanced(0, 1, 2, 1), "seat 0 advances 1 army from cell 1 to cell 2"),
        (DeploymentRolled(0, (6, 3)), "seat 0 rolls 6 and 3 to deploy"),
        (Deployed(0, 5, 2), "seat 0 deploys 2 armies on cell 5"),
    ],
)
def test_events(event: DominionEvent, text: str) -> None:
    assert event_text(event) == text


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (PASS, "pass"),
        (Resign(), "resign"),
        (Declare(), "turn a card to attack"),
        (Reinforce(4), "put an army on cell 4"),
        (Remove(4), "take an army from cell 4"),
        (Attack(0, 3), "attack cell 3 from cell 0"),
        (Conquer(0), "move in nothing"),
        (Conquer(2), "move in 2"),
        (Advance(0, 1, 3), "advance 3 from cell 0 to cell 1"),
        (Deploy(8, 2), "deploy 2 on cell 8"),
    ],
)
def test_actions(action: DominionAction, text: str) -> None:
    assert action_text(action) == text
