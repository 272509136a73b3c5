"""The log entries about a night's end: it is over, or its time was up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from pips_tourney.night.log.kinds import BEGUN, TIME_UP
from pips_tourney.night.log.store import Row, Store
from pips_tourney.night.night import Night
from pips_tourney.night.plan.programme import Programme
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import standings_sha256
from pips_tourney.night.table.tables import Standings


def end_entry(night: Night, table: Standings, digest: str) -> dict[str, Any]:
    """The log entry for a night that is over; it reveals the secret."""
    return {"secret": night.secret.key.hex(), "digest": digest, "standings_sha256": standings_sha256(table)}


def time_entry(night: Night, table: Standings, minutes: float) -> dict[str, Any]:
    """The log entry when time is up: each contest's last look, and the result count.

    Results are counted in the order of storing.
    """
    looks = {each.label: each.verdict.deals for each in table.tables if each.verdict is not None}
    results = sum(1 for _ in night.store.ids())
    return {"minutes": minutes, "results": results, "looks": looks, "standings_sha256": standings_sha256(table)}


def time_problems(night: Night, programmes: Sequence[Programme]) -> Iterator[str]:
    """A sentence for each end whose standings do not follow from its results.

    `programmes` are all that were begun, oldest first.
    """
    begun, stored = -1, [row.id for _, row in night.store.since(0)]
    for entry in night.store.log(BEGUN, TIME_UP):
        if entry.kind == BEGUN:
            begun += 1
        elif 0 <= begun < len(programmes):
            known = partial(_results_of, night.store, frozenset(stored[: entry.payload["results"]]))
            then = Night(night.store, programmes[begun], night.secret, entry.seq, reader=known)
            if standings_sha256(standings(then)) != entry.payload["standings_sha256"]:
                yield f"the standings when {entry.payload['minutes']:g} minutes were up do not follow from the results"


def _results_of(store: Store, known: frozenset[str], ids: Sequence[str]) -> dict[str, Row]:
    return store.results([match for match in ids if match in known])
