"""Databases that were cut or written by another version: a sentence, no lost result."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.pips_tourney.cli.conftest import Terminal

READERS = [("run", "night.toml"), ("standings", "night.db"), ("verify", "night.db")]


def change(statement: str, *values: str) -> None:
    with closing(sqlite3.connect("night.db")) as connection, connection:
        connection.execute(statement, values)


@pytest.mark.parametrize("words", READERS)
def test_a_newer_database_is_left_as_it_is(terminal: Terminal, words: tuple[str, ...]) -> None:
    terminal.type("run", "night.toml")
    change("PRAGMA user_version = 99")
    before = Path("night.db").read_bytes()
    ended = terminal.type(*words)
    assert ended.exit_code == 2
    assert "it was written by another version of Pips (format 99" in ended.stderr and "update Pips" in ended.stderr
    assert Path("night.db").read_bytes() == before


def test_a_truncated_record_is_named_and_costs_nothing_else(terminal: Terminal) -> None:
    out = terminal.type("run", "night.toml", "--json").stdout
    with closing(sqlite3.connect("night.db")) as connection:
        (match,) = connection.execute("SELECT id FROM results LIMIT 1").fetchone()
    change("UPDATE results SET record = substr(record, 1, 40) WHERE id = ?", match)
    verified = terminal.type("verify", "night.db")
    assert verified.exit_code == 1 and f"match {match}: " in verified.stderr
    explained = terminal.type("explain", "night.db", match)
    assert explained.exit_code == 2 and f"the record of {match} cannot be read" in explained.stderr
    assert terminal.type("standings", "night.db", "--json").stdout == out


def test_a_truncated_file_is_said_to_be_spoilt(terminal: Terminal) -> None:
    terminal.type("run", "night.toml")
    shutil.copy("night.db", "copy.db")
    os.truncate("night.db", Path("night.db").stat().st_size // 3)
    for words in READERS:
        ended = terminal.type(*words)
        assert ended.exit_code == 2 and "night.db: database disk image is malformed" in ended.stderr
    assert terminal.type("verify", "copy.db").exit_code == 0
