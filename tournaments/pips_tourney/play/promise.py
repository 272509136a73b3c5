"""Published before a night began: its pledge and the beacon's text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pips_tourney.night.night import BEACON, BEGUN, PLEDGED, secret_of
from pips_tourney.night.pledge import Pledge, PledgeError, beacon_text, drop_pledge, pledge_file, read_pledge
from pips_tourney.night.programme import Programme
from pips_tourney.night.store import Store
from pips_tourney.play.evening import RunConfig
from pips_tourney.secret import Secret, SecretError

SHOWN: Final = 200
"""The most of a beacon's text that a note shows, in characters."""


def promised(
    store: Store, programme: Programme, given: Secret | None, config: RunConfig
) -> tuple[Secret, Pledge | None]:
    """The night's secret with its beacon, and the pledge with which it begins.

    The pledge is None unless the night begins now with one.

    Raises `SecretError` or `PledgeError` when what is given is not what was published
    or begun.
    """
    kept, beacon = secret_of(store), None if config.beacon is None else beacon_text(config.beacon)
    pledge = read_pledge(config.database)
    if kept is not None and store.log(BEGUN):
        if given is not None and given.key != kept.key:
            raise SecretError(f"{config.secret_file}: the night in {config.database} was begun with another secret")
        if beacon is not None and beacon != kept.beacon:
            was = "with another text of its beacon" if kept.beacon else "without a beacon"
            raise PledgeError(f"the night in {config.database} was begun {was}; leave --beacon out")
        if pledge is not None and pledge.opened.key == kept.key:
            drop_pledge(config.database)  # the runner was killed before it could
        return kept, None
    if pledge is None:
        if beacon is not None:
            raise PledgeError(
                "no beacon was named before: `pips-tourney commit LEAGUE --beacon NAME` does so, before hand-in closes"
            )
        return given or Secret.draw(), None
    _check_pledge(pledge, programme, given, config)
    if pledge.commitment.beacon and beacon is None:
        raise PledgeError(
            f"the commitment names a beacon: {pledge.commitment.beacon}. Give its text with --beacon TEXT, or "
            "--beacon @FILE"
        )
    if beacon is not None and not pledge.commitment.beacon:
        raise PledgeError("the commitment names no beacon: leave --beacon out, or make another commitment")
    return replace(pledge.opened, beacon=beacon or ""), pledge


def _check_pledge(pledge: Pledge, programme: Programme, given: Secret | None, config: RunConfig) -> None:
    made, file = pledge.commitment, pledge_file(config.database)
    anew = f"remove {file} and commit anew"
    if given is not None and given.key != pledge.opened.key:
        raise SecretError(f"{config.secret_file}: the commitment of {made.made} is for another secret; {anew}")
    if made.league != programme.league:
        raise PledgeError(f"{file} is the commitment of {made.league}, not of {programme.league}; {anew}")
    if made.programme_sha256 not in (None, programme.digest):
        raise PledgeError(
            f"hand-in was closed on {made.closed}, and since then a bot, a game or the deals have changed. "
            f"Put them back; or {anew}, and say so to the authors"
        )


def promise_notes(store: Store) -> Iterator[str]:
    """The notes on these when the night begins."""
    for entry in store.log(BEGUN)[:1]:
        if "public_key" in entry.payload:
            yield f"The night's public key is {entry.payload['public_key']}"
    beacons = [entry.payload["text"] for entry in store.log(BEACON)]
    for entry in store.log(PLEDGED):
        made = entry.payload
        yield f"The commitment was made on {made['made']}"
        for text in beacons:
            yield f"The beacon ({made['beacon']}) says {text[:SHOWN]}"
        if beacons and made["programme_sha256"] is None:
            yield (
                "Hand-in was not closed before the beacon was out (`commit --close`): "
                "who changed a bot after it could choose its deals."
            )
