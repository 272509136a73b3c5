"""A bot's gain from the page cache: two nights on one secret, with and without memory.

The gain is in Elo with its upper bound (95 %), from the differences of each deal. The
two nights differ in nothing else. The laboratory `channels` plays them.
"""

from __future__ import annotations

import math
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pips.v1 import record_pb2
from tests.e2e.desk import Desk, finish
from tests.faults.night import ROOT

BOT: Final = Path(__file__).with_name("page_cache_bot.py")
NIGHT_DEALS: Final = 32
PAGE_BYTES: Final = 52 * 1024 * 4096
ELO_A_POINT: Final = 400 / math.log(10) * 4
"""Elo per whole point a match, at even strength."""
NONE_IN: Final = 3.0
"""If none of n differ, fewer than 3/n do, with 95 % confidence."""
LEAGUE: Final = """
games = [{{ name = "serpent", options = {{ max_tiebreaks = 0 }} }}]
deals = 32
tables = 1
clock = {{ answer_ms = 60000 }}
sandbox = {{ tier = "{tier}", readable = ["flag"], copy_mb = 256, memory_mb = 1024 }}
[[bots]]
name = "thief"
command = "python bot.py"
cwd = "thief"
trusted = true
env = {{ PYTHONPATH = "{root}", FLAG = "../flag/memory", PIPS_SEARCH_WORLDS = "{worlds}" }}
[[bots]]
name = "search"
sample = "search"
env = {{ PIPS_SEARCH_WORLDS = "{worlds}" }}
"""


@dataclass(frozen=True)
class Gain:
    """The gain from the memory, in Elo."""

    matches: int
    with_memory: float
    without: float
    """The bot's shares of the points, with its memory and without."""
    elo: float
    upper_elo: float

    def __str__(self) -> str:
        return (
            f"{self.matches} matches: {self.with_memory:.1%} with its memory, {self.without:.1%} without; "
            f"gain {self.elo:+.1f} Elo, at most {self.upper_elo:.1f} (95 %)"
        )


def measure(tier: str, deals: int, worlds: int = 2) -> Gain:
    """Play pairs of nights of 32 deals each, with one secret after the other."""
    pairs = [(number, memory) for number in range(math.ceil(deals / NIGHT_DEALS)) for memory in (True, False)]
    nights: dict[bool, dict[str, float]] = {True: {}, False: {}}
    for number, memory in pairs:
        nights[memory] |= _night(tier, number, worlds, memory=memory)
    assert nights[True].keys() == nights[False].keys(), "the nights have other deals"
    differences = [nights[True][deal] - nights[False][deal] for deal in nights[True]]
    deals = len(differences)
    mean = sum(differences) / deals
    error = math.sqrt(sum((difference - mean) ** 2 for difference in differences) / max(1, deals - 1) / deals)
    upper = mean + 1.645 * error if any(differences) else NONE_IN / deals
    shares = [sum(night.values()) / deals for night in nights.values()]
    return Gain(2 * deals, shares[0], shares[1], ELO_A_POINT * mean, ELO_A_POINT * upper)


def _night(tier: str, number: int, worlds: int, *, memory: bool) -> dict[str, float]:
    """Return the bot's share of the points, by deal."""
    desk = Desk()
    try:
        (desk.folder / "secret").write_text(f"{number:064x}", encoding="ascii")
        for name in ("thief", "flag"):
            (desk.folder / name).mkdir()
        shutil.copy(BOT, desk.folder / "thief" / "bot.py")
        with (desk.folder / "thief" / ".pages").open("wb") as file:
            file.truncate(PAGE_BYTES)
        (desk.folder / "flag" / "memory").write_text("yes" if memory else "no", encoding="ascii")
        text = LEAGUE.format(tier=tier, root=ROOT, worlds=worlds)
        (desk.folder / "night.toml").write_text(text, encoding="utf-8")
        finish(desk.play())
        with closing(sqlite3.connect(desk.folder / "night.db")) as database:
            rows = database.execute("SELECT record FROM results").fetchall()
    finally:
        desk.clear()
    shares: dict[str, float] = {}
    for (record,) in rows:
        seed, share = _share(record_pb2.MatchRecord.FromString(record))
        shares[seed] = shares.get(seed, 0.0) + share / 2
    assert len(shares) == NIGHT_DEALS, "each deal has a seed of its own"
    return shares


def _share(record: record_pb2.MatchRecord) -> tuple[str, float]:
    assert not record.outcome.faults, record.outcome.faults
    seat = list(record.header.seats).index("thief")
    places = record.outcome.places
    mine, other = places[seat], places[1 - seat]
    return record.header.seed.hex(), 1.0 if mine < other else 0.5 if mine == other else 0.0
