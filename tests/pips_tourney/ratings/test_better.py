"""What the table says of an order.

Its arithmetic is compared with plain matrices. Some things it must never say.
"""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.special import ndtr

from pips_tourney.ratings.fit import better as better_module
from pips_tourney.ratings.fit.better import NO_OWN, OWN, Belief, Field, firsts, intervals, t_chance
from pips_tourney.ratings.fit.clumps import SCALE, SPREADS
from pips_tourney.ratings.fit.meetings import PairResults, inverse_of_contrasts, own_doubt
from pips_tourney.ratings.fit.tally import Columns
from pips_tourney.ratings.overall import overall
from pips_tourney.ratings.rate import rate
from pips_tourney.ratings.result import Result
from tests.lab.simulate.better import ADA_AND_BO, circle, edges
from tests.lab.simulate.leagues import World, league, schedule

LARGE = 1e6
"""Degrees of freedom that make a t distribution nearly normal."""


def night(world: World, deals: int, seed: int) -> Columns:
    return league(world, *schedule(world, deals), np.random.default_rng(seed))


def dense(field: Field, met: PairResults) -> np.ndarray:
    """The probabilities of one group with all matrices written out."""
    n, pairs = len(field.bots), met.pair
    design = np.zeros((len(pairs), n))
    design[np.arange(len(pairs)), pairs[:, 0]], design[np.arange(len(pairs)), pairs[:, 1]] = 1, -1
    centred = np.eye(n) - 1 / n
    shared = -centred @ field.variance @ centred / 2
    shared = shared - np.linalg.pinv(design.T @ np.diag(met.weight / met.noise) @ design)
    result = design @ field.value + met.away
    total, weights = np.zeros((n, n)), 0.0
    for spread in SPREADS:
        for own in OWN:
            prior = spread**2 * design @ design.T + own**2 * np.eye(len(pairs))
            whole = prior + design @ shared @ design.T + np.diag(met.noise / met.weight)
            inverse = np.linalg.inv(whole)
            known = -(np.linalg.slogdet(whole)[1] + result @ inverse @ result) / 2
            chance = NO_OWN if own == 0 else (1 - NO_OWN) / (len(OWN) - 1)
            weight = float(np.exp(known)) * chance * spread / (1 + (spread / SCALE) ** 2)
            mean, rest = prior @ inverse @ result, prior - prior @ inverse @ prior
            for at, (a, b) in enumerate(pairs):
                sure = ndtr(mean[at] / rest[at, at] ** 0.5)
                total[a, b] += weight * sure
                total[b, a] += weight * (1 - sure)
            weights += weight
    return np.asarray(total / weights)


def test_the_sums_are_those_of_plain_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(better_module, "DRAWS", 0)  # every bot alone: the clumps have a test of their own
    rng = np.random.default_rng(1)
    n, pairs = 4, np.array([(a, b) for a in range(4) for b in range(a + 1, 4)])
    root = rng.normal(size=(n, n)) * 20
    spread = root @ root.T + 900 * np.eye(n)
    own = np.diag(spread)
    field = Field(np.arange(n), rng.normal(0, 60, n), own[:, None] + own[None, :] - 2 * spread, np.full((n, n), LARGE))
    weight = rng.uniform(0.5, 2, len(pairs)) / 900
    design = np.zeros((len(pairs), n))
    design[np.arange(6), pairs[:, 0]], design[np.arange(6), pairs[:, 1]] = 1, -1
    away = rng.normal(0, 40, len(pairs))
    away -= design @ np.linalg.pinv(design.T @ np.diag(weight) @ design) @ design.T @ (weight * away)
    ones = np.ones(len(pairs))
    met = PairResults(pairs, ones, ones.astype(int), ones, ones, ones, ones, weight, away, 0.8)
    found = Belief([field], met, np.zeros(1), 1.0).better
    assert found == pytest.approx(dense(field, met) + np.eye(n) / 2, abs=1e-4)


def test_who_beats_everybody_is_not_said_to_be_worse_than_who_crushes_the_weak() -> None:
    ratings = rate(circle(ADA_AND_BO, 100, np.random.default_rng(3)))
    ada, bo = "bot0", "bot1"
    assert [row.bot for row in ratings.rows[:2]] == [bo, ada]
    assert (ratings.difference(ada, bo).better or 0) > 0.95
    assert ratings.rows[0].ranks == (1, 1)  # by strength over the whole field it is first
    met = next(m for m in ratings.meetings if {m.a, m.b} == {ada, bo})
    assert (met.a, met.matches, met.deals) == (bo, 200, 100)
    assert met.score == pytest.approx(0.4, abs=0.07)
    assert (met.expected or 0) > 0.65
    assert met.ahead > 0.95


def test_nothing_is_said_against_a_pair_s_own_significant_results() -> None:
    """One pair stands out among many that meet as they should.

    That is too little to make the whole field one of circles.
    """
    rng = np.random.default_rng(5)
    chance = edges(8, {(a, b): 0.62 for a in range(8) for b in range(a + 1, 8)})
    chance[0, 1], chance[1, 0] = 0.38, 0.62
    for _ in range(5):
        ratings = rate(circle(chance, 40, rng))
        for met in ratings.meetings:
            if met.ahead > 0.975:
                ahead = ratings.difference(met.a, met.b) if met.score > 0.5 else ratings.difference(met.b, met.a)
                assert (ahead.better or 0) >= 0.5


def test_in_a_close_field_less_is_said_than_the_interval_alone_says() -> None:
    world = World(12, 2, 0.5, drawn=tuple(np.random.default_rng(2).normal(0, 0.05, 12)))
    ratings = rate(night(world, 20, 4))
    top, bottom = ratings.rows[0].bot, ratings.rows[-1].bot
    assert 0.5 < (ratings.difference(top, bottom).better or 0) < ratings.level(top, bottom) - 0.01


def test_in_a_wide_field_as_much_is_said_as_the_interval_says() -> None:
    ratings = rate(night(World(8, 2, 0.5, span=6.0), 50, 4))
    for difference in ratings.differences:
        assert difference.better == pytest.approx(ratings.level(difference.a, difference.b), abs=0.02)


def test_a_swept_pair_is_judged_by_its_own_deals_too() -> None:
    """Zed beat the strong bots now and then, and yan always.

    Yan is in a group below all of them.
    """
    results = []
    for deal in range(10):
        for a, b in (("amy", "ben"), ("amy", "zed"), ("ben", "zed")):
            results += [Result(f"{a}{b}{deal}", pair, (1, 2)) for pair in ((a, b), (b, a))]
        for bot in ("amy", "ben", "zed"):
            results += [Result(f"{bot}yan{deal}", pair, (1, 2) if pair[0] == bot else (2, 1)) for pair in
                        ((bot, "yan"), ("yan", bot))]  # fmt: skip
    # Zed is the weakest of its group by far.
    weak = [r for r in results if "yan" in r.bots]
    for deal in range(10):
        for bot in ("amy", "ben"):
            lost = (1, 2) if deal else (2, 1)
            weak += [Result(f"{bot}zed{deal}", (bot, "zed"), lost), Result(f"{bot}zed{deal}", ("zed", bot), (2, 1))]
        weak += [Result(f"ab{deal}", pair, (1, 2)) for pair in (("amy", "ben"), ("ben", "amy"))]
    ratings = rate(weak)
    assert ratings["yan"].bound == "<"
    assert (ratings.difference("zed", "yan").better or 0) > 0.95


def test_places_are_those_of_many_draws() -> None:
    """In a wide field the prior says next to nothing."""
    rng = np.random.default_rng(6)
    value, error = np.sort(rng.normal(0, 300, 9))[::-1], 60.0
    field = Field(np.arange(9), value, np.full((9, 9), 2 * error**2) * (1 - np.eye(9)), np.full((9, 9), LARGE))
    draws = value + error * rng.standard_normal((100_000, 9))
    place = (draws[:, None, :] > draws[:, :, None]).sum(axis=2)
    belief = Belief([field], None, np.zeros(1), 1.0)
    places = belief.places(np.arange(9), belief.better)
    assert places.sum(axis=0) == pytest.approx(1) and places.sum(axis=1) == pytest.approx(1)
    assert places[:, 0] == pytest.approx((place == 0).mean(axis=0), abs=0.06)
    low, high = (np.quantile(place, share, axis=0, method="inverted_cdf") + 1 for share in (0.025, 0.975))
    assert np.abs(intervals(places) - np.stack([low, high], axis=1)).max() <= 1
    first = firsts(places, belief.stronger)
    assert first.sum() == pytest.approx(1)
    assert np.all(first <= belief.stronger.min(axis=1, where=~np.eye(9, dtype=bool), initial=1) + 0.02)


def test_student_s_distribution_is_near_enough() -> None:
    from scipy.stats import t as student

    distance = np.linspace(-6, 6, 121)
    for freedom, off in ((1, 0.012), (3, 0.002), (9, 0.0004), (100, 1e-5)):
        assert t_chance(np.full(121, float(freedom)), distance) == pytest.approx(
            student.cdf(distance, freedom), abs=off
        )


def test_the_level_of_a_pair_s_own_deals() -> None:
    deals = np.array([[1.0, 0.0, 1.0, 0.5, -1.0], [0.5, 0.5, 0.5, 0.5, 0.5], [0.0, 0.0, 0.0, 0.0, 0.0]])
    found = own_doubt(np.full(3, 5.0), deals.sum(axis=1), (deals**2).sum(axis=1))
    signs = [0.5**5, 0.5]
    assert found[1:] == pytest.approx(signs)
    t = 0.3 / (deals[0].std(ddof=1) / 5**0.5)
    from scipy.stats import t as student

    assert found[0] == pytest.approx(student.sf(t, 4))


def test_a_hundred_elo_are_the_same_expected_score_whatever_ties_there_are() -> None:
    """Half of all matches between equals end level in one game, none in the other.

    The expected scores are the same.
    """
    score = 1 / (1 + 10**-0.25)
    for ties in (0, 500):
        won = round(1000 * score - ties / 2)
        halves = [(1, 2)] * won + [(1, 1)] * ties + [(2, 1)] * (1000 - won - ties)
        results = [Result(str(n // 2), ("a", "b") if n % 2 else ("b", "a"), (p if n % 2 else p[::-1]))
                   for n, p in enumerate(halves)]  # fmt: skip
        assert rate(results).difference("a", "b").elo == pytest.approx(100, abs=3)


def test_over_several_games_less_is_said_in_a_close_field_too() -> None:
    world = World(8, 2, 0.5, drawn=tuple(np.random.default_rng(2).normal(0, 0.03, 8)))
    games = {str(game): rate(night(world, 20, game)) for game in range(3)}
    ratings = overall(games)
    top, bottom = ratings.rows[0].bot, ratings.rows[-1].bot
    apart = ratings.difference(top, bottom)
    assert apart.elo is not None and apart.low is not None
    assert 0.5 < (apart.better or 0) < ndtr(apart.elo / ((apart.elo - apart.low) / 1.96))
    assert all(row.ranks is not None for row in ratings.rows)
    house = overall(games, unrated={top})
    assert house[top].ranks is None
    assert max((row.ranks or (0, 0))[1] for row in house.rows) <= 7


@pytest.mark.parametrize("order", list(permutations(range(3)))[:3])
def test_the_names_of_bots_play_no_part(order: tuple[int, ...]) -> None:
    chance = edges(3, {(0, 1): 0.6, (1, 2): 0.6, (2, 0): 0.6})
    columns = circle(chance, 50, np.random.default_rng(8))
    renamed = Columns([columns.names[at] for at in order], columns.block, columns.seating, columns.places)
    plain, other = rate(columns), rate(renamed)
    for difference in plain.differences:
        a, b = (renamed.names[columns.names.index(bot)] for bot in (difference.a, difference.b))
        assert other.difference(a, b).better == pytest.approx(difference.better, abs=1e-3)


def test_no_rounding_is_taken_for_information() -> None:
    """The mean of a group is unknown, and that is exact in every one of many fields."""
    rng = np.random.default_rng(23)
    for n in [*range(2, 41)] * 3:
        path = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
        chosen = np.array([(a, b) for a in range(n) for b in range(a + 2, n) if rng.random() < rng.random()])
        pair = np.concatenate([path, chosen.reshape(-1, 2)]).astype(int)
        weight = np.exp(rng.normal(0, 2, len(pair)))
        information = np.zeros((n, n))
        np.add.at(information, (pair, pair), weight[:, None])
        np.add.at(information, (pair, pair[:, ::-1]), -weight[:, None])
        inverse = inverse_of_contrasts(information, np.zeros(n, np.int64))
        apart = inverse[pair[:, 0], pair[:, 0]] + inverse[pair[:, 1], pair[:, 1]] - 2 * inverse[pair[:, 0], pair[:, 1]]
        assert (weight * apart).sum() == pytest.approx(n - 1, rel=1e-9)
        assert inverse.sum(axis=1) == pytest.approx(0, abs=1e-9 * apart.max())


def test_in_a_night_of_one_deal_a_pair_luck_is_not_taken_for_the_pairs_own_part() -> None:
    rng = np.random.default_rng(7)
    tables = [
        (seats, rng.permutation(2) + 1) for pair in combinations("abcdefghijkl", 2) for seats in permutations(pair)
    ]
    ratings = rate(Result("".join(sorted(seats)), seats, tuple(places.tolist())) for seats, places in tables)
    ahead = [each.better for each in ratings.differences if each.elo is not None and each.elo > 20]
    assert len(ahead) > 40
    assert all(better is not None and better > 0.4 for better in ahead)


def test_names_decide_neither_places_nor_the_chance_to_be_first() -> None:
    rng = np.random.default_rng(8)
    deals = [(pair, deal, rng.permutation(2) + 1) for pair in combinations(range(4), 2) for deal in range(9)]

    def chances(names: str) -> list[object]:
        results = []
        for (a, b), deal, places in deals:
            results.append(Result(f"{a}{b}{deal}", (names[a], names[b]), tuple(places.tolist())))
            results.append(Result(f"{a}{b}{deal}", (names[b], names[a]), (1, 1)))
        rows = {row.bot: row for row in rate(results).rows}
        return [(rows[name].ranks, rows[name].first) for name in names]

    assert chances("abcd") == chances("dbac") == chances("cdba")


def test_bots_that_nothing_tells_apart_are_equally_likely_to_be_first() -> None:
    results = [
        Result(f"{sorted(seats)}{deal}", seats, (1, 1)) for seats in permutations("abcd", 2) for deal in range(9)
    ]
    assert {row.first for row in rate(results).rows} == {0.25}


def test_two_deals_do_not_turn_the_order_of_hundreds() -> None:
    bots = [chr(ord("a") + number) for number in range(12)]
    results = []
    for number, pair in enumerate(combinations(bots, 2)):
        for deal in range(2):
            # The earlier bot wins three of four, but the last beats the first.
            places = (2, 1) if pair == ("a", "l") else (1, 2)
            turned = places[::-1] if pair == ("a", "l") or (number + deal) % 2 else places
            results += [Result(f"{pair}{deal}", pair, places), Result(f"{pair}{deal}", pair[::-1], turned)]
    against = rate(results).difference("a", "l")
    assert (against.low or 0) > 0
    assert (against.better or 0) > 0.5
