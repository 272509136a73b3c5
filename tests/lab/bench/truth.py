"""`python -m tests.lab.bench.truth [--nights N] [--pool FOLDER] [GAME ...]`: CPU
seconds until the order of the bots is right and settled.

Nights are drawn with replacement from a pool of real matches (`truth_pool.py`). All
deals of the pool say what is true. A night goes on until the rule `settled` is content
with all neighbours, at 95 %. Its looks and ratings are those of the project.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal

import numpy as np

from pips_referee.game import get_game
from pips_tourney.ratings.fit.sums import Sums
from pips_tourney.ratings.fit.tally import Columns, Floats, Ints, tally
from pips_tourney.ratings.margins import rate_scores
from pips_tourney.ratings.stopping import Settled, Verdict
from pips_tourney.ratings.table import Margins
from pips_tourney.schedule.adaptive import next_depths, whole_turn
from tests.lab.bench.truth_pool import FIELDS, FieldOfBots, Table, pool
from tests.lab.simulate.adaptive import look
from tests.lab.simulate.better import in_order

Drawn = dict[tuple[str, ...], Ints]
"""By combination, the numbers of its deals in the pool."""
MOST: Final = 2000
"""Deals of a combination, at most."""
QUANTILES: Final = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True)
class Scheme:
    """How a night is played."""

    name: str
    duplicate: bool = True
    by: Literal["results", "points"] = "results"
    adaptive: bool = False


SCHEMES: Final = (
    Scheme("independent deals", duplicate=False),
    Scheme("duplicate deals"),
    Scheme("margins", by="points"),
    Scheme("adaptive rounds", adaptive=True),
    Scheme("all of them", by="points", adaptive=True),
)


@dataclass(frozen=True, slots=True)
class Played:
    """A night that has ended."""

    seconds: float
    """CPU seconds of all its matches."""
    matches: int
    settled: bool
    right: bool
    """Whether no decided pair of neighbours is in the wrong order."""

    @property
    def until(self) -> float:
        """CPU seconds until the order was settled, and right; otherwise infinite."""
        return self.seconds if self.settled and self.right else float("inf")


class Truth:
    """A field, its matches, and the order that all of them give."""

    def __init__(self, field: FieldOfBots, tables: Sequence[Table]) -> None:
        self.field, self.tables, self.names = field, {table.bots: table for table in tables}, list(field.bots)
        self.cap = get_game(field.game).margin.cap
        every = {bots: np.arange(len(table.places)) for bots, table in self.tables.items()}
        by_results, by_points = self.sums(every, SCHEMES[1], evened=True), self.margins(every, evened=True)
        results = [by_results.tally.names[bot] for bot in in_order(by_results)]
        self.order = {"results": results, "points": [row.bot for row in by_points.rows]}
        number = by_results.tally.names.index
        self.sure = {
            "results": min(float(by_results.level[number(a), number(b)]) for a, b in pairwise(self.order["results"])),
            "points": min(by_points.level(a, b) for a, b in pairwise(self.order["points"])),
        }
        """One less the one-sided level of the neighbours that are least sure."""

    def matches(self, drawn: Drawn, scheme: Scheme) -> tuple[Ints, Ints, Ints, Floats]:
        """Blocks, seatings, places and scores of all matches of the drawn deals.

        Without duplicates every number drawn is one match, in the next rotation.
        """
        k, parts, first = self.field.seats, [], 0
        for bots, deals in drawn.items():
            table, count = self.tables[bots], len(deals)
            which = deals if scheme.duplicate else (deals, np.arange(count) % k)
            block = first + np.repeat(np.arange(count), k if scheme.duplicate else 1)
            sides = (side[which].reshape(-1, k) for side in (table.seating, table.places, table.scores))
            parts.append((block, *sides))
            first += count
        block, seating, places, scores = (np.concatenate(side) for side in zip(*parts, strict=True))
        return block, seating, places, scores

    def sums(self, drawn: Drawn, scheme: Scheme, *, evened: bool) -> Sums:
        """The ratings by results."""
        block, seating, places, _ = self.matches(drawn, scheme)
        return Sums(tally(Columns(self.names, block, seating, places)), weigh_alike=evened)

    def margins(self, drawn: Drawn, *, evened: bool) -> Margins:
        """The ratings by points; the deals are played in all rotations."""
        names = sorted(self.names)
        number = np.array([names.index(name) for name in self.names])
        seating = np.concatenate([number[self.tables[bots].seating[deals]] for bots, deals in drawn.items()])
        scores = np.concatenate([self.tables[bots].scores[deals] for bots, deals in drawn.items()])
        return rate_scores(names, [(seating, scores)], self.cap, evened=evened)

    def night(self, scheme: Scheme, rng: np.random.Generator) -> Played:
        """Play until the order is settled, or cannot be."""
        k = self.field.seats
        matches_a_deal = k if scheme.duplicate else 1
        turn = whole_turn(k, duplicate=True)
        whole = Settled(0.95, MOST * k // matches_a_deal, first=10 * k // matches_a_deal)
        rule = Settled.adaptive(0.95, MOST, turn) if scheme.adaptive else whole
        order = {bots: rng.integers(len(table.places), size=rule.max_deals) for bots, table in self.tables.items()}
        depths = dict.fromkeys(order, 0)
        open_pairs: list[tuple[str, str]] = []
        verdict = Verdict(0, settled=False, last=False, pairs=())
        for level in rule.looks:
            if scheme.adaptive and open_pairs:
                before, depths = depths, next_depths(depths, open_pairs, level, rule.max_deals, turn)
                if depths == before and level < rule.max_deals:
                    continue
            else:
                depths = dict.fromkeys(order, level)
            drawn = {bots: deals[: depths[bots]] for bots, deals in order.items()}
            verdict = self.verdict(scheme, rule, drawn, level)
            open_pairs = [pair.names for pair in verdict.pairs if pair.is_open]
            if verdict.settled or verdict.last or not open_pairs:
                break
        played = {bots: deals * matches_a_deal for bots, deals in depths.items()}
        seconds = sum(self.tables[bots].seconds * matches for bots, matches in played.items())
        place = self.order[scheme.by].index
        right = all(place(pair.better) < place(pair.worse) for pair in verdict.pairs if pair.decided)
        return Played(seconds, sum(played.values()), verdict.settled, right)

    def verdict(self, scheme: Scheme, rule: Settled, drawn: Drawn, level: int) -> Verdict:
        """The look at a table."""
        if scheme.by == "points":
            return rule.look(self.margins(drawn, evened=scheme.adaptive), level)
        return look(self.sums(drawn, scheme, evened=scheme.adaptive), rule, level)


def median_ratio(slow: Floats, quick: Floats, rng: np.random.Generator) -> tuple[float, float, float]:
    """How many times the median of `slow` that of `quick` is, with a 95 % interval.

    The interval is a bootstrap over nights.
    """
    draws = [np.median(rng.choice(side, (1000, len(side))), axis=1) for side in (slow, quick)]
    with np.errstate(invalid="ignore"):
        ratios = draws[0] / draws[1]  # nan where neither is known
        low = np.quantile(np.nan_to_num(ratios, nan=0.0, posinf=np.inf), 0.025, method="inverted_cdf")
        high = np.quantile(np.nan_to_num(ratios, nan=np.inf, posinf=np.inf), 0.975, method="inverted_cdf")
    return float(np.median(slow) / np.median(quick)), float(low), float(high)


def lines(truth: Truth, nights: int, rng: np.random.Generator) -> Iterator[str]:
    """Rows of the table, one a scheme.

    `>`: too few nights were settled to know the quantile.
    """
    first: list[Played] = []
    for scheme in SCHEMES:
        played = [truth.night(scheme, rng) for _ in range(nights)]
        first = first or played
        until = np.array([night.until for night in played])
        longest = max(night.seconds for night in played)
        ends = np.quantile(until, QUANTILES, method="inverted_cdf")
        low, middle, high = (_seconds(end) if np.isfinite(end) else f"> {_seconds(longest)}" for end in ends)
        done = f"{100 * np.mean([night.settled for night in played]):.0f} %"
        wrong = f"{100 * np.mean([not night.right for night in played]):.0f} %"
        matches = np.median([night.matches for night in played])
        seconds = f"{middle} ({low} to {high})"
        less = _times_less(first, until, rng) if played is not first else "1"
        yield f"| {truth.field.title} | {scheme.name} | {seconds} | {less} | {matches:.0f} | {done} | {wrong} |"


def _seconds(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def _times_less(first: Sequence[Played], until: Floats, rng: np.random.Generator) -> str:
    """How many times as long the first scheme takes."""
    if not np.isfinite(np.median(until)):
        return "-"
    slow = np.array([night.until for night in first])
    mark = "" if np.isfinite(np.median(slow)) else "> "
    ratio, low, high = median_ratio(np.array([night.seconds for night in first]) if mark else slow, until, rng)
    return f"{mark}{ratio:.1f} ({low:.1f} {f'to {high:.1f}' if np.isfinite(high) else 'or more'})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.bench.truth", description="CPU time to a settled order.")
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"{', '.join(FIELDS)}; all of them unless told")
    parser.add_argument("--nights", type=int, default=51, help="nights a scheme; an odd number (51)")
    parser.add_argument("--pool", type=Path, default=Path("build/truth"), help="where the matches are kept")
    arguments = parser.parse_args()
    said, rows = [], []
    for game in arguments.games or FIELDS:
        truth = Truth(FIELDS[game], pool(FIELDS[game], arguments.pool))
        for by, order in truth.order.items():
            sure = f"{truth.sure[by]:.1%}" if truth.sure[by] < 0.999 else "over 99.9%"
            said.append(f"{game} by {by}: {', '.join(order)}; the least sure neighbours: {sure}")
        for line in lines(truth, arguments.nights, np.random.default_rng(2026)):
            rows.append(line)
            print(line, flush=True)
    print("", *said, "", sep="\n")
    print("| game | deals | CPU seconds | times less | matches | settled | wrong |", "|---" * 7 + "|", *rows, sep="\n")


if __name__ == "__main__":
    main()
