"""How a command ends if it is interrupted or a game fails: with a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import click

from pips_referee.command.streams import standard_streams
from pips_referee.errors import GameProblem, UnknownGame
from pips_referee.failure import failed_game, why_failed
from pips_referee.printable import plain, plain_block

STATUS: Final = 130
"""128 plus the number of the signal."""
SENTENCE: Final = "Interrupted. What was stored before stays; the same command begins again or goes on."


class Broken(click.ClickException):
    """An installed game that is unusable or fails; the exit status is 2."""

    exit_code = 2


class Commands(click.Group):
    """A group of commands that all end this way, whatever their streams are.

    `moved` maps the names of removed commands to their replacements.
    """

    moved: ClassVar[Mapping[str, str]] = {}

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Look up the command; for a removed one, name its replacement."""
        if instead := self.moved.get(args[0]):
            ctx.fail(f"There is no command {args[0]!r}: {instead}.")
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **more: Any) -> Any:
        """Run the command given on the command line."""
        with standard_streams():
            return super().main(*args, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the chosen command."""
        try:
            return super().invoke(ctx)
        except (GameProblem, UnknownGame) as error:
            raise Broken(plain(str(error))) from None
        except KeyboardInterrupt:
            click.echo(f"\n{SENTENCE}", err=True)
            ctx.exit(STATUS)
        except Exception as error:
            if not failed_game(error):
                raise
            raise Broken(plain_block(why_failed(error))) from None
