"""Numbers on the command line."""

from __future__ import annotations

from math import isfinite
from typing import Any

import click


class Number(click.FloatRange):
    """A finite number within bounds: click alone takes `nan`, or `inf` if unbounded."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Parse the number; an error names the bounds."""
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value} is no number that one can reckon with", param, ctx)
        return number

    def _describe_range(self) -> str:
        """The bounds as help shows them; nothing if there are none."""
        return "" if self.min is None and self.max is None else super()._describe_range()
