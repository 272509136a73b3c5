"""The scoring against its brute-force twin.

The twin tries every connected set of cells, in the rulebook's words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest

from pips_referee.cards import CARDS
from pips_referee.games.serpent.scoring import (
    CELLS,
    COLUMNS,
    IS_RUN_SHAPED,
    NEIGHBOURS,
    HandScore,
    _run_shaped,
    pairs,
    points,
    run_masks,
    score_hand,
)


def touching(a: int, b: int) -> bool:
    return abs(a // COLUMNS - b // COLUMNS) + abs(a % COLUMNS - b % COLUMNS) == 1


def grown(cells: frozenset[int]) -> set[frozenset[int]]:
    """The connected sets with one cell more."""
    beside = {other for cell in cells for other in range(CELLS) if touching(cell, other)} - cells
    return {cells | {other} for other in beside}


def every_connected_set() -> list[frozenset[int]]:
    layer = {frozenset((cell,)) for cell in range(CELLS)}
    found = list(layer)
    while layer := {bigger for cells in layer for bigger in grown(cells)}:
        found += layer
    return found


CONNECTED_SETS = every_connected_set()


def is_stretch(ranks: Sequence[int]) -> bool:
    """Whether the ranks, all different, are an unbroken stretch of the circle."""
    present = set(ranks)
    ends = [rank for rank in present if rank % 13 + 1 not in present]
    return 0 not in present and len(present) == len(ranks) >= 3 and len(ends) == 1


def score_by_trying_everything(ranks: Sequence[int]) -> HandScore:
    """Pairs and runs straight from the rulebook (S5, S6)."""
    twos = [(a, b) for a in range(CELLS) for b in range(a + 1, CELLS) if touching(a, b) and ranks[a] == ranks[b] != 0]
    runs = [cells for cells in CONNECTED_SETS if is_stretch([ranks[cell] for cell in cells])]
    longest = [cells for cells in runs if not any(cells < other for other in runs)]
    total = 2 * len(twos) + sum(map(len, longest))
    return HandScore(total, tuple(twos), tuple(sorted(tuple(sorted(cells)) for cells in longest)))


def from_a_pack(rng: Random) -> list[int]:
    return [card.rank for card in rng.sample(CARDS, CELLS)]


def close_ranks(rng: Random) -> list[int]:
    """Ranks of a short stretch of the circle: many runs and pairs."""
    start, width = rng.randrange(13), rng.randrange(3, 9)
    return [(start + rng.randrange(width)) % 13 + 1 for _ in range(CELLS)]


def unfinished(rng: Random) -> list[int]:
    return [rank if rng.random() < 0.6 else 0 for rank in close_ranks(rng)]


@pytest.mark.unmeasured
@pytest.mark.parametrize(("boards", "count"), [(from_a_pack, 1000), (close_ranks, 700), (unfinished, 800)])
def test_the_brute_force_twin_agrees(boards: Callable[[Random], list[int]], count: int) -> None:
    rng = Random(boards.__name__)
    for _ in range(count):
        board = boards(rng)
        expected = score_by_trying_everything(board)
        found = score_hand(board)
        assert found.runs == expected.runs, board
        assert sorted(found.pairs) == list(expected.pairs), board
        assert found.points == expected.points, board
        assert points(board) == expected.points


def test_the_boards_tried_hold_runs_that_only_two_cards_extend() -> None:
    """S6.3 is rare in play: the boards above prove it only if it comes up in them."""
    rng = Random("close_ranks")
    assert any(one_step_maximality_errs(close_ranks(rng)) for _ in range(700))


def one_step_maximality_errs(ranks: Sequence[int]) -> bool:
    """Whether asking only for runs without a one-card extension changes the score."""
    runs = {cells for cells in CONNECTED_SETS if is_stretch([ranks[cell] for cell in cells])}
    no_single_extension = [cells for cells in runs if not any(bigger in runs for bigger in grown(cells))]
    return sum(map(len, no_single_extension)) != sum(map(len, score_by_trying_everything(ranks).runs))


def test_the_board_is_two_rows_of_six() -> None:
    assert len(NEIGHBOURS) == 16
    assert set(NEIGHBOURS) == {(a, b) for a in range(CELLS) for b in range(a + 1, CELLS) if touching(a, b)}


def test_the_shapes_of_runs_are_the_connected_sets_of_three_and_more() -> None:
    masks = {sum(1 << cell for cell in cells): len(cells) for cells in CONNECTED_SETS}
    assert [mask for mask in range(1 << CELLS) if IS_RUN_SHAPED[mask]] == sorted(m for m in masks if masks[m] >= 3)
    assert _run_shaped() == IS_RUN_SHAPED, "made anew, so that a mutant of what makes the table is looked at too"


def test_a_mirrored_or_upended_board_scores_the_same() -> None:
    rng = Random(5)
    for _ in range(200):
        board = close_ranks(rng)
        upper, lower = board[:COLUMNS], board[COLUMNS:]
        assert points(board) == points(lower + upper) == points(upper[::-1] + lower[::-1])


def test_pairs_and_runs_come_in_a_fixed_order() -> None:
    board = [7, 7, 8, 9, 8, 7, 7, 6, 7, 8, 9, 10]
    score = score_hand(board)
    assert score == score_hand(tuple(board))
    assert list(score.runs) == sorted(score.runs) and list(score.pairs) == pairs(board)
    assert len(score.runs) == len(run_masks(board)) == len(set(run_masks(board)))


def test_an_empty_board_is_worth_nothing() -> None:
    assert score_hand([0] * CELLS) == HandScore(0, (), ())
