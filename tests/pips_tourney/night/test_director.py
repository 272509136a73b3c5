"""The director's decisions: each is a log entry and reversible, all are a pure fold."""

from __future__ import annotations

import asyncio
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from pips_tourney.arena.starting import StartFailure
from pips_tourney.cli.tourney import main
from pips_tourney.engines import BotsDidNotStart, Engine, EngineError, Job
from pips_tourney.league import league as league_module
from pips_tourney.night.director import DirectorError, Office, office
from pips_tourney.night.log.kinds import TIME_UP
from pips_tourney.night.log.store import Store, open_store, read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.proof.verify import verify_night
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import as_json
from pips_tourney.people.store import People
from pips_tourney.play import crew, runner, session
from pips_tourney.play.evening import LeagueChanged, NightOutcome, RunConfig
from pips_tourney.play.runner import run_night
from pips_tourney.play.steward import Steward
from pips_tourney.remote.lobby import Hosting
from pips_tourney.reports.status import Status, status_of
from pips_tourney.reports.tables import print_standings, to_json
from pips_tourney.sandbox import tiers
from tests.pips_tourney.forged import change
from tests.pips_tourney.in_process import InProcessEngine, shuffled, write_league
from tests.pips_tourney.play.test_runner import FENCE, Watching


@dataclass
class Paperwork(InProcessEngine):
    """An engine during which, after a given number of matches, something happens."""

    then: dict[int, Callable[[], object]] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    """Bots, or `bot/contest` where they are absent from one contest only."""
    begun: int = 0

    async def play(self, job: Job) -> None:
        self.begun += 1
        failures = [StartFailure(process, "exit status 1", "Traceback (most recent call last):\n  x\nValueError: no")
                    for process in job.check
                    if {process.split("/")[0], process.rpartition("/")[0]} & {*self.absent}]  # fmt: skip
        if stopping := job.do_without(failures):
            raise BotsDidNotStart(stopping)
        shift = 0
        while await job.queue.begin(shift):
            if (fixture := job.queue.take()) is None:
                shift += not await job.queue.more()
                continue
            if (act := self.then.pop(len(self.played), None)) is not None:
                act()
            await super().play(_One(job, fixture, str(len(self.played) % 2)).job)
            await asyncio.sleep(0)  # others look at the log


@dataclass
class _One:
    """A job of one match."""

    inner: Job
    fixture: Any
    arena: str

    @property
    def job(self) -> Any:
        left = [self.fixture]

        async def begin(_: int) -> bool:
            return bool(left)

        take = staticmethod(lambda: left.pop() if left else None)

        class One:
            queue = type("F", (), {"take": take, "begin": staticmethod(begin)})
            order = self.inner.order
            results = staticmethod(
                lambda fixture, played: self.inner.results(fixture, played._replace(arena=self.arena))
            )

        return One


class Hall:
    """One league of three in one folder, and its director."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self._monkeypatch = folder, monkeypatch
        self.league = write_league(folder, "ada", "bo", "cy", deals=6)
        self.database = folder / "night.db"
        (folder / "secret").write_text("5a" * 32, encoding="ascii")
        self.watching = Watching()
        self.now = 0.0

        def steward(store: Store, minutes: float | None) -> Steward:
            return Steward(store, minutes, clock=lambda: self.now, poll_s=0.0)

        monkeypatch.setattr(runner, "Steward", steward)
        monkeypatch.setattr(league_module, "looked_for", lambda _: lambda: (FENCE, ""))
        monkeypatch.setattr(tiers, "find_fence", lambda: (FENCE, ""))

    def play(self, engine: Engine | None = None, **more: Any) -> NightOutcome:
        self._monkeypatch.setattr(crew, "make_engine", lambda *_: engine or InProcessEngine())
        database = more.pop("database", self.database)
        return run_night(RunConfig(self.league, database, None, self.folder / "secret", **more), self.watching)

    def act(self, what: Callable[[Office], str]) -> str:
        with office(self.database) as at:
            return what(at)

    def json(self) -> str:
        with read_store(self.database) as store:
            return to_json(standings(last_night(store)), timings=False)

    def shown(self) -> str:
        console = Console(file=io.StringIO(), width=300)
        with read_store(self.database) as store:
            print_standings(standings(last_night(store)), console)
        assert isinstance(console.file, io.StringIO)
        return console.file.getvalue()

    def table(self) -> dict[str, Any]:
        return dict(json.loads(self.json())["tables"][0])

    def status(self) -> Status:
        with read_store(self.database) as store:
            return status_of(store)

    def problems(self) -> list[str]:
        with read_store(self.database) as store:
            return [what for _, what in verify_night(store).problems]

    def matches(self) -> list[str]:
        with read_store(self.database) as store:
            return [row.id for _, row, _ in last_night(store).walk() if row is not None]


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hall:
    return Hall(tmp_path, monkeypatch)


def bots_of(table: dict[str, Any]) -> dict[str, int]:
    return {row["bot"]: row["matches"] for row in table["rows"]}


class TestWithdrawing:
    def test_a_bot_that_played_half_keeps_what_it_had_played(self, hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(session, "shift_s_of", lambda _: None)  # whole deals, one after the other
        with pytest.raises(EngineError):  # deals 0 to 3 of everybody, in the order of the schedule
            hall.play(InProcessEngine(at_once=36, most=24, mix=in_schedule_order(hall)))
        said = hall.act(lambda at: at.withdraw("cy", "it was a copy of ada", from_start=False))
        assert "4 in serpent" in said
        evening = hall.play()
        assert evening.standings.complete and evening.played_now == 4  # two deals of ada and bo, from both seats
        table = hall.table()
        assert bots_of(table) == {"ada": 20, "bo": 20, "cy": 16}
        assert table["withdrawn"]["cy"].startswith("withdrawn by the tournament director: it was a copy of ada. It has")
        assert not hall.problems()

    def test_what_one_had_played_of_less_than_half_is_said_to_count_for_nobody(
        self, hall: Hall, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(session, "shift_s_of", lambda _: None)  # whole deals, one after the other
        with pytest.raises(EngineError):  # two deals of six
            hall.play(InProcessEngine(at_once=36, most=12, mix=in_schedule_order(hall)))
        hall.act(lambda at: at.withdraw("cy", "late", from_start=False))
        hall.play()
        assert bots_of(hall.table()) == {"ada": 12, "bo": 12}
        assert "8 more count for nobody: a bot of theirs was withdrawn too early" in hall.shown()
        assert "count when their deals are complete" not in hall.shown()

    def test_one_that_had_not_counts_for_nobody_and_comes_back_when_reinstated(self, hall: Hall) -> None:
        whole = hall.play(database=hall.folder / "whole.db")
        with pytest.raises(EngineError):
            hall.play(InProcessEngine(at_once=1, most=7))
        hall.act(lambda at: at.withdraw("cy", "late", from_start=False))
        assert hall.play().standings.complete
        assert bots_of(hall.table()) == {"ada": 12, "bo": 12}
        hall.act(lambda at: at.reinstate("cy", "it was the bus"))
        assert hall.status().state == "stopped"
        again = hall.play()
        assert to_json(again.standings, timings=False) == to_json(whole.standings, timings=False)
        assert not hall.problems()

    def test_from_the_start(self, hall: Hall) -> None:
        hall.play()
        assert "nothing that it played counts" in hall.act(lambda at: at.withdraw("cy", "it cheated", from_start=True))
        assert bots_of(hall.table()) == {"ada": 12, "bo": 12}
        assert not hall.problems()  # the night had ended before
        evening = hall.play()
        assert (evening.played_now, evening.standings.complete, hall.problems()) == (0, True, [])

    def test_what_makes_no_sense_is_refused(self, hall: Hall) -> None:
        hall.play()
        for act, what in (
            (lambda at: at.withdraw("zoe", "x", from_start=False), "there is no bot zoe; there are ada, bo, cy"),
            (lambda at: at.reinstate("ada", ""), "ada is not out"),
            (lambda at: at.resume(), "is not paused"),
            (lambda at: at.annul("zz", "x"), "no match of this night has an id that begins with zz"),
            (lambda at: at.annul("", "x"), "36 matches have ids that begin with"),
            (lambda at: at.restore(hall.matches()[0], ""), "is not annulled"),
            (lambda at: at.undo_replay(hall.matches()[0], ""), "is not to be played again"),
            (lambda at: at.add({"name": "ada", "sample": "random"}, hall.folder), "there is a bot ada already"),
            (lambda at: at.add({"path": "nowhere"}, hall.folder), "there is no"),
            (lambda at: at.add({"name": "a/b", "sample": "random"}, hall.folder), "name: 'a/b': a name is 1 to 40"),
        ):
            with pytest.raises(DirectorError, match=what):
                hall.act(act)
        hall.act(lambda at: at.withdraw("cy", "x", from_start=False))
        with pytest.raises(DirectorError, match="cy is out already"):
            hall.act(lambda at: at.withdraw("cy", "x", from_start=False))
        with pytest.raises(DirectorError, match="or let it play again: withdraw cy --undo"):
            hall.act(lambda at: at.add({"name": "cy", "sample": "random"}, hall.folder))


class TestAnnulling:
    def test_the_deal_of_the_match_counts_in_no_seating_until_it_is_restored(self, hall: Hall) -> None:
        hall.play()
        before, match = hall.json(), hall.matches()[5]
        hall.act(lambda at: at.annul(match[:8], "the lights went out"))
        hall.act(lambda at: at.pause("we look for candles"))
        assert (
            f"Match {match} was annulled, and its deal in the other seatings with it: the lights went out"
            in hall.shown()
        )
        assert "The night is paused: we look for candles" in hall.shown()
        hall.act(lambda at: at.resume())
        table = hall.table()
        assert (table["scheduled"], table["played"], table["counted"]) == (34, 34, 34)
        assert json.loads(hall.json())["decisions"] == [{"kind": "annul", "about": match, "why": "the lights went out"}]
        with pytest.raises(DirectorError, match="annulled already"):
            hall.act(lambda at: at.annul(match, "again"))
        hall.act(lambda at: at.restore(match, ""))
        assert hall.json() == before
        assert not hall.problems()


class TestPlayingAgain:
    def test_the_new_result_counts_the_old_one_is_kept(self, hall: Hall) -> None:
        hall.play()
        before, match = hall.json(), hall.matches()[5]
        hall.act(lambda at: at.replay(match, "the machine was suspended"))
        engine = InProcessEngine()
        assert hall.play(engine).standings.complete
        (again,) = engine.played
        assert again != match and again == hall.matches()[5]
        (note,) = json.loads(hall.json())["decisions"]
        assert (note["kind"], note["about"]) == ("replay", match)
        assert not hall.problems()
        hall.act(lambda at: at.replay(again, "and once more"))
        engine = InProcessEngine()
        hall.play(engine)
        assert engine.played[0] not in (again, match)
        hall.act(lambda at: at.undo_replay(engine.played[0], ""))
        assert hall.json() == before
        assert hall.play().played_now == 0
        assert not hall.problems()

    def test_a_result_that_counts_no_more_is_verified_all_the_same(self, hall: Hall) -> None:
        hall.play()
        match = hall.matches()[5]
        hall.act(lambda at: at.replay(match, "x"))
        hall.play()
        change(hall.database, f"UPDATE results SET places = '[1,1]' WHERE id = '{match}'")
        assert hall.problems() == ["its row does not say what its record says: places"]


class TestWhileARunnerPlays:
    def test_the_sandbox_is_tried_out_anew_after_a_decision(self, hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
        """What was found when the run began may be hours old."""
        found = iter(["found early", "found anew"])
        monkeypatch.setattr(league_module, "looked_for", lambda _: partial(tuple, (None, next(found))))
        monkeypatch.setattr(runner, "TRIED_S", 0.0)
        hall.play(Paperwork(then={5: lambda: hall.act(lambda at: at.withdraw("cy", "late", from_start=False))}))
        first, second = (" ".join(announced.notes) for announced in hall.watching.announced)
        assert "found early" in first and "found anew" in second

    def test_a_pause_lasts_until_it_ends(self, hall: Hall) -> None:
        def pause() -> None:
            hall.act(lambda at: at.pause("coffee"))

        class Listening(Watching):
            def told(self, line: str) -> None:
                super().told(line)
                assert hall.status().state == "paused"
                if line.startswith("Paused: coffee"):
                    hall.act(lambda at: at.resume())

        hall.watching = Listening()
        evening = hall.play(Paperwork(then={10: pause}))
        assert evening.standings.complete and evening.played_now == 36
        assert [line for line in hall.watching.lines if "Paused" in line]
        assert json.loads(hall.json())["decisions"] == []
        assert hall.problems() == []

    def test_another_version_that_is_submitted_meanwhile_ends_no_night(self, hall: Hall) -> None:
        folder = hall.folder / "own"
        folder.mkdir()
        (folder / "bot.py").write_text("", encoding="utf-8")
        text = hall.league.read_text(encoding="utf-8")
        text = text.replace('{ name = "cy", sample = "random" }', '{ name = "cy", path = "own" }')
        hall.league.write_text(text, encoding="utf-8")

        def hand_in() -> None:
            (folder / "bot.py").write_text("# better", encoding="utf-8")
            hall.act(lambda at: at.withdraw("ada", "x", from_start=True))

        evening = hall.play(Paperwork(then={10: hand_in}))
        assert evening.standings.complete and set(bots_of(hall.table())) == {"bo", "cy"}
        with pytest.raises(LeagueChanged, match="bot cy: its files"):
            hall.play()

    def test_a_bot_that_is_added_plays_all_deals(self, hall: Hall) -> None:
        engine = Paperwork(then={10: lambda: hall.act(lambda at: at.add({"name": "zoe", "sample": "random"}, Path()))})
        evening = hall.play(engine)
        assert engine.begun == 2 and evening.standings.complete
        assert bots_of(hall.table()) == dict.fromkeys(["ada", "bo", "cy", "zoe"], 36)
        assert json.loads(hall.json())["decisions"] == [{"kind": "add", "about": "zoe", "why": ""}]
        assert hall.play().played_now == 0
        hall.act(lambda at: at.withdraw("zoe", "taken back", from_start=True))
        assert bots_of(hall.table()) == dict.fromkeys(["ada", "bo", "cy"], 24)
        assert not hall.problems()

    def test_one_that_is_withdrawn_before_anybody_played_on_has_played_nothing(self, hall: Hall) -> None:
        hall.play()
        hall.act(lambda at: at.add({"name": "late", "sample": "random"}, hall.folder))
        said = hall.act(lambda at: at.withdraw("late", "a slip", from_start=False))
        assert "Its complete deals (0 in serpent) count" in said
        assert hall.play().played_now == 0
        hall.act(lambda at: at.reinstate("late", ""))
        assert hall.play().played_now == 36

    def test_a_name_is_the_same_however_it_was_typed(self, hall: Hall) -> None:
        hall.play()
        hall.act(lambda at: at.add({"name": "zo\u00eb", "sample": "random"}, hall.folder))
        assert hall.act(lambda at: at.withdraw("zoe\u0308", "x", from_start=True)).startswith("zo\u00eb is withdrawn")
        assert hall.act(lambda at: at.reinstate("zoe\u0308", "")).startswith("zo\u00eb plays again")

    def test_one_withdrawn_meets_nobody_who_came_later(self, hall: Hall) -> None:
        hall.play()
        hall.act(lambda at: at.withdraw("cy", "x", from_start=False))
        hall.act(lambda at: at.add({"name": "zoe", "sample": "random"}, Path()))
        assert hall.play().standings.complete
        assert bots_of(hall.table()) == {"ada": 36, "bo": 36, "cy": 24, "zoe": 24}

    def test_a_league_that_changed_otherwise_is_still_refused(self, hall: Hall) -> None:
        hall.play()
        hall.act(lambda at: at.add({"name": "zoe", "sample": "random"}, Path()))
        write_league(hall.folder, "ada", "bo", deals=6)
        with pytest.raises(LeagueChanged, match="bot cy is gone"):
            hall.play()


def two_games(hall: Hall, deals: int = 2) -> None:
    """The league of the hall in Serpent and Wichita.

    None of its four bots has to be there.
    """
    write_league(hall.folder, "ada", "bo", "cy", "dan", deals=deals)
    text = hall.league.read_text(encoding="utf-8").replace(", sample", ", optional = true, sample")
    hall.league.write_text(text.replace('game = "serpent"', 'games = ["serpent", "wichita"]'), encoding="utf-8")


class TestAbsence:
    def optional(self, hall: Hall) -> None:
        text = hall.league.read_text(encoding="utf-8")
        hall.league.write_text(text.replace('{ name = "cy",', '{ name = "cy", optional = true,'), encoding="utf-8")

    def test_an_optional_bot_that_does_not_start_is_left_out(self, hall: Hall) -> None:
        self.optional(hall)
        assert hall.play(Paperwork(absent=("cy",))).standings.complete
        table = hall.table()
        assert bots_of(table) == {"ada": 12, "bo": 12}
        assert table["withdrawn"] == {"cy": "left out: exit status 1: ValueError: no"}
        hall.act(lambda at: at.reinstate("cy", "mended the path"))
        hall.play(Paperwork())
        assert bots_of(hall.table()) == {"ada": 24, "bo": 24, "cy": 24}

    def test_who_is_out_of_one_game_is_rated_in_the_other_from_its_first_deals_on(self, hall: Hall) -> None:
        two_games(hall)
        hall.play(Paperwork(absent=("cy/wichita", "dan/wichita")))
        serpent, wichita, overall = json.loads(hall.json())["tables"]
        assert bots_of(serpent) == dict.fromkeys(["ada", "bo", "cy", "dan"], 12)
        assert "withdrawn" not in serpent
        assert bots_of(wichita) == {"ada": 4, "bo": 4}
        why = "left out: wichita: exit status 1: ValueError: no"
        assert wichita["withdrawn"] == {"cy": why, "dan": why}
        assert set(overall["missing"]) == {"cy", "dan"}
        with read_store(hall.database) as store:
            course = last_night(store).course()
        assert (course.out("serpent"), set(course.out("wichita"))) == ({}, {"cy", "dan"})

    def test_who_is_withdrawn_then_was_still_out_of_that_game(self, hall: Hall) -> None:
        two_games(hall)
        hall.play(Paperwork(absent=("cy/wichita",)))
        hall.act(lambda at: at.withdraw("cy", "went home", from_start=False))
        with read_store(hall.database) as store:
            assert last_night(store).decisions().out["cy"].deals == {"serpent": 2, "wichita": 0}

    def test_who_is_out_of_one_game_is_there_for_the_other(self, hall: Hall) -> None:
        def an_hour_passes() -> None:
            hall.now += 3600

        two_games(hall, deals=6)
        hall.play(Paperwork(absent=("bo/serpent", "cy/serpent", "dan/serpent"), then={8: an_hour_passes}), minutes=30)
        assert hall.play(Paperwork(absent=("ada/serpent", "ada/wichita"))).standings.complete
        serpent, wichita, _ = json.loads(hall.json())["tables"]
        assert (bots_of(serpent), set(bots_of(wichita))) == ({}, {"bo", "cy", "dan"})

    def test_it_is_another_bot_once_it_was_mended(self, hall: Hall) -> None:
        self.optional(hall)
        hall.play(Paperwork(absent=("cy",)))
        text = hall.league.read_text(encoding="utf-8")
        hall.league.write_text(text.replace("optional = true", 'optional = true, env = { A = "1" }'), encoding="utf-8")
        assert hall.play(go_on=True).standings.complete
        assert set(bots_of(hall.table())) == {"ada", "bo", "cy"}

    def test_others_stop_the_night(self, hall: Hall) -> None:
        self.optional(hall)
        with pytest.raises(BotsDidNotStart):
            hall.play(Paperwork(absent=("ada", "cy")))

    def test_where_nobody_is_left_the_night_stops(self, hall: Hall) -> None:
        text = hall.league.read_text(encoding="utf-8").replace(", sample", ", optional = true, sample")
        hall.league.write_text(text, encoding="utf-8")
        with pytest.raises(BotsDidNotStart):
            hall.play(Paperwork(absent=("bo", "cy")))
        with read_store(hall.database) as store:
            assert store.log("absent") == []


class TestLimits:
    def test_nobody_waits_for_ever_for_a_night_that_is_paused(self, hall: Hall) -> None:
        hall.play(minutes=0)
        hall.act(lambda at: at.pause("for today"))
        evening = hall.play(minutes=0)
        assert (evening.played_now, evening.exit_code) == (0, 0)

    def test_when_the_time_is_up_begun_deals_are_ended_and_no_more(self, hall: Hall) -> None:
        def an_hour_passes() -> None:
            hall.now += 3600

        evening = hall.play(Paperwork(then={7: an_hour_passes}), minutes=30)
        (table,) = evening.standings.tables
        assert 7 < table.played == table.counted < 36
        assert evening.exit_code == 0
        told = evening.told(RunConfig(hall.league, hall.database))
        assert told[0].startswith(f"Played what was asked for: {table.played} matches. Left to play: ")
        assert told[1].startswith("Go on with: pips-tourney run")
        hosting = Hosting("127.0.0.1:0", "", "", People(hall.folder))
        told = evening.told(RunConfig(hall.league, hall.database, hosting=hosting))
        assert re.search(r"Go on with: pips-tourney serve .+ and the options that you gave", told[1])
        with read_store(hall.database) as store:
            assert [entry.payload["minutes"] for entry in store.log(TIME_UP)] == [30]


def in_schedule_order(hall: Hall) -> Callable[[list[Any]], list[Any]]:
    return lambda taken: sorted(taken, key=lambda fixture: (fixture.deal.name, fixture.combination, fixture.rotation))


def test_the_same_entries_give_the_same_bytes_in_whatever_order_results_came(hall: Hall) -> None:
    hall.play(Paperwork(then={9: lambda: hall.act(lambda at: at.add({"name": "zoe", "sample": "random"}, Path()))}))
    hall.act(lambda at: at.annul(hall.matches()[3], "x"))
    hall.act(lambda at: at.replay(hall.matches()[9], "y"))
    hall.play()
    hall.act(lambda at: at.withdraw("bo", "z", from_start=False))
    with read_store(hall.database) as store:
        log, secret = store.log(), store.secret()
        rows = list(store.rows(list(store.ids())).values())
    assert secret is not None
    for number in range(3):
        with open_store(hall.folder / f"{number}.db") as copy:
            copy.keep_secret(secret)
            copy.add((), [(entry.kind, entry.payload) for entry in log])
            mixed = Random(number).sample(rows, len(rows))
            for start in range(0, len(mixed), 7):
                copy.add(mixed[start : start + 7])
            assert to_json(standings(last_night(copy)), timings=False) == hall.json()


class TestStatus:
    def test_it_tells_people_and_programs(self, hall: Hall) -> None:
        with pytest.raises(EngineError):
            hall.play(Paperwork(most=20))
        hall.act(lambda at: at.pause(""))
        hall.act(lambda at: at.resume())
        hall.act(lambda at: at.withdraw("cy", "late", from_start=True))
        status = hall.status()
        assert (status.state, status.runner, status.scheduled) == ("stopped", None, 12)
        lines = "\n".join(status.lines())
        assert "Test night: stopped, " in lines and " of 12 matches played" in lines and "withdraw cy: late" in lines
        told = json.loads(json.dumps(status.as_json()))
        assert [entry["kind"] for entry in told["history"]] == ["pause", "resume", "withdraw"]
        assert told["decisions"][0]["about"] == "cy"

    def test_while_it_is_played(self, hall: Hall) -> None:
        seen: list[Status] = []
        hall.play(Paperwork(then={30: lambda: seen.append(hall.status())}))
        (status,) = seen
        assert status.state == "playing" and status.runner is not None
        assert hall.status().state == "complete"


@pytest.fixture
def command(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    monkeypatch.chdir(hall.folder)

    def run(*words: str, status: int = 0) -> str:
        ended = CliRunner().invoke(main, list(words))
        assert ended.exit_code == status, ended.output
        return ended.output

    return run


def test_all_of_it_from_the_command_line(hall: Hall, command: Callable[..., str]) -> None:
    assert "there is no night in this folder" in command("status", status=2)
    hall.play()
    match = hall.matches()[0]
    assert "Nobody is playing this night" in command("pause", "--reason", "x")
    command("resume", "night.db")
    command("add", "night.toml", "serpent/greedy", "--name", "zoe")
    (hall.folder / "own").mkdir()
    (hall.folder / "own/bot.py").write_text("", encoding="utf-8")
    command("add", "own")
    command("add", "own", "--name", "other", "--install")
    command("add", "python -m nothing", "--name", "cmd")
    command("withdraw", "bo", "--reason", "gone", "--from-start")
    command("withdraw", "bo", "--undo")
    command("annul", match, "--reason", "x")
    command("annul", match, "--undo")
    command("replay-match", "night.db", match, "--reason", "x")
    command("replay-match", match, "--undo")
    assert json.loads(command("status", "--json"))["played"] == 36
    assert "add zoe" in command("status")
    with read_store(hall.database) as store:
        added = last_night(store).decisions().added
        assert as_json(standings(last_night(store)))["complete"]
    assert added["own"]["cwd"] == str(hall.folder / "own") and added["zoe"]["sample"] == "serpent/greedy"
    assert added["other"]["install"]
    assert "it takes a MATCH" in command("annul", "--reason", "x", status=2)
    assert "--reason says why" in command("annul", match, status=2)
    (hall.folder / "more.db").write_bytes(hall.database.read_bytes())
    (hall.folder / "none.db").write_text("nothing", encoding="utf-8")
    assert "There are more.db, night.db" in command("status", status=2)


def test_an_added_name_is_written_as_names_are(hall: Hall, command: Callable[..., str]) -> None:
    hall.play()
    assert command("add", "random", "--name", "zoe\u0308").startswith("zo\u00eb is added")
    told = command("add", "random", "--name", "", status=2)
    assert "name: '': a name is 1 to 40" in told and "Traceback" not in told


def test_results_in_another_order(hall: Hall) -> None:
    hall.play(InProcessEngine(mix=shuffled))
    assert hall.problems() == []
