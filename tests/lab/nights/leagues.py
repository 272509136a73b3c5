"""The leagues of simulated nights: each shows what others do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pips_tourney.people.codes import Code
from pips_tourney.people.store import People
from pips_tourney.remote.certificates import host_folder

SECRET: Final = "5a" * 32
LISTEN: Final = "192.0.2.1:7777"
TABLES: Final = 3
_HEAD: Final = f"""
name = "A simulated night"
game = "serpent"
sandbox = "none"
clock = {{ answer_ms = 1000 }}
tables = {TABLES}
"""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of night: its league file, and how often it is drawn."""

    words: str
    text: str
    bots: tuple[str, ...]
    weight: int
    guests: tuple[str, ...] = ()
    arenas: int = 2
    is_cluster: bool = False
    """Workers of a cluster play it."""
    is_place: bool = False
    """Authors hand in while it is played."""

    def write(self, folder: Path) -> tuple[Path, dict[str, bytes]]:
        """Write its files into a folder; return its path, and the guests' secrets."""
        (folder / "secret").write_text(SECRET, encoding="ascii")
        path = folder / "night.toml"
        entries = [f'{{ name = "{bot}", {self._how(bot)} }}' for bot in self.bots]
        path.write_text(f"{_HEAD}{self.text}\nbots = [{', '.join(entries)}]\n", encoding="utf-8")
        if not self.guests:
            return path, {}
        with People(host_folder(path)) as people:
            return path, {guest: Code.read(code).secret for guest, code in people.expect(self.guests)}

    def _how(self, bot: str) -> str:
        return "remote = true" if bot in self.guests else 'sample = "random"'


LEAGUES: Final[Mapping[str, Kind]] = {
    "league": Kind("everybody meets everybody", "deals = { count = 3 }", ("ada", "bo", "cy"), 4),
    "swiss": Kind(
        "rounds that depend on results, and a final",
        'deals = { count = 2 }\nschedule = { name = "swiss", rounds = 2 }\n'
        'final = { name = "knockout", bots = 2, deals = 1 }',
        ("ada", "bo", "cy", "di"),
        3,
    ),
    "settled": Kind(
        "a table that is looked at until it is settled, and a final",
        'stop = { name = "settled", max_deals = 40 }\nfinal = { name = "knockout", bots = 2, deals = 1 }',
        ("ada", "gil"),
        2,
    ),
    "cluster": Kind(
        "a cluster whose workers come and go",
        'engine = "dask"\nscheduler = "tls://scheduler"\ndeals = { count = 3 }',
        ("ada", "bo", "cy"),
        2,
        is_cluster=True,
    ),
    "hosted": Kind(
        "two guests on machines of their own, and a lobby",
        "deals = { count = 2 }\nduplicate = true\nremote = { drops = 20 }",
        ("ada", "bo", "gus", "hal"),
        3,
        guests=("gus", "hal"),
        arenas=1,
    ),
    "place": Kind(
        "a place to which two authors hand in",
        "deals = { count = 1 }",
        ("ada", "bo"),
        2,
        arenas=1,
        is_place=True,
    ),
}
