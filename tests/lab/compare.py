"""Whether `pips-bot compare` tells the truth: `python -m tests.lab.compare`.

    [RUNS [GAME ...]]

Deals of real bots are played in pairs. From them pairs of versions are simulated, each
with a gain that is known: a part of the deals is as if the change had not mattered, and
of the others some are turned round. Then the intervals, the verdicts, and what becomes
of an author who looks at the same deals again and again are counted.

At last the matches to a verdict stand beside those of a test on the scores of rotated
deals between the two alone, each bot with luck of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from math import exp, inf
from operator import mul
from random import Random
from statistics import fmean, variance
from typing import Final

from pips_referee.game import REGISTRY
from pips_sdk import Bot
from pips_tourney.bots.executable import Executable
from pips_tourney.bots.found import BotProblem, FoundBot
from pips_tourney.ratings.sprt import PairedTest, elo_of, expected_score, mean_and_ends
from pips_tourney.workshop.duels.compare import Comparison, PairedDeal, Unit, compare
from pips_tourney.workshop.duels.duel import Wanted
from pips_tourney.workshop.duels.looks import MOST_LOOKS
from pips_tourney.workshop.duels.paired import EVERY, plan_paired
from tests.lab.simulate.sample_bots import bot, play

SLIP: Final = 0.15
"""The old version answers so often at random. So there is much to gain."""
FIXED: Final = 200
"""Deals after which intervals are looked at."""
LONGEST: Final = 1500
PAIRS: Final = (
    (("greedy", 0.05), ("greedy", 0.15)), (("greedy", 0.10), ("greedy", 0.15)), (("greedy", 0.0), ("greedy", 0.05)),
    (("cautious", 0.0), ("greedy", 0.0)),
)  # fmt: skip
"""New and old versions by their sample bot and how often they answer at random."""
MOST: Final = 10.0
"""The limits of the test are 0 and this number of Elo."""
KEPT: Final = (0.93, 0.97)
WRONG: Final = 0.05


@dataclass(frozen=True, slots=True)
class Made(FoundBot):
    """A bot that is made of a class."""

    of: type[Bot]

    def games(self) -> tuple[str, ...]:
        return (self.of.game,)

    def program(self, game: str) -> Executable:
        raise BotProblem("it has no program")

    def bot_class(self, game: str) -> type[Bot]:
        return self.of


def played(new: type[Bot], old: type[Bot], deals: int, seed: str, by: str = "results") -> Comparison:
    """A comparison of two classes that is played to its end, or until it is decided."""
    duel = plan_paired(Made("new", new), Made("old", old), Wanted(None, deals, seed=seed), None)
    comparison = Comparison(Unit.of(duel.game, by, None, None), duel)
    compare(comparison, in_process=True)
    return comparison


def real_deals(game: str, deals: int, pair: tuple[type[Bot], type[Bot]] | None = None) -> Comparison:
    """Deals of a game on which both versions answer at random now and then."""
    new, old = pair or (bot(game, "greedy", SLIP / 3), bot(game, "greedy", SLIP))
    duel = plan_paired(Made("new", new), Made("old", old), Wanted(None, deals, seed="lab"), None)
    comparison = Comparison(Unit("Elo", 0.0, inf, 1500.0), duel)  # it is never decided
    compare(comparison, in_process=True)
    return comparison


@dataclass(frozen=True, slots=True)
class Versions:
    """A simulated pair of versions: real deals, some alike and some turned round."""

    real: Comparison
    matters: float
    """The part of deals on which the change can matter."""
    turned: float
    """The part of those that is turned round."""

    def deals(self, rng: Random, count: int) -> Iterator[PairedDeal]:
        """Deals of this pair, drawn from the real ones of the same table."""
        tables = tables_of(self.real)
        for number in range(1, count + 1):
            deal = rng.choice(tables[self.real.duel.other(number)])
            sign = 0 if rng.random() > self.matters else -1 if rng.random() < self.turned else 1
            yield replace(deal, number=number, difference=sign * deal.difference)

    @property
    def mean(self) -> float:
        """The true mean difference."""
        return self.matters * (1 - 2 * self.turned) * real_mean(self.real)


def tables_of(real: Comparison) -> dict[str, list[PairedDeal]]:
    """The deals of each other, in the order in which they were played."""
    others = (real.duel.names[1], *real.duel.opponents)
    return {other: [deal for deal in real.deals if deal.other == other] for other in others}


def shares(real: Comparison) -> list[float]:
    """Which part of the deals is with each other, as `tables_of` has them."""
    opponents = len(real.duel.opponents)
    return [(EVERY - 1) / EVERY, *[1 / EVERY / opponents] * opponents]


def real_mean(real: Comparison) -> float:
    """The mean difference of the real deals, each table as often as it comes."""
    means = (fmean(deal.difference for deal in deals) for deals in tables_of(real).values())
    return sum(share * mean for share, mean in zip(shares(real), means, strict=True))


def holds(versions: Versions, rng: Random) -> bool:
    """Whether the 95 % interval after a fixed number of deals holds the truth."""
    test = PairedTest(0, MOST)
    for deal in versions.deals(rng, FIXED):
        test.add(deal.difference)
    _, low, high = mean_and_ends(test.counts)
    assert low is not None and high is not None
    return low <= versions.mean <= high


def verdict(versions: Versions, rng: Random) -> tuple[str, int]:
    """What the test says of a pair, and after how many deals."""
    test = PairedTest(0, MOST)
    for deal in versions.deals(rng, LONGEST):
        test.add(deal.difference)
        if test.decide(versions.real.mean_of) != "not decided":
            return test.verdict, deal.number
    return test.verdict, LONGEST


def best_of_same_deals(looks: int, rng: Random, deals: int = FIXED) -> bool:
    """Whether the interval of the best of equal versions on the same deals holds 0.

    Each is a change of the best so far, on one deal in five.
    """
    best = [0.0] * deals
    for _ in range(looks):
        new = [rng.choice((-0.5, 0.0, 0.5)) if rng.random() < 0.2 else each for each in best]
        best = max(best, new, key=sum)
    _, low, _ = mean_and_ends({value: best.count(value) for value in set(best)})
    assert low is not None
    return low <= 0


def table(runs: int, deals: int, games: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Lines of Markdown, and whether each line keeps its promise."""
    yield "| game | intervals hold | wrongly better | wrongly not better | deals at 0 | at 10 Elo |", True
    yield "| -- | -: | -: | -: | -: | -: |", True
    for game in games:
        rng, real = Random(game), real_deals(game, deals)
        held = fmean(holds(Versions(real, rng.choice((0.1, 0.3, 1.0)), rng.uniform(0, 0.5)), rng) for _ in range(runs))
        ends = []
        for gain, wrong in ((0.0, "better"), (MOST, "not better")):
            turned = 0.5 - real.mean_of(gain) / real_mean(real) / 2
            said = [verdict(Versions(real, 1.0, turned), rng) for _ in range(runs // 2)]
            ends.append((fmean(each == wrong for each, _ in said), fmean(count for _, count in said)))
        slack = 3 * (WRONG * (1 - WRONG) / (runs // 2)) ** 0.5
        kept = KEPT[0] <= held <= KEPT[1] and all(share <= WRONG + slack for share, _ in ends)
        cells = [held, *(share for share, _ in ends)]
        counts = " | ".join(f"{count:.0f}" for _, count in ends)
        yield f"| {game} | {' | '.join(f'{100 * cell:.1f} %' for cell in cells)} | {counts} |", kept


def looks_table(runs: int) -> Iterator[str]:
    """How often the interval of the best version on the same deals holds."""
    rng = Random("looks")
    yield "| looks at the same deals | intervals of the best that hold |"
    yield "| -: | -: |"
    for looks in (1, 2, MOST_LOOKS, 2 * MOST_LOOKS, 4 * MOST_LOOKS):
        held = fmean(best_of_same_deals(looks, rng) for _ in range(runs))
        yield f"| {looks} | {100 * held:.1f} % |"


def matches_table(runs: int, deals: int, games: Sequence[str]) -> Iterator[str]:
    """How many matches a verdict takes, paired and unpaired, at the same gain.

    The gain is what both tests together measure between the two versions alone. The
    deals are drawn with weights by which both have it.
    """
    yield "| game | new | old | gain, Elo | unpaired | paired | times fewer |"
    yield "| -- | -- | -- | -: | -: | -: | -: |"
    for game in games:
        every: list[tuple[list[int], list[int]]] = []
        for new, old in PAIRS:
            rng, pair = Random(f"{game} {new} {old}"), (bot(game, *new), bot(game, *old))
            real, scores = real_deals(game, deals, pair), unpaired_deals(game, pair, deals)
            tables = {other: [deal.difference for deal in deals] for other, deals in tables_of(real).items()}
            gain = elo_of(0.5 + fmean([*scores, *tables[real.duel.names[1]]])) or 0.0
            drawn = Weighted(tables, shares(real), real.mean_of, gain)
            paired = [matches(real, drawn.to_verdict(real.duel.other, rng)) for _ in range(runs)]
            drawn = Weighted({"": scores}, [1.0], lambda gain: expected_score(gain) - 0.5, gain)
            alone = [2 * drawn.to_verdict(lambda _: "", rng) for _ in range(runs)]
            names = " | ".join(f"{kind}, slip {slip:g}" for kind, slip in (new, old))
            yield f"| {game} | {names} | {gain:.0f} | {fewer([alone], [paired])} |"
            every.append((alone, paired))
        yield f"| {game} | all | all | - | {fewer(*zip(*every, strict=True))} |"


def fewer(*sides: Sequence[Sequence[int]]) -> str:
    """The matches of all lines, unpaired and paired, and how many times fewer."""
    alone, paired = (sum(map(fmean, each)) for each in sides)
    luck = [sum(variance(line) / len(line) for line in each) for each in sides]
    ratio = alone / paired
    error = 1.96 * ratio * (luck[0] / alone**2 + luck[1] / paired**2) ** 0.5
    return f"{alone:.0f} | {paired:.0f} | {ratio:.2f} ({ratio - error:.2f} to {ratio + error:.2f})"


def unpaired_deals(game: str, pair: tuple[type[Bot], type[Bot]], deals: int) -> list[float]:
    """What the new version got on each deal less one half, over both rotations."""
    blocks: dict[str, list[float]] = {}
    for result in play(game, dict(zip(("new", "old"), pair, strict=True)), deals, "alone"):
        new, old = (result.places[result.bots.index(name)] for name in ("new", "old"))
        blocks.setdefault(result.block, []).append(0.5 * ((new < old) - (new > old)))
    return [fmean(each) for each in blocks.values()]


@dataclass(frozen=True)
class Weighted:
    """Differences of real deals by table, with weights by which they have a gain."""

    tables: Mapping[str, Sequence[float]]
    shares: Sequence[float]
    """How often each table comes."""
    mean_of: Callable[[float], float]
    gain: float

    @cached_property
    def weights(self) -> dict[str, list[float]]:
        """By table, the weights up to each deal: as little apart as can be."""
        low, high, weights = -30.0, 30.0, list[list[float]]()
        while high - low > 1e-9:
            tilt = (low + high) / 2
            weights = [[exp(tilt * each) for each in differences] for differences in self.tables.values()]
            means = (sum(map(mul, *each)) / sum(each[0]) for each in zip(weights, self.tables.values(), strict=True))
            mean = sum(map(mul, self.shares, means))
            low, high = (tilt, high) if mean < self.mean_of(self.gain) else (low, tilt)
        return {other: [*accumulate(each)] for other, each in zip(self.tables, weights, strict=True)}

    def to_verdict(self, other: Callable[[int], str], rng: Random) -> int:
        """The deals until the test has decided; `other` is the table of a deal."""
        test = PairedTest(0, MOST)
        for number in range(1, LONGEST * 4 + 1):
            table = other(number)
            test.add(*rng.choices(self.tables[table], cum_weights=self.weights[table]))
            if test.decide(self.mean_of) != "not decided":
                return number
        return LONGEST * 4


def matches(real: Comparison, deals: int) -> int:
    """How many matches the paired `deals` have."""
    return sum(len(real.duel.seatings(number)) for number in range(1, deals + 1))


def main(runs: int, games: Sequence[str]) -> int:
    """Print the tables; 1 if a promise is not kept."""
    broken = 0
    for line in looks_table(runs):
        print(line, flush=True)
    for line, kept in table(runs, 1200, games or tuple(REGISTRY)):
        print(line if kept else f"{line}  <- not as promised", flush=True)
        broken += not kept
    for line in matches_table(max(2, runs // 10), 1200, games or tuple(REGISTRY)):
        print(line, flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000, sys.argv[2:]))
