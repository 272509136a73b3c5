"""A night from its file to its end, with matches played in this process."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from pips_referee.records.record import read_record
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.engines import Engine, EngineError, Job, PlayedMatch
from pips_tourney.engines.match_queue import MOST_VOIDS, REPORTED_VOIDS
from pips_tourney.league import league as league_module
from pips_tourney.league.mistakes import LeagueError
from pips_tourney.night.director import office
from pips_tourney.night.log.kinds import REDEAL
from pips_tourney.night.log.store import Row, StoreError, read_store
from pips_tourney.night.night import Night, last_night
from pips_tourney.night.proof.verify import verify_night
from pips_tourney.night.table.standings import standings
from pips_tourney.play import crew as crew_module
from pips_tourney.play import notes as notes_module
from pips_tourney.play.evening import Announcement, LeagueChanged, NightOutcome, RunConfig
from pips_tourney.play.ledger import Ledger, side_by_side
from pips_tourney.play.runner import run_night
from pips_tourney.play.steward import Steward
from pips_tourney.reports.tables import to_json
from pips_tourney.sandbox.bubblewrap import Bubblewrap
from pips_tourney.secret import SecretError
from pips_tourney.system import own_cores
from tests.pips_tourney.in_process import InProcessEngine, as_taken, shuffled, write_league

FENCE = Bubblewrap("/usr/bin/bwrap", as_root=False)
"""One that nobody tries out; the engine of these tests starts no process."""


class Watching:
    """Remembers what it was informed of."""

    def __init__(self) -> None:
        self.announced: list[Announcement] = []
        self.commits: list[int] = []
        self.lines: list[str] = []
        self.ended = 0

    def told(self, line: str) -> None:
        self.lines.append(line)

    def begins(self, announcement: Announcement) -> None:
        self.announced.append(announcement)

    def stored(self, rows: Sequence[Row]) -> None:
        self.commits.append(len(rows))

    def ends(self) -> None:
        self.ended += 1


class Desk:
    """One league in one folder. Plays it as often as a test says."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, deals: int = 4) -> None:
        self.folder, self._monkeypatch = folder, monkeypatch
        self.league = write_league(folder, "ada", "bo", "cy", deals=deals)
        self.database = folder / "night.db"
        self.secret = folder / "secret"
        self.secret.write_text("5a" * 32, encoding="ascii")
        self.watching = Watching()
        monkeypatch.setattr(league_module, "looked_for", lambda _: lambda: (FENCE, ""))

    def config(self, *, new: bool = False, go_on: bool = False, database: Path | None = None) -> RunConfig:
        return RunConfig(self.league, database or self.database, None, self.secret, new, go_on)

    def play(self, engine: Engine | None = None, config: RunConfig | None = None) -> NightOutcome:
        self._monkeypatch.setattr(crew_module, "make_engine", lambda *_: engine or InProcessEngine())
        return run_night(config or self.config(), self.watching)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path, monkeypatch)


def json_of(evening: NightOutcome) -> str:
    return to_json(evening.standings, timings=False)


def test_a_night_is_played_to_its_end(desk: Desk) -> None:
    evening = desk.play()
    (announced,) = desk.watching.announced
    assert (announced.matches, announced.missing, announced.arenas) == (24, 24, len(own_cores()))
    assert evening.standings.complete
    assert (evening.played_now, evening.interrupted, evening.spoilt, evening.exit_code) == (24, False, {}, 0)
    assert sum(desk.watching.commits) == 24
    assert desk.watching.ended == 1
    with read_store(desk.database) as store:
        begun, ended = store.log()
        secret = store.secret()
    assert secret is not None and secret.key == bytes.fromhex("5a" * 32)
    assert begun.payload["secret_commitment"] == announced.secret_commitment == secret.commitment
    assert ended.payload["secret"] == "5a" * 32
    assert ended.payload["digest"] == evening.digest
    assert "verify" in " ".join(evening.told(desk.config()))


@pytest.mark.parametrize(("keeps", "answer_ms", "said"), [(False, 1000, 1), (True, 1000, 0), (False, 0, 0)])
def test_a_kernel_that_does_not_tell_of_waits_is_named(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, keeps: bool, answer_ms: int, said: int
) -> None:
    monkeypatch.setattr(notes_module, "kernel_keeps_ledger", lambda: keeps)
    with desk.league.open("a", encoding="utf-8") as file:
        file.write(f"\n[clock]\nanswer_ms = {answer_ms}\n")
    desk.play()
    assert sum("does not tell how long a bot waited" in note for note in desk.watching.announced[0].notes) == said


def test_a_start_that_is_refused_tries_no_sandbox_out(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(league_module, "looked_for", begun := Mock(return_value=lambda: (None, "none here")))
    secret = desk.secret.read_bytes()
    desk.secret.unlink()
    with pytest.raises(SecretError):
        desk.play()
    begun.assert_not_called()
    desk.secret.write_bytes(secret)
    desk.play()
    begun.assert_called_once()


def test_results_are_committed_in_groups(desk: Desk) -> None:
    desk.play()
    assert len(desk.watching.commits) <= 3


def test_a_complete_night_is_only_shown(desk: Desk) -> None:
    first = desk.play()
    idle = InProcessEngine()
    again = desk.play(idle)
    assert idle.played == []
    assert (again.played_now, json_of(again), again.digest) == (0, json_of(first), first.digest)
    assert "--new" in again.told(desk.config())[-1]
    with read_store(desk.database) as store:
        assert [entry.kind for entry in store.log()] == ["night", "end"]


def test_a_night_in_pieces_and_in_any_order_has_the_same_standings(desk: Desk) -> None:
    whole = desk.play(config=desk.config(database=desk.folder / "whole.db"))
    for most in (1, 6, 2, 9):
        with pytest.raises(EngineError, match="told to stop"):
            desk.play(InProcessEngine(at_once=5, most=most, mix=shuffled))
    pieces = desk.play(InProcessEngine(at_once=100, mix=lambda taken: taken[::-1]))
    assert pieces.played_now == 24 - 18
    assert json_of(pieces) == json_of(whole)


def test_a_stopped_night_counts_complete_deals_only(desk: Desk) -> None:
    with pytest.raises(EngineError):
        desk.play(InProcessEngine(at_once=1, most=9))
    with read_store(desk.database) as store:
        table = standings(last_night(store)).tables[0]
    assert table.played == 9
    assert table.counted < 9
    assert table.counted % 2 == 0


def test_before_the_first_match_there_is_nothing_to_rate(desk: Desk) -> None:
    with pytest.raises(EngineError):
        desk.play(InProcessEngine(most=0))
    with read_store(desk.database) as store:
        table = standings(last_night(store)).tables[0]
    assert (table.ratings, table.rows, table.better_than_next(0)) == (None, [], None)


def test_what_is_mended_before_the_first_match_is_played_without_a_word(desk: Desk) -> None:
    with pytest.raises(EngineError):
        desk.play(InProcessEngine(most=0))
    with read_store(desk.database) as store:
        committed = store.secret()
    text = desk.league.read_text(encoding="utf-8")
    desk.league.write_text(text.replace('sample = "random"', 'sample = "greedy"', 1), encoding="utf-8")
    assert desk.play().standings.complete
    with read_store(desk.database) as store:
        assert store.secret() == committed


def test_a_league_that_needs_a_host_leaves_no_database(desk: Desk) -> None:
    text = desk.league.read_text(encoding="utf-8")
    desk.league.write_text(text.replace('sample = "random"', "remote = true", 1), encoding="utf-8")
    with pytest.raises(LeagueError, match="ada play from other machines"):
        desk.play()
    assert not desk.database.exists()


def test_void_matches_are_logged_and_played_again(desk: Desk) -> None:
    evening = desk.play(InProcessEngine(voids=2))
    assert evening.standings.complete
    with read_store(desk.database) as store:
        assert [entry.payload["why"] for entry in store.log("void")] == ["the machine sneezed"] * 2


@pytest.mark.unmeasured
@pytest.mark.parametrize("broken", ["aa", "zz"])
def test_max_faults_takes_a_bot_out_while_the_night_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """What a bot has stored shows it, and the schedule's order then proves it."""
    most, clean = 3, [f"b{number}" for number in range(4)]
    told = []
    for name, at_once, mix in (("as taken", 1, as_taken), ("mixed", 24, shuffled)):
        folder = tmp_path / name
        folder.mkdir()
        desk = Desk(folder, monkeypatch)
        desk.league = write_league(folder, *clean, broken, deals=10, more=f"max_faults = {most}")
        engine = InProcessEngine(at_once, mix=mix, broken=frozenset({broken}))
        evening = desk.play(engine)
        assert evening.standings.complete
        with read_store(desk.database) as store:
            of_broken = sum(row.faults != "[]" for row in store.rows(list(store.ids())).values())
            assert verify_night(store).problems == ()
        assert most <= of_broken <= 3 * most + at_once < 80
        told.append(json_of(evening))
        desk.database.unlink()
    assert told[0] == told[1], "the order of play makes no difference"


def test_a_night_that_was_stopped_knows_who_has_faulted(desk: Desk) -> None:
    desk.league = write_league(desk.folder, "ada", "bo", "cy", deals=20, more="max_faults = 2")
    broken = frozenset({"cy"})
    with pytest.raises(EngineError):
        desk.play(InProcessEngine(most=30, broken=broken))
    engine = InProcessEngine(broken=broken)
    whole = desk.play(engine)
    assert whole.standings.complete
    with read_store(desk.database) as store:
        assert sum(row.faults != "[]" for row in store.rows(list(store.ids())).values()) < 40
        assert verify_night(store).problems == ()


@pytest.mark.parametrize("duplicate", [True, False])
def test_a_match_that_was_void_for_a_bot_is_no_second_chance(desk: Desk, duplicate: bool) -> None:
    """Its deal is played afresh by all who play it, by processes that saw nothing."""
    league = write_league(desk.folder, "ada", "bo", deals=4)
    if not duplicate:
        league.write_text(f"duplicate = false\n{league.read_text(encoding='utf-8')}", encoding="utf-8")
    desk.league = league
    engine = InProcessEngine(at_once=3, redeals=3)
    evening = desk.play(engine)
    assert evening.standings.complete
    (note,) = evening.standings.decisions
    assert note == (REDEAL, "ada", "3 matches were void (ada: no reply from its model)")
    with read_store(desk.database) as store:
        night = last_night(store)
        blocks = defaultdict(set)
        for fixture, row in night.records():
            assert row is not None
            blocks[fixture.block].add(read_record(row.record).header.seed)
            for void in engine.redealt:
                assert fixture.match_id != void.match_id
                assert fixture.header(night.secret).seed != void.header(night.secret).seed
                if fixture.block == void.block and fixture.rotation == void.rotation:
                    assert not set(fixture.processes) & set(void.processes)
        assert [len(seeds) for seeds in blocks.values()] == [1] * 4
        assert verify_night(store).problems == ()
    assert desk.play().digest == evening.digest


def test_one_fresh_deal_is_made_for_all_matches_of_a_deal_that_are_void(desk: Desk) -> None:
    """A model that was away for a moment has used up one of its chances, not two."""
    desk.league = write_league(desk.folder, "ada", "bo", deals=1)
    assert desk.play(InProcessEngine(at_once=2, redeals=2)).standings.complete
    with read_store(desk.database) as store:
        assert len(store.log(REDEAL)) == 2
        assert [fixture.redeal for fixture in last_night(store).fixtures()] == [1, 1]
        assert verify_night(store).problems == ()


def test_what_is_dealt_afresh_is_played_before_a_night_waits_for_newcomers(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = []

    async def wait(steward: Steward) -> None:
        waited.append(len(list(steward.store.ids())))
        steward._ends_at = 0.0

    monkeypatch.setattr(Steward, "wait", wait)
    evening = desk.play(InProcessEngine(redeals=1), replace(desk.config(), stays_open=True))
    assert evening.standings.complete
    assert waited == [sum(desk.watching.commits)]


def test_a_later_session_tries_no_bot_that_a_place_has_checked(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A class does not wait whenever somebody comes."""
    started: list[set[str]] = []

    class Starting(InProcessEngine):
        async def play(self, job: Job) -> None:
            started.append({ProcessName.parse(process).bot for process in job.check})
            await super().play(job)

    async def wait(steward: Steward) -> None:
        if len(started) == 3:
            steward._ends_at = 0.0
            return
        with office(desk.database) as at:
            at.add({"name": f"late {len(started)}", "sample": "random"}, desk.folder)
        steward.look()

    monkeypatch.setattr(Steward, "wait", wait)
    evening = desk.play(Starting(), replace(desk.config(), stays_open=True))
    assert evening.standings.complete and evening.played_now == 5 * 4 * 4
    assert started == [{"ada", "bo", "cy"}, set(), set()]


def test_a_run_ends_whose_matches_are_void_whatever_is_dealt(desk: Desk) -> None:
    desk.league = write_league(desk.folder, "ada", "bo", deals=1)
    evening = desk.play(InProcessEngine(redeals=1000))
    assert (evening.standings.complete, evening.exit_code) == (False, 1)
    assert desk.watching.lines[-1].startswith("Matches are void again and again: ada: no reply from its model.")
    assert desk.play().standings.complete


def test_a_match_that_is_void_again_and_again_is_reported_and_still_to_be_played(desk: Desk) -> None:
    desk.league = write_league(desk.folder, "ada", "bo", deals=1)
    evening = desk.play(InProcessEngine(at_once=1, voids=2 * MOST_VOIDS))
    assert len(evening.spoilt) == 2
    assert evening.exit_code == 1
    assert evening.told(desk.config())[0].startswith(f"matches {', '.join(evening.spoilt)} were void again and again: ")
    assert not evening.standings.complete
    assert desk.play().standings.complete


def test_a_match_that_was_void_three_times_is_reported_though_it_was_played(desk: Desk) -> None:
    desk.league = write_league(desk.folder, "ada", "bo", deals=1)
    evening = desk.play(InProcessEngine(at_once=1, voids=REPORTED_VOIDS))
    assert (len(evening.spoilt), evening.exit_code) == (1, 0)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("count = 4", "count = 5", "deals: 4, now 5"),
        ('"cy"', '"di"', "bot cy is gone\n  bot di is new"),
        ('= "serpent"', '= "serpent"\nclock = { answer_ms = 5 }', "clock: answer_ms = 1000.*now answer_ms = 5"),
        ('game = "serpent"', 'game = "serpent"\nanchor = "bo"', "the anchor"),
        ("Test night", "Other night", "the league's name: 'Test night', now 'Other night'"),
        ('sample = "random"', 'sample = "greedy"', "bot ada: its files, command or environment changed"),
        ("count = 4", 'count = 4, suite = "quick"', "deals: others than before"),
        ('"serpent"', '"serpent"\n', None),
    ],
)  # fmt: skip
def test_a_changed_league_is_not_played_on_by_accident(desk: Desk, old: str, new: str, said: str | None) -> None:
    first = desk.play()
    text = desk.league.read_text(encoding="utf-8")
    desk.league.write_text(text.replace(old, new, 1), encoding="utf-8")
    if said is None:
        assert desk.play().played_now == 0
        return
    with pytest.raises(LeagueChanged, match=f"(?s){said}.*--new.*--continue"):
        desk.play()
    gone_on = desk.play(config=desk.config(go_on=True))
    assert gone_on.standings.complete
    with read_store(desk.database) as store:
        assert len(list(store.ids())) == 24 + gone_on.played_now
        assert [entry.kind for entry in store.log()] == ["night", "end"] * 2
    assert (json_of(gone_on) == json_of(first)) == (
        gone_on.played_now == 0 and "name" not in said and "anchor" not in said
    )


def test_a_new_night_leaves_the_old_one_beside_it(desk: Desk) -> None:
    desk.play()
    desk.secret.write_text("17" * 32, encoding="ascii")
    with pytest.raises(SecretError, match="begun with another secret"):
        desk.play()
    desk.play(config=desk.config(new=True))
    assert desk.watching.announced[-1].moved_aside == desk.folder / "night.1.db"
    assert desk.watching.announced[-1].missing == 24


def test_mistakes_in_the_file_come_before_anything_is_touched(desk: Desk) -> None:
    desk.league.write_text("games = []", encoding="utf-8")
    with pytest.raises(LeagueError):
        desk.play()
    assert not desk.database.exists()


class _Breaking(InProcessEngine):
    """The database becomes unwritable after the first match."""

    async def play(self, job: Job) -> None:
        fixture = job.queue.take()
        assert fixture is not None
        job.results(fixture, PlayedMatch(b"record"))
        await asyncio.Event().wait()


def test_when_the_database_fails_the_night_stops_and_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise StoreError("night.db: database or disk is full")

    monkeypatch.setattr("pips_tourney.night.log.store.Store.add", full)
    monkeypatch.setattr("pips_tourney.play.ledger.row_of", lambda record: record)
    monkeypatch.setattr("pips_tourney.play.begin.begin", Night)
    with pytest.raises(StoreError, match="disk is full"):
        desk.play(_Breaking())


class _Losing(InProcessEngine):
    """After some matches something happens to the database's files."""

    after = 0

    def __init__(self, happen: Callable[[], None]) -> None:
        super().__init__(at_once=1)
        self._happen = happen

    async def play(self, job: Job) -> None:
        self.most = self.after
        with pytest.raises(EngineError):
            await super().play(job)
        self._happen()
        self.most = None
        await super().play(job)
        await asyncio.Event().wait()


@pytest.mark.parametrize("after", [1, 23])
@pytest.mark.parametrize("how", ["removed", "renamed", "replaced", "without its folder"])
def test_a_database_that_goes_away_ends_the_night(desk: Desk, how: str, after: int) -> None:
    folder = desk.folder / "kept"
    folder.mkdir()
    database = folder / "night.db"

    def happen() -> None:
        match how:
            case "removed":
                database.unlink()
            case "renamed":
                database.rename(folder / "other.db")
            case "replaced":
                shutil.copy(database, folder / "other.db")
                (folder / "other.db").replace(database)
            case _:
                shutil.rmtree(folder)

    engine = _Losing(happen)
    engine.after = after
    with pytest.raises(StoreError, match=r"night\.db.* was (removed|renamed|replaced).* The night ends here"):
        desk.play(engine, desk.config(database=database))


def test_a_night_that_is_complete_without_its_database_is_not_played(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database goes away after the last result was stored: the end notices it."""
    monkeypatch.setattr(desk.watching, "ends", desk.database.unlink)
    with pytest.raises(StoreError, match="The night ends here"):
        desk.play()


class _Interrupted(InProcessEngine):
    """Plays five matches, then a signal comes; more come during the clean-up."""

    tidy = False

    async def play(self, job: Job) -> None:
        self.most = 5
        with pytest.raises(EngineError):
            await super().play(job)
        os.kill(os.getpid(), signal.SIGINT)
        try:
            await asyncio.Event().wait()
        finally:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.sleep(0.01)
            self.tidy = True


def test_a_signal_keeps_all_results_and_says_how_to_go_on(desk: Desk) -> None:
    engine = _Interrupted()
    evening = desk.play(engine)
    assert engine.tidy
    assert (evening.interrupted, evening.exit_code, evening.played_now) == (True, 130, 5)
    assert "Go on with: pips-tourney run" in evening.told(desk.config())[-1]
    assert desk.play().played_now == 24 - 5


def test_a_database_moved_to_another_folder_goes_on(desk: Desk) -> None:
    with pytest.raises(EngineError):
        desk.play(InProcessEngine(most=7))
    elsewhere = desk.folder / "elsewhere.db"
    shutil.move(desk.database, elsewhere)
    assert desk.play(config=desk.config(database=elsewhere)).played_now == 24 - 7


async def test_what_fails_beside_a_night_is_not_lost() -> None:
    async def play() -> None:
        await asyncio.sleep(0)

    async def watch() -> None:
        raise RuntimeError("no more decisions are heard")

    ledger = Ledger(Mock(), Mock(), Mock())
    with pytest.raises(RuntimeError, match="no more decisions"):
        await side_by_side(play(), ledger, watch())
