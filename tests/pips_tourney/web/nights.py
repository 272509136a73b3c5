"""Nights for the web's tests: a real small one, and a long one.

The long one gives real results to many matches.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import count, cycle
from pathlib import Path
from random import Random

from pips_referee.records.record import Header
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.log.kinds import ENDED
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import Row, Store, open_store
from pips_tourney.night.night import last_night
from pips_tourney.night.plan.fixtures import Fixture, fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import play

SECRET = Secret(bytes.fromhex("a5" * 32))
CHUNK = 500


FOUR = ("ada", "bo", "cy", "dee")


def long_night(
    folder: Path, matches: int, *, played: int | None = None, games: str = '["serpent"]', names: Sequence[str] = FOUR
) -> Path:
    """A night of `matches` matches of these bots, `played` of them with results.

    Unset: all have results. Results and records are those of a few real matches. The
    cost of a page depends on how many there are, not on what is in them.
    """
    league = folder / "long.toml"
    bots = ", ".join(f'{{ name = "{name}", sample = "random" }}' for name in names)
    deals = matches // (len(names) * (len(names) - 1))
    league.write_text(
        f'name = "Long night"\ngames = {games}\nbots = [{bots}]\ndeals = {{ count = {deals} }}\n',
        encoding="utf-8",
    )
    programme = make_programme(read_league(league))
    path = folder / "long.db"
    with open_store(path) as store:
        begin(store, programme, SECRET)
        schedule = list(fixtures(programme))
        real = cycle([_real(fixture, seed) for seed, fixture in enumerate(schedule[:8])])
        luck = Random(1)
        rows = [_like(next(real), fixture, luck) for fixture in schedule[:played]]
        for start in range(0, len(rows), CHUNK):
            store.add(rows[start : start + CHUNK])
    return path


def _real(fixture: Fixture, seed: int) -> Row:
    return row_of(play(Header.read(fixture.order(SECRET, {}).header), bytes([seed]) * 32))


def _like(row: Row, fixture: Fixture, luck: Random) -> Row:
    """That result for another match. Some are the other way round."""
    places = json.loads(row.places)
    if luck.random() < 0.3:
        places.reverse()
    return row._replace(id=fixture.match_id, seats=json.dumps(fixture.seating), places=json.dumps(places))


BEATS = {("ada", "bo"), ("bo", "cy"), ("cy", "ada")}


def circle_night(folder: Path) -> Path:
    """A night of 240 matches in which three bots beat each other in a circle.

    Each wins three of four matches against the next.
    """
    path = long_night(folder, 240, played=0, names=FOUR[:3])
    with open_store(path) as store:
        schedule = list(fixtures(last_night(store).programme))
        real, luck = _real(schedule[0], 0), Random(1)
        rows = []
        for fixture in schedule:
            first = (fixture.seating in BEATS) == (luck.random() < 0.75)
            places = json.dumps([1, 2] if first else [2, 1])
            rows.append(real._replace(id=fixture.match_id, seats=json.dumps(fixture.seating), places=places))
        store.add(rows)
    return path


def faulty_night(folder: Path, *, max_faults: int | None) -> Path:
    """The small night, in which this number of faults takes a bot out.

    Nothing was played yet.
    """
    path = small_night(folder, played=0, more="" if max_faults is None else f"max_faults = {max_faults}")
    assert path.is_file()
    return path


def all_rows(store: Store) -> Iterator[Row]:
    """The results of all matches of the schedule, as `play_on` would store them."""
    for number, fixture in enumerate(fixtures(last_night(store).programme)):
        yield _faulty(fixture, number)


def _faulty(fixture: Fixture, number: int) -> Row:
    header, luck = Header.read(fixture.order(SECRET, {}).header), bytes([number % 250]) * 32
    if number % 11 != 5:
        return row_of(play(header, luck))
    culprit = max(fixture.seating) if number // 11 % 2 else min(fixture.seating)
    crashed = (row_of(play(header, luck, crash_at=at)) for at in count(9))
    return next(row for row in crashed if json.loads(row.seats)[row.seat_faults[0].seat] == culprit)


ALL_GAMES = '["serpent", "wichita", "pippip", { name = "dominion", options = { size = 3, max_rounds = 12 } }]'


def small_night(
    folder: Path,
    *,
    played: int | None = None,
    deals: int = 2,
    more: str = "",
    games: str = ALL_GAMES,
    names: Sequence[str] = FOUR[:3],
) -> Path:
    """A night by random players, in all four games unless said otherwise.

    It has all of its matches, and its end, or the first `played` of them. Every
    eleventh match has a crash in it, by the first and the last bot of its table in
    turn.
    """
    league = folder / "small.toml"
    bots = ", ".join(f'{{ name = "{name}", sample = "random" }}' for name in names)
    league.write_text(
        f'name = "Small night"\nbots = [{bots}]\ndeals = {{ count = {deals} }}\ngames = {games}\n{more}\n',
        encoding="utf-8",
    )
    programme = make_programme(read_league(league))
    path = folder / "small.db"
    with open_store(path) as store:
        night = begin(store, programme, SECRET)
        play_on(store, 0, played)
        if played is None:
            store.append(ENDED, {"secret": SECRET.key.hex(), "digest": night.digest(), "standings_sha256": ""})
    return path


def play_on(store: Store, start: int, end: int | None) -> None:
    """Store the results of those matches of the schedule."""
    schedule = list(fixtures(last_night(store).programme))
    store.add([_faulty(fixture, number) for number, fixture in list(enumerate(schedule))[start:end]])


def final_night(folder: Path, more: str, *, games: str = '["serpent"]', first: str = "ada") -> Path:
    """A night of five random players with a final, in which nothing was played yet."""
    league = folder / "final.toml"
    bots = ", ".join(f'{{ name = "{name}", sample = "random" }}' for name in (first, "bo", "cy", "dee", "eve"))
    league.write_text(f'name = "Final night"\ngames = {games}\nbots = [{bots}]\ndeals = 2\n{more}\n', encoding="utf-8")
    path = folder / "final.db"
    with open_store(path) as store:
        begin(store, make_programme(read_league(league)), SECRET)
    return path


def play_round(store: Store) -> list[Fixture]:
    """Store the results of all matches that are known and not played.

    Returns these matches: none when the night is over.
    """
    ahead = [fixture for fixture, row in last_night(store).kept() if row is None]
    store.add([_real(fixture, number % 250) for number, fixture in enumerate(ahead)])
    return ahead
