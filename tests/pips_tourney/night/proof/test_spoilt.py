"""Databases spoilt at random: verify prints a sentence about each and never crashes."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from pips_tourney.cli.tourney import main
from pips_tourney.errors import TourneyError
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.log.kinds import ENDED
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import open_store, read_store
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.proof.verify import verify_night
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import standings_sha256
from pips_tourney.secret import Secret
from tests.pips_tourney.forged import make_chain_anew
from tests.pips_tourney.in_process import play, write_league

SECRET = Secret(b"\x05" * 32)
MUTATIONS = 60
VALUES: list[Any] = [None, True, -1, 0, 7, 10**6, 0.5, "", "x", "\ud800", "ä" * 50, [], [1], [[]], {}, {"a": 1}]
COLUMNS = {
    "results": ["id", "game", "seats", "places", "scores", "faults", "questions", "times", "sha256", "record"],
    "log": ["at", "kind", "payload", "payload", "payload", "payload", "payload"],
    "played": ["arena", "at"],
    "secret": ["key"],
    "chain": ["head", "results", "log", "played"],
}


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A round-robin and a Swiss night, each complete and half played."""
    found = {}
    for name, form in {"robin": "", "swiss": 'schedule = { name = "swiss", rounds = 3 }'}.items():
        folder = tmp_path_factory.mktemp(name)
        league = read_league(write_league(folder, "ada", "bo", "cy", "dee", deals=2, more=form))
        for part, most in {"": None, "_half": 9}.items():
            path = folder / f"{name}{part}.db"
            with open_store(path) as store:
                night = begin(store, make_programme(league), SECRET)
                for fixture in islice(night.fixtures(), most):
                    row = row_of(play(fixture.header(SECRET), SECRET.rng_seed(fixture.match_id, 0)))
                    store.add([row], (), [(row.id, "1")])
                if most is None:
                    said = {"digest": night.digest(), "standings_sha256": standings_sha256(standings(night))}
                    store.append(ENDED, {"secret": SECRET.key.hex(), **said})
            found[name + part] = path
    return found


def spoil(database: Path, luck: Random) -> str:
    """Change one value of one row; return what was done."""
    with closing(sqlite3.connect(database)) as connection, connection:
        table = luck.choice([*COLUMNS, "log", "results"])
        column = luck.choice(COLUMNS[table])
        query = f"SELECT rowid, {column} FROM {table}"
        rowid, old = luck.choice(connection.execute(query).fetchall())
        new = _other(old, luck)
        try:
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (new, rowid))
        except sqlite3.IntegrityError:
            connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (rowid,))
            new = "(deleted)"
    return f"{table}.{column} of row {rowid}: {old!r:.80} is now {new!r:.80}"


def _other(old: Any, luck: Random) -> Any:
    if isinstance(old, str) and old[:1] in ("{", "[") and luck.random() < 0.7:
        return json.dumps(_mutated(json.loads(old), luck))
    text = old if isinstance(old, bytes) else str(old).encode()
    match luck.randrange(5):
        case 0:
            return None
        case 1:
            return luck.randbytes(9)
        case 2:
            return text[: len(text) // 2].decode(errors="replace")
        case 3:
            at = luck.randrange(len(text))
            return (
                (text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :])
                .decode(errors="surrogateescape")
                .encode(errors="surrogateescape")
                if isinstance(old, bytes)
                else "".join([chr(value) for value in text[:at]]) + "~"
            )
        case _:
            return "[" * 5000


def _mutated(value: Any, luck: Random) -> Any:
    """The same with one part changed, removed, or added."""
    if isinstance(value, dict) and value and luck.random() < 0.9:
        name = luck.choice(sorted(value))
        if luck.random() < 0.2:
            return {other: part for other, part in value.items() if other != name}
        return value | {name: _mutated(value[name], luck)}
    if isinstance(value, list) and value and luck.random() < 0.9:
        at = luck.randrange(len(value))
        if luck.random() < 0.2:
            return value[:at] + value[at + 1 :]
        return [*value[:at], _mutated(value[at], luck), *value[at + 1 :]]
    return luck.choice(VALUES)


def verified(database: Path) -> list[str]:
    """What verify says is wrong; exceptions other than `TourneyError` go through."""
    try:
        with read_store(database) as store:
            return [what for _, what in verify_night(store).problems]
    except TourneyError as error:
        return [str(error)]


@pytest.mark.unmeasured
@pytest.mark.parametrize("forge", [False, True], ids=["as it is", "with its chain made anew"])
def test_whatever_is_changed_is_a_sentence(nights: dict[str, Path], tmp_path: Path, forge: bool) -> None:
    unseen = []
    for number in range(MUTATIONS):
        luck, copy = Random(number), tmp_path / "spoilt.db"
        shutil.copy(list(nights.values())[number % len(nights)], copy)
        how = spoil(copy, luck)
        try:
            if forge:
                make_chain_anew(copy)
            said = verified(copy)
        except Exception as error:
            raise AssertionError(f"mutation {number} ({how}) fell over") from error
        if not said:
            unseen.append(how)
        assert all("\n" not in sentence for sentence in said)
    assert forge or unseen == []


@pytest.mark.unmeasured
@pytest.mark.parametrize("words", [("standings", "--json"), ("status",), ("audit", "--quick"), ("standings", "--full")])
def test_other_commands_say_a_sentence_too(nights: dict[str, Path], tmp_path: Path, words: tuple[str, ...]) -> None:
    """They need not notice what makes no difference to them."""
    for number in range(MUTATIONS // 3):
        copy = tmp_path / f"{number}.db"
        shutil.copy(list(nights.values())[number % len(nights)], copy)
        how = spoil(copy, Random(5000 + number))
        ended = CliRunner().invoke(main, [words[0], str(copy), *words[1:]])
        assert ended.exception is None or isinstance(ended.exception, SystemExit), (number, how, ended.exception)


def test_a_spoilt_night_ends_the_command_with_a_sentence(nights: dict[str, Path], tmp_path: Path) -> None:
    for number in range(MUTATIONS // 5):
        copy = tmp_path / f"{number}.db"
        shutil.copy(list(nights.values())[number % len(nights)], copy)
        how = spoil(copy, Random(1000 + number))
        ended = CliRunner().invoke(main, ["verify", str(copy)])
        assert ended.exit_code in (1, 2) and ended.output, how
        assert isinstance(ended.exception, SystemExit), how
