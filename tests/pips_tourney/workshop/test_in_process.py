"""Matches in this process.

The same deals and records, a watchdog for bots that never answer, their output.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pips_referee.records.record import read_record, verify
from pips_tourney.bots.find import find_bot
from pips_tourney.bots.found import Sample
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.workshop.duels.duel import Duel, Wanted, plan_duel
from pips_tourney.workshop.duels.in_process import Listener, Stuck, play_here
from tests.pips_tourney.workshop.conftest import SERPENT, Write

PATIENCE_S = 1.0


def meeting_of(text: str, write: Write, matches: int = 2) -> Duel:
    write("my_bot.py", SERPENT + text)
    return plan_duel(find_bot("my_bot.py"), Sample("random", None), Wanted(matches, seed="here"))


def stuck(duel: Duel) -> Stuck:
    with pytest.raises(Stuck) as told:
        play_here(duel, duel.fixtures(), lambda *_: None, PATIENCE_S)
    return told.value


def test_every_match_has_a_record_that_verifies(write: Write) -> None:
    records: dict[str, bytes] = {}

    def keep(fixture: Fixture, record: bytes) -> None:
        records[fixture.match_id] = record

    duel = meeting_of("    pass\n", write, matches=4)
    play_here(duel, duel.fixtures(), keep)
    assert list(records) == [fixture.match_id for fixture in duel.fixtures()]
    for match_id, record in records.items():
        assert verify(record).header.match_id == match_id


def test_bots_get_the_randomness_that_a_referee_would_give_them(write: Write) -> None:
    def answers() -> list[bytes]:
        records: list[bytes] = []
        duel = plan_duel(Sample("random", None), Sample("greedy", None), Wanted(2, game="serpent", seed="luck"))
        play_here(duel, duel.fixtures(), lambda _, record: records.append(record))
        return records

    assert answers() == answers()


def test_a_bot_reads_what_lies_beside_it_when_it_is_loaded(write: Write) -> None:
    write("mine/weights.txt", "7")
    write(
        "mine/my_bot.py", f"from pathlib import Path\nheavy = int(Path('weights.txt').read_text())\n{SERPENT}    pass\n"
    )
    duel = plan_duel(find_bot("mine"), Sample("random", None), Wanted(2, seed="here"))
    faults: list[object] = []
    play_here(duel, duel.fixtures(), lambda _, record: faults.extend(read_record(record).outcome.faults))
    assert faults == []


class TestTheWatchdog:
    def test_it_names_the_question_and_the_line(self, write: Write, folder: Path) -> None:
        told = stuck(meeting_of("    def give(self, view):\n        while True:\n            pass\n", write))
        problem = told.problem
        assert problem.what == f"MyBot did not answer question 1 (give) of a match of Serpent within {PATIENCE_S:g} s."
        where = problem.where.splitlines()
        assert where[0] in {f"It was in give, my_bot.py, line {line}:" for line in (5, 6)}
        assert where[1].strip() in {"while True:", "pass"}
        assert "It was asked this:" in where
        assert "give the defender three of" in problem.where
        assert str(told).startswith(problem.what)

    def test_a_loop_in_a_library_is_told_by_the_line_that_went_there(self, write: Write) -> None:
        text = "    def give(self, view):\n        import heapq\n        sum(heapq.merge(iter(int, 1), iter(int, 1)))\n"
        told = stuck(meeting_of(text, write))
        assert told.problem.where.startswith("It was in give, my_bot.py, line 6:")

    def test_a_loop_before_the_first_question(self, write: Write) -> None:
        told = stuck(meeting_of("    def on_start(self):\n        while True:\n            pass\n", write))
        assert told.problem.what.startswith("A bot did not come to an end of its `__init__` or `on_start` within")
        assert "my_bot.py, line" in told.problem.where

    def test_a_loop_that_catches_every_exception(self, write: Write) -> None:
        body = "    def give(self, view):\n        while True:\n            try:\n                pass\n"
        told = stuck(meeting_of(f"{body}            except Exception:\n                pass\n", write))
        assert "question 1 (give)" in told.problem.what

    def test_what_else_goes_wrong_is_not_hidden(self, write: Write) -> None:
        def fail(*_: object) -> None:
            raise ZeroDivisionError

        duel = meeting_of("    pass\n", write)
        with pytest.raises(ZeroDivisionError):
            play_here(duel, duel.fixtures(), fail)


class TestWhatBotsPrint:
    TALKING = "    def give(self, view):\n        print('I give')\n        return view.playable[:3]\n"
    FAILING = "    def give(self, view):\n        print('oh')\n        raise ValueError('no')\n"

    def test_it_goes_to_stderr(self, write: Write, capsys: pytest.CaptureFixture[str]) -> None:
        listener = Listener()
        duel = meeting_of(self.TALKING, write)
        play_here(duel, duel.fixtures(), lambda *_: None, listener=listener)
        printed = capsys.readouterr()
        assert printed.out == ""
        assert set(printed.err.splitlines()) == {"I give"}
        assert listener.first_on_stdout == "I give"

    def test_it_can_be_kept_quiet(self, write: Write, capsys: pytest.CaptureFixture[str]) -> None:
        duel = meeting_of(self.TALKING, write)
        play_here(duel, duel.fixtures(), lambda *_: None, listener=Listener(passes_on=False))
        assert capsys.readouterr() == ("", "")

    def test_after_the_first_fault_all_is_said(self, write: Write, capsys: pytest.CaptureFixture[str]) -> None:
        faults: list[int] = []
        duel = meeting_of(self.FAILING, write, matches=6)
        play_here(duel, duel.fixtures(), lambda _, record: faults.append(len(read_record(record).outcome.faults)))
        assert faults == [1] * 6
        printed = capsys.readouterr().err
        assert printed.count("ValueError: no") == 1
        assert "MyBot failed at question 1 (give) of a match of serpent" in printed
