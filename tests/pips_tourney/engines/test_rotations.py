"""Rotations of one deal are never alive together: in drawn nights and in a real one."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count, pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pips_tourney.arena.ground import KeeperProcess
from pips_tourney.arena.launcher import Launcher, Listener
from pips_tourney.bots.process_name import ProcessName
from pips_tourney.engines import match_queue
from pips_tourney.engines.match_queue import MatchQueue
from pips_tourney.league.read import read_league
from pips_tourney.night.plan.fixtures import Fixture, fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.play import crew
from pips_tourney.play.evening import RunConfig
from pips_tourney.play.runner import run_night
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import write_league

pytestmark = pytest.mark.unmeasured  # the same lines again and again
NIGHTS = 50
SHIFT_S = 10.0
GAMES = ('"serpent"', '"dominion"', '{ name = "wichita", seats = 3 }', '{ name = "pippip", seats = 4 }')


class Night:
    """A night on simulated time whose runner is ended and begun again at random.

    A bot's process begins at its first match of a shift, and lives until the shift's
    end.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.luck, self.now_s = Random(seed), 0.0
        games = self.luck.sample(GAMES, self.luck.randint(1, 3))
        bots = [f'{{ name = "{name}", sample = "random" }}' for name in "abcdef"[: self.luck.randint(4, 6)]]
        text = f"games = [{', '.join(games)}]\ndeals = {self.luck.randint(1, 2)}\nbots = [{', '.join(bots)}]"
        (folder / "night.toml").write_text(text, encoding="utf-8")
        self.schedule = list(fixtures(make_programme(read_league(folder / "night.toml"))))
        self.secret = Secret(bytes([seed] * 32))
        self.length_s = {bot: self.luck.choice((0.1, 0.5, 4.0)) for bot in "abcdef"}
        self.done: set[str] = set()
        self.shifts = self.voids = 0

    async def run(self) -> None:
        """Play until nothing is left or the runner is ended."""
        late = {fixture.match_id for fixture in self.schedule if "a" in fixture.seating and self.luck.random() < 0.5}
        queue = MatchQueue(
            iter(self.schedule), self.done.intersection, self.secret, shift_s=SHIFT_S, clock=lambda: self.now_s
        )
        queue.is_away = lambda fixture: fixture.match_id in late
        for shift in count():
            if not await queue.begin(shift):
                return
            self.play_shift(queue, self.luck.randint(1, 3))
            late.clear()
            self.shifts += 1
            if self.luck.random() < 0.1:
                queue.finish()
            if self.luck.random() < 0.05:
                return  # killed

    def play_shift(self, queue: MatchQueue, arenas: int) -> None:
        """Play one shift; look at its living processes whenever one begins."""
        tables = [arena for arena in range(arenas) for _ in range(4)]
        under_way: list[tuple[float, int, int, Fixture]] = []
        alive: dict[tuple[str, str], int] = {}
        rotations: dict[str, int] = {}
        for number in count():
            for arena in tables[:]:
                if (fixture := queue.take(arena)) is None:
                    continue
                tables.remove(arena)
                lasts_s = self.length_s[fixture.seating[0]] * (1 + self.luck.random())
                heappush(under_way, (self.now_s + lasts_s, len(self.done) + number, id(fixture), fixture))
                assert rotations.setdefault(fixture.block, fixture.rotation) == fixture.rotation, "of one deal"
                for bot in fixture.seating:
                    before = alive.setdefault((bot, fixture.contest.label), fixture.rotation)
                    assert before == fixture.rotation, "a process of another rotation lives"
            if not under_way:
                return
            self.now_s, _, _, fixture = heappop(under_way)
            tables.append(self.luck.randrange(arenas))
            if self.luck.random() < 0.05:
                self.voids += 1
                queue.put_back(fixture)
                continue
            self.done.add(fixture.match_id)
            queue.played(fixture, {"a"}.intersection(fixture.seating) if self.luck.random() < 0.1 else ())
            queue.are_stored([fixture.match_id])


async def test_in_fifty_nights_no_two_rotations_of_a_deal_are_alive_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With voids, bots that are away, runners that are killed, and games of 2 to 4."""
    monkeypatch.setattr(match_queue, "WINDOW", 24)
    seats, shifts, voids = set[int](), 0, 0
    for seed in range(NIGHTS):
        night = Night(tmp_path, seed)
        while len(night.done) < len(night.schedule):
            await night.run()
        shifts, voids = shifts + night.shifts, voids + night.voids
        seats |= {len(fixture.seating) for fixture in night.schedule}
    assert seats == {2, 3, 4} and shifts > 3 * NIGHTS and voids > NIGHTS


class Quiet:
    """Watches a night and says nothing."""

    def begins(self, announcement: object) -> None: ...
    def stored(self, rows: object) -> None: ...
    def ends(self) -> None: ...
    def told(self, line: str) -> None: ...


def test_in_a_real_night_no_process_begins_while_one_of_another_rotation_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By what all keepers are told to start, and say has ended."""
    alive: set[tuple[Launcher, str]] = set()
    together: list[set[str]] = []
    begin, start = Launcher.begin, Launcher.start

    def begin_traced(keeper: KeeperProcess, on_event: Listener, on_lost: Any) -> Launcher:
        def hear(event: dict[str, Any]) -> None:
            if event["event"] == "ended":
                alive.discard((launcher, event["name"]))
            on_event(event)

        launcher = begin(keeper, hear, on_lost)
        return launcher

    def start_traced(launcher: Launcher, name: str, *words: Any, **more: Any) -> None:
        alive.add((launcher, name))
        together.append({ProcessName.parse(name).turn for _, name in alive})
        start(launcher, name, *words, **more)

    monkeypatch.setattr(Launcher, "begin", staticmethod(begin_traced))
    monkeypatch.setattr(Launcher, "start", start_traced)
    monkeypatch.setattr(crew, "SHIFT_S", 0.02)
    league = write_league(tmp_path, "ada", "bo", deals=7, more="tables = 1")
    outcome = run_night(RunConfig(league, tmp_path / "night.db", arenas=2), Quiet())
    assert outcome.standings.complete and not alive
    turns = [rotations.copy().pop() for rotations in together if len(rotations) == 1]
    assert len(turns) == len(together), together
    assert sum(one != other for one, other in pairwise(turns)) >= 1, "of both rotations"
