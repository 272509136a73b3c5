"""Deals that sample bots really played, kept in files.

A deal is played in all rotations by the rules themselves, in this process. The same
deals give the same scores on any machine, so what was played need not be played again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from time import monotonic

from pips_referee.game import get_game
from pips_sdk import play_match
from pips_tourney.schedule.tables import play_deals
from tests.lab.simulate.sample_bots import bot

FOLDER = Path("build/real-deals")
CHUNK = 100
"""Deals of one file."""

Played = tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]]
"""One match by seat: its bots, their places, their scores."""


@dataclass(frozen=True, slots=True)
class Field:
    """A game, and the bots that play every table of it among themselves."""

    game: str
    bots: tuple[tuple[str, float], ...]
    """Kinds of sample bots, with the chance of a random answer; all are different."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(kind if not slip else f"{kind} {100 * slip:.0f} %" for kind, slip in self.bots)

    @property
    def seats(self) -> int:
        game = get_game(self.game)
        return game.seats(game.options({}))[0]

    def path(self, chunk: int) -> Path:
        """The file of a chunk of deals, named after all that decides its contents."""
        what = f"{self.game} {get_game(self.game).rules_version} {self.bots} {CHUNK} {chunk}"
        return FOLDER / f"{self.game}-{chunk}-{sha256(what.encode()).hexdigest()[:12]}.json"


def played(field: Field, deal: int) -> list[list[Played]]:
    """One deal: for every combination of bots, the matches of all rotations."""
    game = get_game(field.game)
    options = game.options({})
    classes = {name: bot(field.game, kind, slip) for name, (kind, slip) in zip(field.names, field.bots, strict=True)}
    found = []
    for combination in combinations(field.names, field.seats):
        block = f"{field.game} {combination} {deal}"
        matches = []
        for pairing in play_deals([combination], 1):
            seeds = [sha256(f"{block} {pairing.rotation} {name}".encode()).digest() for name in pairing.seating]
            seated = [classes[name] for name in pairing.seating]
            outcome = play_match(seated, sha256(block.encode()).digest(), options, seeds).outcome
            matches.append((pairing.seating, tuple(outcome.places), tuple(outcome.scores)))
        found.append(matches)
    return found


def play_chunk(field: Field, chunk: int) -> None:
    """Play a chunk of deals into its file."""
    deals = [played(field, deal) for deal in range(chunk * CHUNK, (chunk + 1) * CHUNK)]
    path = field.path(chunk)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(deals), encoding="utf-8")
    fresh.rename(path)


def play_all(wanted: Mapping[Field, int], minutes: float, processes: int) -> int:
    """Play what is missing of the wanted deals; the chunks that are missing still.

    No chunk is begun once the minutes are over.
    """
    missing = [
        (f, chunk) for f, deals in wanted.items() for chunk in range(deals // CHUNK) if not f.path(chunk).exists()
    ]
    end = monotonic() + 60 * minutes
    with ProcessPoolExecutor(processes) as pool:
        for first in range(0, len(missing), processes):
            if monotonic() >= end:
                return len(missing) - first
            list(pool.map(play_chunk, *zip(*missing[first : first + processes], strict=True)))
    return 0


def deals_of(field: Field, deals: int) -> Iterator[Sequence[Sequence[Played]]]:
    """The first deals, each by combination. FileNotFoundError: not played."""
    for chunk in range(deals // CHUNK):
        for deal in json.loads(field.path(chunk).read_text(encoding="utf-8")):
            yield [[(tuple(who), tuple(places), tuple(scores)) for who, places, scores in each] for each in deal]
