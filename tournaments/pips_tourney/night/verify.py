"""Verify a night: every record replayed, every row, commitment and digest recomputed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pips_referee.errors import PipsError
from pips_referee.record import verify as verify_record
from pips_tourney.night.decisions import attempt
from pips_tourney.night.night import BEGUN, ENDED, Night, nights, secret_of
from pips_tourney.night.programme import Fixture, Programme, possible_fixtures
from pips_tourney.night.result import row_of
from pips_tourney.night.standings import standings, standings_sha256
from pips_tourney.night.store import Entry, Row, Store, StoreError
from pips_tourney.secret import Secret


class Discrepancy(NamedTuple):
    """Something that does not hold. `match` is its id, empty where the night as a whole is wrong."""

    match: str
    what: str


class Verified(NamedTuple):
    """What was looked at: results, and the digest of the last night."""

    results: int
    digest: str
    problems: tuple[Discrepancy, ...]


def verify_night(store: Store) -> Verified:
    """Check all that a database holds against itself and against the rules."""
    secret, programmes = secret_of(store), nights(store)
    if secret is None or not programmes:
        raise StoreError(f"{store.path}: no night was begun in it")
    problems: list[Discrepancy] = []
    seen: set[str] = set()
    ended = _ended(store, programmes)
    for number, programme in enumerate(programmes):
        night = Night(store, programme, secret, ended[number].seq if number in ended else None)
        for fixture, row, kept in night.walk(look_up=store.rows):
            if row is not None and fixture.match_id not in seen:
                seen.add(fixture.match_id)
                problems += [Discrepancy(fixture.match_id, what) for what in _row_problems(fixture, row, secret)]
            elif row is None and number in ended and kept:
                problems.append(Discrepancy(fixture.match_id, "the night is over, but its result is missing"))
        left = set(store.ids()) - seen
        for fixture, row in _not_counted(night, left):
            seen.add(fixture.match_id)
            problems += [Discrepancy(fixture.match_id, what) for what in _row_problems(fixture, row, secret)]
        if number in ended and not problems:
            problems += [Discrepancy("", what) for what in _end_problems(night, ended[number])]
    problems += [
        Discrepancy(stored, "it is in no schedule of this night") for stored in store.ids() if stored not in seen
    ]
    problems += [Discrepancy("", what) for what in _secret_problems(store, secret)]
    return Verified(len(seen), Night(store, programmes[-1], secret).digest(), tuple(problems))


def _ended(store: Store, programmes: list[Programme]) -> dict[int, Entry]:
    """The end of each programme that came to one, by its number."""
    ended: dict[int, Entry] = {}
    begun = -1
    for entry in store.log():
        if entry.kind == BEGUN:
            begun += 1
        elif entry.kind == ENDED and 0 <= begun < len(programmes):
            ended[begun] = entry
    return ended


def _not_counted(night: Night, left: set[str]) -> Iterator[tuple[Fixture, Row]]:
    """Of these matches those that were rightly played, though they count for nothing: played again, played after the
    table was settled, or of a round that a later decision has changed."""
    most = Night(night.store, night.programme, night.secret).decisions().most_attempts
    for fixture in possible_fixtures(night.programme) if left else ():
        for number in range(most.get(fixture.match_id, 0) + 1):
            played = attempt(fixture, number)
            if played.match_id in left:
                yield from ((played, row) for row in night.store.rows([played.match_id]).values())


def _row_problems(fixture: Fixture, row: Row, secret: Secret) -> Iterator[str]:
    """One thing that is wrong with a result, if any: later ones would follow from it."""
    try:
        record = verify_record(row.record)
        read = row_of(row.record)
    except PipsError as error:
        yield str(error)
        return
    except Exception as error:  # noqa: BLE001 - whatever a forged record does to a reader, it is a forged record
        yield f"its record cannot be read: {error!r}"
        return
    if read.sha256 != row.sha256:
        yield "its record is not the one that was stored: the SHA-256 differs"
    elif record.header != fixture.header(secret):
        yield "its header is not what the schedule and the secret say"
    elif read != row:
        fields = [name for name in Row._fields if getattr(read, name) != getattr(row, name)]
        yield f"its row does not say what its record says: {', '.join(fields)}"


def _end_problems(night: Night, entry: Entry) -> Iterator[str]:
    said = entry.payload
    if said.get("digest") != night.digest():
        yield "the night's digest is not the one that was published at its end"
    if said.get("standings_sha256") != standings_sha256(standings(night)):
        yield "the standings recomputed are not those of the night's end"
    if said.get("secret") != night.secret.key.hex():
        yield "the secret that was revealed is not the stored one"


def _secret_problems(store: Store, secret: Secret) -> Iterator[str]:
    for entry in store.log(BEGUN):
        if entry.payload.get("secret_commitment") != secret.commitment:
            yield "the secret is not the one that was committed to before the first match"
