"""Swiss and knockout."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from itertools import combinations, permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pips_tourney.schedule.rounds import Round, by_seed, knockout_round, knockout_rounds, survivors, swiss_round


def bots(count: int) -> list[str]:
    return [f"bot{number:02}" for number in range(count)]


def swiss(count: int, seats: int, rounds: int, luck: float, seed: int) -> tuple[list[Round], dict[str, float]]:
    """A whole tournament in which the lower numbers are stronger."""
    rng = Random(seed)
    points = dict.fromkeys(bots(count), 0.0)
    history: list[Round] = []
    for _ in range(rounds):
        played = swiss_round(points, history, seats)
        history.append(played)
        for table in played.tables:
            order = sorted(table, key=lambda bot: int(bot[3:]) + rng.gauss(0, luck))
            for place, bot in enumerate(order):
                points[bot] += (seats - 1 - place) / (seats - 1)
        for bot in played.byes:
            points[bot] += 0.5
    return history, points


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("count", "seats", "rounds"), [(8, 2, 3), (9, 2, 4), (16, 2, 5), (31, 2, 6), (12, 3, 3), (17, 4, 3), (24, 4, 3)]
)
def test_nobody_meets_twice_and_byes_go_round(count: int, seats: int, rounds: int) -> None:
    for seed in range(3):
        history, _ = swiss(count, seats, rounds, 5.0, seed)
        met = Counter(pair for played in history for table in played.tables for pair in combinations(table, 2))
        assert max(met.values()) == 1
        byes = Counter(bot for played in history for bot in played.byes)
        assert all(times == 1 for times in byes.values())
        for played in history:
            assert sorted([*played.byes, *(bot for table in played.tables for bot in table)]) == bots(count)


def test_the_strongest_come_out_on_top() -> None:
    _, points = swiss(32, 2, 5, 0.0, 1)
    assert min(points, key=lambda bot: -points[bot]) == "bot00"
    assert points["bot00"] == 5


def test_equal_points_meet() -> None:
    points = {"a": 3.0, "b": 3.0, "c": 2.0, "d": 2.0, "e": 0.0, "f": 0.0}
    assert swiss_round(points, [], 2).tables == (("a", "b"), ("c", "d"), ("e", "f"))
    again = swiss_round(points, [Round((("a", "b"), ("c", "d"), ("e", "f")), ())], 2)
    assert ("a", "b") not in again.tables
    assert len(again.tables) == 3


@given(st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_no_other_round_of_six_is_better(seed: int) -> None:
    rng = Random(seed)
    names = bots(6)
    points = {bot: float(rng.randrange(4)) for bot in names}
    history = [
        Round(tuple(tuple(sorted(shuffled[at : at + 2])) for at in (0, 2, 4)), ())
        for shuffled in (rng.sample(names, 6) for _ in range(3))
    ]
    met = Counter(pair for played in history for pair in played.tables)

    def cost(tables: list[tuple[str, ...]]) -> tuple[int, float]:
        rematches = sum(met[a, b] ** 2 for a, b in tables)
        return rematches, sum((points[a] - points[b]) ** 2 for a, b in tables)

    best = min(cost([tuple(sorted(order[at : at + 2])) for at in (0, 2, 4)]) for order in permutations(names))
    assert cost(list(swiss_round(points, history, 2).tables)) == best


def test_a_round_has_deals_of_its_own() -> None:
    tables = Round((("a", "b"), ("c", "d")), ())
    assert [(p.deal, p.combination[0]) for p in tables.pairings(3, 2) if p.rotation == 0] == [
        (3, "a"), (3, "c"), (4, "a"), (4, "c"),
    ]  # fmt: skip


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_how_many_rounds_a_knockout_has_does_not_hang_on_who_wins(seats: int) -> None:
    rng = Random(1)
    for count in range(seats - 1, 30):
        alive: tuple[str, ...] = tuple(bots(count))
        rounds = 0
        while len(alive) >= seats and (rounds == 0 or len(alive) > 1):
            played = knockout_round(alive, seats)
            alive = survivors(alive, played, {bot: rng.random() for bot in alive})
            rounds += 1
        assert knockout_rounds(count, seats) == rounds


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("count", range(6, 40))
def test_a_knockout_ends_with_one_table_and_one_winner(count: int, seats: int) -> None:
    alive: tuple[str, ...] = tuple(bots(count))
    with_byes = []
    for _ in range(12):
        played = knockout_round(alive, seats)
        with_byes.append(bool(played.byes))
        assert all(len(table) == seats for table in played.tables)
        points = {bot: -float(bot[3:]) for bot in alive}
        left = survivors(alive, played, points)
        assert len(left) < len(alive)
        if len(alive) == seats:
            assert left == ("bot00",)
            break
        assert len(left) >= seats
        alive = left
    else:
        pytest.fail("it does not end")
    if seats == 2:
        assert not any(with_byes[1:])


def test_seeds_meet_as_in_a_bracket() -> None:
    assert knockout_round(bots(8), 2).tables == tuple(
        tuple(sorted((f"bot{a:02}", f"bot{b:02}"))) for a, b in ((0, 7), (1, 6), (2, 5), (3, 4))
    )
    six = knockout_round(bots(6), 2)
    assert six.byes == ("bot00", "bot01")
    assert six.tables == (("bot02", "bot05"), ("bot03", "bot04"))
    eight = knockout_round(bots(8), 4)
    assert eight.tables == (("bot00", "bot03", "bot04", "bot07"), ("bot01", "bot02", "bot05", "bot06"))
    assert eight.advance == (2, 2)


def test_equal_points_go_by_seed() -> None:
    played = knockout_round(["x", "b"], 2)
    level = {"x": 1.0, "b": 1.0}
    assert survivors(["x", "b"], played, level) == ("x",)
    assert by_seed(played, level, {"x"}, {"b"}) == ("x",)
    assert by_seed(played, level, {"x"}, ()) == (), "the other was withdrawn"
    assert by_seed(played, {"x": 1.0, "b": 0.5}, {"x"}, {"b"}) == ()


def test_what_cannot_be_a_round() -> None:
    with pytest.raises(ValueError, match="cannot fill"):
        knockout_round(["a"], 2)
    with pytest.raises(ValueError, match="from 1 to 3 go on, not 4"):
        knockout_round(bots(8), 4, advance=4)
    with pytest.raises(ValueError, match="cannot fill"):
        swiss_round({"a": 0.0}, [], 2)


@pytest.mark.unmeasured
def test_lots_and_not_names_order_equal_bots_in_a_swiss_tournament() -> None:
    names = [f"bot{number:02}" for number in range(11)]
    level = dict.fromkeys(names, 0.0)
    out: Counter[str] = Counter()
    for draw in range(300):
        lots = {name: sha256(f"{draw} {name}".encode()).digest() for name in names}
        played = swiss_round(level, [], 2, lots)
        assert played == swiss_round(dict(reversed(level.items())), [], 2, lots)
        out.update(played.byes)
    assert set(out) == set(names) and max(out.values()) < 3 * min(out.values())
    assert swiss_round(level, [], 2).byes == ("bot10",)  # without lots it is the last of the alphabet
