"""Whether nights come as they were forecast: `python -m tests.lab.simulate.forecast`.

    [NIGHTS [MINUTES [PROCESSES]]]

Simulated seasons: fields of many shapes, one to three nights before, and a night that
is forecast, with a new bot in some. A mistake is planted too, and must show.
Then real nights of sample bots, in this process.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from unittest.mock import patch

import numpy as np

from pips_referee.game import get_game
from pips_tourney.ratings.fit.better import Belief, Draws
from pips_tourney.ratings.fit.sums import Sums
from pips_tourney.ratings.fit.tally import Columns, Tally, tally
from pips_tourney.ratings.reckoning import OURS, RIVALS, PairReckoned, Reckoning, night_of, reckoned
from pips_tourney.ratings.result import Result
from tests.lab.simulate.better import ELO
from tests.lab.simulate.glicko import glicko2
from tests.lab.simulate.kept import Kept, asked
from tests.lab.simulate.leagues import World, league, schedule
from tests.lab.simulate.sample_bots import bot, play

Luck = np.random.Generator
Results = Columns | Sequence[Result]
CHUNK = 25
GLICKO_2 = "Glicko-2"
MODELS = (OURS, *RIVALS, GLICKO_2)
FIELDS = ("normal", "twins", "clumps", "outlier")
REAL = ("serpent", "wichita", "pippip", "dominion")
KINDS = (("random", 0.0), ("cautious", 0.0), ("greedy", 0.0), ("greedy", 0.1), ("greedy", 0.3), ("cautious", 0.2))
HELD = (0.88, 0.92)


def strengths(kind: str, bots: int, luck: Luck) -> np.ndarray:
    """In Elo."""
    spread = float(luck.choice([30, 60, 100, 200]))
    if kind == "twins":
        return np.repeat(luck.normal(0, spread, -(-bots // 2)), 2)[:bots] + luck.normal(0, 3, bots)
    if kind == "clumps":
        return luck.choice([0.0, spread], bots) + luck.normal(0, 10, bots)
    found = luck.normal(0, spread, bots)
    if kind == "outlier":
        found[0] -= 400
    return found


def season(nights: int, luck: Luck) -> list[list[list[float]]]:
    """What came of forecasts, a row a night."""
    return [_numbers(_season(luck)) for _ in range(nights)]


def _season(luck: Luck) -> Reckoning:
    seats = int(luck.choice([2, 2, 3, 4]))
    bots = int(luck.integers(max(4, seats), 11))
    elos = strengths(str(luck.choice(FIELDS)), bots, luck)
    world = World(bots, seats, float(luck.choice([0.1, 0.5, 0.7])), drawn=tuple((elos / ELO).tolist()))
    deals = {2: (10, 50), 3: (4, 15), 4: (2, 8)}[seats]
    new = luck.random() < 0.3 and bots > max(4, seats)
    columns = [_night(world, int(luck.integers(*deals)), luck, without=bots - 1 if new else None)
               for _ in range(luck.integers(1, 4))]  # fmt: skip
    tonight = _night(world, int(luck.integers(*deals)), luck)
    return _reckoned([tally(each) for each in columns], _together(columns), tally(tonight))


def _night(world: World, deals: int, luck: Luck, without: int | None = None) -> Columns:
    seating, block = schedule(world, deals)
    found = league(world, seating, block, luck)
    kept = np.ones(len(found.seating), bool) if without is None else (found.seating != without).all(axis=1)
    return Columns(found.names, found.block[kept], found.seating[kept], found.places[kept])


def _together(nights: Sequence[Columns]) -> Columns:
    blocks = [each.block + 1_000_000 * at for at, each in enumerate(nights)]
    parts = [np.concatenate([getattr(each, part) for each in nights]) for part in ("seating", "places")]
    return Columns(nights[0].names, np.concatenate(blocks), *parts)


def _reckoned(nights: Sequence[Tally], before: Results, tonight: Tally) -> Reckoning:
    earlier = [night_of(Sums(each)) for each in nights]
    night = night_of(Sums(tonight))
    return reckoned(Sums(tally(before)), earlier, night, RIVALS | {GLICKO_2: glicko2})


def _numbers(found: Reckoning) -> list[list[float]]:
    """As JSON keeps it: a line a pair, and last the first one's chance."""
    pairs = [[p.matches, p.score, *p.said.values(), float(p.held)] for p in found.pairs]
    return [*pairs, [chance for _, chance in found.firsts]]


def reckoning_of(rows: Sequence[Sequence[Sequence[float]]]) -> Reckoning:
    """What `_numbers` has kept."""
    pairs = [
        PairReckoned(matches, score, dict(zip(MODELS, said, strict=True)), bool(held))
        for row in rows
        for matches, score, *said, held in row[:-1]
    ]
    return Reckoning(tuple(pairs), tuple(((), chance) for row in rows for chance in row[-1]))


def real(nights: int, luck: Luck) -> list[list[list[float]]]:
    """Nights of sample bots: some nights before, and one that is forecast."""
    return [_numbers(_real(luck)) for _ in range(nights)]


def _real(luck: Luck) -> Reckoning:
    game = str(luck.choice(REAL))
    kinds = [KINDS[at] for at in luck.choice(len(KINDS), 5, replace=False)]
    bots = {f"{kind} {100 * slip:.0f} %": bot(game, kind, slip) for kind, slip in kinds}
    new, seats = str(luck.choice(list(bots))), get_game(game).seats(get_game(game).options({}))[0]
    here = bots if luck.random() < 0.7 else {name: made for name, made in bots.items() if name != new}
    deals = 6 if seats == 2 else 2
    seed = int(luck.integers(1 << 40))
    earlier = [[*play(game, here, deals, f"{seed} {at}")] for at in range(2)]
    tonight = tally(play(game, bots, deals, f"{seed}"))
    return _reckoned([tally(each) for each in earlier], [result for each in earlier for result in each], tonight)


def lines(name: str, found: Reckoning, nights: int) -> Iterator[str]:
    losses = ", ".join(f"{model} {loss:.4f}" for model, loss in found.loss.items())
    first = sum(chance for _, chance in found.firsts) / len(found.firsts)
    yield f"{name}: {nights} nights, {len(found.pairs)} pairs: {100 * found.held:.1f} % within the 90 % that were said"
    yield f"  log loss of a match: {losses}; the first had been given {100 * first:.1f} %"
    for model in MODELS:
        bins = ", ".join(f"{100 * b.said:.1f}: {100 * b.came:.1f}" for b in found.calibration(model))
        yield f"  {model}, said and came: {bins}"


def wrong_link(nights: int, luck: Luck) -> list[list[list[float]]]:
    """With a mistake: the prior takes the Elo of strengths for a third of them."""
    plain = Belief.draws
    with patch.object(Belief, "draws", lambda self, many: _thirds(plain(self, many))):
        return season(nights, luck)


def _thirds(draws: Draws) -> Draws:
    return Draws(draws.strength / 3, draws.own, draws.spread)


def kept_word(found: Reckoning) -> bool:
    """Whether the reckoning has nothing to say against the forecasts."""
    loss = found.loss
    return HELD[0] <= found.held <= HELD[1] and loss[OURS] <= min(loss["Elo"], loss[GLICKO_2])


def main(nights: int, kept: Kept) -> int:
    broken = 0
    for name, play_, many, right in (
        ("simulated", season, nights, True), ("a wrong link", wrong_link, nights // 10, False),
        ("sample bots", real, nights // 100, True),
    ):  # fmt: skip
        rows = kept.rows(play_, leagues=many, chunk=min(CHUNK, many))
        found = reckoning_of(rows)
        for line in lines(name, found, len(rows)):
            print(line, flush=True)
        broken += kept_word(found) != right
    print(f"{broken} promises broken" if broken else "every promise kept")
    return broken + kept.report()


if __name__ == "__main__":
    sys.exit(main(*asked(leagues=10_000)))
