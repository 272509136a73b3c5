"""What a person sees of a night on standard error: what it is, how far it is, who leads."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Never

import click
from tqdm import tqdm

from pips_referee.printable import plain_block
from pips_tourney.night.programme import Programme
from pips_tourney.night.store import Row
from pips_tourney.play.evening import Announcement, Watcher

if TYPE_CHECKING:
    from pips_tourney.web.beside import Beside

PATIENT_S = 10.0
"""How often progress is told where nobody watches it move."""


class Progress:
    """A bar with matches a second, time left and the leader by points. A `run.Watcher`."""

    def __init__(self) -> None:
        self._bar: tqdm[Never] | None = None
        self._points: Counter[str] = Counter()
        self._matches: Counter[str] = Counter()
        self._last: Programme | None = None

    def begins(self, announcement: Announcement) -> None:
        self._bar = None
        again, self._last = announcement.programme == self._last, announcement.programme
        for line in told(announcement)[1:2] if again else told(announcement):
            click.echo(line, err=True)
        if announcement.missing:
            interval = 0.2 if sys.stderr.isatty() else PATIENT_S
            self._bar = tqdm(
                total=announcement.matches, initial=announcement.matches - announcement.missing,
                unit="match", mininterval=interval, dynamic_ncols=True,
            )  # fmt: skip

    def stored(self, rows: Sequence[Row]) -> None:
        if self._bar is None:
            return
        for row in rows:
            self._count(json.loads(row.seats), json.loads(row.places))
        if self._matches:
            share = {bot: self._points[bot] / self._matches[bot] for bot in self._matches}
            leader = max(sorted(share), key=share.__getitem__)
            self._bar.set_postfix_str(f"{leader} leads with {share[leader]:.0%}", refresh=False)
        self._bar.update(len(rows))

    def ends(self) -> None:
        if self._bar is not None:
            self._bar.close()

    def told(self, line: str) -> None:
        """Something that happened in between."""
        tqdm.write(plain_block(line), file=sys.stderr)

    def _count(self, bots: Sequence[str], places: Sequence[int]) -> None:
        for seat, bot in enumerate(bots):
            below = sum(2 * (places[seat] < place) + (places[seat] == place) for place in places) - 1
            self._points[bot] += below / (2 * max(1, len(bots) - 1))  # type: ignore[assignment]  # halves are points too
            self._matches[bot] += 1


def told(announcement: Announcement) -> list[str]:
    """The first lines of a night."""
    programme = announcement.programme
    names = [entrant.name for entrant in programme.entrants]
    games = ", ".join(f"{contest.label} ({contest.seats} seats)" for contest in programme.contests)
    lines = [
        f"{programme.league}: {len(names)} bots ({', '.join(names)}), {games}, {len(programme.deals)} deals",
        f"{announcement.missing} of {announcement.matches} matches to play, on {announcement.arenas} arenas",
        f"The secret's SHA-256 is {announcement.secret_commitment}",
    ]
    lines += announcement.notes
    if announcement.moved_aside is not None:
        lines.append(f"The night before this one is now {announcement.moved_aside}")
    return lines


class Served:
    """Another watcher's night, served beside it as pages. A `run.Watcher`."""

    def __init__(self, watcher: Watcher, beside: Beside) -> None:
        self._watcher = watcher
        self._beside = beside

    def begins(self, announcement: Announcement) -> None:
        if self._beside.begin(announcement.under_way, announcement.referees):
            click.echo(f"Look on at {self._beside.link}", err=True)
        self._watcher.begins(announcement)

    def stored(self, rows: Sequence[Row]) -> None:
        self._watcher.stored(rows)

    def ends(self) -> None:
        self._watcher.ends()

    def told(self, line: str) -> None:
        self._watcher.told(line)
