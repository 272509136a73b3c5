"""Where a night's bots come from, as its log keeps it.

It names the files that were handed in, and which bots are samples.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pips_tourney.night.log.kinds import HANDED_IN
from pips_tourney.night.log.store import Store


@dataclass(frozen=True, slots=True)
class HandedIn:
    """By bot, the path of its submission from the league's folder; and the samples."""

    places: Mapping[str, str] = field(default_factory=dict)
    samples: frozenset[str] | None = None
    """None in nights that did not keep this yet."""


def note_handed_in(store: Store, found: HandedIn) -> None:
    """Log it if it has changed."""
    if found != handed_in(store):
        store.append(HANDED_IN, {"places": dict(found.places), "samples": sorted(found.samples or ())})


def handed_in(store: Store) -> HandedIn:
    """What the last entry says."""
    entries = store.log(HANDED_IN)
    if not entries:
        return HandedIn()
    said = entries[-1].payload
    return HandedIn(dict(said["places"]), frozenset(said["samples"]))
