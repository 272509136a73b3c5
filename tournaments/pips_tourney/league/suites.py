"""Deal suites: named lists of deal seeds, as opening suites are to chess runners.

A `*.deals` file is text. Its first line is `pips deals 1`. Each further line is one
deal, `NAME SEED`, the seed in hexadecimal (16 bytes). Blank lines and lines that begin
with `#` are skipped.

The seeds are public. The actual deals depend on them, on the league's secret and on the
pairing.
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from pips_referee.written import written_text
from pips_tourney.errors import TourneyError

FIRST_LINE: Final = "pips deals 1"
_LINE: Final = re.compile(r"(?P<name>[A-Za-z0-9_.-]{1,40})\s+(?P<seed>[0-9a-f]{32})")


class Deal(NamedTuple):
    """A name and a seed of 16 bytes in hexadecimal."""

    name: str
    seed: str


class SuiteError(TourneyError):
    """A suite is missing, or a line in it is not a deal."""


def parse_suite(text: str, source: str) -> tuple[Deal, ...]:
    """The deals of a suite. `SuiteError` names the source and the line."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != FIRST_LINE:
        raise SuiteError(f"{source}:1: the first line of a suite is {FIRST_LINE!r}")
    deals: list[Deal] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(lines[1:], 2):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _LINE.fullmatch(line.strip())
        if found is None:
            raise SuiteError(f"{source}:{number}: a deal is a name and 32 hexadecimal digits, not {line.strip()!r}")
        deal = Deal(found["name"], found["seed"])
        for part in deal:
            if part in seen:
                raise SuiteError(f"{source}:{number}: {part} is in line {seen[part]} already")
            seen[part] = number
        deals.append(deal)
    return tuple(deals)


def read_suite(name: str, near: Path) -> tuple[Deal, ...]:
    """The deals of a suite, by its name (`quick`) or file (`my.deals`).

    The file is searched for beside the league file, then among the suites that ship
    with Pips.
    """
    file = name if name.endswith(".deals") else f"{name}.deals"
    for folder in (near, near / "seeds", *_homes()):
        path = folder / file
        if path.is_file():
            return parse_suite(written_text(path), str(path))
    raise SuiteError(f"there is no suite {name!r} beside the league file; the house has {', '.join(house_suites())}")


def house_suites() -> list[str]:
    """The names of the suites that ship with Pips."""
    return sorted({path.stem for home in _homes() for path in home.glob("*.deals")})


def drawn_deals(count: int) -> tuple[Deal, ...]:
    """Deals for a league without a suite: their luck comes from the secret alone."""
    return tuple(Deal(f"deal{n:05}", sha256(f"pips deal {n}".encode()).hexdigest()[:32]) for n in range(1, count + 1))


def _homes() -> tuple[Path, Path]:
    """The folders of the suites of Pips: in a package, or in the source tree."""
    package = Path(__file__).resolve().parents[1]
    return package / "seeds", package.parents[1] / "seeds"
