"""Check a night against what others kept of it.

That is commitments, heads of its chain, and transcripts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pips_tourney.night.chain import SHORTEST, Chain
from pips_tourney.night.night import BEACON, BEGUN, PLEDGED
from pips_tourney.night.pledge import Commitment
from pips_tourney.night.programme import Programme
from pips_tourney.night.store import Store
from pips_tourney.night.transcript import Transcript, night_problems, own_problems
from pips_tourney.secret import Secret

SHOWN: Final = 200
"""The most characters of a beacon's text that a note shows."""


@dataclass(frozen=True, slots=True)
class KeptByOthers:
    """What a verifier brings along. Transcripts are by file name."""

    heads: Sequence[str] = ()
    commitments: Sequence[Commitment] = ()
    transcripts: Sequence[tuple[str, Transcript]] = ()


def evidence_problems(store: Store, chain: Chain | None, evidence: KeptByOthers) -> Iterator[str]:
    """Each point in which the night contradicts the evidence."""
    for head in evidence.heads:
        if len(head.strip()) < SHORTEST:
            yield f"the head {head} is too short to be known by: give {SHORTEST} hexadecimal digits or more"
        elif chain is None:
            yield f"it has no chain, so it cannot be told whether it goes on from the head {head}"
        elif chain.find(head) is None:
            yield f"its chain never had the head {head}: what was stored then was changed, or it is another night"
    for commitment in evidence.commitments:
        yield from _commitment_problems(store, commitment)
    for file, transcript in evidence.transcripts:
        found = list(own_problems(transcript)) or list(night_problems(transcript, store, chain))
        yield from (f"{file}: {problem}" for problem in found)


def _commitment_problems(store: Store, commitment: Commitment) -> Iterator[str]:
    logged = store.log(PLEDGED)
    if not logged:
        yield "nothing was committed to before this night: the commitment that was given is of another one"
        return
    own = Commitment.model_validate(logged[0].payload)
    given = commitment.model_dump(exclude={"pips"})
    if commitment.programme_sha256 is None:  # the file was sent round before hand-in closed
        del given["programme_sha256"], given["closed"]
    for name, value in given.items():
        if getattr(own, name) != value:
            yield f"the commitment that was given has another {name} than the one that this night began with"


def promise_problems(store: Store, programmes: Sequence[Programme], secret: Secret) -> Iterator[str]:
    """Each point in which the night breaks what was committed to before it."""
    begun, pledged, beacons = store.log(BEGUN), store.log(PLEDGED), store.log(BEACON)
    for entry in begun:
        if entry.payload["secret_commitment"] != secret.commitment:
            yield "the secret is not the one that was committed to before the first match"
        if entry.payload.get("public_key") != begun[0].payload.get("public_key"):
            yield f"entry {entry.seq} of the log has another public key than the night began with"
    if len(pledged) > 1 or len(beacons) > 1:
        yield "its log has more than one commitment, or more than one beacon"
    if any(entry.seq > begun[0].seq for entry in (*pledged, *beacons)):
        yield "the commitment or the beacon came into the log after the night had begun"
    if beacons and not pledged:
        yield "a beacon enters its seeds that no commitment named"
    for entry in pledged[:1]:
        made = Commitment.model_validate(entry.payload)
        if made.secret_sha256 != secret.commitment:
            yield "its secret is not the one of the commitment that was published before hand-in closed"
        if made.public_key != begun[0].payload.get("public_key"):
            yield "its public key is not the one of the commitment"
        if bool(made.beacon) != bool(beacons):
            yield "the commitment names a beacon, and the log has none" if made.beacon else "the beacon was not named"
        if made.programme_sha256 not in (None, programmes[0].digest):
            yield "bots, games or deals are not those with which hand-in was closed"


def promise_notes(store: Store) -> Iterator[str]:
    """What a person must know, or look up, about a night's commitment."""
    pledged, beacons = store.log(PLEDGED), store.log(BEACON)
    if not pledged:
        yield "nothing was committed to before hand-in closed: the organiser could choose among secrets"
        return
    made = Commitment.model_validate(pledged[0].payload)
    yield f"committed to on {made.made}; compare it with the file that was sent round (--commitment FILE)"
    if len(store.log(BEGUN)) > 1:
        yield "bots or games were changed after the night had begun: who changed a bot could choose its deals"
    if not beacons:
        yield "no beacon enters its seeds: who knew the bots when the secret was drawn could choose among secrets"
        return
    text = beacons[0].payload["text"]
    yield f"look up whether the beacon ({made.beacon}) said: {text[:SHOWN]}{'...' if len(text) > SHOWN else ''}"
    if made.programme_sha256 is None:
        yield "hand-in was not closed before the beacon was out: who changed a bot after it could choose its deals"
