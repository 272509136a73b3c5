"""How far a duel is: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

import click

EVERY_S: Final = 10.0
"""A file gets a line as often as this at most, and only if play goes on so long."""


@contextmanager
def counted(total: int, clock: Callable[[], float] = monotonic) -> Iterator[Callable[[], None]]:
    """Within it, call what it gives after every match. It writes on stderr."""
    if sys.stderr.isatty():
        with click.progressbar(length=total, label="matches", show_pos=True, file=sys.stderr) as bar:
            yield lambda: bar.update(1)
        return
    played, said_at = 0, clock()

    def count() -> None:
        nonlocal played, said_at
        played += 1
        if clock() - said_at >= EVERY_S and played < total:
            said_at = clock()
            click.echo(f"{played} of {total} matches", err=True)

    yield count
