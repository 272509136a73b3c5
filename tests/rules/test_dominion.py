"""Dominion by its rulebook: the match, the turn, advancing, deploying, the end.

Every test names its clauses.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from pips_referee.cards import KING, QUEEN, parse_cards
from pips_referee.chance import Chance
from pips_referee.errors import OptionsError
from pips_referee.games.dominion.rules import GAME, DominionState
from pips_referee.games.dominion.values import (
    PASS,
    Advance,
    Advanced,
    Attack,
    Conquer,
    Declare,
    Deploy,
    Deployed,
    DeploymentRolled,
    DominionEvent,
    DominionOptions,
    PlayfieldDealt,
    Resign,
    Resigned,
    TurnBegan,
)
from tests.rigged import RiggedChance
from tests.rules.dominion_positions import PLAYFIELD, asked, held, only, play, play_out, position, refused

STANDARD = DominionOptions()


def start(seats: int = 2, **options: int) -> tuple[DominionState, list[DominionEvent]]:
    return GAME.start(GAME.options(options), seats, RiggedChance({}))


def test_every_clause_has_a_test_that_names_it() -> None:
    clauses = set(re.findall(r"\*\*(D\d+\.\d+)\*\*", GAME.rulebook()))
    here = Path(__file__)
    tests = "".join(file.read_text(encoding="utf-8") for file in here.parent.glob("test_dominion*.py"))
    assert "D12.3" in clauses
    assert clauses == set(re.findall(r"D\d+\.\d+", tests))


# D1 The match and the playfield


@pytest.mark.parametrize("seats", range(2, 9))
def test_two_to_eight_seats_take_turns_to_the_left(seats: int) -> None:
    """D1.1"""
    state, events = start(seats, size=3, max_rounds=2)
    events += play_out(state, lambda state: PASS)
    turns = [(event.round, event.seat) for event in events if isinstance(event, TurnBegan)]
    assert turns == [(round_, seat) for round_ in (1, 2) for seat in range(seats)]


@pytest.mark.parametrize("seats", [0, 1, 9])
def test_no_other_number_of_seats(seats: int) -> None:
    """D1.1"""
    with pytest.raises(OptionsError, match="2 to 8 seats"):
        GAME.start(STANDARD, seats, RiggedChance({}))


@pytest.mark.parametrize(("seats", "size"), [(2, 4), (3, 4), (4, 5), (8, 5)])
def test_the_default_size_goes_by_the_seats(seats: int, size: int) -> None:
    """D1.2"""
    assert start(seats)[0].size == size


@pytest.mark.parametrize("size", [3, 4, 5])
def test_any_number_of_seats_plays_on_any_size(size: int) -> None:
    """D1.2"""
    for seats in (2, 8):
        state, _ = start(seats, size=size)
        assert len(state.playfield) == len(state.owners) == size * size


@pytest.mark.parametrize("size", [2, 6, 0, True, 4.0, "4"])
def test_no_other_size(size: object) -> None:
    """D1.2"""
    with pytest.raises(OptionsError, match="size is 3, 4 or 5"):
        GAME.options({"size": size})


def test_the_playfield_is_dealt_from_a_pack_without_kings_and_queens() -> None:
    """D1.3"""
    chance = RiggedChance({"playfield": parse_cards(PLAYFIELD)})
    _, events = GAME.start(GAME.options({"size": 3}), 2, chance)
    assert events[0] == PlayfieldDealt(parse_cards(PLAYFIELD)), "row by row, as they come"
    seen = set()
    for seed in range(40):
        state, _ = GAME.start(GAME.options({"size": 5}), 2, Chance(seed.to_bytes(32, "big")))
        assert len(set(state.playfield)) == 25
        seen |= set(state.playfield)
    assert len(seen) == 44
    assert not any(card.rank in (QUEEN, KING) for card in seen)


def test_cards_lie_upright_where_row_and_column_are_even_together() -> None:
    """D1.4"""
    for size in (3, 4, 5):
        view = start(size=size)[0].view(0)
        upright = [[view.is_vertical(size * row + column) for column in range(size)] for row in range(size)]
        assert upright == [[(row + column) % 2 == 0 for column in range(size)] for row in range(size)]


def test_the_stock_is_a_whole_pack_and_turned_cards_go_to_the_discards() -> None:
    """D1.5"""
    state = position({0: (0, 5), 3: (1, 5)}, stock="QH 7D")
    assert len(set(state.stock)) == 52
    assert (state.view(1).discards, state.view(1).stock_count) == ((), 52)
    play(state, Declare())
    assert (state.view(1).discards, state.view(1).stock_count) == (parse_cards("QH"), 51)


def test_nothing_is_occupied_at_first() -> None:
    """D1.6"""
    state, _ = start(3)
    assert held(state) == {}
    assert asked(state)[1] == "deploy"


# D2 Strength and room


def test_natural_strength_is_rank_and_armies() -> None:
    """D2.1; the ace counts 1, the jack 11"""
    view = position({0: (0, 12), 4: (0, 2), 8: (1, 4)}, cards="AS 5H 7C 2D JC 6H 3S 8D 9C").view(0)
    assert [view.natural_strength(cell) for cell in (0, 4, 8, 2)] == [13, 13, 13, 7]


def test_room_is_what_is_missing_to_13() -> None:
    """D2.2; an ace takes twelve armies, a jack two"""
    state = position({1: (0, 3)}, cards="AS 5H 7C 2D JC 6H 3S 8D 9C")
    view = state.view(0)
    assert [view.room(cell) for cell in (0, 4, 1, 2)] == [12, 2, 5, 6]


def test_at_14_there_is_no_room_and_13_is_full_again() -> None:
    """D2.2; also not by deploying or advancing"""
    for armies in (11, 10):
        state = position({0: (0, armies), 1: (0, 1)}, luck={"deploy/0/0": (6, 6)})
        assert state.view(0).room(0) == 0
        assert state.view(0).advances == (Advance(0, 1, 7),)
        assert refused(state, Advance(1, 0, 1))[0] == "no_room"
        play(state, PASS)
        assert 0 not in [most.cell for most in state.view(0).deployments]
        assert refused(state, Deploy(0, 1))[0] == "no_room"


def test_a_territory_without_armies_is_unoccupied() -> None:
    """D2.3"""
    state = position({0: (0, 2), 3: (1, 2)}, luck={"deploy/0/0": (6, 6)})
    view = state.view(1)
    assert view.owners == (0, None, None, 1, None, None, None, None, None)
    assert (view.cells_of(0), view.cells_of(1), view.cells_of(None)) == ([0], [3], [1, 2, 4, 5, 6, 7, 8])
    play(state, PASS)
    assert refused(state, Deploy(3, 1))[0] == "not_yours", "nobody else's armies can come there"


# D3 The turn


def test_the_stages_of_a_turn() -> None:
    """D3.1"""
    luck = {"battle/0/0": (6, 6), "battle/1/0": (1, 1), "deploy/0/0": (6, 6)}
    state = position({0: (0, 8), 3: (1, 5), 8: (1, 1)}, stock="AC", luck=luck)
    passed = []
    for action in (Declare(), Conquer(4), Advance(3, 0, 1), Deploy(1, 1)):
        passed.append((state.stage, state.kind))
        play(state, action)
    assert passed == [("declare", "declare"), ("attack", "conquer"), ("advance", "advance"), ("deploy", "deploy")]
    assert (state.turn, state.stage) == (1, "deploy")
    assert held(state) == {0: (0, 5), 1: (0, 1), 3: (0, 3), 8: (1, 1)}


def test_every_stage_may_be_skipped() -> None:
    """D3.2"""
    state = position({0: (0, 8), 1: (0, 1), 3: (1, 5), 8: (1, 1)}, luck={"deploy/0/0": (6, 6)})
    for kind in ("declare", "advance", "deploy"):
        assert asked(state) == (0, kind)
        play(state, PASS)
    assert state.turn == 1
    assert held(state) == {0: (0, 8), 1: (0, 1), 3: (1, 5), 8: (1, 1)}


def test_a_turn_that_allows_nothing_is_passed_without_a_question() -> None:
    """D3.2; seat 0 has no armies yet and rolls too low for what is free, seat 1 can
    only deploy
    """
    full = {cell: (1, 1) for cell in range(9) if cell not in (2, 7, 8)}
    state = position(full, turn=1, luck={"deploy/1/0": (1, 1), "deploy/0/0": (1, 5), "deploy/1/1": (6, 6)})
    assert asked(state) == (1, "advance")
    play(state, PASS)
    events = play(state, PASS)
    assert events == [TurnBegan(2, 0), DeploymentRolled(0, (1, 5)), TurnBegan(2, 1)]
    assert asked(state) == (1, "advance")


def test_a_match_can_pass_without_any_question() -> None:
    """D3.2; nobody ever rolls enough"""
    luck = {"deploy/0/0": (1, 1), "deploy/1/0": (1, 1)}
    state = position({}, cards="3S 5H 7C 3D 4C 6H 4S 8D 9C", luck=luck, max_rounds=1)
    assert asked(state) == (None, "")
    assert state.outcome().places == (1, 1)


def test_every_question_leaves_a_choice() -> None:
    """D3.2"""
    for seed in range(6):
        rng = Random(seed)
        state, _ = GAME.start(
            GAME.options({"size": 3 + seed % 3, "max_rounds": 30}), 2 + seed, Chance(bytes([seed] * 32))
        )
        while state.to_ask is not None:
            actions = list(state.legal_actions())
            assert len(actions) == len(set(actions)) > 1
            assert actions == list(state.view(state.to_ask).legal_actions())
            assert state.sample_action(rng) in actions
            state.apply(rng.choice(actions))


# D9 Advancing


def test_one_advance_between_neighbouring_territories_of_ones_own() -> None:
    """D9.1; orientation does not matter, corners do not touch"""
    state = position({0: (0, 3), 1: (0, 2), 4: (0, 1), 3: (1, 1), 8: (0, 1)}, turn=0)
    play(state, PASS)
    assert asked(state) == (0, "advance")
    pairs = {(move.source, move.target): move.count for move in state.view(0).advances}
    assert pairs == {(0, 1): 3, (1, 0): 2, (1, 4): 2, (4, 1): 1}
    assert refused(state, Advance(0, 4, 1)) == ("not_adjacent", "cell 0 (3♠ with 3 armies) is not next to cell 4")
    assert refused(state, Advance(0, 3, 1)) == ("not_yours", "cell 3 (2♦ with 1 army) is not occupied by seat 0")
    assert refused(state, Advance(3, 0, 1))[0] == "not_yours"
    assert refused(state, Advance(0, 0, 1))[0] == "not_adjacent"
    events = play(state, Advance(1, 0, 1))
    assert events[0] == Advanced(0, 1, 0, 1)
    assert state.kind == "deploy", "once in a turn"
    assert held(state) == {0: (0, 4), 1: (0, 1), 3: (1, 1), 4: (0, 1), 8: (0, 1)}


def test_no_cell_beyond_the_playfield() -> None:
    """D9.1"""
    state = position({0: (0, 3), 1: (0, 2)})
    for move in (Advance(0, 9, 1), Advance(9, 0, 1), Advance(-1, 0, 1)):
        assert refused(state, move)[0] == "no_such_cell"
    assert refused(state, Advance(0, 9, 1))[1] == "cell 9 is not on the playfield: cells are 0 to 8"


def test_the_room_there_limits_an_advance() -> None:
    """D9.2"""
    state = position({0: (0, 9), 1: (0, 5)})
    assert state.view(0).advances == (Advance(0, 1, 3), Advance(1, 0, 1))
    assert refused(state, Advance(0, 1, 4)) == ("no_room", "cell 1 (5♥ with 5 armies) has room for 3 more, not 4")
    play(state, Advance(0, 1, 3))
    assert held(state) == {0: (0, 6), 1: (0, 8)}


def test_no_advance_is_asked_where_all_is_full() -> None:
    """D9.2, D3.2"""
    state = position({0: (0, 10), 1: (0, 8), 8: (1, 1)})
    assert asked(state) == (0, "deploy")


def test_all_armies_may_leave_a_territory() -> None:
    """D9.3; but one at least, and no more than there are"""
    state = position({0: (0, 3), 1: (0, 2)})
    assert refused(state, Advance(0, 1, 4)) == ("no_armies", "cell 0 (3♠ with 3 armies) cannot send 4")
    assert refused(state, Advance(0, 1, 0)) == (
        "too_few_armies",
        "cell 0 (3♠ with 3 armies) sends 1 army or more, not 0",
    )
    play(state, Advance(0, 1, 3))
    assert held(state) == {1: (0, 5)}


# D10 Deploying


def test_dice_are_rolled_only_if_there_is_room() -> None:
    """D10.1; 14 is no room either"""
    room = (10, 8, 6, 11, 9, 7, 12, 5, 4)
    everything_full = {cell: (cell % 2, armies) for cell, armies in enumerate(room)}
    everything_full[0] = (0, 11)
    state = position(everything_full)
    chance = state.chance
    assert isinstance(chance, RiggedChance)
    events = play(state, PASS)
    assert events == [TurnBegan(1, 1)], "seat 0 attacks nobody, has no room to advance to and none to deploy on"
    assert chance.asked == ["playfield", "stock/0"]
    assert asked(state) == (1, "declare")


def test_room_on_a_territory_of_ones_own_is_enough_to_roll() -> None:
    """D10.1, but not on another's"""
    room = (10, 8, 6, 11, 9, 7, 12, 5, 4)
    almost_full = {cell: (cell % 2, armies) for cell, armies in enumerate(room)} | {0: (0, 9)}
    state = position(almost_full, luck={"deploy/0/0": (2, 1)})
    assert play(state, PASS)[0] == DeploymentRolled(0, (2, 1))
    assert state.view(0).deployments == (Deploy(0, 1),)
    state = position(almost_full, turn=1)
    assert not any(isinstance(event, DeploymentRolled) for event in play(state, PASS)[:2])


def test_a_roll_of_six_and_three() -> None:
    """D10.2; four armies at most, on a nine or lower"""
    state = position({}, cards="9S 5H 10C 2D JC 6H AS 8D 9C", luck={"deploy/0/0": (6, 3)})
    assert state.view(0).dice == (6, 3)
    assert state.view(0).deployments == tuple([Deploy(cell, 4) for cell in (0, 1, 3, 5, 6, 7, 8)])
    assert state.view(1).dice is None, "the others are told by an event"
    assert refused(state, Deploy(0, 5)) == (
        "too_many_armies",
        "cell 0 (9♠ with 0 armies) gets 4 armies at most by the dice, not 5",
    )
    assert refused(state, Deploy(2, 1)) == (
        "rank_too_high",
        "cell 2 (10♣ with 0 armies) ranks above 9, the sum of the dice",
    )


def test_a_roll_of_four_where_nothing_that_low_is_free() -> None:
    """D10.2; all cards up to four are full or another's: the turn is over"""
    luck = {"deploy/0/0": (2, 2), "deploy/1/0": (6, 6)}
    state = position({0: (1, 1), 3: (0, 11), 6: (1, 1), 4: (1, 2)}, luck=luck)
    events = play(state, PASS)
    assert events[0] == DeploymentRolled(0, (2, 2))
    assert state.turn == 1


@pytest.mark.parametrize(("dice", "allowed"), [((5, 5), False), ((5, 6), True), ((6, 6), True)])
def test_a_jack_takes_eleven_or_twelve(dice: tuple[int, int], allowed: bool) -> None:
    """D10.2"""
    state = position({}, cards="JS 5H 7C 2D 4C 6H AS 8D 9C", luck={"deploy/0/0": dice})
    assert (0 in [most.cell for most in state.view(0).deployments]) is allowed


@pytest.mark.parametrize("dice", [(1, 1), (1, 6), (3, 4), (6, 2), (6, 6)])
def test_the_larger_number_underneath_is_the_most_armies(dice: tuple[int, int]) -> None:
    """D10.2; opposite sides of a die add up to 7"""
    state = position({}, luck={"deploy/0/0": dice})
    underneath = max(7 - dice[0], 7 - dice[1])
    assert {most.count for most in state.view(0).deployments if most.cell in (3, 6)} == {underneath}


def test_all_on_one_territory_ones_own_or_unoccupied_within_its_room() -> None:
    """D10.3"""
    state = position({0: (0, 8), 8: (1, 1)}, luck={"deploy/0/0": (6, 1)})
    assert Deploy(0, 2) in state.view(0).deployments
    assert refused(state, Deploy(0, 3)) == ("no_room", "cell 0 (3♠ with 8 armies) has room for 2 more, not 3")
    assert refused(state, Deploy(8, 1)) == ("not_yours", "cell 8 (9♣ with 1 army) is occupied by seat 1")
    assert refused(state, Deploy(9, 1))[0] == "no_such_cell"
    for action, now in ((Deploy(0, 2), (0, 10)), (Deploy(2, 6), (0, 6))):
        after = state.copy()
        events = play(after, action)
        assert events[0] == Deployed(0, action.cell, action.count)
        assert held(after)[action.cell] == now
        assert after.turn == 1


def test_fewer_armies_or_none() -> None:
    """D10.4"""
    state = position({8: (1, 1)}, luck={"deploy/0/0": (1, 1)})
    assert list(state.legal_actions()) == [PASS, *[Deploy(cell, n) for cell in (3, 6) for n in range(1, 7)]]
    assert refused(state, Deploy(3, 0)) == ("too_few_armies", "cell 3 (2♦ with 0 armies) gets 1 army or more, not 0")
    play(state, PASS)
    assert held(state) == {8: (1, 1)}


# D11 The end


def test_a_deployment_can_win() -> None:
    """D11.1"""
    mine = dict.fromkeys(range(8), (0, 1))
    state = position(mine, seats=3, luck={"deploy/0/0": (6, 6)})
    play(state, PASS, Deploy(8, 1))
    assert asked(state) == (None, "")
    assert state.stage == "over"
    assert state.outcome().places == (1, 2, 2)
    assert list(state.legal_actions()) == []


def test_who_resigned_is_below_whom_a_conquest_leaves_nothing() -> None:
    """D11.1, D12.2"""
    state = position(dict.fromkeys(range(8), (0, 1)), seats=3, luck={"deploy/0/0": (6, 6)})
    state.resigned[2] = True
    play(state, PASS, Deploy(8, 1))
    assert (asked(state), state.stage) == ((None, ""), "over")
    assert state.outcome().places == (1, 2, 3)


def test_the_match_ends_in_the_middle_of_a_turn() -> None:
    """D11.1; conquered and occupied, with armies left to attack, advance and deploy"""
    mine = dict.fromkeys(range(9), (0, 2)) | {3: (1, 1)}
    state = position(mine, stock="AC", luck={"battle/0/0": (6, 6), "battle/1/0": (1, 1)})
    play(state, Declare(), Attack(0, 3), Conquer(1))
    assert (asked(state), state.turn, state.round) == ((None, ""), 0, 1)
    assert state.outcome().places == (1, 2)


def test_who_moves_everybody_in_has_not_occupied_everything() -> None:
    """D11.1, D7.3"""
    mine = dict.fromkeys(range(9), (0, 2)) | {3: (1, 1)}
    for count, over in ((0, False), (1, True), (2, False)):
        state = position(mine, stock="AC", luck={"battle/0/0": (6, 6), "battle/1/0": (1, 1)})
        play(state, Declare(), Attack(0, 3), Conquer(count))
        assert (state.to_ask is None) is over


def test_after_the_last_round_the_match_is_over() -> None:
    """D11.2"""
    for max_rounds in (1, 3):
        state, events = start(3, size=3, max_rounds=max_rounds)
        events += play_out(state, lambda state: PASS)
        assert [event for event in events if isinstance(event, TurnBegan)][-1] == TurnBegan(max_rounds, 2)
        assert (state.stage, state.round) == ("over", max_rounds)
        assert state.outcome().places == (1, 1, 1)


@pytest.mark.parametrize("max_rounds", [0, 10_001, True, 2.5])
def test_no_other_number_of_rounds(max_rounds: object) -> None:
    """D11.2"""
    with pytest.raises(OptionsError, match="max_rounds is a whole number from 1 to 10000"):
        GAME.options({"max_rounds": max_rounds})


def test_10000_rounds_are_allowed() -> None:
    """D11.2; all are played where everybody passes"""
    assert GAME.options({"max_rounds": 10_000}) == DominionOptions(None, 10_000)
    state, events = start(2, size=3, max_rounds=10_000)
    events += play_out(state, lambda state: PASS)
    assert [event for event in events if isinstance(event, TurnBegan)][-1] == TurnBegan(10_000, 1)


def test_most_territories_then_most_armies() -> None:
    """D11.3"""
    state = position({0: (0, 5), 1: (1, 1), 2: (1, 1), 3: (2, 1), 5: (2, 4), 6: (3, 5)}, seats=5)
    assert state.outcome().places == (3, 2, 1, 3, 5)


def test_the_armies_of_all_territories_count() -> None:
    """D11.3"""
    state = position({0: (0, 3), 1: (0, 1), 2: (1, 1), 3: (1, 3), 6: (2, 1), 7: (2, 2)}, seats=3)
    assert state.outcome().places == (1, 1, 3)


def test_armies_never_outweigh_a_territory() -> None:
    """D11.3; even the most a playfield can hold"""
    aces = "AS AH AC AD 2S 2H 2C 2D 3S"
    many = {cell: (0, 12 if cell < 4 else 11) for cell in range(4)}
    state = position(many | dict.fromkeys(range(4, 9), (1, 1)), cards=aces)
    assert state.outcome().places == (2, 1)


@pytest.mark.parametrize(
    ("seats", "size", "rounds"),
    [(2, 3, 60), (2, 4, 120), (2, 5, 200), (3, 3, 60), (3, 4, 200), (3, 5, 100), (8, 3, 60), (8, 4, 200), (8, 5, 100)],
)
def test_the_default_number_of_rounds(seats: int, size: int, rounds: int) -> None:
    """D11.4"""
    assert start(seats, size=size)[0].max_rounds == rounds
    assert start(seats, size=size, max_rounds=7)[0].max_rounds == 7


def test_the_score_is_the_number_of_territories() -> None:
    """D11.5"""
    state = position({0: (0, 5), 1: (1, 1), 2: (1, 1)}, seats=3)
    assert state.outcome().scores == (1, 2, 0)


# D12 Resigning


def test_who_has_lost_all_armies_is_asked_every_turn() -> None:
    """D12.1; who never had any is not"""
    luck = {f"deploy/{seat}/{n}": (6, 6) for seat in range(3) for n in range(3)}
    state = position({0: (1, 1)}, seats=3, luck=luck)
    assert asked(state) == (0, "deploy"), "never had armies"
    state = position({0: (1, 1)}, seats=3, luck=luck)
    state.had_armies[0] = True
    for round_ in (1, 2):
        play(state, *[PASS] * (state.turn == 0 and state.kind == "deploy"))
        while state.turn != 0 or state.kind != "resign":
            play(state, PASS)
        assert (asked(state), state.round) == ((0, "resign"), round_ + 1)
        play(state, PASS)
        assert asked(state) == (0, "deploy")


def test_who_has_resigned_takes_no_more_turns() -> None:
    """D12.1"""
    state, _ = start(3, size=3, max_rounds=4)
    state.had_armies[1] = True
    answers = {"resign": Resign()}
    events = play_out(state, lambda state: answers.get(state.kind, PASS))
    assert only(events, Resigned) == Resigned(1)
    turns = [event.seat for event in events if isinstance(event, TurnBegan)]
    assert turns == [1, 2, 0, 2, 0, 2, 0, 2]
    assert state.view(0).resigned == (False, True, False)


def test_the_last_seat_can_resign_too() -> None:
    """D12.1; the round ends without it"""
    state, _ = start(3, size=3, max_rounds=3)
    state.had_armies[2] = state.had_armies[0] = True
    events = play_out(state, lambda state: Resign() if state.kind == "resign" and state.turn == 2 else PASS)
    turns = [event.seat for event in events if isinstance(event, TurnBegan)]
    assert turns == [1, 2, 0, 1, 0, 1]


def test_a_deployment_takes_the_question_away() -> None:
    """D12.1"""
    luck = {f"deploy/{seat}/{n}": (6, 6) for seat in range(2) for n in range(3)}
    state = position({}, luck=luck)
    play(state, Deploy(0, 1), PASS)
    assert state.had_armies == [True, False]
    assert asked(state) == (0, "deploy")
    state.owners[0], state.armies[0] = None, 0
    play(state, PASS, PASS)
    assert asked(state) == (0, "resign")


@pytest.mark.parametrize("seats", [2, 3])
def test_where_nobody_resigns_nobody_is_asked(seats: int) -> None:
    """D12.4"""
    state, _ = start(seats, size=3, max_rounds=3, resigning=False)
    state.had_armies = [True] * seats
    kinds = set()
    while state.to_ask is not None:
        kinds.add(state.kind)
        play(state, PASS)
    assert kinds == {"deploy"}
    assert not state.view(0).resigning
    with pytest.raises(OptionsError, match="resigning is true or false, not 1"):
        GAME.options({"resigning": 1})


def test_the_resigned_share_the_last_place() -> None:
    """D12.2; below who has nothing but did not resign"""
    state = position({0: (3, 1)}, seats=5)
    state.resigned[0] = state.resigned[2] = True
    assert state.outcome().places == (4, 2, 4, 1, 2)


def test_the_last_who_has_not_resigned_wins() -> None:
    """D12.3"""
    state = position({}, seats=3)
    state.had_armies = [True, True, True]
    state.turn, state.stage, state.kind = 0, "resign", ""
    state.proceed([])
    assert play(state, Resign())[0] == Resigned(0)
    assert asked(state) == (1, "resign")
    play(state, Resign())
    assert asked(state) == (None, "")
    assert state.outcome().places == (2, 2, 1)


def test_two_seats_one_resigns() -> None:
    """D12.3; also while the other has no armies"""
    state = position({}, seats=2)
    state.had_armies[0] = True
    state.turn, state.stage, state.kind = 0, "resign", ""
    state.proceed([])
    play(state, Resign())
    assert state.outcome().places == (2, 1)
    assert state.to_ask is None
