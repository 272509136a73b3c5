"""Positions from short texts: what a real table would show, or why it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from random import Random
from types import ModuleType
from typing import Any

import pytest

from pips_referee.cards import Card, Suit, parse_card, parse_cards
from pips_referee.game import View
from pips_sdk import dominion, pippip, serpent, wichita
from pips_sdk.positions import PositionError, position_of, text_of
from tests.contract.cases import CASES

SERPENT = "hidden: 2C 3D | open: 7H | mine: 9S JH 8D | theirs: 9C 10H 3S"
WICHITA = "dice: 3 5 | hand: 8C 5D 3H KS | others: 4 | stock: 20"
PIPPIP = "trumps: spades | trick: 2H 5H | hand: AH KS 3C QD 4D 9C 10H"
MOST_ANSWERS = 100
FIELD = "field: 7H+3 5C 2D-4 AS 9H 3C+1 4S 8D JC-1"
EMPTY = "field: 7H 5C 2D AS 9H 3C 4S 8D JC"

GOOD = [
    (serpent, SERPENT),
    (serpent, "hidden: 2C 3D | open: 7H | mine: 9S JH 8D | theirs: 9C 10H 3S | points: 20 31"),
    (serpent, "lead: 9H | other: 4S | hidden: 9C 10H 3S QS 2S 2D"),
    (serpent, "ask: give | hidden: 2C 3C 4C 5C 6C 7C 8C 9C 10C"),
    (serpent, "ask: reveal | hidden: 2C 3C 4C 5C 6C 7C | other: 8H 9H 10H"),
    (wichita, WICHITA),
    (wichita, "ask: draw | dice: 1 6 | hand: AC AD"),
    (wichita, "dice: 4 4 | hand: 8C 8C 8D | others: 1 2 3 | points: 3 2 1 0 | decks: 3"),
    (pippip, PIPPIP),
    (pippip, "trumps: clubs | hand: AH KS 3C | open: QD KD | stock: 0 | seats: 4 | points: 1 2 3 4"),
    (pippip, "ask: call | trumps: clubs | hand: KH QH KS QS 4D 9C 10H | rules: hervey | seats: 2"),
    (pippip, "ask: call | trumps: clubs | hand: KH QH KS QS 4D 9C 10H | trick: 2H 5H | stock: 12"),
    (pippip, "ask: call | trumps: clubs | hand: KH QH KS QS | trick: 2H 5H 9H"),
    (pippip, "ask: call | trumps: clubs | hand: 5D QH KH 7S 8S 9S KS | trick: 2D 7D 10D JD | seats: 4 | stock: 0"),
    (pippip, "trumps: clubs | hand: AH KS 3C QD 4D 9C 10S | trick: 5C 6C | stock: 1"),
    (pippip, "trumps: clubs | hand: AH KH | trick: 2H 2C 3C 4C 5C 6C 7C 8C 9C 2D 3D | seats: 12"),
    (dominion, f"ask: deploy | dice: 3 4 | {FIELD}"),
    (dominion, f"ask: declare | {FIELD.replace('AS', 'AS-1')}"),
    (dominion, f"ask: attack | turned: 5D | fought: 1 | {FIELD.replace('AS', 'AS-2')}"),
    (dominion, f"ask: conquer | turned: 5D | conquest: 0 1 | round: 4 | rounds: 9 | {FIELD}"),
    (dominion, f"ask: conquer | turned: 5D | conquest: 0 3 | seats: 8 | {FIELD}"),
    (dominion, f"ask: deploy | round: 1 | rounds: 1 | dice: 3 4 | {EMPTY}"),
    (dominion, f"ask: advance | seats: 3 | {FIELD.replace('5C', '5C+2').replace('2D-4', '2D-4@2')}"),
    (dominion, f"ask: reinforce | turned: KH | {FIELD}"),
    (dominion, f"ask: remove | turned: KS | {FIELD}"),
    (dominion, "ask: resign | field: 7H 5C 2D-4 AS 9H 3C 4S 8D JC-1"),
]

BAD = [
    (serpent, "hidden 2C", "'hidden 2C' is not of the form `what: value`"),
    (serpent, "hand: 2C", "there is no 'hand' in this game's positions; there are ask, hidden"),
    (serpent, "lead: 2C | lead: 3C", "lead is there twice"),
    (serpent, "hidden: 2C 99X", "hidden: "),
    (serpent, "ask: sing", "ask: 'sing' should be one of give, reveal, lead, answer"),
    (serpent, f"{SERPENT} | points: 1", "points: '1' should be 2 numbers"),
    (serpent, f"{SERPENT} | ask: answer", "there is one `lead` when you are to answer"),
    (serpent, "hidden: 2C", "you have 1 cards in `hidden` and `open`, but must have 6"),
    (serpent, "mine: 2C | hidden: 2D", "`mine` and `theirs` have the same number of cards"),
    (serpent, "mine: 2C 3C 4C 5C 6C 7C | theirs: 2D 3D 4D 5D 6D 7D", "with 6 the hand is over"),
    (serpent, f"{SERPENT} | other: 9C", "9C is there 2 times; there is each card once"),
    (serpent, f"{SERPENT} | other: 4C 5C 6C 8C", "the other has 4 cards face up and 3 in its row"),
    (serpent, "lead: 2C | hidden: 2H 3H 4H 5H 6H 7H", "a bot is never asked this (answer)"),
    (serpent, "ask: give | hidden: 2C 3C 4C 5C 6C 7C 8C 9C | open: 10C", "when give is asked you have no card face up"),
    (serpent, "ask: give | hidden: 2C 3C 4C 5C 6C 7C 8C 9C 10C | other: KS QS JS", "the other has 0 cards face up"),
    (serpent, "ask: reveal | hidden: 2C 3C 4C 5C | mine: KS QS | theirs: KH QH", "and the rows are empty"),
    (serpent, "ask: reveal | hidden: 2C 3C 4C 5C 6C 7C", "when reveal is asked the other has 3 cards face up"),
    (wichita, "hand: 2C", "`dice` are two numbers from 1 to 6"),
    (wichita, "dice: 3 9 | hand: 2C", "`dice` are two numbers from 1 to 6"),
    (wichita, "dice: 3 3 | hand: 2C", "a bot is never asked this (lay)"),
    (wichita, f"{WICHITA} | ask: draw | dice: 3 3", "dice is there twice"),
    (wichita, "ask: draw | dice: 3 3 | hand: 2C", "who is asked to draw has two dice that differ, and a stock"),
    (wichita, "dice: 3 5 | hand: 8C | stock: 60", "stock: 60 cards; at most 51 are left"),
    (wichita, "dice: 3 5 | hand: 8C | stock: many", "stock: 'many' should be a number"),
    (wichita, "dice: 3 5 | hand: 8C 8C", "8C is there 2 times; there is each card once"),
    (wichita, "dice: 3 5 | hand: 8C | others: x", "others: 'x' should be numbers"),
    (wichita, "dice: 3 5 | hand: 8C | decks: 30", "decks: 30; there are at most 12"),
    (wichita, f"dice: 3 5 | hand: 8C | others:{' 1' * 14}", "others: with yours 15 hands; 2 to 12 can play"),
    (pippip, "hand: 2C", "trumps: '' should be one of clubs, diamonds, hearts, spades"),
    (pippip, "trumps: clubs | hand: 2C 3C | trick: 4C 4D 4H", "a trick of 3 seats has no 3 cards before you play"),
    (pippip, "trumps: clubs | hand: 2C 2C 2C", "2C is there 3 times; there is each card 2 times"),
    (pippip, "trumps: clubs | hand: 2C 3C 4C 5C 6C 7C 8C 9C", "you have 8 cards; a hand has at most 7"),
    (pippip, f"{PIPPIP} | stock: 99", "stock: 99 cards; at most 81 are left"),
    (pippip, "trumps: clubs | hand: 2C 3C | stock: 5", "while there is a stock, hands have 7 cards"),
    (pippip, "trumps: clubs | hand: AH KS 3C QD 4D 9C 10S | stock: 2", "in which cards are drawn 3 are still due"),
    (pippip, "trumps: clubs | hand: AH KS 3C QD 4D 9C 10S | trick: 5C | stock: 1", "2 are still due"),
    (pippip, f"{PIPPIP} | seats: 2", "seats: 2; by the rules of fosdick 3 to 12 can play"),
    (pippip, f"{PIPPIP} | seats: 13 | rules: hervey", "seats: 13; by the rules of hervey 2 to 12 can play"),
    (pippip, "ask: call | trumps: clubs | hand: 2C", "a bot is never asked this (call)"),
    (wichita, f"{WICHITA} | laid: 1", "laid: '1' should be 13 numbers"),
    (wichita, f"{WICHITA} | laid:{' 1' * 13}", "laid: 24 cards are neither in a hand nor in the stock"),
    (dominion, FIELD, "ask: '' should be one of resign"),
    (dominion, "ask: declare | field: 7H+3 5C", "field: it has 9, 16 or 25 cards, not 2"),
    (dominion, "ask: declare | field: 7H*3", "field: '7H*3' is no cell such as 7H, 7H+3 or 7H-3@2"),
    (dominion, "ask: declare | field: XX+3", "field: 'XX+3' is no cell"),
    (dominion, "ask: declare | field: KH+3", "field: KH+3: no queen or king is in the playfield"),
    (dominion, "ask: declare | field: 7H-3@4", "with 2 seats, + is yours, - seats 1 on"),
    (dominion, "ask: declare | field: 7H+9", "field: 7H+9: 1 to 7 armies can be there"),
    (dominion, f"ask: declare | {FIELD}", "there is nothing to declare"),
    (dominion, f"ask: deploy | {FIELD}", "there are `dice` when you deploy, and only then"),
    (dominion, f"ask: conquer | turned: 5D | {FIELD}", "conquest: two different cells of the field"),
    (dominion, f"ask: conquer | turned: 5D | conquest: 1 3 | {FIELD}", "the first cell has your armies, the second"),
    (dominion, f"ask: conquer | turned: 5D | conquest: 2 1 | {FIELD}", "the first cell has your armies, the second"),
    (dominion, f"ask: conquer | turned: 5D | conquest: 0 2 | {FIELD}", "the first cell has your armies, the second"),
    (dominion, f"ask: conquer | turned: 5D | conquest: 0 7 | {FIELD}", "cells 0 and 7 do not lie side by side"),
    (dominion, f"ask: conquer | conquest: 0 1 | {FIELD}", "turned: when conquer is asked there is one such card"),
    (dominion, f"ask: resign | {FIELD}", "resign: who has armies is not asked"),
    (dominion, f"ask: declare | turned: 5D | {FIELD}", "turned: when declare is asked there is no such card"),
    (dominion, f"ask: reinforce | turned: KS | {FIELD}", "turned: who is to reinforce has turned a red king"),
    (dominion, f"ask: remove | turned: KH | {FIELD}", "turned: who is to remove has turned a black king"),
    (dominion, f"ask: remove | turned: QS | {FIELD}", "turned: who is to remove has turned a black king"),
    (dominion, f"ask: remove | turned: KS KC | {FIELD}", "turned: when remove is asked there is one such card"),
    (dominion, f"ask: deploy | dice: 0 4 | {FIELD}", "`dice` are two numbers from 1 to 6"),
    (dominion, f"ask: deploy | dice: 3 7 | {FIELD}", "`dice` are two numbers from 1 to 6"),
    (dominion, f"ask: deploy | dice: 3 4 | seats: 9 | {FIELD}", "seats: 9; 2 to 8 can play"),
    (dominion, f"ask: deploy | dice: 3 4 | seats: 1 | {EMPTY}", "seats: 1; 2 to 8 can play"),
    (dominion, f"ask: deploy | dice: 3 4 | round: 61 | {FIELD}", "round: 61; there are 60 rounds"),
    (dominion, f"ask: deploy | dice: 3 4 | round: 0 | {FIELD}", "round: 0; there are 60 rounds"),
    (dominion, f"ask: deploy | dice: 3 4 | rounds: 0 | {FIELD}", "rounds: 0; there are 1 to 1000"),
    (dominion, f"ask: deploy | dice: 3 4 | round: 1 | {FIELD}", "in the first you are asked to deploy, on an empty"),
    (dominion, f"ask: resign | round: 1 | {EMPTY}", "in the first you are asked to deploy, on an empty field"),
    (dominion, "ask: remove | turned: KS | field: 7H+3 5C+1 2D+4 AS+1 9H+1 3C+1 4S+1 8D+1 JC+1", "seat 0 has won"),
]


@pytest.mark.parametrize(("game", "text"), GOOD)
def test_the_text_of_a_position_is_that_position_again(game: ModuleType, text: str) -> None:
    view, name = game.position(text), game.__name__.rpartition(".")[2]
    again = text_of(name, view)
    assert again is not None
    assert position_of(name, again) == view


def test_what_no_text_can_say_has_none() -> None:
    assert text_of("chess", serpent.position(SERPENT)) is None


@pytest.mark.parametrize(("game", "text"), GOOD)
def test_a_position_is_what_a_table_could_show(game: ModuleType, text: str) -> None:
    """A world imagined from it shows the seat exactly that position.

    It can be played to its end after every answer.
    """
    view: View = game.position(text)
    rng = Random(1)
    world = view.sample_world(rng)
    assert world.view(0) == view
    for action in islice(view.legal_actions(), MOST_ANSWERS):
        after = world.copy()
        after.apply(action)
        while after.to_ask is not None:
            after.apply(after.sample_action(rng))


@pytest.mark.parametrize(("game", "text", "sentence"), BAD)
def test_what_cannot_be_is_told(game: ModuleType, text: str, sentence: str) -> None:
    with pytest.raises(PositionError) as caught:
        game.position(text)
    assert sentence in str(caught.value)


def test_what_a_position_says() -> None:
    view = serpent.position(SERPENT)
    assert (view.kind, view.is_director, view.lead) == ("lead", False, None), "the defender leads in column 4"
    assert view.my_row[:4] == (*parse_cards("9S JH 8D"), None) and view.other_hidden_count == 3
    answer = serpent.position("lead: 9H | other: 4S | hidden: 9C 10H 3S QS 2S 2D")
    assert not answer.is_director and answer.playable == parse_cards("9C 10H")
    rolled = wichita.position(WICHITA)
    assert (rolled.target, rolled.hand_sizes, rolled.stock_size, sum(rolled.laid)) == (8, (4, 4), 20, 24)
    trick = pippip.position(PIPPIP)
    assert (trick.leader, trick.led, trick.trumps) == (1, Suit.HEARTS, Suit.SPADES)
    assert trick.playable == parse_cards("AH 10H") and trick.drawing and trick.stock_count == 81
    late = pippip.position("trumps: clubs | hand: AH KS 3C | trick: 4D")
    assert (late.hand_counts, late.drawing) == ((3, 3, 2), False)


@pytest.mark.parametrize(("stock", "hearts"), [("", 1), (" | stock: 0", 0)])
def test_who_did_not_follow_has_none_of_the_suit_but_what_was_drawn_since(stock: str, hearts: int) -> None:
    view = pippip.position(f"trumps: spades | trick: 2H 5C | hand: AH 7H 3C QD 4D 9C 10S{stock}")
    assert [view.suit_limit(seat, Suit.HEARTS) for seat in range(3)] == [7, 7 if hearts else 6, hearts]
    deploy = dominion.position(f"ask: deploy | dice: 3 4 | {FIELD}")
    assert deploy.deployments[0] == dominion.Deploy(0, 3) and dominion.Deploy(4, 1) not in deploy.deployments
    assert (deploy.owners[0], deploy.owners[2], deploy.owners[1], deploy.armies[2]) == (0, 1, None, 4)


def test_a_bot_is_asked_with_it() -> None:
    class Bot(serpent.SerpentBot):
        def answer(self, view: serpent.SerpentView) -> Card:
            return max(view.playable, key=lambda card: card.rank)

    asked = serpent.position("lead: 9H | other: 4S | hidden: 9C 10H 3S QS 2S 2D")
    assert Bot().choose(asked) == serpent.Answer(parse_card("10H"))


def codes(cards: Any) -> str:
    return " ".join(card.code for card in cards if card is not None)


def serpent_text(view: serpent.SerpentView) -> str:
    lead = () if view.lead is None else (view.lead,)
    theirs = [card for card in view.other_row if card is not None]
    parts = {
        "ask": view.kind,
        "hidden": codes(view.hidden),
        "open": codes(view.face_up),
        "mine": codes(view.my_row),
        "theirs": codes(theirs[: len(theirs) - len(lead)]),
        "other": codes(view.other_face_up),
        "points": f"{view.my_points} {view.other_points}",
        **({"lead": codes(lead)} if lead else {}),
    }
    return " | ".join(f"{name}: {value}" for name, value in parts.items())


def dominion_text(view: dominion.DominionView) -> str:
    held = zip(view.playfield, view.owners, view.armies, strict=True)
    cells = [
        card.code + ("" if owner is None else f"+{count}" if owner == 0 else f"-{count}@{owner}")
        for card, owner, count in held
    ]
    parts = {"ask": view.kind, "seats": f"{view.seats}", "field": " ".join(cells), "turned": codes([view.turned])}
    if view.dice:
        parts["dice"] = f"{view.dice[0]} {view.dice[1]}"
    if view.conquest:
        parts["conquest"] = f"{view.conquest.source} {view.conquest.target}"
    parts["fought"] = str(int(view.kind == "attack" and not view.must_attack))
    return " | ".join(f"{name}: {value}" for name, value in parts.items())


@pytest.mark.parametrize(
    ("game", "text_of", "fields"),
    [
        (serpent, serpent_text, ("kind", "hidden", "face_up", "my_row", "other_row", "lead", "playable", "my_points")),
        (
            dominion,
            dominion_text,
            ("kind", "owners", "armies", "attacks", "advances", "deployments", "cells", "conquest"),
        ),
    ],
    ids=["serpent", "dominion"],
)
def test_questions_of_real_matches_can_be_written_down(
    game: ModuleType, text_of: Callable[[Any], str], fields: tuple[str, ...]
) -> None:
    """A question to seat 0 in a random match, as a position, has the same answers."""
    name = game.__name__.rpartition(".")[2]
    asked = 0
    for case in (case for case in CASES if case.game_name == name and case.label in {"usual", "small"}):
        for state in case.positions(1, 80):
            if state.to_ask == 0:
                view = state.view(0)
                written = game.position(text_of(view))
                assert [getattr(written, field) for field in fields] == [getattr(view, field) for field in fields]
                asked += 1
    assert asked > 20
