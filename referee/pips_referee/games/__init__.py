"""The games of this project, one package each.

**Invariant**: no game imports another, or reads a clock or a file.
"""

from __future__ import annotations

from collections.abc import Mapping


def parts_of(package: str) -> Mapping[str, str]:
    """The modules outside a game's package that bots and pages use, by part."""
    name = package.rpartition(".")[2]
    return {
        "bot": f"pips_sdk.{name}", "bots": f"pips_sample_bots.{name}", "space": f"pips_sdk.spaces.{name}",
        "board": f"pips_tourney.web.boards.{name}",
    }  # fmt: skip
