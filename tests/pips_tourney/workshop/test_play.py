"""A duel played to its end, and its result in words."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pips_referee.records.record import verify
from pips_tourney.arena.starting import StartFailure
from pips_tourney.bots.find import find_bot
from pips_tourney.bots.found import BotProblem, Sample
from pips_tourney.engines import BotsDidNotStart, EngineError, Job, PlayedMatch
from pips_tourney.engines.local import LocalEngine
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.ratings.table import Difference
from pips_tourney.workshop.duels.duel import MOST_FAULTS, Duel, Scoresheet, Wanted, plan_duel
from pips_tourney.workshop.duels.in_process import Listener, Spoilt
from pips_tourney.workshop.duels.play import play, play_one, save_to
from pips_tourney.workshop.duels.play_report import difference_text, headline, result_lines
from tests.pips_tourney.in_process import play as play_random
from tests.pips_tourney.workshop.conftest import SERPENT, Write

RANDOM, GREEDY = Sample("random", None), Sample("greedy", None)


def duel(matches: int = 20, **wanted: Any) -> Duel:
    return plan_duel(GREEDY, RANDOM, Wanted(matches, **{"game": "serpent", "seed": "play"} | wanted))


def quiet(*_: object) -> None:
    """Looks at no match."""


def engine_that(plays: Callable[[Job], None], monkeypatch: pytest.MonkeyPatch) -> list[LocalEngine]:
    """Every engine of processes does this instead; returns all there were."""
    engines: list[LocalEngine] = []

    async def play_job(engine: LocalEngine, job: Job) -> None:
        engines.append(engine)
        plays(job)

    monkeypatch.setattr(LocalEngine, "play", play_job)
    return engines


def play_all(job: Job) -> None:
    while (fixture := job.queue.take()) is not None:
        order = job.order(fixture)
        record = play_random(fixture.header(MEETING.secret), bytes(order.rng_seeds[0]))
        job.results(fixture, PlayedMatch(record))


MEETING = duel(60)


class TestInProcess:
    def test_the_result_and_how_sure_it_is(self) -> None:
        sheet = play(duel(40), quiet, in_process=True)
        result, difference = result_lines(sheet)
        assert result.startswith("greedy won ")
        assert result.endswith("% against random")
        assert difference.startswith("greedy is ")
        assert "Elo stronger than random, 95 % interval +" in difference

    def test_many_seats(self) -> None:
        sheet = play(plan_duel(GREEDY, RANDOM, Wanted(6, game="pippip", seed="play")), quiet, in_process=True)
        first, _ = result_lines(sheet)
        assert first.startswith("greedy was placed above it ")

    def test_every_record_is_handed_over(self, folder: Path) -> None:
        play(duel(4), save_to(folder / "kept" / "here"), in_process=True)
        files = list((folder / "kept" / "here").iterdir())
        assert {f"{verify(file.read_bytes()).header.match_id}.pips" for file in files} == {file.name for file in files}
        assert len(files) == 4

    def test_it_stops_when_a_bot_only_faults(self, write: Write) -> None:
        write("bad.py", f"{SERPENT}    def give(self, view):\n        return None\n")
        against = plan_duel(find_bot("bad.py"), RANDOM, Wanted(100, seed="play"))
        sheet = play(against, quiet, in_process=True)
        assert sheet.played == MOST_FAULTS
        lines = list(result_lines(sheet))
        assert lines[0] == f"Stopped after {MOST_FAULTS} of 100 matches."
        assert any(line.startswith("bad is at least") and line.endswith("for it lost everything") for line in lines)
        assert f"bad lost {MOST_FAULTS} matches by a fault ({MOST_FAULTS} by crash). The first one:" in lines
        assert lines[-1] == "bad hardly does anything else, so the rest was not played."

    def test_a_bot_that_ends_the_program_ends_its_matches_alone(self, write: Write) -> None:
        write("bad.py", f"import sys\n{SERPENT}    def give(self, view):\n        sys.exit(3)\n")
        sheet = play(plan_duel(find_bot("bad.py"), RANDOM, Wanted(2, seed="play")), quiet, in_process=True)
        assert sheet.played == 2
        assert any("SystemExit: the bot ended the program with 3 (at bad.py:6)" in line for line in result_lines(sheet))

    def test_it_can_be_interrupted(self) -> None:
        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        sheet = play(duel(), interrupt, in_process=True)
        assert list(result_lines(sheet)) == [
            "Stopped after 1 of 20 matches.",
            "No deal was played from every seat yet, so there is no result.",
        ]

    def test_one_match(self) -> None:
        record = verify(play_one(duel(), listener=Listener()))
        assert record.header.match_id == next(duel().fixtures()).match_id


class TestWithProcesses:
    def test_everything_is_played(self, monkeypatch: pytest.MonkeyPatch) -> None:
        engines = engine_that(play_all, monkeypatch)
        seen: list[str] = []

        def see(fixture: Fixture, _: bytes) -> None:
            seen.append(fixture.match_id)

        sheet = play(MEETING, see)
        assert (sheet.played, len(sheet.complete()), len(seen)) == (60, 60, 60)
        assert engines[0].arenas >= 1

    def test_few_matches_take_one_arena(self, monkeypatch: pytest.MonkeyPatch) -> None:
        engines = engine_that(play_all, monkeypatch)
        play(duel(4), quiet)
        assert engines[0].arenas == 1

    def test_a_bot_that_does_not_start(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(job: Job) -> None:
            assert job.check == ["greedy/serpent/0", "random/serpent/0"]
            raise BotsDidNotStart([StartFailure(job.check[0], "exit status 1", "oh\n")])

        engine_that(fail, monkeypatch)
        with pytest.raises(BotProblem, match=r"^greedy:\nThe bot did not start: exit status 1\.\n"):
            play(MEETING, quiet)

    def test_a_machine_that_fails(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(_: Job) -> None:
            raise EngineError("no memory")

        engine_that(fail, monkeypatch)
        with pytest.raises(Spoilt, match=r"^no memory$"):
            play(MEETING, quiet)

    def test_a_match_that_is_spoilt_again_and_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def spoil(job: Job) -> None:
            while (fixture := job.queue.take()) is not None:
                job.results(fixture, PlayedMatch(void="the disk is full"))

        engine_that(spoil, monkeypatch)
        with pytest.raises(Spoilt, match=r"^1 matches were void again and again: the disk is full$"):
            play_one(MEETING)

    def test_what_a_process_had_printed_is_told_with_its_first_fault(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def lose_all(job: Job) -> None:
            printed = iter(range(100))
            while (fixture := job.queue.take()) is not None:
                output = {"greedy": f"I am at match {next(printed)}\n"}
                job.results(fixture, PlayedMatch(late(fixture), output=output))

        engine_that(lose_all, monkeypatch)
        sheet = play(MEETING, quiet)
        assert sheet.outputs == {}
        lines = list(result_lines(sheet))
        at = lines.index("    It had printed:")
        assert lines[at + 1] == "    | I am at match 0"
        assert not any("match 1" in line for line in lines[at + 2 :])

    def test_a_timeout_may_be_another_questions_doing(self, write: Write) -> None:
        write("my bots/slow.py", f"{SERPENT}    pass\n")
        told = told_of_timeouts(plan_duel(find_bot("my bots/slow.py"), RANDOM, Wanted(2)), "slow")
        assert told.endswith("of another one: `pips-bot check 'my bots/slow.py'` plays them one by one.")
        command = told.split("`")[1]
        assert find_bot(shlex.split(command)[2]).name == "slow"

    def test_a_sample_bot_cannot_be_checked(self) -> None:
        greedy = plan_duel(find_bot("greedy"), RANDOM, Wanted(2, game="serpent"))
        assert told_of_timeouts(greedy, "greedy").endswith("may have been busy with a question of another one.")


def told_of_timeouts(duel: Duel, bot: str) -> str:
    """What is printed after the first match that the bot loses on time."""
    sheet, fixture = Scoresheet(duel), next(duel.fixtures())
    sheet.add(fixture, late(fixture, bot, duel))
    return list(result_lines(sheet))[-1]


def late(fixture: Fixture, bot: str = "greedy", of: Duel = MEETING) -> bytes:
    """A match that a bot loses on time."""
    from pips_referee.match import FaultKind
    from pips_referee.records.record import write_record

    header = fixture.header(of.secret)
    match = header.new_match()
    match.fault(header.names.index(bot), FaultKind.TIMEOUT, "late")
    return write_record(header, match)


class TestWords:
    def test_what_is_played(self) -> None:
        assert headline(duel()) == (
            "greedy against random: Serpent, 2 seats; 20 matches = 10 deals, each from every seat; --seed play"
        )

    def test_what_is_unusual_is_said(self) -> None:
        said = headline(duel(1, game="wichita", seats=3, options={"decks": 3}))
        assert said.startswith(
            "greedy against random, with house greedy: Wichita, 3 seats, decks 3; 3 matches = 1 deal,"
        )

    def test_a_difference(self) -> None:
        assert said(Difference("a", "b", 47.4, 5.4, 89.4, "", "", 0.9861, 100)) == (
            "a is 47 Elo stronger than b, 95 % interval +5 to +89; a is the stronger one with probability 98.6 %"
        )
        assert said(Difference("a", "b", -47.4, -89.4, -5.4, "", "", 0.00001, 100)) == (
            "a is 47 Elo weaker than b, 95 % interval -89 to -5; a is the stronger one with probability < 0.1 %"
        )
        assert said(Difference("a", "b", 400.0, 300.0, 500.0, "", "", 0.99999, 100)).endswith("> 99.9 %")
        assert said(Difference("a", "b", 1.0, -1.0, 2.0, "", "", None, 100)).endswith("interval -1 to +2")

    def test_none_to_speak_of(self) -> None:
        assert said(Difference("a", "b", -0.4, -50.4, 49.6, "", "", 0.49, 20)) == (
            "a is as strong as b, 95 % interval -50 to +50; a is the stronger one with probability 49.0 %"
        )

    def test_too_little_to_tell(self) -> None:
        assert said(Difference("a", "b", 47.4, None, None, "", "too few deals", None, 5)) == (
            "a is ahead of b, but 5 deals can hardly tell: play more"
        )
        assert said(Difference("a", "b", None, None, None, "", "not connected", None, 5)) == (
            "How far a and b are apart is not known: not connected"
        )

    def test_everything_won_or_lost(self) -> None:
        assert said(Difference("a", "b", None, 210.0, None, ">", "", 1.0, 50)) == (
            "a is at least 210 Elo stronger than b (95 %), for it won everything"
        )
        assert said(Difference("a", "b", None, None, -210.0, "<", "", 0.0, 50)) == (
            "a is at least 210 Elo weaker than b (95 %), for it lost everything"
        )
        assert said(Difference("a", "b", None, -500.0, None, ">", "", 0.9, 1)) == (
            "a won everything, but 1 deal can hardly tell: play more"
        )


def said(difference: Difference) -> str:
    return difference_text(difference)
