"""Numbers of a command line."""

from __future__ import annotations

from math import isfinite
from typing import Any

import click


class Number(click.FloatRange):
    """A finite number within bounds: `nan` is within any for click, `inf` in half."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read it, or say what it may be."""
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value} is no number that one can reckon with", param, ctx)
        return number

    def _describe_range(self) -> str:
        """What help says of the bounds: nothing if there are none."""
        return "" if self.min is None and self.max is None else super()._describe_range()
