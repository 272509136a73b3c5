"""What somebody who owns a night's database can do to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from pips_tourney.night.log.chain import add_link


def change(database: Path, *statements: str, forge: bool = True) -> None:
    """Run SQL; with `forge` the chain is made anew after it."""
    with closing(sqlite3.connect(database)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    if forge:
        make_chain_anew(database)


def make_chain_anew(database: Path) -> None:
    """One link over all that is there now."""
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DELETE FROM chain")
        add_link(connection)
