"""Records of random matches, some with faults, for tests of everything that
reads one.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from pips_referee.game import get_game
from pips_referee.match import FaultKind, Match, Spent
from pips_referee.records.record import Header, write_record


def new_header(game: str = "serpent", seats: int | None = None, seed: bytes = bytes(32), **options: object) -> Header:
    """A header with bots `bot0`, `bot1`, ..., as few as can play; the match's name
    tells the game.
    """
    of = get_game(game)
    chosen = of.options(options)
    names = tuple(f"bot{seat}" for seat in range(seats or of.seats(chosen)[0]))
    return Header(f"a-match-of-{game}", of, chosen, names, seed, bytes(range(32)))


def play_random(header: Header, seed: int = 1, faults: Mapping[int, FaultKind] | None = None) -> Match:
    """A finished match of random answers; `faults` says which question (counted over
    all seats) is a fault.
    """
    match, rng = header.new_match(), Random(seed)
    for count in range(header.game.longest(header.options, len(header.names)) + 1):
        if match.to_ask is None:
            break
        spent = Spent(rng.randrange(10**6), rng.choice([0, 7]), rng.choice([1, 2]))
        if (kind := (faults or {}).get(count)) is None:
            match.answer(match.state.sample_action(rng), spent)
        else:
            match.fault(match.to_ask, kind, "reason", "a sentence", "last words\n", spent)
    assert match.to_ask is None
    return match


def random_record(
    game: str = "serpent",
    seats: int | None = None,
    seed: bytes = bytes(32),
    faults: Mapping[int, FaultKind] | None = None,
    **options: object,
) -> bytes:
    header = new_header(game, seats, seed, **options)
    return write_record(header, play_random(header, faults=faults))
