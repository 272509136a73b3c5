"""Whether a night keeps its commitment, and agrees with what others kept of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pips_tourney.league.read import read_league
from pips_tourney.night.log.chain import SHORTEST, Chain
from pips_tourney.night.log.commitment import (
    Commitment,
    CommitmentError,
    Pledge,
    beacon_text,
    drop_pledge,
    keep_pledge,
    make_pledge,
    pledge_file,
    read_pledge,
)
from pips_tourney.night.log.earlier_nights import moved_aside
from pips_tourney.night.log.kinds import BEACON, BEGUN, COMMITTED
from pips_tourney.night.log.store import Store, read_store, secret_of
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.plan.programme import Programme
from pips_tourney.secret import Secret, SecretError, read_secret

SHOWN: Final = 200
"""The most characters of a beacon's text in a note."""


@dataclass(frozen=True, slots=True)
class KeptByOthers:
    """The evidence that a verifier provides."""

    heads: Sequence[str] = ()
    commitments: Sequence[Commitment] = ()


def commit(league: Path, database: Path, beacon: str | None, secret_file: Path | None, *, close: bool) -> Commitment:
    """The commitment for the next night of this database, made now if it is missing.

    Raises the errors of league, secret and commitment, also `CommitmentError` if
    another beacon was named before.
    """
    read = read_league(league)
    given = None if secret_file is None else read_secret(secret_file)
    pledge = read_pledge(database)
    if pledge is None:
        if given is not None:
            check_new(given, [*moved_aside(database).values(), database])
        pledge = make_pledge(read.name, beacon or "", given)
    elif (beacon is not None and beacon != pledge.commitment.beacon) or given not in (None, pledge.opened):
        raise CommitmentError(
            f"a commitment was made on {pledge.commitment.made}, with another "
            f"{'secret' if given not in (None, pledge.opened) else 'beacon'}. If nobody has seen it, remove "
            f"{pledge_file(database)} and commit anew"
        )
    if close:
        pledge = pledge.close(make_programme(read.installed()).digest)
    keep_pledge(database, pledge)
    return pledge.commitment


def check_new(secret: Secret, files: Iterable[Path]) -> None:
    """Raise `SecretError` if one of these files has a night with the same secret.

    Everybody knows the secret of a played night, and its deals would come again.
    """
    for file in filter(Path.is_file, files):
        with read_store(file) as store:
            if store.secret() == secret:
                raise SecretError(f"this is the secret of {file}: a new night needs one of its own")


def promised(
    store: Store, programme: Programme, given: Secret | None, given_beacon: str | None
) -> tuple[Secret, Pledge | None]:
    """The night's secret with its beacon, and the pledge with which it begins.

    The pledge is None unless the night begins now and has one.

    Raises `SecretError` or `CommitmentError` if the arguments differ from what was
    published or begun.
    """
    database, beacon = store.path, None if given_beacon is None else beacon_text(given_beacon)
    kept, pledge = secret_of(store), read_pledge(database)
    if kept is not None and store.log(BEGUN):
        if given is not None and given.key != kept.key:
            raise SecretError(f"the night in {database} was begun with another secret than the one that is given")
        if beacon is not None and beacon != kept.beacon:
            was = "with another text of its beacon" if kept.beacon else "without a beacon"
            raise CommitmentError(f"the night in {database} was begun {was}; leave --beacon out")
        if pledge is not None and pledge.opened.key == kept.key:
            drop_pledge(database)  # the runner was killed before it could do so
        return kept, None
    if pledge is None:
        if beacon is not None:
            raise CommitmentError(
                "no beacon was named before: `pips-tourney commit LEAGUE --beacon NAME` does so, before hand-in closes"
            )
        return given or Secret.draw(), None
    _check_pledge(pledge, programme, given, database)
    if pledge.commitment.beacon and beacon is None:
        raise CommitmentError(
            f"the commitment names a beacon: {pledge.commitment.beacon}. Give its text with --beacon TEXT, or "
            "--beacon @FILE"
        )
    if beacon is not None and not pledge.commitment.beacon:
        raise CommitmentError("the commitment names no beacon: leave --beacon out, or make another commitment")
    return replace(pledge.opened, beacon=beacon or ""), pledge


def _check_pledge(pledge: Pledge, programme: Programme, given: Secret | None, database: Path) -> None:
    made, file = pledge.commitment, pledge_file(database)
    anew = f"remove {file} and commit anew"
    if given is not None and given.key != pledge.opened.key:
        raise SecretError(f"the commitment of {made.made} is for another secret than the one that is given; {anew}")
    if made.league != programme.league:
        raise CommitmentError(f"{file} is the commitment of {made.league}, not of {programme.league}; {anew}")
    if made.programme_sha256 not in (None, programme.digest):
        raise CommitmentError(
            f"hand-in was closed on {made.closed}, and since then a bot, a game or the deals have changed. "
            f"Put them back; or {anew}, and say so to the authors"
        )


def announced(store: Store) -> Iterator[str]:
    """The notes on the commitment when the night begins."""
    beacons = [entry.payload["text"] for entry in store.log(BEACON)]
    for entry in store.log(COMMITTED):
        made = entry.payload
        yield f"The commitment was made on {made['made']}"
        for text in beacons:
            yield f"The beacon ({made['beacon']}) says {text[:SHOWN]}"
        if beacons and made["programme_sha256"] is None:
            yield (
                "Hand-in was not closed before the beacon was out (`commit --close`): "
                "who changed a bot after it could choose its deals."
            )


def kept_problems(store: Store, chain: Chain, kept: KeptByOthers) -> Iterator[str]:
    """Each point in which the night contradicts what others kept of it."""
    for head in kept.heads:
        if len(head.strip()) < SHORTEST:
            yield f"the head {head} is too short to identify: give {SHORTEST} hexadecimal digits or more"
        elif chain.find(head) is None:
            yield f"its chain never had the head {head}: what was stored then was changed, or it is another night"
    for commitment in kept.commitments:
        yield from _commitment_problems(store, commitment)


def _commitment_problems(store: Store, commitment: Commitment) -> Iterator[str]:
    logged = store.log(COMMITTED)
    if not logged:
        yield "nothing was committed to before this night: the commitment that was given is of another one"
        return
    own = Commitment.model_validate(logged[0].payload)
    given = commitment.model_dump(exclude={"pips"})
    if commitment.programme_sha256 is None:  # the file was sent before hand-in closed
        del given["programme_sha256"], given["closed"]
    for name, value in given.items():
        if getattr(own, name) != value:
            yield f"the commitment that was given has another {name} than the one that this night began with"


def promise_problems(store: Store, programmes: Sequence[Programme], secret: Secret) -> Iterator[str]:
    """Each point in which the night breaks its commitment."""
    begun, committed, beacons = store.log(BEGUN), store.log(COMMITTED), store.log(BEACON)
    if any(entry.payload["secret_commitment"] != secret.commitment for entry in begun):
        yield "the secret is not the one that was committed to before the first match"
    if len(committed) > 1 or len(beacons) > 1:
        yield "its log has more than one commitment, or more than one beacon"
    if any(entry.seq > begun[0].seq for entry in (*committed, *beacons)):
        yield "the commitment or the beacon came into the log after the night had begun"
    if beacons and not committed:
        yield "a beacon enters its seeds that no commitment named"
    for entry in committed[:1]:
        made = Commitment.model_validate(entry.payload)
        if made.secret_sha256 != secret.commitment:
            yield "its secret is not the one of the commitment that was published before hand-in closed"
        if bool(made.beacon) != bool(beacons):
            yield "the commitment names a beacon, and the log has none" if made.beacon else "the beacon was not named"
        if made.programme_sha256 not in (None, programmes[0].digest):
            yield "bots, games or deals are not those with which hand-in was closed"


def promise_notes(store: Store) -> Iterator[str]:
    """What people must know, or look up, about a night's commitment."""
    committed, beacons = store.log(COMMITTED), store.log(BEACON)
    if not committed:
        yield "nothing was committed to before hand-in closed: the organiser could choose among secrets"
        return
    made = Commitment.model_validate(committed[0].payload)
    yield f"committed to on {made.made}; compare it with the file that was sent round (--commitment FILE)"
    if len(store.log(BEGUN)) > 1:
        yield "bots or games were changed after the night had begun: whoever changed a bot could choose its deals"
    if not beacons:
        yield "no beacon enters its seeds: whoever knew the bots when the secret was drawn could choose among secrets"
        return
    text = beacons[0].payload["text"]
    yield f"look up whether the beacon ({made.beacon}) said: {text[:SHOWN]}{'...' if len(text) > SHOWN else ''}"
    if made.programme_sha256 is None:
        yield "hand-in was not closed before the beacon was out: anybody who changed a bot later could choose its deals"
