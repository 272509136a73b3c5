"""Schedules that depend on results.

Matches are the same to the byte, whoever plays them in whatever order.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from pips_referee.records.record import Header
from pips_tourney.cli.tourney import main
from pips_tourney.engines import Engine, EngineError, Job, PlayedMatch
from pips_tourney.engines.doubts import Doubts
from pips_tourney.engines.match_queue import MOST_VOIDS
from pips_tourney.league.read import read_league
from pips_tourney.night.log.store import read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.night.plan.live_schedule import LiveSchedule
from pips_tourney.night.plan.stages import PlayedRound
from pips_tourney.night.proof.verify import verify_night
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import as_json
from pips_tourney.play import crew as crew_module
from pips_tourney.play.evening import NightOutcome, RunConfig
from pips_tourney.play.runner import run_night
from pips_tourney.reports.exports import SCHEMA
from pips_tourney.reports.tables import round_lines, to_json
from pips_tourney.schedule.rounds import Round
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import play, write_league
from tests.pips_tourney.play.test_runner import Watching

BOTS = ("ann", "bob", "dan", "fay", "ivy")
"""Bots later in the alphabet crash more often when they are asked first."""


@dataclass
class Arenas:
    """This many arenas side by side, each with three tables.

    Matches end in an order of their own, and some go void.
    """

    arenas: int
    seed: int = 1
    most: int | None = None
    voids: float = 0.03
    played: int = 0
    held: tuple[int, int] = (0, 0)
    """(n, m): the nth match to begin ends only when m matches have ended."""

    async def play(self, job: Job) -> None:
        self._rng, self._begun = Random(self.seed), 0
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(3 * self.arenas):
                    group.create_task(self._work(job))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None

    async def _work(self, job: Job) -> None:
        shift = 0
        while await job.queue.begin(shift):
            if (fixture := job.queue.take()) is None:
                shift += not await job.queue.more()
                continue
            self._begun += 1
            held_until = self.held[1] if self._begun == self.held[0] else 0
            for _ in range(self._rng.randrange(12)):
                await asyncio.sleep(0)
            while self.played < held_until:  # noqa: ASYNC110 - a count is no event
                await asyncio.sleep(0)
            if self._rng.random() < self.voids:
                job.results(fixture, PlayedMatch(void="the machine sneezed"))
                continue
            if self.most is not None and self.played >= self.most:
                raise EngineError("the engine was told to stop")
            self.played += 1
            order = job.order(fixture)
            record = rigged(Header.read(order.header), bytes(order.rng_seeds[0]))
            job.results(fixture, PlayedMatch(record))


def rigged(header: Header, seed: bytes) -> bytes:
    clumsy = (ord(header.names[0][0]) - ord("a")) / 8
    return play(header, seed, 1 if Random(seed).random() < clumsy else None)


class Hall:
    """A folder with a league that is played as often as a test wants."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self._monkeypatch = folder, monkeypatch
        self.watching = Watching()
        (folder / "secret").write_text("5a" * 32, encoding="ascii")

    def league(self, more: str, *bots: str, deals: int | None = 2) -> Path:
        path = write_league(self.folder, *(bots or BOTS), deals=deals or 0, more=more)
        if deals is None:
            path.write_text(path.read_text(encoding="utf-8").replace("deals = { count = 0 }", ""), encoding="utf-8")
        return path

    def play(self, engine: Engine, name: str = "night.db", *, go_on: bool = False) -> NightOutcome:
        self._monkeypatch.setattr(crew_module, "make_engine", lambda *_: engine)
        self._monkeypatch.setattr("pips_tourney.play.ledger.GROUP_S", 0.01)
        config = RunConfig(self.folder / "night.toml", self.folder / name, None, self.folder / "secret", False, go_on)
        return run_night(config, self.watching)


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hall:
    return Hall(tmp_path, monkeypatch)


def json_of(evening: NightOutcome) -> str:
    return to_json(evening.standings, timings=False)


SETTLED = 'stop = { name = "settled", confidence = 0.6, max_deals = 20 }'
LEAGUES = {
    "round-robin with a withdrawal": ("max_faults = 9", 6),
    "gauntlet": ('schedule = { name = "gauntlet", hero = "dan" }\nmax_tables = 3', 4),
    "swiss with a withdrawal": ('schedule = { name = "swiss", rounds = 4 }\nmax_faults = 3', 2),
    "knockout": ('schedule = "knockout"', 3),
    "final with a withdrawal": ('final = { name = "knockout", bots = 4, deals = 2 }\nmax_faults = 9', 3),
    "settled": (SETTLED, None),
    "settled and ordered by points, with a final": (
        f'{SETTLED}\nrate = "points"\nfinal = {{ name = "knockout", bots = 4, deals = 2 }}',
        None,
    ),
    "settled with a withdrawal and a final": (
        f'{SETTLED}\nmax_faults = 12\nfinal = {{ name = "knockout", deals = 2 }}',
        None,
    ),
}


@pytest.mark.unmeasured
@pytest.mark.parametrize("which", LEAGUES)
def test_order_pieces_and_arenas_make_no_difference(hall: Hall, which: str) -> None:
    more, deals = LEAGUES[which]
    bots = ("ann", "dan", "ivy") if "settled" in which else BOTS
    hall.league(more, *bots, deals=deals)
    whole = hall.play(Arenas(1), "whole.db")
    assert whole.standings.complete
    assert json_of(hall.play(Arenas(4, seed=4), "4.db")) == json_of(whole)
    for piece in range(2):
        with pytest.raises(EngineError):
            hall.play(Arenas(2, seed=piece, most=whole.played_now // 6))
    last = hall.play(Arenas(3, seed=9))
    assert (json_of(last), last.digest) == (json_of(whole), whole.digest)
    assert ("withdrawn" in json_of(whole)) == ("withdrawal" in which)
    jsonschema.validate(as_json(whole.standings), json.loads(SCHEMA.read_text(encoding="utf-8")))
    with read_store(hall.folder / "4.db") as store:
        assert verify_night(store).problems == ()


def table_of(evening: NightOutcome, number: int = 0) -> dict[str, Any]:
    table: dict[str, Any] = as_json(evening.standings)["tables"][number]
    return table


def met(table: dict[str, Any]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(seat["bot"] for seat in seats) for part in table["rounds"] for seats in part["tables"])


def test_a_swiss_tournament_meets_equals_and_nobody_twice(hall: Hall) -> None:
    hall.league('schedule = "swiss"', *BOTS, "joe", deals=4)
    table = table_of(hall.play(Arenas(1)))
    assert len(table["rounds"]) == 3
    assert max(met(table).values()) == 1
    assert table["counted"] == 3 * 3 * 4 * 2
    first = {seat["bot"]: seat["points"] for seats in table["rounds"][0]["tables"] for seat in seats}
    rounds = [[tuple(sorted(seat["bot"] for seat in seats)) for seats in part["tables"]] for part in table["rounds"]]
    # Of all rounds in which nobody meets again, none brings bots closer together.
    orders = permutations(sorted(first))
    every = {tuple(sorted(tuple(sorted(order[at : at + 2])) for at in (0, 2, 4))) for order in orders}
    apart = [sum((first[a] - first[b]) ** 2 for a, b in pairs) for pairs in every if not set(pairs) & set(rounds[0])]
    assert sum((first[a] - first[b]) ** 2 for a, b in rounds[1]) == pytest.approx(min(apart))


def test_a_knockout_goes_on_to_one_winner(hall: Hall) -> None:
    hall.league('schedule = "knockout"', deals=4)
    table = table_of(hall.play(Arenas(2)))
    rounds = table["rounds"]
    assert [len(part["tables"]) for part in rounds] == [1, 2, 1]
    assert len(rounds[0]["byes"]) == 3
    assert [len(part["through"]) for part in rounds] == [4, 2, 1]
    for before, after in pairwise(rounds):
        assert sorted(before["through"]) == sorted(seat["bot"] for seats in after["tables"] for seat in seats)
    heard = [line for line in hall.watching.lines if "round 1" in line]
    assert len(heard) == 1 and heard[0].startswith("serpent: round 1: ") and " sat it out" in heard[0]


def test_the_seeds_of_a_knockout_are_drawn_from_the_secret(hall: Hall) -> None:
    hall.league('schedule = "knockout"', deals=1)
    drawn, decided = set(), set[str]()
    for digit in "0123":
        (hall.folder / "secret").write_text(digit * 64, encoding="ascii")
        rounds = table_of(hall.play(Arenas(1), f"{digit}.db"))["rounds"]
        drawn.add(tuple(rounds[0]["byes"]))
        for played in rounds:
            points = [{seat["bot"]: seat["points"] for seat in table} for table in played["tables"]]
            on = played["through"]
            level = {
                bot
                for table in points
                for bot in on
                if table.get(bot) in [table[out] for out in table if out not in on]
            }
            assert {*played.get("by_seed", ())} == level
            decided |= level
    assert len(drawn) > 1 and decided


def test_a_round_says_for_whom_the_seed_decided() -> None:
    played = PlayedRound(Round((("b", "x"),), (), (1,)), {"x": 0.5, "b": 0.5}, ("x",), ("x",))
    assert round_lines(played) == ["b 50 %-x 50 %; x wins; the seed decided for x"]


@pytest.mark.unmeasured
def test_the_lots_of_a_swiss_tournament_are_drawn_from_the_secret(hall: Hall) -> None:
    hall.league('schedule = { name = "swiss", rounds = 2 }', deals=1)
    drawn = set()
    for digit in "01234567":
        (hall.folder / "secret").write_text(digit * 64, encoding="ascii")
        rounds = table_of(hall.play(Arenas(1), f"{digit}.db"))["rounds"]
        drawn.add((tuple(rounds[0]["byes"]), *(tuple(s["bot"] for s in table) for table in rounds[0]["tables"])))
        assert not set(rounds[0]["byes"]) & set(rounds[1]["byes"])
    assert len({bye for bye, *_ in drawn}) > 2 and len(drawn) > 4


def test_a_final_is_a_table_of_its_own_seeded_by_the_standings(hall: Hall) -> None:
    hall.league('final = { name = "knockout", bots = 4, deals = 2 }', deals=4)
    evening = hall.play(Arenas(2))
    league, final = table_of(evening), table_of(evening, 1)
    assert (league["label"], final["label"]) == ("serpent", "serpent, final")
    assert league["counted"] == 10 * 4 * 2
    assert final["counted"] == 3 * 2 * 2
    best = [row["bot"] for row in league["rows"]]
    assert set(met(final)) > {tuple(sorted((best[0], best[3]))), tuple(sorted((best[1], best[2])))}


def test_a_night_that_is_settled_stops_and_does_not_count_what_was_played_beyond(hall: Hall) -> None:
    hall.league('stop = { name = "settled", confidence = 0.8, max_deals = 160 }', "ann", "ivy", deals=None)
    evening = hall.play(Arenas(4, voids=0.0, held=(35, 50)))
    table = table_of(evening)
    assert table["stop"]["settled"]
    counted = 2 * table["stop"]["deals"]
    assert table["scheduled"] == table["counted"] == counted < 320
    beyond = evening.standings.tables[0].beyond
    assert (0 < beyond <= counted) and evening.played_now == counted
    with read_store(hall.folder / "night.db") as store:
        assert len(list(store.ids())) == counted + beyond
    said = CliRunner().invoke(main, ["verify", str(hall.folder / "night.db")]).stdout
    assert said.startswith(f"{counted + beyond} results verified, {counted} of them count in the standings; the night")
    idle = Arenas(4)
    again = hall.play(idle)
    assert (idle.played, json_of(again)) == (0, json_of(evening))
    assert [line for line in hall.watching.lines if "settled" in line] == [
        f"serpent: settled after {counted // 2} deals of every combination"
    ]


def test_a_night_that_is_not_settled_ends_not_decided(hall: Hall) -> None:
    hall.league('stop = { name = "settled", max_deals = 15 }', "ann", "abe", deals=None)
    table = table_of(hall.play(Arenas(1)))
    assert table["scheduled"] == 30
    stop = table["stop"]
    assert (stop["deals"], stop["settled"], stop["last"]) == (15, False, True)
    assert [(pair["decided"], pair["deals_needed"]) for pair in stop["pairs"]] == [(False, None)]


def test_a_match_that_is_void_for_good_leaves_the_round_open(hall: Hall) -> None:
    hall.league('schedule = "swiss"', "ann", "bob", deals=1)
    evening = hall.play(Arenas(1, voids=1.0))
    assert not evening.standings.complete
    assert evening.exit_code == 1
    with read_store(hall.folder / "night.db") as store:
        assert len(store.log("void")) == 2 * MOST_VOIDS
        assert standings(last_night(store)).tables[0].rounds[0].points is None
    assert hall.play(Arenas(1)).standings.complete


def test_a_withdrawn_bot_is_not_paired_again(hall: Hall) -> None:
    """In several nights: whose luck withdraws a bot follows from the bots' files."""
    hall.league('schedule = { name = "swiss", rounds = 4 }\nmax_faults = 1', deals=2)
    were_early = []
    for digit in "0123":
        (hall.folder / "secret").write_text(digit * 64, encoding="ascii")
        rounds = table_of(hall.play(Arenas(2), f"{digit}.db"))["rounds"]
        there = [{*part["byes"], *(seat["bot"] for seats in part["tables"] for seat in seats)} for part in rounds]
        with read_store(hall.folder / f"{digit}.db") as store:
            night = last_night(store)
            course = night.course(folding=True)
            deal_of = {step.fixture.block: step.fixture.deal for step in night.walk(course)}
        deals = list(night.programme.deals)
        left = {bot: deals.index(deal_of[out.block]) // 2 for bot, out in course.withdrawals.out.items()}
        were_early += [number < len(rounds) - 1 for number in left.values()]
        for number, bots in enumerate(there):
            assert bots == {bot for bot in BOTS if number <= left.get(bot, number)}
    assert any(were_early)


def test_a_session_knows_who_played_well_in_earlier_ones(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    hall.league("max_faults = 3", deals=2)
    with pytest.raises(EngineError, match="told to stop"):
        hall.play(Arenas(1, most=10))
    known: list[tuple[str, ...]] = []
    monkeypatch.setattr(Doubts, "know", lambda _, seating, faulted: known.append((*seating, *faulted)))
    with pytest.raises(EngineError, match="told to stop"):
        hall.play(Arenas(1, most=0), go_on=True)
    assert len(known) == 10 and {len(each) for each in known} <= {2, 3, 4}


def test_a_house_bot_plays_along_in_a_settled_night_and_need_not_be_placed(hall: Hall) -> None:
    league = hall.league(f'{SETTLED}\nfill = "random"', "ann", deals=None)
    assert len(make_programme(read_league(league)).entrants) == 2
    table = table_of(hall.play(Arenas(1)))
    assert table["stop"]["settled"] and table["stop"]["pairs"] == []
    assert table["rows"][0]["elo"] == 1500


@pytest.mark.parametrize(
    ("more", "deals", "matches"),
    [
        ('schedule = { name = "swiss", rounds = 3 }', 2, 3 * 2 * 2 * 2),
        ('schedule = "knockout"', 2, 4 * 2 * 2),
        ('final = { name = "knockout", bots = 4, deals = 5 }', 2, 10 * 2 * 2 + 3 * 5 * 2),
        ('schedule = { name = "gauntlet", hero = "ann" }', 3, 4 * 3 * 2),
        ('stop = { name = "settled", max_deals = 30 }', None, 10 * 30 * 2),
    ],
)
def test_how_many_matches_there_will_be_at_most(hall: Hall, more: str, deals: int | None, matches: int) -> None:
    programme = make_programme(read_league(hall.league(more, deals=deals)))
    course = LiveSchedule(programme, Secret(b""), rehearsal=True)
    items = [item for contest in programme.contests for item in course.items(contest)]
    assert sum(isinstance(item, Fixture) for item in items) == matches


def test_too_many_combinations_are_a_balanced_choice(hall: Hall) -> None:
    hall.league("max_tables = 5", deals=1)
    night = hall.play(Arenas(1))
    rows = table_of(night)["rows"]
    assert [row["matches"] for row in rows] == [4] * 5
    assert len(list(combinations(BOTS, 2))) > 5
    assert any("5 of 10 combinations" in line for line in hall.watching.announced[0].notes)
