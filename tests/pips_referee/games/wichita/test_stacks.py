"""Stacks and layouts against brute-force twins, which follow the rulebook's words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from random import Random

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from pips_referee.cards import CARDS, KING, Card, parse_cards
from pips_referee.games.wichita import bags
from pips_referee.games.wichita import best as room
from pips_referee.games.wichita.best import Layout, best_layout, empties
from pips_referee.games.wichita.stacks import (
    Reason,
    flaw,
    has_stack,
    highest_fits,
    layouts,
    legal_stacks,
    random_layout,
    stack_worth,
)
from tests.pips_referee.games.wichita.twin import Dice, Ranks, is_stack, ranks_of, subsets, worth

# --- the twins


def every_layout(ranks: Ranks, target: int) -> set[tuple[Ranks, ...]]:
    """All sets of stacks of the hand, as sorted tuples."""
    found: set[tuple[Ranks, ...]] = {()}
    for stack in set(subsets(ranks)):
        if is_stack(stack, target):
            left = Counter(ranks) - Counter(stack)
            found |= {
                tuple(sorted((stack, *others))) for others in every_layout(tuple(sorted(left.elements())), target)
            }
    return found


def most_points(ranks: Ranks, dice: Dice, bonus: bool) -> int:
    """The most points of any layout: the first card is left over, or is in a stack."""
    count = len(ranks)
    stacks = {
        mask: points
        for mask in range(1 << count)
        if (points := worth(tuple(rank for place, rank in enumerate(ranks) if mask >> place & 1), dice))
    }

    @cache
    def most(free: int, all_laid: bool) -> int:
        if not free:
            return int(all_laid and bonus and count > 0)
        lowest = free & -free
        best = most(free ^ lowest, False)
        for mask, points in stacks.items():
            if mask & lowest and mask & free == mask:
                best = max(best, points + most(free ^ mask, all_laid))
        return best

    return most((1 << count) - 1, True)


# --- hands to try


def random_hand(rng: Random, size: int, kings: int) -> list[Card]:
    """`size` cards of three packs, `kings` of them kings."""
    pack = [card for card in CARDS if card.rank != KING] * 3
    kings_of_pack = [card for card in CARDS if card.rank == KING] * 3
    hand = rng.sample(pack, size - kings) + rng.sample(kings_of_pack, kings)
    rng.shuffle(hand)
    return hand


def random_dice(rng: Random) -> Dice:
    return rng.randint(1, 6), rng.randint(1, 6)


def small_hands(seed: str, count: int, largest: int) -> Iterator[tuple[list[Card], Dice]]:
    rng = Random(seed)
    for _ in range(count):
        size = rng.randint(0, largest)
        yield random_hand(rng, size, min(size, rng.choice((0, 0, 0, 1, 1, 2, 3)))), random_dice(rng)


def check_layout(layout: Layout, hand: Sequence[Card], dice: Dice, bonus: bool) -> None:
    """The stacks are cards of the hand, legal, and worth what the layout says."""
    laid = [card for stack in layout.stacks for card in stack]
    assert not Counter(laid) - Counter(hand)
    worths = [worth(ranks_of(stack), dice) for stack in layout.stacks]
    assert all(worths)
    empties = bool(hand) and len(laid) == len(hand)
    assert layout.points == sum(worths) + (empties and bonus)


# --- what is a stack


def test_legality_and_worth_agree_with_the_twin() -> None:
    """W4, W5: every subset of every hand."""
    tried = 0
    for hand, dice in small_hands("worth", 400, 6):
        for size in range(len(hand) + 1):
            for stack in combinations(hand, size):
                assert stack_worth(stack, dice) == worth(ranks_of(stack), dice), (stack, dice)
                tried += 1
    assert tried > 5000


def test_the_reason_agrees_with_the_twin() -> None:
    """W4: a stack that only both signs, or only kings both ways, would make legal."""
    seen = Counter[Reason]()
    for hand, dice in small_hands("flaws", 3000, 5):
        target = sum(dice)
        if stack_worth(hand, dice):
            continue
        values = [card.rank for card in hand if card.rank != KING]
        kings = len(hand) - len(values)
        signed = {0}
        for value in values:
            signed = {base + sign * value for base in signed for sign in (1, -1)}
        one_way = {Fraction(target, 2**kings), Fraction(target * 2**kings)}
        both_ways = {Fraction(target) * Fraction(2) ** (2 * halving - kings) for halving in range(1, kings)}
        bases = {sum(values)} | {2 * value - sum(values) for value in values}
        if not hand:
            expected = Reason.EMPTY_STACK
        elif not values:
            expected = Reason.ONLY_KINGS
        elif signed & one_way:
            expected = Reason.MIXED_SIGNS
        elif bases & both_ways:
            expected = Reason.KINGS_BOTH_WAYS
        else:
            expected = Reason.WRONG_TOTAL
        assert flaw(hand, target)[0] is expected, (hand, dice)
        seen[expected] += 1
    assert set(seen) == set(Reason) - {Reason.WRONG_KIND, Reason.NOT_IN_HAND}
    assert min(seen.values()) > 20


# --- the stacks and layouts of a hand


def test_every_legal_stack_comes_once() -> None:
    """W4: hands of up to nine cards."""
    for hand, dice in small_hands("stacks", 600, 9):
        target = sum(dice)
        found = [ranks_of(stack) for stack in legal_stacks(hand, target)]
        expected = {stack for stack in set(subsets(ranks_of(hand))) if is_stack(stack, target)}
        assert len(found) == len(set(found)), (hand, dice)
        assert set(found) == expected, (hand, dice)
        assert has_stack(hand, target) == bool(expected)
        highest = max([rank for rank in ranks_of(hand) if rank < KING], default=0)
        assert highest_fits(hand, target) == any(highest in stack for stack in expected)
        assert not any(Counter(stack) - Counter(hand) for stack in legal_stacks(hand, target))


def test_stacks_come_with_few_kings_first_and_read_highest_first() -> None:
    hand = parse_cards("KS 2H 8D 4C KD 2S QC")
    kings = [ranks_of(stack).count(KING) for stack in legal_stacks(hand, 8)]
    assert kings == sorted(kings)
    assert set(kings) == {0, 1, 2}
    assert parse_cards("8D 4C 2H 2S KD") in list(legal_stacks(hand, 8))
    assert parse_cards("QC 4C KD") in list(legal_stacks(hand, 8))
    assert parse_cards("2H KD KS") in list(legal_stacks(hand, 8))


def test_the_first_stacks_of_a_huge_hand_come_at_once() -> None:
    """All cards of three packs: counting their stacks would take for ever."""
    hand = CARDS * 3
    stacks = legal_stacks(hand, 7)
    assert all(is_stack(ranks_of(next(stacks)), 7) for _ in range(20))
    lays = layouts(hand, 7)
    assert next(lays) == ()
    assert all(is_stack(ranks_of(stack), 7) for _ in range(20) for stack in next(lays))
    assert has_stack(hand, 7)


@pytest.mark.parametrize(
    ("cards", "dice", "first", "most"),
    [
        ("AS 5H 5D 9C QD 2C 2H", (3, 4), "5D 2C", 3),
        ("AS", (3, 5), "AS KC KC KC", 1),
        ("AS", (3, 4), "", 0),
        ("QS JS 10S", (6, 6), "QS", 1),
        ("QS JS", (5, 6), "JS", 1),
    ],
)
def test_forty_kings_double_no_farther_than_the_other_cards_reach(
    cards: str, dice: Dice, first: str, most: int
) -> None:
    """W4.4: 12 doubled forty times, as a number of bits, would fill any memory."""
    hand, target = parse_cards("KC KD KH KS") * 10 + parse_cards(cards), sum(dice)
    assert has_stack(hand, target) == bool(first)
    assert highest_fits(hand, target) <= bool(first)
    assert next(legal_stacks(hand, target), ()) == parse_cards(first)
    rng = Random(cards)
    stacks = [stack for _ in range(20) for stack in random_layout(hand, target, rng)]
    assert bool(stacks) == bool(first) and all(is_stack(ranks_of(stack), target) for stack in stacks)
    layout = best_layout(hand, dice)
    check_layout(layout, hand, dice, bonus=True)
    assert layout.points == most


def test_every_layout_comes_once_and_every_random_one_is_among_them() -> None:
    """W4.1: hands of up to seven cards."""
    rng = Random("layouts")
    for hand, dice in small_hands("layouts", 250, 7):
        target = sum(dice)
        found = list(layouts(hand, target))
        by_ranks = [tuple(sorted(map(ranks_of, stacks))) for stacks in found]
        assert len(by_ranks) == len(set(by_ranks)), (hand, dice)
        assert set(by_ranks) == every_layout(ranks_of(hand), target), (hand, dice)
        assert found[0] == ()
        assert not any(Counter(card for stack in stacks for card in stack) - Counter(hand) for stacks in found)
        for _ in range(3):
            assert random_layout(hand, target, rng) in found


@pytest.mark.parametrize(
    ("cards", "target"),
    [
        ("8C 6C 2D 2H", 8),
        ("10C 2D 2H 4C", 8),
        ("QC 4C 4D KS KD 2C", 8),
        ("4C KC KD 2C AC KH", 4),
        ("5C 3D KC 2D AC", 4),
        ("9C 8C 7C 6C AC AD", 2),
    ],
)
def test_every_layout_can_come_up_at_random(cards: str, target: int) -> None:
    """W4.1"""
    hand = parse_cards(cards)
    rng = Random(cards)
    drawn = {random_layout(hand, target, rng) for _ in range(1500)}
    assert drawn == set(layouts(hand, target))
    assert len(drawn) > 2


def test_a_random_layout_often_lays_something_and_sometimes_nothing() -> None:
    hand = parse_cards("8C 8D 8H 8S")
    rng = Random(1)
    sizes = Counter(len(random_layout(hand, 8, rng)) for _ in range(4000))
    assert sizes[0] == pytest.approx(1000, abs=100)  # one in four stops before each stack
    assert sizes[1] == pytest.approx(750, abs=90)
    assert sizes[4] == pytest.approx(4000 * (3 / 4) ** 4, abs=110)


def test_a_random_stack_is_fair_between_the_ways_of_making_it() -> None:
    """8, or 6 + 2: one kind of stack, with or without its highest card.

    10 - 2 is a kind of its own.
    """
    rng = Random(2)
    firsts = Counter(random_layout(parse_cards("8C 6C 2D"), 8, rng) for _ in range(4000))
    assert firsts[(parse_cards("8C"),)] + firsts[(parse_cards("8C"), parse_cards("6C 2D"))] > 0
    assert firsts[(parse_cards("8C"),)] == pytest.approx(4000 * (3 / 4) * (1 / 2) * (1 / 4), abs=60)
    kinds = Counter(random_layout(parse_cards("10C 8C 2D"), 8, rng) for _ in range(4000))
    assert kinds[(parse_cards("8C"),)] == pytest.approx(kinds[(parse_cards("10C 2D"),)], abs=90)


# --- the best layout


def test_the_best_layout_agrees_with_the_twin() -> None:
    """W4 to W6: hands of up to nine cards, with and without a bonus card to earn."""
    emptied = Counter[bool]()
    for number, (hand, dice) in enumerate(small_hands("best", 2000, 9)):
        bonus = number % 2 == 0
        layout = best_layout(hand, dice, bonus)
        check_layout(layout, hand, dice, bonus)
        assert layout.points == most_points(ranks_of(hand), dice, bonus), (hand, dice, bonus)
        emptied[sum(map(len, layout.stacks)) == len(hand) > 2] += 1
    assert min(emptied.values()) > 60


@pytest.mark.parametrize(
    ("cards", "dice", "bonus", "points", "stacks"),
    [
        ("", (3, 4), True, 0, []),
        ("KC KD", (3, 4), True, 0, []),
        ("3C 4C", (3, 4), True, 3, ["4C 3C"]),  # W5.2 and W6
        ("3C 4C", (3, 4), False, 2, ["4C 3C"]),
        ("3C 4C 7D", (2, 5), False, 2, ["7D", "4C 3C"]),
        ("8C 6C 2D", (4, 4), True, 3, ["8C", "6C 2D"]),
        ("8C 4C KC", (4, 4), True, 3, ["8C", "4C KC"]),
        # Two eights are two points as well, but a king would be left over, and another
        # turn is worth having.
        ("8C 8D KC", (4, 4), True, 2, ["8C 8D KC"]),
        ("8C 8D KC", (4, 4), False, 2, ["8C", "8D"]),
        # Two cards that show the dice are worth as much as a stack with each of them.
        ("2C 4C 6D 6H", (2, 4), False, 4, ["4C 2C", "6D", "6H"]),
    ],
)
def test_best_layouts(cards: str, dice: Dice, bonus: bool, points: int, stacks: list[str]) -> None:
    layout = best_layout(parse_cards(cards), dice, bonus)
    assert layout.points == points
    assert sorted(layout.stacks) == sorted(parse_cards(stack) for stack in stacks)


def test_of_equal_layouts_one_that_empties_the_hand_is_taken() -> None:
    """W6: another turn follows. The twin tries every way to lay all cards."""
    ties = 0
    for hand, dice in small_hands("ties", 2000, 7):
        if len(hand) < 2:
            continue
        layout = best_layout(hand, dice)
        everything = [
            sum(worth(stack, dice) for stack in stacks) + 1
            for stacks in every_layout(ranks_of(hand), sum(dice))
            if sum(map(len, stacks)) == len(hand)
        ]
        can_empty = max(everything, default=-1) == layout.points
        assert (sum(map(len, layout.stacks)) == len(hand)) == can_empty, (hand, dice)
        assert empties(hand, dice) == can_empty, (hand, dice)
        ties += can_empty and layout.points == best_layout(hand, dice, bonus=False).points
    assert ties > 3


def most_points_by_integer_programming(hand: Sequence[Card], dice: Dice, bonus: bool) -> int:
    """The number of each legal stack to lay, and whether nothing is left.

    Another solver finds it.
    """
    held = Counter(card.rank for card in hand)
    kinds = [Counter(card.rank for card in stack) for stack in legal_stacks(hand, sum(dice))]
    worths = [worth(tuple(sorted(kind.elements())), dice) for kind in kinds]
    used = np.array([[kind[rank] for kind in kinds] + [0] for rank in held])
    counts = np.array([held[rank] for rank in held])
    all_laid = np.array([[kind[rank] for kind in kinds] + [-held[rank]] for rank in held])
    constraints = [LinearConstraint(used, ub=counts), LinearConstraint(all_laid, lb=0)]
    bounds = Bounds(0, np.array([np.inf] * len(kinds) + [1 if bonus else 0]))
    solved = milp(
        -np.array([*worths, 1]), integrality=np.ones(len(kinds) + 1, dtype=int), bounds=bounds, constraints=constraints
    )
    assert solved.success, solved.message
    return round(-solved.fun)


def test_large_hands_agree_with_integer_programming() -> None:
    """W4 to W6: hands of 10 to 20 cards with up to four kings."""
    rng = Random("large")
    for number in range(40):
        size = rng.randint(10, 20)
        hand, dice = random_hand(rng, size, rng.randint(0, 4)), random_dice(rng)
        bonus = number % 2 == 0
        layout = best_layout(hand, dice, bonus)
        check_layout(layout, hand, dice, bonus)
        assert layout.points == most_points_by_integer_programming(hand, dice, bonus), (hand, dice, bonus)


def test_lopsided_hands_agree_with_integer_programming() -> None:
    """W4 to W6: many cards of few ranks, which pile up when their sums never fit."""
    rng = Random("lopsided")
    for _ in range(60):
        chosen = rng.sample(range(1, KING + 1), rng.randint(2, 5))
        hand, dice = [Card.of(rng.choice(chosen), rng.choice(CARDS).suit) for _ in range(20)], random_dice(rng)
        layout = best_layout(hand, dice)
        check_layout(layout, hand, dice, bonus=True)
        if has_stack(hand, sum(dice)):
            assert layout.points == most_points_by_integer_programming(hand, dice, bonus=True), (hand, dice)
        else:
            assert layout == Layout(0, ())


def test_the_smallest_stacks_contain_no_other() -> None:
    """W4: every stack of the hand contains one of them; none contains another."""
    for hand, dice in small_hands("smallest", 300, 9):
        found = list(bags.stacks_in(bags.bag_of(hand), sum(dice)))
        smallest = [Counter(bags.ranks_of(stack)) for stack in room._smallest(found)]
        for stack in found:
            assert any(part <= Counter(bags.ranks_of(stack)) for part in smallest)
        assert not any(one < other for one in smallest for other in smallest)


def test_prices_are_the_lowest_at_which_no_stack_is_cheap() -> None:
    """The dual of the linear programme against another solver, degenerate cases too."""
    rng = Random("prices")
    for size in [*range(2, 12)] * 8 + [22] * 4:
        hand, dice = random_hand(rng, size, rng.randint(0, size // 4)), random_dice(rng)
        held, pair = bags.bag_of(hand), bags.ONE[dice[0]] + bags.ONE[dice[1]]
        found = list(bags.stacks_in(held, sum(dice)))
        prices = room._prices(held, room._smallest(found), pair)
        assert len(prices) == KING
        assert min(prices) > -1e-7
        costs = [bags.cost(stack, prices) for stack in found]
        worths = [worth(tuple(sorted(bags.ranks_of(stack))), dice) for stack in found]
        assert all(cost > points - 1e-7 for cost, points in zip(costs, worths, strict=True)), (hand, dice)
        total = sum(prices[card.rank - 1] for card in hand)
        assert bags.cost(held, prices) == pytest.approx(total)
        if found:
            used = np.array([[bags.ranks_of(stack).count(rank) for stack in found] for rank in range(1, KING + 1)])
            counts = np.array([[card.rank for card in hand].count(rank) for rank in range(1, KING + 1)])
            solved = linprog(-np.array(worths), A_ub=used, b_ub=counts)
            assert solved.fun == pytest.approx(-total), (hand, dice)
        else:
            assert prices == [0.0] * KING


def test_hardly_anything_is_tried_in_vain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search reads the highest card once for each stack and each hand reached."""
    looks = 0
    highest = bags.highest_of

    def counting(bag: int) -> int:
        nonlocal looks
        looks += 1
        return highest(bag)

    monkeypatch.setattr(room, "highest_of", counting)
    rng = Random("effort")
    for _ in range(40):
        best_layout(random_hand(rng, 20, 3), random_dice(rng))
    assert looks < 40 * 310


def test_forty_cards_do_not_blow_up() -> None:
    """W4: hands with up to a hundred thousand stacks, because of six kings in them."""
    rng = Random("forty")
    for _ in range(3):
        hand, dice = random_hand(rng, 40, 6), random_dice(rng)
        check_layout(best_layout(hand, dice), hand, dice, bonus=True)
