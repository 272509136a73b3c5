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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from random import Random
from statistics import fmean, stdev
from typing import Final

from pips_referee.game import REGISTRY
from pips_sdk import Bot
from pips_tourney.bots.executable import Executable
from pips_tourney.bots.found import BotProblem, FoundBot
from pips_tourney.ratings.sprt import PairedTest, elo_of, expected_score, mean_and_ends
from pips_tourney.workshop.compare import Comparison, PairedDeal, Unit, compare
from pips_tourney.workshop.duel import Wanted
from pips_tourney.workshop.looks import MOST_LOOKS
from pips_tourney.workshop.paired import EVERY, plan_paired
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
"""The limits of the test are 0 and so many Elo."""
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
        tables: dict[str, list[PairedDeal]] = {}
        for deal in self.real.deals:
            tables.setdefault(deal.other, []).append(deal)
        for number in range(1, count + 1):
            deal = rng.choice(tables[self.real.duel.other(number)])
            sign = 0 if rng.random() > self.matters else -1 if rng.random() < self.turned else 1
            yield replace(deal, number=number, difference=sign * deal.difference)

    @property
    def mean(self) -> float:
        """The true mean difference."""
        return self.matters * (1 - 2 * self.turned) * real_mean(self.real)


def real_mean(real: Comparison) -> float:
    """The mean difference of the real deals, each table as often as it comes."""
    opponents = real.duel.opponents
    means = {
        other: fmean(deal.difference for deal in real.deals if deal.other == other)
        for other in {deal.other for deal in real.deals}
    }
    against = fmean(means[other] for other in opponents)
    return ((EVERY - 1) * means[real.duel.names[1]] + against) / EVERY


def holds(versions: Versions, rng: Random) -> bool:
    """Whether the 95 % interval after a fixed number of deals holds the truth."""
    test = PairedTest(0, MOST)
    for deal in versions.deals(rng, FIXED):
        test.add(deal.difference)
    _, low, high = mean_and_ends(test.counts)
    assert low is not None and high is not None
    return low <= versions.mean <= high


def verdict(versions: Versions, rng: Random, longest: int = LONGEST) -> tuple[str, int]:
    """What the test says of a pair, and after how many deals."""
    test = PairedTest(0, MOST)
    for deal in versions.deals(rng, longest):
        test.add(deal.difference)
        if test.decide(versions.real.mean_of) != "not decided":
            return test.verdict, deal.number
    return test.verdict, longest


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

    The gain is the smaller of the two that were seen. Where the other is larger, some
    of its deals are turned round.
    """
    yield "| game | new | old | gain, Elo | unpaired | paired | times fewer |"
    yield "| -- | -- | -- | -: | -: | -: | -: |"
    for game in games:
        for new, old in PAIRS:
            rng, pair = Random(f"{game} {new} {old}"), (bot(game, *new), bot(game, *old))
            real, scores = real_deals(game, deals, pair), unpaired_deals(game, pair, deals)
            sign = 1 if fmean(scores) > 0 else -1
            test = PairedTest(0, MOST)
            for deal in real.deals:
                test.add(deal.difference)
            gains = (elo_of(0.5 + fmean(scores)) or 0.0, test.state(real.mean_of, real.unit.end).gain or 0.0)
            gain = sign * max(0.0, min(sign * each for each in gains))
            turned = 0.5 - real.mean_of(gain) / real_mean(real) / 2
            paired = [matches(real, verdict(Versions(real, 1.0, turned), rng, LONGEST * 4)[1]) for _ in range(runs)]
            turned = 0.5 - (expected_score(gain) - 0.5) / fmean(scores) / 2
            alone = [rotated_matches(scores, turned, rng) for _ in range(runs)]
            ratio = fmean(alone) / fmean(paired)
            error = 1.96 * ratio * sum((stdev(each) / fmean(each)) ** 2 / runs for each in (alone, paired)) ** 0.5
            names = " | ".join(f"{kind}, slip {slip:g}" for kind, slip in (new, old))
            counts = f"{gain:.0f} | {fmean(alone):.0f} | {fmean(paired):.0f}"
            yield f"| {game} | {names} | {counts} | {ratio:.2f} ({ratio - error:.2f} to {ratio + error:.2f}) |"


def unpaired_deals(game: str, pair: tuple[type[Bot], type[Bot]], deals: int) -> list[float]:
    """What the new version got on each deal less one half, over both rotations."""
    blocks: dict[str, list[float]] = {}
    for result in play(game, dict(zip(("new", "old"), pair, strict=True)), deals, "alone"):
        new, old = (result.places[result.bots.index(name)] for name in ("new", "old"))
        blocks.setdefault(result.block, []).append(0.5 * ((new < old) - (new > old)))
    return [fmean(each) for each in blocks.values()]


def rotated_matches(scores: Sequence[float], turned: float, rng: Random) -> int:
    """The matches until the test has decided on rotated deals of the two alone."""
    test, deals = PairedTest(0, MOST), 0
    while test.decide(lambda gain: expected_score(gain) - 0.5) == "not decided" and deals < LONGEST * 4:
        test.add(rng.choice(scores) * (-1 if rng.random() < turned else 1))
        deals += 1
    return 2 * deals


def matches(real: Comparison, deals: int) -> int:
    """How many matches so many paired deals have."""
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
