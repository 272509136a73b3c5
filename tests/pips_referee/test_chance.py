"""The promises of the streams to their users."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pips_referee.cards import CARDS
from pips_referee.chance import SEED_BYTES, Chance, Stream, TracedChance
from tests.rigged import RiggedChance

SEED = bytes(range(SEED_BYTES))
LIMIT_OF_SIX = (1 << 32) - (1 << 32) % 6
seeds = st.binary(min_size=SEED_BYTES, max_size=SEED_BYTES)


def test_a_seed_is_32_bytes() -> None:
    with pytest.raises(ValueError, match="a seed is 32 bytes, not 31"):
        Chance(bytes(31))
    with pytest.raises(ValueError, match="not 33"):
        Chance(bytes(33))


def test_a_stream_begins_again_whenever_it_is_opened() -> None:
    chance = Chance(SEED)
    again = [chance.shuffled("deck/1", CARDS) for _ in range(2)]
    assert again[0] == again[1]
    assert chance.dice("dice/0/1") == chance.dice("dice/0/1")


def test_names_and_seeds_lead_to_different_luck() -> None:
    decks = {tuple(Chance(seed).shuffled(name, CARDS)) for seed in (SEED, bytes(32)) for name in ("deck/1", "deck/2")}
    assert len(decks) == 4


def test_numbers_are_below_their_stop_and_spread_evenly() -> None:
    stream = Chance(SEED).stream("numbers")
    counts = Counter(stream.randrange(7) for _ in range(7000))
    assert sorted(counts) == list(range(7))
    assert all(880 < count < 1120 for count in counts.values())


def test_words_that_would_bias_are_thrown_away() -> None:
    stop = 3 << 30  # a quarter of all words is too large
    stream = Chance(SEED).stream("numbers")
    drawn = [stream.randrange(stop) for _ in range(200)]
    words = Chance(SEED).stream("numbers")
    kept = [word for word in (words.randrange(1 << 32) for _ in range(400)) if word < stop]
    assert drawn == kept[:200] and max(drawn) < stop


@pytest.mark.parametrize("stop", [1, 2, 1 << 32])
def test_the_ends_of_the_range_of_stops(stop: int) -> None:
    stream = Chance(SEED).stream("numbers")
    drawn = [stream.randrange(stop) for _ in range(50)]
    assert 0 <= min(drawn) <= max(drawn) < stop


def test_the_bound_of_rejection_is_exact() -> None:
    """A word equal to the largest multiple of `stop` is rejected, one below kept."""
    stream = Stream(SEED, "bound")
    limit = (1 << 32) - (1 << 32) % 52
    stream._words = [5, limit - 1, limit]
    assert stream.randrange(52) == 51
    stream._words = [5, limit]
    assert stream.randrange(52) == 5
    for start in ([9, limit - 1], [9, limit]):
        items = list(range(52))
        stream._words = start[:]
        stream.shuffle(items, 1)
        assert items[0] == (51 if start[1] < limit else 9)


@given(seeds, st.integers(0, 60), st.integers(0, 70))
def test_a_shorter_shuffle_is_the_beginning_of_the_whole_one(seed: bytes, size: int, first: int) -> None:
    chance, items = Chance(seed), list(range(size))
    whole = chance.shuffled("deck", items)
    assert sorted(whole) == items, "a permutation"
    assert chance.shuffled("deck", items, first) == whole[:first]


@given(seeds, st.lists(st.integers(), max_size=30))
def test_a_shuffle_draws_what_randrange_would(seed: bytes, items: list[int]) -> None:
    one, other = Stream(seed, "deck"), Stream(seed, "deck")
    shuffled = items[:]
    one.shuffle(shuffled)
    for place in range(len(items) - 1):
        taken = place + other.randrange(len(items) - place)
        items[place], items[taken] = items[taken], items[place]
    assert shuffled == items
    assert one.randrange(1 << 32) == other.randrange(1 << 32), "and leaves the stream at the same place"


def test_every_order_of_four_comes_up_about_as_often() -> None:
    orders = Counter(
        tuple(Chance(sha256(bytes([n >> 8, n & 255])).digest()).shuffled("deck", "abcd")) for n in range(2400)
    )
    assert len(orders) == 24
    assert all(60 < count < 140 for count in orders.values())


def test_dice_have_six_sides() -> None:
    dice = Chance(SEED).dice("dice", 600)
    assert len(dice) == 600 and set(dice) == {1, 2, 3, 4, 5, 6}
    assert Chance(SEED).dice("dice") == dice[:2]


@pytest.mark.parametrize("words", [(LIMIT_OF_SIX, 7), (7, LIMIT_OF_SIX), (LIMIT_OF_SIX - 1, 7)])
def test_dice_throw_the_same_words_away_as_a_stream(words: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two dice come from the first two words.

    A word that would bias them comes once in a thousand million.
    """
    begin = b"".join(word.to_bytes(4, "big") for word in words)
    monkeypatch.setattr("pips_referee.chance.sha256", lambda data: SimpleNamespace(digest=lambda: begin + bytes(24)))
    stream = Chance(SEED).stream("dice/0/1")
    assert Chance(SEED).dice("dice/0/1") == (stream.randrange(6) + 1, stream.randrange(6) + 1)


def test_a_choice_is_one_of_the_items() -> None:
    stream = Chance(SEED).stream("choice")
    assert {stream.choice("abc") for _ in range(50)} == {"a", "b", "c"}
    assert Chance(SEED).stream("x").choice(range(1000)) == Chance(SEED).index("x", 1000)


def test_a_traced_chance_is_the_same_luck_with_notes() -> None:
    traced, plain = TracedChance(Chance(SEED)), Chance(SEED)
    assert traced.shuffled("deck/1", "abcdef", 3) == plain.shuffled("deck/1", "abcdef", 3)
    assert traced.dice("dice/0/1") == plain.dice("dice/0/1")
    assert traced.index("cut/1", 52) == plain.index("cut/1", 52)
    stream, same = traced.stream("autopilot/0/1"), plain.stream("autopilot/0/1")
    assert stream.randrange(9) == same.randrange(9)
    assert stream.choice("xyz") == same.choice("xyz")
    letters, others = list("abcd"), list("abcd")
    stream.shuffle(letters)
    same.shuffle(others)
    assert letters == others
    drawn = traced.take_drawn()
    assert [note.stream for note in drawn] == ["deck/1", "dice/0/1", "cut/1", "autopilot/0/1"]
    assert drawn[1].outcome == plain.dice("dice/0/1") and drawn[2].outcome == plain.index("cut/1", 52)
    assert drawn[3].outcome[2] == tuple(letters)  # type: ignore[index]  # a stream's notes are a tuple
    assert traced.take_drawn() == ()


def test_rigged_chance_gives_what_it_was_told() -> None:
    rigged = RiggedChance({"deck/1": "dc", "dice/0/1": (3, 5), "cut/1": 17}, SEED)
    assert rigged.shuffled("deck/1", "abcd") == list("dcab")
    assert rigged.shuffled("deck/1", "abcd", 3) == list("dca")
    assert (rigged.dice("dice/0/1"), rigged.index("cut/1", 52)) == ((3, 5), 17)
    assert rigged.shuffled("deck/2", "abcd") == Chance(SEED).shuffled("deck/2", "abcd")
    assert rigged.dice("dice/0/2") == Chance(SEED).dice("dice/0/2")
    assert rigged.index("cut/2", 52) == Chance(SEED).index("cut/2", 52)
    assert rigged.asked[:4] == ["deck/1", "deck/1", "dice/0/1", "cut/1"]
