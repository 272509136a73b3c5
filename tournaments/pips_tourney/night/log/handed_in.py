"""Where a night's bots come from, as its log keeps it.

It names the files that were handed in, and which bots are samples.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from pips_tourney.night.log.kinds import HANDED_IN
from pips_tourney.night.log.store import Store

_MOODLE: Final = re.compile(r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_\w+")
_CANVAS: Final = re.compile(r"(?P<name>[^_]+)(?:_LATE)?_(?P<number>\d+)_\d+_.+")


class Participant(NamedTuple):
    """Who handed a submission in, by the folder names of the course's system."""

    name: str
    number: str


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


def participant(place: str) -> Participant | None:
    """Who handed in the submission at this place, from any part of its path.

    Moodle: `NAME_1234567_assignsubmission_file_` (the participant's number). Canvas:
    `name_12345_67890_bot.py` (the user's number).
    """
    for part in PurePosixPath(place).parts:
        if found := _MOODLE.fullmatch(part) or _CANVAS.fullmatch(part):
            return Participant(found["name"], found["number"])
    return None
