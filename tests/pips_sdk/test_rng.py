from __future__ import annotations

from copy import deepcopy
from random import Random

import pytest

from pips_sdk.rng import BITS, QuestionRng

SEED = bytes(range(32))


def begun(question: int = 1) -> QuestionRng:
    rng = QuestionRng()
    rng.begin(SEED, question)
    return rng


def test_it_gives_out_its_bits_once_and_is_a_plain_random_from_there_on() -> None:
    rng = begun()
    bits = [rng.getrandbits(8) for _ in range(BITS // 8)]
    assert type(rng) is QuestionRng
    whole = begun()
    assert whole.getrandbits(BITS) == sum(byte << 8 * place for place, byte in enumerate(bits))
    later = [rng.getrandbits(8), whole.getrandbits(8)]
    assert type(rng) is type(whole) is Random
    assert later[0] == later[1]


@pytest.mark.parametrize("drawn", [0, 1, 200])
def test_beginning_anew_leaves_nothing_of_what_was(drawn: int) -> None:
    rng = begun(1)
    for _ in range(drawn):
        rng.gauss(0, 1)
    QuestionRng.begin(rng, SEED, 2)
    assert [rng.gauss(0, 1) for _ in range(9)] == [fresh.gauss(0, 1) for fresh in [begun(2)] for _ in range(9)]


def test_more_bits_than_are_left_are_not_made_of_the_rest() -> None:
    rng, other = begun(), begun()
    rng.getrandbits(BITS - 3)
    other.getrandbits(BITS)
    assert rng.getrandbits(4) == other.getrandbits(4)


def test_a_number_of_bits_below_zero_is_an_error_as_ever() -> None:
    with pytest.raises(ValueError, match="non-negative"):
        begun().getrandbits(-1)


@pytest.mark.parametrize("drawn", [0, 2, 50])
def test_a_copy_and_a_saved_state_go_on_alike(drawn: int) -> None:
    rng = begun()
    for _ in range(drawn):
        rng.random()
    twin, state = deepcopy(rng), rng.getstate()
    expected = [rng.random() for _ in range(5)]
    assert [twin.random() for _ in range(5)] == expected
    rng.setstate(state)
    assert [rng.random() for _ in range(5)] == expected
    other = begun()
    other.setstate(state)
    assert [other.random() for _ in range(5)] == expected


def test_a_bot_may_seed_it_itself() -> None:
    rng, plain = begun(), Random(7)
    rng.seed(7)
    assert [rng.random(), rng.randrange(1000), rng.gauss(0, 1)] == [
        plain.random(),
        plain.randrange(1000),
        plain.gauss(0, 1),
    ]


def test_every_number_is_as_likely_as_any_other() -> None:
    rng, counts = QuestionRng(), [0] * 7
    floats = 0.0
    for question in range(14_000):
        rng.begin(SEED, question)
        counts[rng.choice(range(7))] += 1
        floats += rng.random()
    assert sum((count - 2000) ** 2 / 2000 for count in counts) < 22.5  # of chi-squared with 6 degrees, 1 in 1,000
    assert abs(floats / 14_000 - 0.5) < 0.01


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 52, 1000])
def test_a_choice_draws_what_pythons_own_would(size: int) -> None:
    """A bot may keep the method: it goes on when the bits have run out."""
    seq, rng, other = range(size), begun(), begun()
    choice = rng.choice
    assert [choice(seq) for _ in range(300)] == [Random.choice(other, seq) for _ in range(300)]
    assert type(rng) is type(other) is Random
    assert rng.random() == other.random()


def test_a_choice_of_nothing_is_an_error_as_ever() -> None:
    with pytest.raises(IndexError):
        begun().choice([])
