"""Serpent in a terminal."""

from __future__ import annotations

import pytest

from pips_referee.cards import parse_card, parse_cards
from pips_referee.chance import Chance
from pips_referee.games.serpent.rules import GAME, SerpentState
from pips_referee.games.serpent.scoring import score_hand
from pips_referee.games.serpent.text import action_text, event_text, hand_text, view_text
from pips_referee.games.serpent.values import (
    Answer,
    Dealt,
    Give,
    Given,
    HandScored,
    Lead,
    Played,
    Reveal,
    Revealed,
    SerpentAction,
    SerpentEvent,
    SerpentOptions,
)
from tests.rigged import RiggedChance


def position(*actions: SerpentAction) -> SerpentState:
    deck = parse_cards("5D 2H 3S  5C KH 4S 5H JS 6D 8H 8S 8D")
    state, _ = GAME.start(SerpentOptions(), 2, RiggedChance({"deck/1": deck}))
    for action in actions:
        state.apply(action)
    return state


GIVEN, TURNED = Give(parse_cards("8H 8S 8D")), Reveal(parse_cards("KH 4S 6D"))
PLAYED = Lead(parse_card("5H")), Answer(parse_card("8H")), Lead(parse_card("5D"))


def test_what_the_answering_seat_sees() -> None:
    assert (
        view_text(position(GIVEN, TURNED, *PLAYED).view(0))
        == """\
hand 1, you direct; you have 0 points, the other 0
  other   8♥   5♦    ·    ·    ·    ·
           ↑    ↓    ↑    ↓    ↑    ↓
  you     5♥    ·    ·    ·    ·    ·
your hand: 5♣ J♠ hidden, 6♦ K♥ 4♠ face up
the other: 2 hidden, 8♦ 8♠ face up
answer 5♦ in column 2: 5♣ 6♦"""
    )


def test_the_director_is_below_for_both() -> None:
    assert (
        view_text(position(GIVEN, TURNED, *PLAYED).view(1))
        == """\
hand 1, you defend; you have 0 points, the other 0
  you     8♥   5♦    ·    ·    ·    ·
           ↑    ↓    ↑    ↓    ↑    ↓
  other   5♥    ·    ·    ·    ·    ·
your hand: 2♥ 3♠ hidden, 8♦ 8♠ face up
the other: 2 hidden, 6♦ K♥ 4♠ face up
you are not asked"""
    )


@pytest.mark.parametrize(
    ("actions", "last_line"),
    [
        ((), "give the defender three of 5♣ 6♦ 8♦ 5♥ 8♥ K♥ 4♠ 8♠ J♠"),
        ((GIVEN,), "turn up three of 5♣ 6♦ 5♥ K♥ 4♠ J♠"),
        ((GIVEN, TURNED), "lead in column 1: 5♣ 5♥ J♠ 6♦ K♥ 4♠"),
        ((GIVEN, TURNED, PLAYED[0]), "answer 5♥ in column 1: 5♦ 2♥ 8♥"),
        ((GIVEN, TURNED, *PLAYED[:2]), "lead in column 2: 5♦ 2♥ 3♠ 8♦ 8♠"),
    ],
)
def test_what_is_asked(actions: tuple[SerpentAction, ...], last_line: str) -> None:
    state = position(*actions)
    assert state.to_ask is not None
    assert view_text(state.view(state.to_ask)).splitlines()[-1] == last_line


def test_a_hand_without_cards_of_a_kind_says_so() -> None:
    lines = view_text(position().view(1)).splitlines()
    assert lines[-3:-1] == ["your hand: 5♦ 2♥ 3♠ hidden, nothing face up", "the other: 9 hidden, nothing face up"]


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (GIVEN, "give 8♥ 8♠ 8♦"),
        (TURNED, "turn up K♥ 4♠ 6♦"),
        (PLAYED[0], "lead 5♥"),
        (PLAYED[1], "answer 8♥"),
    ],
)
def test_actions(action: SerpentAction, text: str) -> None:
    assert action_text(action) == text


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (Dealt(2, 1, (parse_cards("AC 2C 3C"), None)), "hand 2, seat 1 directs: seat 0 holds A♣ 2♣ 3♣; seat 1 holds ?"),
        (Dealt(9, 0, (None, ())), "hand 9 (tie-break), seat 0 directs: seat 0 holds ?; seat 1 holds "),
        (Given(parse_cards("AC 10H")), "the director gives A♣ 10♥"),
        (Revealed(parse_cards("AC 10H")), "the director turns up A♣ 10♥"),
        (Played(0, 0, parse_card("QS"), is_lead=True), "seat 0 leads Q♠ in column 1"),
        (Played(1, 5, parse_card("QD"), is_lead=False), "seat 1 answers Q♦ in column 6"),
    ],
)
def test_events(event: SerpentEvent, text: str) -> None:
    assert event_text(event) == text


def scored(director: str, defender: str, hand_number: int = 1) -> HandScored:
    board = parse_cards(director + " " + defender)
    score = score_hand([card.rank for card in board])
    return HandScored(hand_number, 0, board, score, (score.points, 7))


def test_a_scored_hand() -> None:
    event = scored("5C KH 4S 5H JS 6D", "5D 2H 3S 8H 8S 8D")
    assert (
        event_text(event)
        == hand_text(event)
        == """\
hand 1 is over
  seat 1   5♦   2♥   3♠   8♥   8♠   8♦
            ↑    ↓    ↑    ↓    ↑    ↓
  seat 0   5♣   K♥   4♠   5♥   J♠   6♦
   2 for the pair 5♣ 5♦
   2 for the pair 8♥ 8♠
   2 for the pair 8♠ 8♦
   4 for the run 2♥ 3♠ 4♠ 5♥
   4 for the run 2♥ 3♠ 4♠ 5♦
seat 0 scores 14; seat 0 has 14 points, seat 1 has 7"""
    )


def test_a_run_past_the_king_is_told_from_its_beginning() -> None:
    event = scored("4C 5D 8H 10S JC QD", "8C 6D 5H 2S AC KD", hand_number=10)
    lines = hand_text(event).splitlines()
    assert lines[0] == "hand 10 (tie-break) is over"
    assert lines[4:6] == ["   3 for the run 4♣ 5♦ 6♦", "   6 for the run 10♠ J♣ Q♦ K♦ A♣ 2♠"]


def test_a_run_of_twelve() -> None:
    event = scored("2C 3C 4C 5C 6C 7C", "KH QC JC 10C 9C 8C")
    assert "  12 for the run 2♣ 3♣ 4♣ 5♣ 6♣ 7♣ 8♣ 9♣ 10♣ J♣ Q♣ K♥" in hand_text(event)


def test_a_hand_without_points() -> None:
    lines = hand_text(scored("2C 4C 6C 8C 10C QC", "9H JH KH 2H 4H 6H")).splitlines()
    assert lines[4:] == ["seat 0 scores 0; seat 0 has 0 points, seat 1 has 7"]


def test_every_line_of_a_match_fits_a_terminal() -> None:
    state, events = GAME.start(SerpentOptions(), 2, Chance(bytes(32)))
    while state.to_ask is not None:
        assert all(len(line) <= 100 for line in view_text(state.view(state.to_ask)).splitlines())
        events += state.apply(next(state.legal_actions()))
    assert all(len(line) <= 120 for event in events for line in event_text(event).splitlines())
