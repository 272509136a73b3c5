"""The error that ends a command."""

from __future__ import annotations

import click


class Failed(click.ClickException):
    """A mistake that the person at the terminal can correct.

    The command ends with status 2.
    """

    exit_code = 2
