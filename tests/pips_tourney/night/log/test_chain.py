"""The chain of a database.

Every commit is in it, changes are found, and a head that was written down is known.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from pips_tourney.night.log import chain as module
from pips_tourney.night.log.chain import Chain
from pips_tourney.night.log.store import Row, Store, open_log, open_store, read_store


def row(match: str) -> Row:
    return Row(match, "serpent", '["a","b"]', "[1,2]", "[3,1]", "[]", 9, "[[],[]]", b"\x07" * 32, b"a record")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database of four commits, with results, voids, decisions and places of play."""
    path = tmp_path / "night.db"
    with open_store(path) as store:
        store.append("night", {"programme": {}})
        store.add([row("m"), row("n")], [("void", {"match": "k", "why": "x"})], [("m", "1"), ("n", "2")])
        with open_log(path) as office:
            office.append("annul", {"match": "m", "reason": "ä \ud800"})
        store.add([row("o")], [], [("o", "1")])
    return path


def chain(path: Path) -> Chain:
    with read_store(path) as store:
        found = store.chain()
    assert found is not None
    return found


def test_every_commit_is_a_link_and_the_last_is_the_head(path: Path) -> None:
    found = chain(path)
    assert (len(found.links), found.problems) == (4, [])
    assert len({link.head for link in found.links}) == 4
    assert [link[1:] for link in found.links[1:]] == [(2, 2, 2), (2, 3, 2), (3, 3, 3)]
    with read_store(path) as store:
        assert store.head() == found.links[-1].head.hex()


def test_a_head_can_be_computed_from_the_page_alone(path: Path) -> None:
    """docs/record.md says which bytes are hashed."""
    with closing(sqlite3.connect(path)) as connection:
        ((at, kind, payload),) = connection.execute("SELECT at, kind, payload FROM log WHERE seq = 1")
    message = ["pips chain", 1, "", [], [["1", at, kind, payload]], []]
    text = json.dumps(message, separators=(",", ":"), ensure_ascii=True)
    assert sha256(text.encode()).digest() == chain(path).links[0].head


def test_odd_bytes_are_read_as_they_are(path: Path) -> None:
    """Texts that are empty, none or no UTF-8."""
    odd = [("p", "", "1"), ("q", None, "2"), ("r", b"\xff - \n", "3"), ("s", "ä b", "4")]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE played")
        connection.execute("CREATE TABLE played (id TEXT PRIMARY KEY, arena, at TEXT NOT NULL)")
        connection.executemany("INSERT INTO played VALUES (?, ?, ?)", odd)
        whole = [row for _, row in module._rows(connection, "played", 0, None)]
        until = list(module._rows(connection, "played", 1, 3))
    rows = [["p", "", "1"], ["q", None, "2"], ["r", "\udcff - \n", "3"], ["s", "ä b", "4"]]
    assert whole == rows
    assert until == [(2, rows[1]), (3, rows[2])]


def test_nothing_new_is_no_link(path: Path) -> None:
    with open_store(path) as store:
        before = store.head()
        store.add([row("m")], [], [("m", "3")])
        assert store.head() == before


CHANGES = [
    *(f"UPDATE results SET {column} = 'other' WHERE id = 'm'" for column in Row._fields if column != "record"),
    "UPDATE log SET payload = '{}' WHERE kind = 'void'",
    "UPDATE log SET payload = CAST(x'7bff7d' AS TEXT) WHERE kind = 'void'",
    "UPDATE log SET kind = 'output' WHERE kind = 'void'",
    "UPDATE log SET at = '2000-01-01' WHERE kind = 'annul'",
    "UPDATE log SET seq = 9 WHERE seq = 2",
    "UPDATE played SET arena = '2' WHERE id = 'm'",
    "DELETE FROM log WHERE kind = 'annul'",
    "DELETE FROM log WHERE seq = 3",
    "DELETE FROM results WHERE id = 'o'",
    "DELETE FROM played",
    "DELETE FROM chain WHERE seq = 2",
    "DELETE FROM chain WHERE seq = 4",
    "UPDATE chain SET head = zeroblob(32) WHERE seq = 3",
    "UPDATE chain SET head = 7 WHERE seq = 3",
    "UPDATE chain SET results = 'many' WHERE seq = 2",
    "UPDATE chain SET log = 4 WHERE seq = 4",
    "UPDATE chain SET seq = 7 WHERE seq = 4",
    "INSERT INTO log (at, kind, payload) VALUES ('', 'pause', '{}')",
    "INSERT INTO log (seq, at, kind, payload) VALUES (-5, '', 'pause', '{}')",
    f"INSERT INTO results SELECT 'p', {', '.join(Row._fields[1:])} FROM results WHERE id = 'm'",
]


@pytest.mark.parametrize("statement", CHANGES)
def test_whatever_is_changed_is_found(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement).rowcount > 0
    assert len(chain(path).problems) == 1


def test_a_head_is_known_by_its_first_sixteen_digits(path: Path) -> None:
    found = chain(path)
    head = found.links[1].head.hex()
    assert found.find(head) == found.find(f" {head[:16].upper()}\n") == found.links[1]
    assert found.find(head[:15]) is None
    assert found.find("0" * 64) is None


def test_a_runner_and_a_director_make_one_chain(path: Path) -> None:
    """Each commit reads the head before it inside its own transaction."""
    with open_store(path) as runner, open_log(path) as office:
        before = len(chain(path).links)
        for number in range(20):
            writer: Store = runner if number % 3 else office
            writer.add([row(f"x{number}")], [("void", {"match": f"x{number}", "why": ""})])
    found = chain(path)
    assert (len(found.links) - before, found.problems) == (20, [])
