"""`python -m tests.goldens.night` plays this version's golden night and keeps it."""

from __future__ import annotations

import lzma
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

NIGHTS: Final = Path(__file__).parent / "nights"
ENDING: Final = ".db.xz"


def unpacked(night: Path, folder: Path) -> Path:
    """Return the database of a night that was kept, in this folder."""
    database = folder / night.name.removesuffix(".xz")
    database.write_bytes(lzma.decompress(night.read_bytes()))
    return database


def in_one_file(database: Path, into: Path) -> None:
    """Write a night that nobody plays any more as a file that needs no other."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("VACUUM INTO ?", (str(into),))


def _keep() -> Path:
    kept = NIGHTS / f"{version('pips-tourney')}{ENDING}"
    if kept.exists():
        sys.exit(f"{kept} is kept already: make install first")
    with TemporaryDirectory() as folder:
        league, whole = Path(folder) / "golden.toml", Path(folder) / "whole.db"
        shutil.copy(NIGHTS / league.name, league)
        words = (sys.executable, "-m", "pips_tourney", "run", league.name)
        subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        in_one_file(league.with_suffix(".db"), whole)
        kept.write_bytes(lzma.compress(whole.read_bytes(), preset=9 | lzma.PRESET_EXTREME))
    return kept


if __name__ == "__main__":
    print(_keep())
