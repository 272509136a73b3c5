"""A night's progress on standard error: what is played, and how much of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Never

import click
from tqdm import tqdm

from pips_referee.printable import plain_block
from pips_tourney.cli.counting import Tenths
from pips_tourney.night.log.store import Row
from pips_tourney.play.evening import Announcement

BAR = "{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} matches [{elapsed}, {remaining} left, {rate_fmt}]"


class Progress:
    """A bar with matches per second and the time left. A `run.Watcher`."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._bar: tqdm[Never] | None = None
        self._tenths = Tenths(clock)
        self._played = self._whole = 0
        self._last: Announcement | None = None

    def begins(self, announcement: Announcement) -> None:
        self._bar = None
        again = self._last is not None and announcement.programme == self._last.programme
        self._last = announcement
        for line in told(announcement)[1:2] if again else told(announcement):
            click.echo(line, err=True)
        self._whole, self._played = announcement.matches, announcement.matches - announcement.missing
        self._tenths = Tenths(self._clock)
        if announcement.missing and sys.stderr.isatty():
            self._bar = tqdm(
                total=self._whole, initial=self._played, unit="match",
                mininterval=0.2, dynamic_ncols=True, bar_format=BAR,
            )  # fmt: skip

    def stored(self, rows: Sequence[Row]) -> None:
        self._played += len(rows)
        self._tell_head(self._played - len(rows), self._played, self._whole)
        if self._bar is not None:
            self._bar.update(len(rows))
        elif self._tenths.is_due(self._played, self._whole):
            click.echo(f"{self._played} of {self._whole} matches", err=True)

    def _tell_head(self, before: int, now: int, whole: int) -> None:
        """Print the head of the log at each quarter of the matches.

        Whoever writes a head down can later check everything before it.
        """
        if whole and self._last is not None and 4 * now // whole > 4 * before // whole:
            self.told(f"{now} of {whole} matches are stored; the head of the chain is {self._last.head()}")

    def ends(self) -> None:
        if self._bar is not None:
            self._recount()
            self._bar.close()

    def told(self, line: str) -> None:
        """Print a line about an event between matches."""
        if self._bar is None:
            click.echo(plain_block(line), err=True)
        else:
            tqdm.write(plain_block(line), file=sys.stderr)
        if "is left out" in line:
            self._recount()

    def _recount(self) -> None:
        """Set the bar's end to the number of matches, leaving out excluded bots."""
        if self._last is None or self._last.count is None:
            return
        self._whole, self._played = self._last.count()
        if self._bar is not None:
            self._bar.total, self._bar.n = self._whole, self._played
            self._bar.refresh()


def told(announcement: Announcement) -> list[str]:
    """The first lines about a night."""
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
