"""Where a night's bots come from, as stored in its log.

This lists the files that were handed in, and the bots that are samples.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pips_tourney.night.log.kinds import HANDED_IN
from pips_tourney.night.log.store import Store


@dataclass(frozen=True, slots=True)
class HandedIn:
    """By bot, its submission's path from the league's folder; and the samples."""

    places: Mapping[str, str] = field(default_factory=dict)
    samples: frozenset[str] | None = None
    """None for nights that did not store this yet."""


def note_handed_in(store: Store, found: HandedIn) -> None:
    """Log `found` if it differs from the last entry."""
    if found != handed_in(store):
        store.append(HANDED_IN, {"places": dict(found.places), "samples": sorted(found.samples or ())})


def handed_in(store: Store) -> HandedIn:
    """The content of the last entry."""
    entries = store.log(HANDED_IN)
    if not entries:
        return HandedIn()
    said = entries[-1].payload
    return HandedIn(dict(said["places"]), frozenset(said["samples"]))
