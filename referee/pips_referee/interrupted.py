"""How an interrupted command ends: with a sentence and the shells' exit code."""

from __future__ import annotations

from typing import Any, Final

import click

STATUS: Final = 130
"""128 and the number of the signal."""
SENTENCE: Final = "Interrupted. What was stored before stays; the same command begins again or goes on."


class Commands(click.Group):
    """A group of commands that all end this way on an interrupt."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run what was asked for."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo(f"\n{SENTENCE}", err=True)
            ctx.exit(STATUS)
