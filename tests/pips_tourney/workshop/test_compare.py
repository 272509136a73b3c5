"""A comparison plays pairs on the same deals, and ends when its test has decided."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_referee.match import FaultKind
from pips_referee.records.record import write_record
from pips_sample_bots.wichita.greedy_bot import GreedyBot
from pips_sdk.wichita import Stack, WichitaView
from pips_tourney.bots.find import find_bot
from pips_tourney.bots.found import Sample
from pips_tourney.cli.bot import main
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.ratings.sprt import expected_score
from pips_tourney.workshop.duels.compare import Comparison, PairedDeal, PlayedSeat, Unit, compare
from pips_tourney.workshop.duels.compare_report import answer, state_text, verdict_lines
from pips_tourney.workshop.duels.duel import Wanted
from pips_tourney.workshop.duels.looks import MOST_LOOKS, note_look, same_deals
from pips_tourney.workshop.duels.paired import EVERY, REPEATED, PairedDuel, again, plan_paired
from pips_tourney.workshop.duels.play import Enough
from tests.lab.compare import played as made
from tests.pips_tourney.web.nights import small_night
from tests.pips_tourney.workshop.conftest import SERPENT, Write

RANDOM, GREEDY, CAUTIOUS = (Sample(name, None) for name in ("random", "greedy", "cautious"))


@pytest.fixture(autouse=True)
def state_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def duel(deals: int = 40, game: str = "serpent", seats: int | None = None) -> PairedDuel:
    return plan_paired(GREEDY, RANDOM, Wanted(None, deals, game=game, seed="compare", seats=seats), None)


def comparison(of: PairedDuel, by: str = "results", elo1: float | None = None) -> Comparison:
    return Comparison(Unit.of(of.game, by, None, elo1), of)


def lost_by(of: PairedDuel, fixture: Fixture, loser: str) -> bytes:
    """A match that one of its bots loses by a fault; cautious does if it is none."""
    header = fixture.header(of.secret)
    match = header.new_match()
    match.fault(header.names.index(loser if loser in header.names else "cautious"), FaultKind.TIMEOUT)
    return write_record(header, match)


def played(losers: Sequence[str], order: Sequence[int] = (), elo1: float = 200) -> Comparison:
    """A comparison after matches with these losers, which ended in that order."""
    so_far = comparison(duel(), elo1=elo1)
    fixtures = [fixture for fixture in so_far.duel.fixtures() if not fixture.attempt]
    for number in order or range(len(losers)):
        record = lost_by(so_far.duel, fixtures[number], losers[number])
        so_far.note(fixtures[number], record)
        deal = int(fixtures[number].deal.name.removeprefix("deal"))
        if deal <= REPEATED and fixtures[number].seating == so_far.duel.seatings(deal)[0]:
            so_far.note(again(fixtures[number]), record)
    return so_far


class TestTheTables:
    def test_each_other_in_every_seat_and_every_fourth_deal_an_opponent(self) -> None:
        of = duel()
        assert of.seatings(1) == [("greedy", "random"), ("random", "greedy")]
        assert of.seatings(EVERY) == [
            ("greedy", "cautious"), ("random", "cautious"), ("cautious", "greedy"), ("cautious", "random"),
        ]  # fmt: skip
        assert {of.other(number) for number in range(1, 9) if number % EVERY} == {"random"}

    @pytest.mark.parametrize(("game", "seats"), [("serpent", 2), ("pippip", 4), ("wichita", 3)])
    def test_every_table_has_its_partner_with_the_same_cards_and_luck(self, game: str, seats: int) -> None:
        of = duel(EVERY, game, seats=seats)
        tables = [fixture for fixture in of.fixtures() if not fixture.attempt]
        orders = {(fixture.deal.name, fixture.seating): of.order(fixture) for fixture in tables}
        assert len({order.header.match_id for order in orders.values()}) == len(tables)
        for (deal, seating), order in orders.items():
            partner = orders[deal, of.partner(seating)]
            assert (order.header.seed, order.rng_seeds) == (partner.header.seed, partner.rng_seeds)
            assert order.header.nonce != partner.header.nonce
        assert len({order.header.seed for order in orders.values()}) == EVERY

    def test_no_process_of_a_version_sees_a_deal_twice(self) -> None:
        of = duel(EVERY, "pippip")
        seen = [
            (fixture.deal.name, process)
            for fixture in of.fixtures()
            for process in fixture.processes
            if process.startswith(("greedy/", "random/"))
        ]
        assert len(seen) == len(set(seen))

    def test_a_sample_bot_does_not_meet_itself(self) -> None:
        of = plan_paired(GREEDY, CAUTIOUS, Wanted(None, 4, game="serpent"), None)
        assert of.opponents == ()
        assert of.other(EVERY) == "cautious"


class TestTheCounting:
    def test_what_cancels_out_is_level(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Leads of 0.1, 0.2 and -0.3 are 5.6e-17 together."""
        monkeypatch.setattr("pips_tourney.workshop.duels.compare._parting", lambda *_: None)
        pairs = [(PlayedSeat(b"", lead), PlayedSeat(b"", 0.0), 0) for lead in (0.1, 0.2, -0.3)]
        assert PairedDeal.of(1, "greedy", pairs).difference == 0.0

    def test_a_deal_is_the_mean_difference_of_its_seats(self) -> None:
        won, level = played(["random", "random"]), played(["random", "greedy"])
        assert [won.deals[0].difference, level.deals[0].difference] == [0.5, 0.0]
        assert played(["greedy", "greedy"]).deals[0].difference == -0.5

    def test_against_an_opponent_it_is_what_the_old_version_did_not_get(self) -> None:
        losers = ["random", "greedy"] * 3 + ["cautious", "random", "cautious", "cautious"]
        deal = played(losers).deals[EVERY - 1]
        assert (deal.other, deal.difference, deal.level) == ("cautious", 0.5, 0.75)

    def test_a_deal_counts_after_those_before_it(self) -> None:
        losers = ["random"] * 6
        assert len(played(losers, order=[2, 3, 0]).deals) == 0
        assert len(played(losers, order=[2, 3, 0, 1]).deals) == 2

    def test_it_ends_as_soon_as_it_is_decided(self) -> None:
        with pytest.raises(Enough):
            played(["random"] * 80)

    def test_the_elo_is_that_of_the_mean_difference(self) -> None:
        so_far = played(["random"] * 3 + ["greedy", "random", "greedy"])
        mean = sum(deal.difference for deal in so_far.deals) / 3
        gain = so_far.state().gain
        assert gain is not None
        assert expected_score(gain) - 0.5 == pytest.approx(mean, abs=1e-4)


@pytest.mark.parametrize(
    ("game", "by"), [("serpent", "results"), ("wichita", "points"), ("pippip", "results"), ("dominion", "points")]
)
def test_a_version_against_itself_is_exactly_0(game: str, by: str) -> None:
    seats = 3 if game == "wichita" else None
    of = plan_paired(RANDOM, RANDOM, Wanted(None, 4, game=game, seed="self", seats=seats), None)
    so_far = comparison(of, by)
    compare(so_far, in_process=True)
    state = so_far.state()
    assert (state.deals, state.gain, state.low, state.high) == (4, 0.0, 0.0, 0.0)
    assert {deal.difference for deal in so_far.deals} == {0.0}
    assert not so_far.unlike
    assert answer(so_far) == f"alike: 0 {so_far.unit.name}, for both gave the same answers on 4 deals"


def test_better_in_a_sentence_with_the_deals_that_changed() -> None:
    told: list[int] = []
    of = duel(200)
    so_far = Comparison(Unit.of(of.game, "results", None, None), of, lambda it: told.append(len(it.deals)))
    sheet = compare(so_far, in_process=True)
    first, *lines = verdict_lines(so_far, sheet, "pips-bot compare new old")
    assert so_far.test.verdict == "better"
    assert first.startswith("better by ") and f"of {len(so_far.deals)} deals, better on" in first
    assert told[0] == 10 and state_text(so_far).startswith(f"{len(so_far.deals)} deals: +")
    assert lines[0].startswith("  against each other: +")
    changed = so_far.changed[0].number
    assert lines[-1] == f"Watch one: pips-bot compare new old --seed compare --watch {changed}"
    assert any(line.startswith(f"  deal {changed}, against ") and "They part at question" in line for line in lines)


PLANTED = """    def answer(self, view):
        return max(view.playable) if len(view.hand) == 6 else min(view.playable)
"""


def test_the_first_answer_that_differs_is_one_of_the_change(write: Write) -> None:
    """The new version differs in its first answer of a row alone: with six cards."""
    write("new.py", SERPENT + PLANTED)
    write("old.py", SERPENT + PLANTED.replace("max", "min"))
    of = plan_paired(find_bot("new.py"), find_bot("old.py"), Wanted(None, 20, seed="planted"), None)
    so_far = comparison(of)
    sheet = compare(so_far, in_process=True)
    lines = [line for line in verdict_lines(so_far, sheet, "") if line.startswith("  deal ")]
    assert lines
    for line in lines:
        assert "They part at question" in line and ": answer " in line


class Backwards(GreedyBot):
    """It names its stacks in the other order."""

    def lay(self, view: WichitaView) -> tuple[Stack, ...]:
        return super().lay(view)[::-1]


def test_answers_that_differ_in_their_form_alone_are_no_change() -> None:
    so_far = made(Backwards, GreedyBot, 4, "form")
    parted = [deal.parting for deal in so_far.deals if deal.parting is not None]
    assert parted and not so_far.changed
    assert all(parting.first() is None for parting in parted)


CLOCK = """    asked = [0]

    def answer(self, view):
        self.asked[0] += 1
        return view.playable[self.asked[0] % len(view.playable)]
"""


def test_who_goes_by_the_clock_is_told_so(write: Write) -> None:
    """Its answers depend on how often it was asked in this process."""
    write("clock.py", SERPENT + CLOCK)
    of = plan_paired(find_bot("clock.py"), GREEDY, Wanted(None, 6, seed="clock"), None)
    so_far = comparison(of)
    sheet = compare(so_far, in_process=True)
    assert sum(so_far.unlike.values()) >= REPEATED - 1
    assert any("did not answer as before" in line for line in verdict_lines(so_far, sheet, ""))


def test_the_words_fit_the_interval() -> None:
    """A comparison that is not decided says so, and what is likely, in one sentence."""
    so_far = played(["greedy"] * 3 + ["random"] + ["greedy"] * 2, elo1=10)
    assert answer(so_far).startswith("not decided: -")


class TestTheDealsLookedAt:
    def test_the_same_ones_five_times_at_most(self) -> None:
        for looks in range(1, MOST_LOOKS + 1):
            assert note_look("spring", "serpent") == looks
            assert looks == MOST_LOOKS or same_deals() == "spring"
        with pytest.raises(Exception, match="looked at 5 times"):
            same_deals()
        note_look("autumn", "serpent")
        assert same_deals() == "autumn"

    def test_each_folder_has_its_own(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        note_look("spring", "serpent")
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        with pytest.raises(Exception, match="no deals of an earlier comparison in this folder"):
            same_deals()
        assert note_look("spring", "serpent") == 2, "deals wear out, wherever they are looked at"
        assert note_look("spring", "wichita") == 1, "these are others"

    def test_there_are_none_yet(self) -> None:
        with pytest.raises(Exception, match="no deals of an earlier comparison"):
            same_deals()


class TestTheCommand:
    def run(self, status: int, *words: str) -> str:
        ended = CliRunner().invoke(main, ["compare", *words])
        assert ended.exit_code == status, ended.output
        return ended.output

    def test_to_its_end(self) -> None:
        words = ("serpent/greedy", "random", "--in-process", "--max-deals", "3", "--seed", "c")
        printed = self.run(3, *words)
        assert printed.startswith("greedy against random, and both against cautious: Serpent, 2 seats; at most 3 deals")
        assert "\nnot decided: +" in printed and "More deals may tell: --max-deals 1500\n" in printed
        assert "Watch one: pips-bot compare serpent/greedy random --in-process --seed c --watch " in printed

    def test_a_gain_that_is_only_above_the_limit_is_not_called_better(self) -> None:
        """Limits below 0 ask whether a version is not much worse."""
        bot = ("serpent/greedy", "serpent/greedy", "--in-process", "--seed", "c")
        same = self.run(0, *bot, "--elo0", "-400", "--elo1", "0")
        assert "\nbetter than -400 Elo: 0 Elo (95 %: 0 to 0)" in same
        assert "NEW and OLD are the same bot" in same

    def test_versions_alike_on_few_deals_are_not_decided(self, write: Write) -> None:
        write("new.py", SERPENT + PLANTED)
        write("old.py", SERPENT + PLANTED)
        ended = self.run(3, "new.py", "old.py", "--in-process", "--max-deals", "2", "--seed", "c")
        assert "\nnot decided: 0 Elo; same result on 2 of 2 deals" in ended

    def test_interrupted_it_says_so_to_a_program_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(Comparison, "note", interrupted)
        told = self.run(130, "serpent/greedy", "random", "--in-process", "--json")
        assert '"interrupted": true' in told

    def test_a_version_is_no_opponent_of_itself(self, tmp_path: Path) -> None:
        (tmp_path / "l.toml").write_text(
            'games = ["serpent"]\nbots = [{ name = "greedy", sample = "greedy" }, { name = "b", sample = "cautious" }]',
            encoding="utf-8",
        )
        words = ("serpent/greedy", "random", "--in-process", "--max-deals", "1", "--night")
        assert "and both against cautious:" in self.run(3, *words, str(tmp_path / "l.toml"))
        small_night(tmp_path).rename(tmp_path / "l.db")
        assert "--night takes the league's file, such as l.toml" in self.run(2, *words, str(tmp_path / "l.db"))

    def test_the_deal_that_is_watched_is_the_one_of_the_comparison(self) -> None:
        words = ("serpent/greedy", "random", "--in-process", "--max-deals", "3", "--seed", "c")
        line = next(line for line in self.run(3, *words).splitlines() if line.startswith("  deal "))
        number = line.split()[1].rstrip(",")
        shown = self.run(0, *words, "--watch", number)
        assert shown.startswith(line.strip())
        assert "seat 0: " in shown and "  | HERE " in shown
        assert self.run(0, *words[:3], "--watch", number) == shown, "without a seed the last deals of this folder"

    def test_limits_that_make_no_sense(self) -> None:
        bots = ("serpent/greedy", "random")
        assert "--elo1 must be above --elo0, and 10 is not above 20" in self.run(
            2, *bots, "--elo0", "20", "--elo1", "10"
        )
        assert "leave --elo0 and --elo1 out" in self.run(2, *bots, "--by", "points", "--elo1", "3")
        assert "leave --seed out" in self.run(2, *bots, "--same-deals", "--seed", "a")

    def test_the_same_deals_again(self) -> None:
        words = ("serpent/greedy", "random", "--in-process", "--max-deals", "2")
        first = self.run(3, *words).splitlines()
        second = self.run(3, *words, "--same-deals").splitlines()
        assert second[: len(first)] == first
        assert second[-1] == "These deals were looked at 2 times: what fits them may be worth nothing on others."
        assert self.run(3, *words).splitlines()[0] != first[0]

    def test_a_look_counts_where_deals_are_played(self) -> None:
        words = ("serpent/greedy", "random", "--in-process", "--max-deals", "2")
        self.run(3, *words, "--seed", "spring")
        self.run(2, "serpent/greedi", *words[1:], "--same-deals")
        self.run(0, *words, "--same-deals", "--watch", "1")
        assert note_look("spring", "serpent") == 2
        assert "These deals were looked at 3 times" in self.run(3, *words, "--seed", "spring")
        assert note_look("spring", "serpent") == 4

    def test_the_command_that_watches_a_deal_has_all_options_of_the_table(self) -> None:
        table = ("--game", "wichita", "--seats", "3", "--option", "decks=2")
        words = ("greedy", "random", *table, "--answer-ms", "3000", "--in-process", "--by", "points")
        line = self.run(3, *words, "--max-deals", "2", "--seed", "c").splitlines()
        again = next(shlex.split(each) for each in line if each.startswith("Watch one: "))[4:]
        assert sorted(again[:-4]) == sorted(words)
        assert self.run(0, *again)

    def test_the_bots_of_a_night_are_opponents(self, folder: Path) -> None:
        league = (
            'games = ["serpent"]\nbots = [{name = "prudent", sample = "cautious"}, {name = "far", remote = true}]\n'
        )
        (folder / "league.toml").write_text(league, encoding="utf-8")
        words = ("serpent/greedy", "random", "--in-process", "--max-deals", "4", "--night", "league.toml")
        printed = self.run(3, *words)
        assert "and both against cautious: Serpent" in printed
        assert "far is no opponent here: it plays on another machine" in printed


@pytest.mark.parametrize(
    ("words", "status", "verdict"),
    [
        (["greedy", "random"], 0, "better"),
        (["random", "greedy"], 1, "not better"),
        (["greedy", "random", "--max-deals", "2"], 3, "not decided"),
        (["greedy", "greedy", "--max-deals", "2"], 1, "not better"),
    ],
)
def test_a_program_reads_the_verdict(words: list[str], status: int, verdict: str) -> None:
    options = ["--game", "serpent", "--in-process", "--seed", "a", "--elo1", "200"]
    ended = CliRunner().invoke(main, ["compare", *words, *options, "--json"])
    told = json.loads(ended.stdout)
    page = (Path(__file__).parents[3] / "docs" / "standings.md").read_text(encoding="utf-8")
    page = page.partition("### What `pips-bot compare --json` holds")[2].partition("###")[0]
    assert sorted(told) == sorted(
        name for first in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for name in re.findall(r"`(\w+)`", first)
    )
    assert (ended.exit_code, told["verdict"]) == (status, verdict)
    assert told["limits"] == {"least": 0, "most": 200, "mistake": 0.05}
    assert told["seed"] == "a" and told["alike"] is (words[:2] == ["greedy", "greedy"])
    assert CliRunner().invoke(main, ["compare", *words, *options]).exit_code == status


def test_a_program_reads_the_result_of_a_duel() -> None:
    ended = CliRunner().invoke(
        main, ["play", "greedy", "random", "--game", "serpent", "--in-process", "-n", "20", "--seed", "b", "--json"]
    )
    told = json.loads(ended.stdout)
    assert ended.exit_code == 0
    assert (told["played"], told["won"] + told["drawn"] + told["lost"], told["faults"]) == (20, 20, {})
    assert told["low"] < told["elo"] < told["high"]
