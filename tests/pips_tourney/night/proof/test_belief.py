"""The organiser who cheats: which check catches what, and what authors must keep.

The attacker is a runner who has everything. They replay matches that a bot lost until
it wins. They make rows, digest, standings and chain anew.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pips_tourney.cli.tourney import main
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.log.commitment import make_pledge
from pips_tourney.night.log.kinds import ENDED
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import Row, Store, open_store, read_store
from pips_tourney.night.night import Night, last_night
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import standings_sha256
from pips_tourney.secret import Secret
from tests.pips_tourney.forged import make_chain_anew
from tests.pips_tourney.in_process import play, write_league

SECRET = Secret(b"\x03" * 32)
LOST = 7
"""The number of lost matches that the organiser replays."""


def end(night: Night) -> dict[str, str]:
    table = standings_sha256(standings(night))
    return {"secret": night.secret.key.hex(), "digest": night.digest(), "standings_sha256": table}


class Table:
    """A night of three bots in a folder, and a terminal."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.database = folder, folder / "night.db"
        self.league = write_league(folder, "ada", "bo", "cy", deals=6)
        self.programme = make_programme(read_league(self.league))

    def play(self, *, half: bool = False) -> None:
        """Play all matches and the end, or the first half."""
        with open_store(self.database) as store:
            night = begin(store, self.programme, SECRET)
            schedule = list(night.fixtures())
            for fixture in schedule[: len(schedule) // 2] if half else schedule:
                if not store.stored([fixture.match_id]):
                    store.add([row_of(self.record(fixture, 0))], [], [(fixture.match_id, "1")])
            if not half:
                store.append(ENDED, end(night))

    @staticmethod
    def record(fixture: Fixture, attempt: int) -> bytes:
        """The record of the match's nth attempt."""
        return play(fixture.header(SECRET), bytes([attempt]) + SECRET.rng_seed(fixture.match_id, 0)[1:])

    def say(self, *words: str | Path) -> Result:
        return CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)

    def head(self) -> str:
        with read_store(self.database) as store:
            return store.head()

    def cheat(self, bot: str) -> int:
        """Replay lost matches of a bot until it wins.

        Everything that follows is made anew.
        """
        with open_store(self.database) as store:
            night = last_night(store)
            lost = [fixture for fixture, row in night.records() if row is not None and self._lost(fixture, row, bot)]
            better = [row for fixture in lost if (row := self._won(fixture, bot)) is not None]
            for row in better[:LOST]:
                values = ", ".join(f"{column} = ?" for column in Row._fields)
                store._connection.execute(f"UPDATE results SET {values} WHERE id = ?", (*row, row.id))
            if store.last(ENDED):
                entry = json.dumps(end(last_night(store)))
                store._connection.execute("UPDATE log SET payload = ? WHERE kind = 'end'", (entry,))
        make_chain_anew(self.database)
        return len(better[:LOST])

    @staticmethod
    def _lost(fixture: Fixture, row: Row, bot: str) -> bool:
        return bot in fixture.seating and json.loads(row.places)[fixture.seating.index(bot)] == 2

    def _won(self, fixture: Fixture, bot: str) -> Row | None:
        """A won match, tried with other answers each time, as a script would do.

        None where the cards are too bad.
        """
        for attempt in range(1, 60):
            row = row_of(self.record(fixture, attempt))
            if json.loads(row.places)[fixture.seating.index(bot)] == 1 and "2" in row.places:
                return row
        return None


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    monkeypatch.chdir(tmp_path)
    return Table(tmp_path)


@pytest.fixture
def played(table: Table) -> Table:
    table.play()
    return table


def test_an_honest_night_passes_all_checks(played: Table) -> None:
    said = played.say("verify", played.database, "--head", played.head())
    assert (said.exit_code, "36 results verified" in said.output, played.head() in said.stdout) == (0, True, True)
    assert "the organiser could choose among secrets" in said.stderr


def test_the_attack_passes_where_nobody_kept_anything(played: Table) -> None:
    """So the docs ask authors to keep a head."""
    before = played.say("standings", played.database, "--json").stdout
    assert played.cheat("ada") == LOST
    assert played.say("verify", played.database).exit_code == 0
    assert played.say("standings", played.database, "--json").stdout != before


def test_a_head_catches_it(played: Table) -> None:
    head = played.head()
    played.cheat("ada")
    said = played.say("verify", played.database, "--head", head)
    assert said.exit_code == 1
    assert f"its chain never had the head {head}" in said.stderr
    assert played.say("verify", played.database, "--head", head[:16]).exit_code == 1


def test_a_head_of_the_middle_of_the_night_catches_what_was_changed_before_it(table: Table) -> None:
    table.play(half=True)
    head = table.head()
    table.play()
    assert table.say("verify", table.database, "--head", head).exit_code == 0
    table.cheat("ada")
    said = table.say("verify", table.database, "--head", head)
    assert (said.exit_code, f"its chain never had the head {head}" in said.stderr) == (1, True)


def test_a_match_that_is_taken_out_is_missed(played: Table) -> None:
    head = played.head()
    with closing(sqlite3.connect(played.database)) as connection, connection:
        connection.execute("DELETE FROM log WHERE kind = 'end'")
        connection.execute("DELETE FROM results WHERE rowid = (SELECT max(rowid) FROM results)")
    make_chain_anew(played.database)
    assert "its chain never had the head" in played.say("verify", played.database, "--head", head).stderr


class TestCommitments:
    NAME = "drand quicknet, the first round after 18:00 UTC"

    def commit(self, table: Table, *words: str) -> dict[str, str]:
        said = table.say("commit", table.league, *words)
        assert said.exit_code == 0, said.output
        read: dict[str, str] = json.loads(Path("night.commitment.json").read_text(encoding="utf-8"))
        assert read["secret_sha256"] in said.stdout
        return read

    def start(self, table: Table, beacon: str = "") -> Store:
        """Begin the night as `run` does."""
        from pips_tourney.night.proof.promise import promised

        store = open_store(table.database)
        try:
            begin(store, table.programme, *promised(store, table.programme, None, beacon or None))
        except BaseException:
            store.close()
            raise
        return store

    def test_it_is_shown_again_and_never_drawn_anew(self, table: Table) -> None:
        first = self.commit(table, "--beacon", self.NAME)
        assert self.commit(table) == first
        assert oct(Path("night.db.pledge").stat().st_mode & 0o777) == "0o600"
        said = table.say("commit", table.league, "--beacon", "another")
        assert (said.exit_code, "with another beacon" in said.output) == (2, True)

    def test_the_night_keeps_it_and_the_beacon_enters_its_seeds(self, table: Table) -> None:
        made = self.commit(table, "--beacon", self.NAME)
        closed = self.commit(table, "--close")
        assert {**closed, "programme_sha256": None, "closed": None} == made
        with self.start(table, beacon="8f2c...") as store:
            night = last_night(store)
            assert night.secret.beacon == "8f2c..."
            fixture = next(night.fixtures())
            plain = Secret(night.secret.key)
            assert fixture.header(night.secret).seed != fixture.header(plain).seed
            assert night.secret.rng_seed("m", 0) != plain.rng_seed("m", 0)
            assert night.secret.commitment == plain.commitment == made["secret_sha256"]
        said = table.say("verify", table.database, "--commitment", "night.commitment.json")
        assert said.exit_code == 0, said.output
        assert f"look up whether the beacon ({self.NAME}) said: 8f2c..." in said.stderr

    @pytest.mark.parametrize(
        ("words", "beacon", "what"),
        [
            (("--beacon", NAME), "", "the commitment names a beacon: drand"),
            ((), "8f2c", "the commitment names no beacon"),
            (None, "8f2c", "no beacon was named before"),
            (("--beacon", NAME), "  \n", "a beacon's text has 1 to"),
        ],
    )  # fmt: skip
    def test_a_beacon_is_named_before_and_given_after(
        self, table: Table, words: tuple[str, ...] | None, beacon: str, what: str
    ) -> None:
        from pips_tourney.night.log.commitment import CommitmentError

        if words is not None:
            self.commit(table, *words)
        with pytest.raises(CommitmentError, match=what):
            self.start(table, beacon)

    def test_what_changes_after_hand_in_has_closed_begins_no_night(self, table: Table) -> None:
        from pips_tourney.night.log.commitment import CommitmentError

        self.commit(table, "--close")
        write_league(table.folder, "ada", "bo", deals=6)
        said = table.say("commit", table.league, "--close")
        assert (said.exit_code, "hand-in was closed with another programme" in said.output) == (2, True)
        table.programme = make_programme(read_league(table.league))
        with pytest.raises(CommitmentError, match="since then a bot, a game or the deals have changed"):
            self.start(table)

    def test_a_night_that_goes_on_needs_no_beacon_and_takes_no_other(self, table: Table) -> None:
        from pips_tourney.night.log.commitment import CommitmentError

        self.commit(table, "--beacon", self.NAME)
        self.start(table, "8f2c").close()
        self.start(table).close()
        self.start(table, " 8f2c\n").close()
        with pytest.raises(CommitmentError, match="with another text of its beacon"):
            self.start(table, "8f2d")
        with read_store(table.database) as store:
            assert [entry.kind for entry in store.log()] == ["commitment", "beacon", "night"]

    def test_a_runner_killed_while_it_took_the_pledge_over_goes_on(self, table: Table) -> None:
        self.commit(table)
        pledge = Path("night.db.pledge").read_text(encoding="utf-8")
        self.start(table).close()
        Path("night.db.pledge").write_text(pledge, encoding="utf-8")
        with self.start(table) as store:
            assert not Path("night.db.pledge").exists()
            assert [entry.kind for entry in store.log()] == ["commitment", "night"]

    def test_another_nights_commitment_does_not_fit(self, table: Table) -> None:
        self.commit(table, "--beacon", self.NAME)
        self.start(table, "8f2c").close()
        other = make_pledge("Test night", self.NAME).commitment
        Path("other.json").write_text(other.text(), encoding="utf-8")
        said = table.say("verify", table.database, "--commitment", "other.json")
        assert said.exit_code == 1
        assert "the commitment that was given has another secret_sha256" in said.stderr

    @pytest.mark.parametrize(
        ("statement", "what"),
        [
            ("DELETE FROM log WHERE kind = 'beacon'", "the commitment names a beacon, and the log has none"),
            ("DELETE FROM log WHERE kind = 'commitment'", "a beacon enters its seeds that no commitment named"),
            ("UPDATE log SET seq = 9 WHERE kind = 'beacon'", "came into the log after the night had begun"),
            ("INSERT INTO log SELECT -1, at, kind, payload FROM log WHERE kind = 'beacon'", "more than one beacon"),
            ("UPDATE secret SET key = zeroblob(32)", "its secret is not the one of the commitment"),
        ],
    )  # fmt: skip
    def test_a_night_that_does_not_keep_its_promise_is_found(self, table: Table, statement: str, what: str) -> None:
        self.commit(table, "--beacon", self.NAME)
        self.start(table, "8f2c").close()
        with closing(sqlite3.connect(table.database)) as connection, connection:
            connection.execute(statement)
        make_chain_anew(table.database)
        said = table.say("verify", table.database)
        assert (said.exit_code, what in said.stderr) == (1, True), said.stderr

    def test_a_secret_that_was_revealed_is_no_new_one(self, table: Table) -> None:
        Path("secret").write_text(SECRET.key.hex(), encoding="ascii")
        table.play()
        said = table.say("commit", table.league, "--secret-file", "secret")
        assert (said.exit_code, "a new night needs one of its own" in said.output) == (2, True)

    @pytest.mark.parametrize("text", ["", "{", "[]", "\udcff", "[" * 100_000])
    def test_other_files_are_none(self, played: Table, text: str) -> None:
        file = played.folder / "other.json"
        file.write_text(text, encoding="utf-8", errors="surrogateescape")
        said = played.say("verify", played.database, "--commitment", file)
        assert (said.exit_code, "this is no" in said.output) == (2, True)
