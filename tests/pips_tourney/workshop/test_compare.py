"""A comparison ends when its test has decided.

It sees whole deals in their order, and reports its state.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from click.testing import CliRunner

from pips_referee.match import FaultKind
from pips_referee.records.record import write_record
from pips_tourney.bots.found import Sample
from pips_tourney.cli.bot import main
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.ratings.sprt import Sprt, SprtState
from pips_tourney.workshop.compare import Comparison, compare, state_text, verdict_lines
from pips_tourney.workshop.duel import Duel, Scoresheet, Wanted, plan_duel
from pips_tourney.workshop.play import Enough

RANDOM, GREEDY = Sample("random", None), Sample("greedy", None)


def duel(deals: int = 40) -> Duel:
    return plan_duel(GREEDY, RANDOM, Wanted(None, deals, game="serpent", seed="compare"))


def won_by(duel: Duel, fixture: Fixture, winner: str) -> bytes:
    """A match that the other loses by a fault."""
    header = fixture.header(duel.secret)
    match = header.new_match()
    match.fault(1 - header.names.index(winner), FaultKind.TIMEOUT)
    return write_record(header, match)


def played(winners: Sequence[str], order: Sequence[int] = (), elo1: float = 200) -> tuple[Comparison, list[SprtState]]:
    """A comparison after matches with these winners, which ended in that order."""
    told: list[SprtState] = []
    comparison = Comparison(duel(), Sprt(lead1=elo1), told.append)
    fixtures = list(comparison.duel.fixtures())
    for number in order or range(len(winners)):
        comparison.note(fixtures[number], won_by(comparison.duel, fixtures[number], winners[number]))
    return comparison, told


def test_the_test_sees_the_mean_of_each_deal() -> None:
    comparison, _ = played(["greedy", "greedy", "greedy", "random", "random", "random"])
    assert (comparison.state.deals, comparison.state.score) == (3, 0.5)
    assert comparison.state == played(["random", "random", "greedy", "random", "greedy", "greedy"])[0].state


def test_a_deal_counts_after_those_before_it() -> None:
    winners = ["greedy"] * 6
    assert played(winners, order=[2, 3, 0])[0].state.deals == 0
    assert played(winners, order=[2, 3, 0, 1])[0].state.deals == 2


def test_it_ends_as_soon_as_it_is_decided() -> None:
    with pytest.raises(Enough):
        played(["greedy"] * 80)


def test_how_it_stands_is_told_at_ten_twenty_forty_deals() -> None:
    _, told = played(["greedy", "greedy", "random", "random"] * 20, elo1=20)
    assert [state.deals for state in told] == [10, 20, 40]


def test_accepted() -> None:
    told: list[SprtState] = []
    test = Sprt(lead1=100)
    state, sheet = compare(duel(200), test, told.append, in_process=True)
    assert state.verdict == "accepted"
    assert 2 * state.deals <= sheet.played < 400
    first, second = verdict_lines(state, test, sheet)
    assert first == state_text(state, test)
    assert second == "accepted: greedy is better than random (100 Elo fit the results better than 0)"


def test_rejected_and_not_decided() -> None:
    test = Sprt(lead1=100)
    sheet = Scoresheet(duel())
    rejected = SprtState(30, 0.25, -191.0, -240.0, -145.0, -3.0, -2.94, 2.94, "rejected")
    assert list(verdict_lines(rejected, test, sheet)) == [
        "30 deals: 25.0 %, -191 Elo (-240 to -145), log-likelihood ratio -3.00 between -2.94 and +2.94",
        "rejected: greedy is not better than random (0 Elo fit the results better than 100)",
    ]
    undecided = SprtState(1, 1.0, None, None, None, 0.1, -2.94, 2.94, "not decided")
    assert list(verdict_lines(undecided, test, sheet)) == [
        "1 deal: 100.0 %, log-likelihood ratio +0.10 between -2.94 and +2.94",
        "not decided after 1 deal",
    ]
    assert "(-10 to ?)" in state_text(SprtState(9, 0.9, 380.0, -10.0, None, 0.1, -2.94, 2.94, "not decided"), test)


def test_bots_that_answer_alike_are_told_so() -> None:
    twins = plan_duel(GREEDY, GREEDY, Wanted(None, 10, game="serpent", seed="compare"))
    state, sheet = compare(twins, Sprt(), lambda _: None, in_process=True)
    level = "every deal ended level: greedy and greedy (2) may well answer alike"
    assert level in list(verdict_lines(state, Sprt(), sheet))
    assert "+0 Elo (+0 to +0)" in state_text(state, Sprt())


class TestByPoints:
    def test_the_test_sees_the_mean_lead_of_each_deal(self) -> None:
        """A match lost by a fault is lost by one scale, which is 20 points here."""
        comparison = Comparison(duel(), Sprt(0, 10, cap=60), lambda _: None)
        for fixture, winner in zip(comparison.duel.fixtures(), ["greedy", "random", "greedy", "greedy"], strict=False):
            comparison.note(fixture, won_by(comparison.duel, fixture, winner))
        assert comparison.state.deals == 2
        assert comparison.state.lead == pytest.approx(10)

    def test_accepted(self) -> None:
        told: list[SprtState] = []
        test = Sprt(0, 20, cap=60)
        state, sheet = compare(duel(200), test, told.append, in_process=True)
        assert state.low is not None and state.lead is not None and state.high is not None
        assert 0 < state.low < state.lead < state.high
        first, second = verdict_lines(state, test, sheet)
        assert first == state_text(state, test)
        assert f"{state.lead:+.2f} points a match ({state.low:+.2f} to {state.high:+.2f})" in first
        assert second == "accepted: greedy is better than random (20 points a match fit the results better than 0)"

    def test_few_deals_have_no_interval(self) -> None:
        assert "points a match, log" in state_text(Sprt(0, 1, cap=60).add(5), Sprt(0, 1, cap=60))


class TestTheCommand:
    def run(self, status: int, *words: str) -> str:
        ended = CliRunner().invoke(main, ["compare", *words])
        assert ended.exit_code == status, ended.output
        return ended.output

    def test_to_its_end(self) -> None:
        words = ("serpent/greedy", "random", "--in-process", "--max-deals", "3", "--seed", "c")
        printed = self.run(3, *words)
        assert printed.startswith("greedy against random: Serpent, 2 seats; at most 6 matches = 3 deals")
        assert printed.endswith("\nnot decided after 3 deals\n")

    def test_limits_that_make_no_sense(self) -> None:
        assert "a comparison needs elo0 < elo1" in self.run(
            2, "serpent/greedy", "random", "--elo0", "20", "--elo1", "10"
        )

    def test_by_points(self) -> None:
        words = ("serpent/greedy", "random", "--in-process", "--max-deals", "3", "--seed", "c", "--by", "points")
        printed = self.run(3, *words)
        assert "\n3 deals: " in printed and " points a match (" in printed
        assert printed.endswith("\nnot decided after 3 deals\n")

    def test_limits_of_the_other_kind_are_refused(self) -> None:
        bots = ("serpent/greedy", "random")
        assert "leave --elo0 and --elo1 out" in self.run(2, *bots, "--by", "points", "--elo1", "3")


@pytest.mark.parametrize(
    ("words", "status", "verdict"),
    [
        (["greedy", "random"], 0, "accepted"),
        (["random", "greedy"], 1, "rejected"),
        (["greedy", "greedy", "--max-deals", "2"], 3, "not decided"),
    ],
)
def test_a_program_reads_the_verdict(words: list[str], status: int, verdict: str) -> None:
    options = ["--game", "serpent", "--in-process", "--seed", "a", "--elo1", "200"]
    ended = CliRunner().invoke(main, ["compare", *words, *options, "--json"])
    told = json.loads(ended.stdout)
    assert (ended.exit_code, told["verdict"]) == (status, verdict)
    assert told["limits"] == {"lead0": 0, "lead1": 200, "alpha": 0.05, "beta": 0.05}
    assert told["deals"] == told["complete_deals"] and told["seed"] == "a"
    assert CliRunner().invoke(main, ["compare", *words, *options]).exit_code == status


def test_a_program_reads_the_result_of_a_duel() -> None:
    ended = CliRunner().invoke(
        main, ["play", "greedy", "random", "--game", "serpent", "--in-process", "-n", "20", "--seed", "b", "--json"]
    )
    told = json.loads(ended.stdout)
    assert ended.exit_code == 0
    assert (told["played"], told["won"] + told["drawn"] + told["lost"], told["faults"]) == (20, 20, {})
    assert told["low"] < told["elo"] < told["high"]
