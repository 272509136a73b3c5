"""Dominion by its rulebook: attacking, the turned card, battles and conquest.

Every test names its clauses.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from pips_referee.cards import CARDS, parse_card, parse_cards
from pips_referee.games.dominion.rules import DominionState
from pips_referee.games.dominion.values import (
    PASS,
    Attack,
    CardTurned,
    Conquer,
    Conquered,
    Conquest,
    Declare,
    Deploy,
    DeploymentRolled,
    Fought,
    Reinforce,
    Reinforced,
    Remove,
    Removed,
)
from tests.rigged import RiggedChance
from tests.rules.dominion_positions import asked, held, only, pass_until, play, position, refused

CROSS = """
    2S 2H 10S
    2C 3C 8D
    2D 4H 9C
"""
"""A three upright in the middle, twos, a ten and an eight around it."""

EVERYWHERE = {cell: (cell % 2, 1) for cell in range(9)}
"""Seat 0 on the upright cards, seat 1 on those across."""

WIN, TIE, LOSE = ((6, 6), (1, 1)), ((3, 4), (4, 3)), ((1, 1), (6, 6))
"""Dice of the attacker and of the defender."""


def battles(*dice: tuple[tuple[int, int], tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """The dice of battles between seat 0 and seat 1, seat 0's first."""
    return {f"battle/{seat}/{n}": pair[seat] for n, pair in enumerate(dice) for seat in range(2)}


def fight(
    *, mine: int, theirs: int, turned: str = "AC", cards: str = "JH 5H 2C  7S 4C 6H  AS 8D 9C", dice: str = "43 43"
) -> Fought:
    """One battle from cell 0 (a red jack) against cell 3 (a black seven), with these
    armies, card and dice.
    """
    ours, others = [(int(pair[0]), int(pair[1])) for pair in dice.split()]
    luck = battles((ours, others))
    state = position({0: (0, mine), 3: (1, theirs)}, cards=cards, stock=turned, luck=luck)
    return only(play(state, Declare()), Fought)


# D4 Attacking


def test_armies_attack_out_of_the_narrow_ends_only() -> None:
    """D4.1; from the three on a two above it but not back, from the ten and the eight
    beside a card but not back
    """
    targets: dict[int, list[int]] = {cell: [] for cell in range(9)}
    for turn in range(2):
        for attack in position(EVERYWHERE, cards=CROSS, turn=turn).view(turn).attacks:
            targets[attack.source].append(attack.target)
    assert targets == {0: [3], 1: [0, 2], 2: [5], 3: [4], 4: [1, 7], 5: [4], 6: [3], 7: [6, 8], 8: [5]}


def test_no_attack_sideways_or_from_elsewhere() -> None:
    """D4.1"""
    state = position(EVERYWHERE)
    play(state, Declare())
    assert refused(state, Attack(0, 1)) == (
        "out_of_reach",
        "cell 0 (3♠ with 1 army) attacks up and down only, not cell 1",
    )
    assert refused(state, Attack(0, 6))[0] == "out_of_reach"
    assert refused(state, Attack(1, 0)) == ("not_yours", "cell 1 (5♥ with 1 army) is not occupied by seat 0")
    assert refused(state, Attack(0, 9))[0] == "no_such_cell"
    assert refused(state, Attack(-1, 0))[0] == "no_such_cell"
    state = position(EVERYWHERE, turn=1, stock="AC")
    play(state, Declare())
    assert refused(state, Attack(1, 4))[1] == "cell 1 (5♥ with 1 army) attacks left and right only, not cell 4"


def test_only_territories_of_others_are_attacked() -> None:
    """D4.2; 4 reaches 1, its own, and 7, unoccupied; 0 reaches 3 of seat 2"""
    state = position({0: (0, 1), 1: (0, 1), 2: (1, 1), 3: (2, 1), 4: (0, 1)}, seats=3, stock="AC")
    assert state.view(0).attacks == (Attack(0, 3), Attack(1, 2))
    play(state, Declare())
    assert list(state.legal_actions()) == [Attack(0, 3), Attack(1, 2)]
    for target in (1, 7):
        assert refused(state, Attack(4, target))[0] == "no_enemy"
    assert refused(state, Attack(4, 7))[1] == "cell 7 (8♦ with 0 armies) is not occupied by another player"


def test_without_an_attack_nothing_is_declared() -> None:
    """D4.3"""
    state = position({0: (0, 1), 1: (1, 1)})
    assert asked(state) == (0, "deploy")
    assert position({}).kind == "deploy"


def test_a_declared_attack_turns_a_card_for_the_turn() -> None:
    """D4.3; it is in force through the turn, and gone with it"""
    luck = {**battles(LOSE), "deploy/0/0": (6, 6)}
    state = position({0: (0, 5), 3: (1, 5)}, stock="QH 7D", luck=luck)
    assert asked(state) == (0, "declare")
    assert state.view(0).turned is None
    assert only(play(state, Declare()), CardTurned) == CardTurned(0, parse_card("QH"), False)
    assert state.view(1).turned == parse_card("QH")
    play(state, Conquer(0))
    assert asked(state) == (0, "deploy")
    assert state.view(0).turned == parse_card("QH"), "in the deployment, too"
    play(state, PASS)
    assert state.view(0).turned is None
    assert state.turn == 1


def test_who_declares_nothing_turns_nothing() -> None:
    """D4.3"""
    state = position({0: (0, 5), 3: (1, 5)}, stock="QH 7D")
    events = play(state, PASS)
    assert not any(isinstance(event, CardTurned) for event in events)
    assert state.view(0).stock_count == 52


def test_the_discards_become_a_new_stock() -> None:
    """D4.4; when all 52 are turned, and only then"""
    luck = {"stock/1": parse_cards("9S 2D"), **battles(TIE, TIE)}
    state = position({0: (0, 5), 3: (1, 6)}, luck=luck)
    last = state.stock[51]
    state.turned_count = 51
    assert only(play(state, Declare()), CardTurned) == CardTurned(0, last, False)
    assert (state.view(0).stock_count, len(state.view(0).discards)) == (0, 52)
    pass_until(state, 0, "declare")
    assert only(play(state, Declare()), CardTurned) == CardTurned(0, parse_card("9S"), True)
    assert (state.view(0).stock_count, state.view(0).discards) == (51, parse_cards("9S"))
    assert sorted(state.stock) == list(CARDS)
    chance = state.chance
    assert isinstance(chance, RiggedChance)
    assert [name for name in chance.asked if name.startswith("stock")] == ["stock/0", "stock/1"]


def test_every_stock_is_shuffled_anew() -> None:
    """D4.4"""
    state = position({0: (0, 5), 3: (1, 6)}, luck=battles(TIE, TIE))
    stocks = [state.stock]
    for _ in range(2):
        pass_until(state, 0, "declare")
        state.turned_count = 52
        play(state, Declare())
        stocks.append(state.stock)
    assert len(set(stocks)) == 3
    assert state.shuffles == 2


def test_who_turned_a_card_must_attack() -> None:
    """D4.5"""
    state = position({0: (0, 5), 3: (1, 6), 8: (0, 1), 5: (1, 1)}, stock="AC", luck=battles(TIE))
    play(state, Declare())
    assert state.view(0).must_attack
    assert refused(state, PASS) == ("must_attack", "A♣ was turned, so attack at least once")
    assert PASS not in list(state.legal_actions())
    play(state, Attack(0, 3))
    assert not state.view(0).must_attack
    assert next(state.legal_actions()) == PASS
    play(state, PASS)
    assert asked(state) == (0, "deploy")


def test_the_only_attack_is_made() -> None:
    """D4.5; the next one is a choice again"""
    state = position({0: (0, 5), 3: (1, 6)}, stock="AC", luck=battles(TIE))
    events = play(state, Declare())
    assert [type(event) for event in events] == [CardTurned, Fought]
    assert asked(state) == (0, "attack")
    assert list(state.legal_actions()) == [PASS, Attack(0, 3)]


def test_a_black_king_can_end_all_attacks() -> None:
    """D4.5, D5.4; the one army that could attack is taken: no battle, and the turn goes
    on
    """
    state = position({0: (0, 1), 3: (1, 5)}, stock="KS", luck={"deploy/0/0": (6, 6)})
    events = play(state, Declare())
    assert events == [CardTurned(0, parse_card("KS"), False), Removed(0, 0), DeploymentRolled(0, (6, 6))]
    assert held(state) == {3: (1, 5)}
    assert asked(state) == (0, "deploy")


def test_a_black_king_can_be_given_the_attackers() -> None:
    """D4.5, D5.4; of two territories, the one that could attack"""
    state = position({0: (0, 1), 8: (0, 3), 3: (1, 5)}, stock="KC", luck={"deploy/0/0": (6, 6)})
    play(state, Declare())
    assert (asked(state), state.view(0).cells) == ((0, "remove"), (0, 8))
    one, other = state.copy(), state.copy()
    play(one, Remove(0))
    assert asked(one) == (0, "deploy")
    assert only(play(other, Remove(8)), Fought).source == 0


# D5 The turned card


def strengths(turned: str, cards: str) -> list[int]:
    """The change of strength of these cards, one army each, by the turned card."""
    state = position({0: (0, 1), 3: (1, 1)}, cards=cards)
    state.turned = parse_card(turned)
    state.armies = [1] * 9
    view = state.view(0)
    return [view.strength(cell) - view.natural_strength(cell) for cell in range(9)]


def test_a_rank_turned_helps_its_colour_and_harms_the_other() -> None:
    """D5.1; a red ace: red aces +2, black ones -2"""
    aces = "AD AH AC  AS 2H 2S  KH QH JH".replace("KH QH", "3H 4H")
    assert strengths("AH", aces) == [2, 2, -2, -2, 0, 0, 0, 0, 0]
    assert strengths("AS", aces) == [-2, -2, 2, 2, 0, 0, 0, 0, 0]
    assert strengths("JC", aces) == [0, 0, 0, 0, 0, 0, 0, 0, -2]


def test_a_queen_helps_her_colour() -> None:
    """D5.2"""
    cards = "AD AH AC  AS 2H 2S  3H 4H JS"
    assert strengths("QD", cards) == [1, 1, 0, 0, 1, 0, 1, 1, 0]
    assert strengths("QC", cards) == [0, 0, 1, 1, 0, 1, 0, 0, 1]


@pytest.mark.parametrize("king", ["KC", "KD", "KH", "KS"])
def test_a_king_changes_no_strength(king: str) -> None:
    """D5.3, D5.4"""
    assert strengths(king, "AD AH AC  AS 2H 2S  3H 4H JS") == [0] * 9


def test_a_red_king_brings_an_army() -> None:
    """D5.3; on any territory of the attacker's"""
    state = position({0: (0, 1), 8: (0, 3), 3: (1, 2)}, stock="KH", luck=battles(TIE))
    assert play(state, Declare()) == [CardTurned(0, parse_card("KH"), False)]
    assert (asked(state), state.view(0).cells) == ((0, "reinforce"), (0, 8))
    assert list(state.legal_actions()) == [Reinforce(0), Reinforce(8)]
    assert refused(state, Reinforce(3)) == ("not_yours", "cell 3 (2♦ with 2 armies) is not occupied by seat 0")
    assert refused(state, Reinforce(1))[0] == "not_yours"
    assert refused(state, Reinforce(9))[0] == "no_such_cell"
    assert play(state, Reinforce(8))[0] == Reinforced(0, 8)
    assert held(state) == {0: (0, 1), 8: (0, 4), 3: (1, 2)}


def test_a_red_king_makes_14_and_nothing_makes_15() -> None:
    """D5.3; 3 with ten armies is at 13, with eleven at 14"""
    state = position({0: (0, 11), 6: (0, 12), 8: (0, 4), 3: (1, 5)}, stock="KD")
    play(state, Declare())
    assert state.view(0).cells == (6, 8)
    assert refused(state, Reinforce(0)) == ("no_room", "cell 0 (3♠ with 11 armies) is at 14 already")
    play(state, Reinforce(6))
    assert held(state)[6] == (0, 13)
    assert state.view(0).natural_strength(6) == 14


def test_a_red_king_with_one_place_to_go_goes_there() -> None:
    """D5.3, D3.2"""
    state = position({0: (0, 11), 8: (0, 4), 3: (1, 5)}, stock="KD", luck=battles(TIE))
    events = play(state, Declare())
    assert events[:2] == [CardTurned(0, parse_card("KD"), False), Reinforced(0, 8)]


def test_a_red_king_with_nowhere_to_go_does_nothing() -> None:
    """D5.3"""
    state = position({0: (0, 11), 8: (0, 5), 3: (1, 12)}, stock="KH", luck=battles(TIE))
    assert [type(event) for event in play(state, Declare())] == [CardTurned, Fought]
    assert held(state) == {0: (0, 11), 8: (0, 5), 3: (1, 12)}


def test_a_red_kings_army_may_be_declined_where_that_is_an_option() -> None:
    """D5.6; also the only one there could be"""
    mine = {0: (0, 1), 8: (0, 3), 3: (1, 2)}
    state = position(mine, stock="KH", luck=battles(TIE), optional_army=True)
    play(state, Declare())
    assert list(state.legal_actions()) == [PASS, Reinforce(0), Reinforce(8)]
    events = play(state, PASS)
    assert [type(event) for event in events] == [Fought], "the attack goes on"
    assert held(state) == mine
    state = position(mine, stock="KH", luck=battles(TIE), optional_army=True)
    assert play(state, Declare(), Reinforce(8))[1] == Reinforced(0, 8)
    state = position({0: (0, 11), 8: (0, 4), 3: (1, 5)}, stock="KD", luck=battles(TIE), optional_army=True)
    play(state, Declare())
    assert list(state.legal_actions()) == [PASS, Reinforce(8)]


def test_a_red_kings_army_may_not_be_declined_otherwise() -> None:
    """D5.3, D5.6; a black king's never"""
    state = position({0: (0, 1), 8: (0, 3), 3: (1, 2)}, stock="KH")
    play(state, Declare())
    assert refused(state, PASS) == ("wrong_kind", "Pass() does not answer a question to reinforce")
    state = position({0: (0, 2), 8: (0, 3), 3: (1, 2)}, stock="KS", optional_army=True)
    play(state, Declare())
    assert refused(state, PASS) == ("wrong_kind", "Pass() does not answer a question to remove")


def test_14_is_lost_and_only_a_red_king_brings_it_back() -> None:
    """D5.3, D2.2"""
    lost, even = ((1, 2), (2, 3)), ((1, 2), (2, 2))
    state = position({0: (0, 10), 3: (1, 11)}, stock="KH KD", luck={**battles(lost, even), "deploy/0/0": (6, 6)})
    events = play(state, Declare())
    assert (only(events, Reinforced).cell, only(events, Fought).attacker_losses) == (0, 1), "14, then 13 again"
    play(state, PASS)
    assert (held(state)[0], state.view(0).room(0)) == ((0, 10), 0)
    assert refused(state, Deploy(0, 1))[0] == "no_room"
    pass_until(state, 0, "declare")
    play(state, Declare())
    assert held(state)[0] == (0, 11)


def test_a_black_king_takes_an_army() -> None:
    """D5.4"""
    state = position({0: (0, 2), 8: (0, 3), 3: (1, 2)}, stock="KS", luck=battles(TIE))
    play(state, Declare())
    assert list(state.legal_actions()) == [Remove(0), Remove(8)]
    assert refused(state, Remove(3))[0] == "not_yours"
    assert refused(state, Remove(9))[0] == "no_such_cell"
    assert play(state, Remove(0))[0] == Removed(0, 0)
    assert held(state) == {0: (0, 1), 8: (0, 3), 3: (1, 2)}


def test_a_black_king_may_empty_a_territory() -> None:
    """D5.4, D2.3; nobody conquers it"""
    state = position({0: (0, 2), 8: (0, 1), 3: (1, 3)}, stock="KS", luck=battles(TIE))
    events = play(state, Declare(), Remove(8))
    assert not any(isinstance(event, Conquered) for event in events)
    assert held(state) == {0: (0, 2), 3: (1, 3)}


def test_the_turned_card_counts_in_battle_only() -> None:
    """D5.5; neither for room nor for what may move"""
    state = position({0: (0, 8), 3: (1, 1)}, stock="3C", luck=battles(WIN))
    play(state, Declare())
    view = state.view(0)
    assert (view.strength(0), view.natural_strength(0), view.room(0)) == (13, 11, 2)
    play(state, Conquer(7))
    assert held(state) == {0: (0, 1), 3: (0, 7)}


# D6 The battle


@pytest.mark.parametrize(("mine", "theirs", "advantage"), [(2, 4, 2), (1, 6, -1), (2, 6, 0)])
def test_the_advantage_of_an_attack(mine: int, theirs: int, advantage: int) -> None:
    """D6.1; a jack on a seven"""
    assert fight(mine=mine, theirs=theirs).advantage == advantage


def test_the_turned_card_counts_in_the_advantage() -> None:
    """D6.1, D5.1; a red jack turned: 15 against 11"""
    assert fight(mine=2, theirs=4, turned="JD").advantage == 4
    assert fight(mine=2, theirs=4, turned="JS").advantage == 0
    assert fight(mine=2, theirs=4, turned="QS").advantage == 1
    assert fight(mine=2, theirs=4, turned="7H").advantage == 4


def test_both_sides_roll_two_dice_of_their_own() -> None:
    """D6.1"""
    fought = fight(mine=2, theirs=4, dice="62 61")
    assert (fought.attacker, fought.defender, fought.source, fought.target) == (0, 1, 0, 3)
    assert (fought.attacker_dice, fought.defender_dice) == ((6, 2), (6, 1))


def test_the_defender_loses_the_difference() -> None:
    """D6.2; eight and two make ten, against seven"""
    fought = fight(mine=2, theirs=4, dice="62 34")
    assert (fought.attacker_losses, fought.defender_losses) == (0, 3)


def test_the_attacker_loses_the_difference() -> None:
    """D6.2; eight and two make ten, against twelve; eight less two make six, against
    seven
    """
    fought = fight(mine=2, theirs=4, dice="44 66")
    assert (fought.attacker_losses, fought.defender_losses) == (2, 0)
    fought = fight(mine=1, theirs=7, cards="JH 5H 2C  7S 4C 6H  AS 8D 9C", dice="44 34")
    assert (fought.advantage, fought.attacker_losses, fought.defender_losses) == (-2, 1, 0)


def test_nobody_loses_more_than_he_has_there() -> None:
    """D6.2"""
    assert fight(mine=2, theirs=4, dice="66 11").defender_losses == 4
    assert fight(mine=2, theirs=4, dice="11 66").attacker_losses == 2


def test_losses_leave_the_playfield() -> None:
    """D6.2"""
    state = position({0: (0, 8), 3: (1, 9)}, stock="AC", luck=battles(((6, 2), (3, 2))))
    play(state, Declare())
    assert held(state) == {0: (0, 8), 3: (1, 6)}
    state = position({0: (0, 8), 3: (1, 9)}, stock="AC", luck=battles(((3, 2), (6, 2))))
    play(state, Declare())
    assert held(state) == {0: (0, 5), 3: (1, 9)}


def test_equal_totals_change_nothing() -> None:
    """D6.3; the totals, not the dice"""
    fought = fight(mine=2, theirs=4, dice="31 42")
    assert (fought.advantage, fought.attacker_losses, fought.defender_losses) == (2, 0, 0)
    state = position({0: (0, 8), 3: (1, 9)}, stock="AC", luck=battles(TIE))
    play(state, Declare())
    assert held(state) == {0: (0, 8), 3: (1, 9)}


# D7 Conquest


def conquering(
    mine: int, theirs: int, dice: tuple[tuple[int, int], tuple[int, int]], held: Mapping[int, tuple[int, int]] = {}
) -> DominionState:
    """After the first battle of cell 0 (3♠) against cell 3 (2♦)."""
    state = position({0: (0, mine), 3: (1, theirs), **held}, stock="AC", luck=battles(dice))
    play(state, Declare())
    return state


def test_the_attacker_conquers() -> None:
    """D7.1; none, some or all of the armies that won"""
    state = conquering(8, 5, WIN)
    assert asked(state) == (0, "conquer")
    assert state.view(0).conquest == Conquest(0, 3, 8)
    assert held(state) == {0: (0, 8)}
    assert list(state.legal_actions()) == [Conquer(count) for count in range(9)]
    assert play(state.copy(), Conquer(5))[0] == Conquered(0, 0, 3, 5)
    play(state, Conquer(5))
    assert held(state) == {0: (0, 3), 3: (0, 5)}
    assert asked(state) == (0, "advance"), "there is nobody left to attack"


def test_the_defender_conquers_in_the_attackers_turn() -> None:
    """D7.1; the defender is asked, and then the attacker goes on"""
    state = conquering(8, 9, LOSE, {1: (0, 2), 2: (1, 1), 6: (0, 1)})
    play(state, Attack(0, 3))
    assert (asked(state), state.turn) == ((1, "conquer"), 0)
    assert state.view(1).conquest == Conquest(3, 0, 9)
    assert state.view(0).conquest is None
    assert held(state) == {1: (0, 2), 2: (1, 1), 3: (1, 9), 6: (0, 1)}
    assert play(state, Conquer(4)) == [Conquered(1, 3, 0, 4)]
    assert held(state) == {0: (1, 4), 1: (0, 2), 2: (1, 1), 3: (1, 5), 6: (0, 1)}
    assert asked(state) == (0, "attack")
    assert list(state.legal_actions()) == [PASS, Attack(1, 0), Attack(1, 2), Attack(6, 3)]


def test_the_defender_can_win_the_match_in_the_attackers_turn() -> None:
    """D7.1, D11.1"""
    others = dict.fromkeys((1, 2, 4, 5, 6, 7, 8), (1, 1))
    state = conquering(1, 9, LOSE, others)
    assert (asked(state), state.turn) == ((1, "conquer"), 0)
    play(state, Conquer(1))
    assert asked(state) == (None, "")
    assert state.outcome().places == (2, 1)


def test_an_attacker_without_armies_goes_on_to_deploy() -> None:
    """D7.1, D12.1; that seat is asked to resign only when its next turn begins"""
    luck = {"deploy/0/0": (6, 6), "deploy/1/0": (1, 1), "deploy/0/1": (1, 1)}
    state = position({0: (0, 1), 3: (1, 9)}, stock="AC", luck={**battles(LOSE), **luck})
    play(state, Declare(), Conquer(3))
    assert asked(state) == (0, "deploy")
    play(state, PASS)
    while state.turn:
        play(state, PASS)
    assert asked(state) == (0, "resign")
    assert state.round == 2


def test_room_limits_who_moves_in() -> None:
    """D7.2; two armies on a jack, whatever the card turned"""
    cards = "3S 5H 7C  JD 4C 6H  AS 8D 9C"
    state = position({0: (0, 8), 3: (1, 1)}, cards=cards, stock="JS", luck=battles(WIN))
    play(state, Declare())
    assert state.view(0).conquest == Conquest(0, 3, 2)
    assert refused(state, Conquer(3)) == ("no_room", "cell 3 (J♦ with 0 armies) has room for 2 more, not 3")
    assert refused(state, Conquer(9)) == ("no_armies", "cell 0 (3♠ with 8 armies) cannot send 9")
    assert refused(state, Conquer(-1)) == ("too_few_armies", "cell 0 (3♠ with 8 armies) sends 0 armies or more, not -1")
    play(state, Conquer(2))
    assert held(state) == {0: (0, 6), 3: (0, 2)}


def test_moving_all_leaves_the_winning_territory_unoccupied() -> None:
    """D7.3"""
    state = conquering(8, 5, WIN, {8: (1, 1)})
    play(state, Conquer(8))
    assert held(state) == {3: (0, 8), 8: (1, 1)}


def test_moving_none_leaves_the_conquered_territory_unoccupied() -> None:
    """D7.3"""
    state = conquering(8, 5, WIN, {8: (1, 1)})
    events = play(state, Conquer(0))
    assert events[0] == Conquered(0, 0, 3, 0)
    assert held(state) == {0: (0, 8), 8: (1, 1)}


# D8 Further attacks


def test_further_attacks_from_anywhere_with_the_same_card() -> None:
    """D8.1; also from where the first battle was, and from what was conquered"""
    field = {0: (0, 9), 3: (1, 4), 4: (1, 1), 8: (0, 2), 5: (1, 1)}
    even = ((1, 2), (3, 4))
    state = position(field, stock="2H 9S", luck=battles(even, even, WIN, even))
    fought = [only(play(state, Declare(), Attack(0, 3)), Fought)]
    assert asked(state) == (0, "attack")
    fought.append(only(play(state, Attack(8, 5)), Fought))
    fought.append(only(play(state, Attack(0, 3)), Fought))
    play(state, Conquer(4))
    assert list(state.legal_actions()) == [PASS, Attack(3, 4), Attack(8, 5)]
    fought.append(only(play(state, Attack(3, 4)), Fought))
    assert [battle.advantage for battle in fought] == [4, 4, 4, 3]
    assert state.turned == parse_card("2H")
    assert state.turned_count == 1


def test_attacking_ends_when_there_is_nothing_to_attack() -> None:
    """D8.1, D3.2"""
    state = conquering(8, 5, WIN)
    assert asked(state) == (0, "conquer")
    play(state, Conquer(0))
    assert asked(state) == (0, "deploy")


def test_after_100_equal_battles_there_is_no_further_attack() -> None:
    """D8.2"""
    state = position({0: (0, 8), 3: (1, 9)}, stock="AC AD", luck=battles(*[TIE] * 101))
    play(state, Declare())
    for _ in range(98):
        play(state, Attack(0, 3))
    assert asked(state) == (0, "attack")
    assert state.ties == 99
    play(state, Attack(0, 3))
    assert asked(state) == (0, "deploy")
    pass_until(state, 0, "declare")
    play(state, Declare())
    assert asked(state) == (0, "attack"), "each turn counts its own"
    assert state.ties == 1


def test_other_battles_do_not_count_among_the_100() -> None:
    """D8.2"""
    won, lost, even = ((3, 4), (2, 4)), ((1, 3), (3, 4)), ((4, 4), (3, 4))
    state = position({0: (0, 8), 3: (1, 9)}, stock="AC", luck=battles(won, lost, even))
    play(state, Declare(), Attack(0, 3))
    assert state.ties == 0
    play(state, Attack(0, 3))
    assert state.ties == 1


def test_a_turn_begins_with_a_fresh_card_and_duty() -> None:
    """D4.3, D4.5, D3.1"""
    state = position({0: (0, 8), 4: (0, 1), 3: (1, 9), 1: (1, 1)}, turn=0, stock="AC 2C", luck=battles(TIE, TIE))
    play(state, Declare(), Attack(0, 3), PASS)
    pass_until(state, 1, "declare")
    events = play(state, Declare())
    assert events[0] == CardTurned(1, parse_card("2C"), False)
    assert state.view(1).must_attack
