"""Progress of play: a bar on a terminal, an occasional line elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

import click

EVERY_S: Final = 10.0
"""The shortest time between two lines in a file, so a brief match prints none."""


class Tenths:
    """Decides when to print a line: after another tenth, if enough time has passed."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._said_at = clock()
        self._said = 0

    def is_due(self, played: int, total: int) -> bool:
        """Whether to print a line now. The end needs none."""
        tenth = 10 * played // max(1, total)
        if tenth <= self._said or played >= total or self._clock() - self._said_at < EVERY_S:
            return False
        self._said, self._said_at = tenth, self._clock()
        return True


@contextmanager
def counted(total: int, clock: Callable[[], float] = monotonic) -> Iterator[Callable[[], None]]:
    """Yield a function to call after every match; progress is printed on stderr."""
    if sys.stderr.isatty():
        from tqdm import tqdm

        with tqdm(total=total, unit="match", leave=False, dynamic_ncols=True, mininterval=0) as bar:

            def advance() -> None:
                bar.update()
                bar.refresh()

            yield advance
        return
    played, tenths = 0, Tenths(clock)

    def count() -> None:
        nonlocal played
        played += 1
        if tenths.is_due(played, total):
            click.echo(f"{played} of {total} matches", err=True)

    yield count
