"""A night's progress on standard error: what it is, how far it is, which bot leads."""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Never

import click
from tqdm import tqdm

from pips_referee.printable import plain_block
from pips_tourney.night.store import Row, points_of
from pips_tourney.play.evening import Announcement

PATIENT_S = 10.0
"""How often progress is printed where nobody watches it move."""


PACE_S = 60.0
"""The time left is worked out from the matches of the last minute."""
FEWEST = 20
"""With fewer matches, neither a leader nor a time left means anything."""
BAR = "{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} matches [{elapsed}{postfix}]"


class Progress:
    """A bar with matches a second, time left and the leader by points.

    A `run.Watcher`.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._bar: tqdm[Never] | None = None
        self._points: Counter[str] = Counter()
        self._matches: Counter[str] = Counter()
        self._pace: deque[tuple[float, float]] = deque()
        self._last: Announcement | None = None

    def begins(self, announcement: Announcement) -> None:
        self._bar = None
        again = self._last is not None and announcement.programme == self._last.programme
        self._last = announcement
        for line in told(announcement)[1:2] if again else told(announcement):
            click.echo(line, err=True)
        self._pace.clear()
        if announcement.missing:
            interval = 0.2 if sys.stderr.isatty() else PATIENT_S
            self._bar = tqdm(
                total=announcement.matches, initial=announcement.matches - announcement.missing,
                unit="match", mininterval=interval, dynamic_ncols=True, bar_format=BAR,
            )  # fmt: skip
            self._pace.append((self._clock(), self._bar.n))

    def stored(self, rows: Sequence[Row]) -> None:
        if self._bar is None:
            return
        for row in rows:
            self._count(row.bots, row.seat_places)
        self._bar.set_postfix_str(self._postfix(len(rows)), refresh=False)
        self._tell_head(int(self._bar.n), int(self._bar.n) + len(rows), int(self._bar.total or 0))
        self._bar.update(len(rows))

    def _tell_head(self, before: int, now: int, whole: int) -> None:
        """Print the head at each quarter of the matches.

        Anybody who writes it down can check all of it later.
        """
        if whole and self._last is not None and 4 * now // whole > 4 * before // whole:
            self.told(f"{now} of {whole} matches are stored; the head of the chain is {self._last.head()}")

    def _postfix(self, came: int) -> str:
        """Matches a second, the time left, the leader.

        It says no more than so few matches can show.
        """
        assert self._bar is not None
        now = self._clock()
        self._pace.append((now, self._bar.n + came))
        while self._pace[0][0] < now - PACE_S:
            self._pace.popleft()
        (since, before), (until, after) = self._pace[0], self._pace[-1]
        said = []
        if after - before >= FEWEST and until > since:
            per_s = (after - before) / (until - since)
            said = [f"{per_s:.1f} a second", f"{_time(((self._bar.total or after) - after) / per_s)} left"]
        share = {bot: self._points[bot] / count for bot, count in self._matches.items() if count >= FEWEST}
        if share:
            leader = max(sorted(share), key=share.__getitem__)
            said.append(f"{leader} leads with {share[leader]:.0%}")
        return ", ".join(said)

    def ends(self) -> None:
        if self._bar is not None:
            self._recount()
            self._bar.close()

    def told(self, line: str) -> None:
        """Print a line about something that happened in between."""
        tqdm.write(plain_block(line), file=sys.stderr)
        if self._bar is not None and "is left out" in line:
            self._recount()

    def _recount(self) -> None:
        """Let the bar end at the matches that are played.

        Matches of a bot that was left out are not.
        """
        if self._bar is not None and self._last is not None and self._last.count is not None:
            self._bar.total, self._bar.n = self._last.count()
            self._bar.refresh()

    def _count(self, bots: Sequence[str], places: Sequence[int]) -> None:
        for bot, points in zip(bots, points_of(places), strict=True):
            self._points[bot] += points  # type: ignore[assignment]  # halves are points too
            self._matches[bot] += 1


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


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
