"""A duel's game, table and deals, and the count of its results."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import pytest

from pips_referee.match import FaultKind
from pips_referee.records.record import read_record, write_record
from pips_sdk import Bot
from pips_tourney.bots.executable import Executable
from pips_tourney.bots.found import BotProblem, FoundBot, Sample
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.workshop.duels.duel import MOST_FAULTS, Duel, Scoresheet, Wanted, plan_duel
from pips_tourney.workshop.problems import Problem


@dataclass(frozen=True, slots=True)
class Playing(FoundBot):
    """A bot that is known to play these games."""

    known: tuple[str, ...]

    def games(self) -> tuple[str, ...]:
        return self.known

    def program(self, game: str) -> Executable:
        return Executable((self.name, game), ".", {})


BOTH = Playing("both", ("serpent", "wichita"))
SERPENT = Playing("snake", ("serpent",))
DOMINION = Playing("ruler", ("dominion",))
ANY = Sample("random", None)


def told(one: FoundBot, other: FoundBot, wanted: Wanted) -> str:
    with pytest.raises(BotProblem) as problem:
        plan_duel(one, other, wanted)
    return str(problem.value)


class TestTheGame:
    def test_the_one_that_both_play(self) -> None:
        assert plan_duel(BOTH, SERPENT, Wanted()).game.name == "serpent"
        assert plan_duel(ANY, SERPENT, Wanted()).game.name == "serpent"

    def test_the_one_that_is_wanted(self) -> None:
        assert plan_duel(BOTH, ANY, Wanted(game="Wichita")).game.name == "wichita"

    def test_more_than_one(self) -> None:
        assert told(BOTH, ANY, Wanted()) == "which game? Say it with --game; there are serpent, wichita"

    def test_none_in_common(self) -> None:
        expected = "these two have no game in common: snake plays serpent and ruler plays dominion"
        assert told(SERPENT, DOMINION, Wanted()) == expected

    def test_one_that_a_bot_does_not_play(self) -> None:
        assert told(BOTH, ANY, Wanted(game="dominion")) == "both does not play dominion; it plays serpent, wichita"

    def test_one_that_there_is_not(self) -> None:
        assert told(BOTH, ANY, Wanted(game="chess")).startswith("there is no game 'chess'; the games are dominion")


class TestTheTable:
    def test_the_fewest_seats_and_the_house_takes_what_is_left(self) -> None:
        duel = plan_duel(ANY, Sample("greedy", None), Wanted(game="pippip"))
        assert duel.contest.seats == 3
        assert list(duel.bots) == ["random", "greedy", "house greedy"]
        assert (duel.names, duel.fillers) == (("random", "greedy"), 1)

    def test_as_many_seats_as_wanted(self) -> None:
        duel = plan_duel(ANY, BOTH, Wanted(game="wichita", seats=5))
        assert list(duel.bots)[2:] == ["house greedy", "house greedy 2", "house greedy 3"]

    def test_so_many_cannot_play(self) -> None:
        assert "is for 2 seats, not 3" in told(SERPENT, ANY, Wanted(seats=3))

    def test_options(self) -> None:
        duel = plan_duel(ANY, BOTH, Wanted(game="wichita", options={"decks": 3}))
        assert duel.contest.options == {"decks": 3}
        assert "wichita has no option packs; it has decks" in told(
            ANY, BOTH, Wanted(game="wichita", options={"packs": 3})
        )
        assert "decks is a whole number" in told(ANY, BOTH, Wanted(game="wichita", options={"decks": "many"}))

    def test_a_bot_against_itself(self) -> None:
        assert list(plan_duel(SERPENT, SERPENT, Wanted()).bots) == ["snake", "snake (2)"]

    def test_how_processes_are_started(self) -> None:
        duel = plan_duel(SERPENT, ANY, Wanted())
        assert duel.program_of("snake/serpent/0").command == ("snake", "serpent")


class TestTheDeals:
    def test_whole_deals_from_every_seat(self) -> None:
        duel = plan_duel(ANY, SERPENT, Wanted(matches=5))
        assert duel.matches == len(list(duel.fixtures())) == 6
        assert {fixture.seating for fixture in duel.fixtures()} == {("random", "snake"), ("snake", "random")}

    def test_the_same_word_gives_the_same_deals(self) -> None:
        def seeds(word: str | None) -> list[bytes]:
            duel = plan_duel(ANY, SERPENT, Wanted(matches=4, seed=word))
            return [duel.order(fixture).header.seed for fixture in duel.fixtures()]

        assert seeds("spring") == seeds("spring") != seeds("autumn")
        assert seeds(None) != seeds(None)
        assert len(set(seeds("spring"))) == 2, "a deal is the same from every seat"

    def test_the_clock(self) -> None:
        duel = plan_duel(ANY, SERPENT, Wanted(answer_ms=250))
        assert duel.order(next(duel.fixtures())).clock.answer_ms == 250


def played(duel: Duel, fixture: Fixture, *, faulty: str = "") -> bytes:
    """A match in which everybody takes the first legal answer.

    `faulty` faults at its first question.
    """
    header = fixture.header(duel.secret)
    match = header.new_match()
    while (seat := match.to_ask) is not None:
        if header.names[seat] == faulty:
            match.fault(seat, FaultKind.TIMEOUT, "late", "too late")
        else:
            match.answer(next(match.state.legal_actions()))
    return write_record(header, match)


class TestTheScore:
    @pytest.fixture
    def duel(self) -> Duel:
        return plan_duel(SERPENT, ANY, Wanted(matches=40, seed="score"))

    def test_only_complete_deals_count(self, duel: Duel) -> None:
        sheet = Scoresheet(duel)
        assert sheet.difference() is None
        for fixture in islice(duel.fixtures(), 3):
            sheet.add(fixture, played(duel, fixture))
        assert (sheet.played, len(sheet.complete()), sum(sheet.direct())) == (3, 2, 2)
        difference = sheet.difference()
        assert difference is not None
        assert difference.deals == 1

    def test_wins_are_counted_by_who_is_above_whom(self, duel: Duel) -> None:
        sheet = Scoresheet(duel)
        for fixture in islice(duel.fixtures(), 4):
            sheet.add(fixture, played(duel, fixture, faulty="random"))
        assert sheet.direct() == (4, 0, 0)
        assert sheet.faults == {("random", "timeout"): 4}
        assert sheet.problems["random"].what.startswith("No answer in time to question 1")
        assert read_record(sheet.evidence["random"]).header.match_id == next(duel.fixtures()).match_id

    def test_a_bot_that_does_nothing_but_fault_ends_it(self, duel: Duel) -> None:
        sheet = Scoresheet(duel)
        for number, fixture in enumerate(islice(duel.fixtures(), MOST_FAULTS), 1):
            assert sheet.has_to_stop() == ""
            sheet.add(fixture, played(duel, fixture, faulty="snake"))
            assert sheet.played == number
        assert sheet.has_to_stop() == "snake"

    def test_one_that_faults_now_and_then_plays_on(self, duel: Duel) -> None:
        sheet = Scoresheet(duel)
        for number, fixture in enumerate(duel.fixtures()):
            sheet.add(fixture, played(duel, fixture, faulty="snake" if number % 2 else ""))
        assert sheet.faults["snake", "timeout"] == 20
        assert sheet.has_to_stop() == ""

    def test_one_that_never_answered(self, duel: Duel) -> None:
        sheet = Scoresheet(duel)
        sheet.stuck(Problem("what", "where", "todo"))
        assert (sheet.played, sheet.faults["snake", "timeout"]) == (1, 1)
        assert sheet.problems["snake"].todo == "todo"


def test_a_meeting_in_process_needs_classes() -> None:
    duel = plan_duel(Sample("random", None), Sample("greedy", None), Wanted(game="serpent"))
    classes = duel.bot_classes()
    assert all(issubclass(bot, Bot) for bot in classes.values())
    with pytest.raises(BotProblem, match="snake is a program of its own"):
        plan_duel(SERPENT, ANY, Wanted()).bot_classes()
