"""What a new version changes is told on the deals of a night that is over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from random import Random

import pytest

from pips_sample_bots.wichita.cautious_bot import CautiousBot
from pips_sample_bots.wichita.greedy_bot import GreedyBot
from pips_sdk import Bot
from pips_sdk.wichita import Stack, WichitaView
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.director import office
from pips_tourney.night.log.kinds import ENDED
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import open_store
from pips_tourney.night.night import last_night
from pips_tourney.night.plan.decisions import BY_AUTHOR
from pips_tourney.night.plan.fixtures import fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.place.child import changed
from pips_tourney.play.changed import STEADY, Order, Replay, deals_of, what_changed
from pips_tourney.workshop.duels.in_process import play_order
from tests.pips_tourney.analysis.matches import PLANTED
from tests.pips_tourney.web.nights import SECRET

BOT = "from pips_sample_bots.wichita.greedy_bot import GreedyBot\nfrom pips_sdk import run\n\nrun(GreedyBot)\n"
Hoarder = PLANTED["wichita"]


class Moody(GreedyBot):
    """It has luck of its own."""

    luck = Random(1)

    def lay(self, view: WichitaView) -> tuple[Stack, ...]:
        return super().lay(view) if self.luck.random() < 0.5 else ()


class Failing(GreedyBot):
    """It fails at once."""

    def lay(self, view: WichitaView) -> tuple[Stack, ...]:
        raise ValueError("no idea")


@dataclass
class Played:
    """A night of three bots, and all that was played since."""

    database: Path
    classes: dict[str, type[Bot]]
    orders: list[Order] = field(default_factory=list)

    async def play(self, order: Order) -> bytes:
        self.orders.append(order)
        return play_order(order, self.classes.__getitem__, lambda *_: None)[0]


def night(folder: Path, old: type[Bot], bots: Mapping[str, type[Bot]] | None = None, deals: int = 6) -> Played:
    """A night in which `old` plays as ada."""
    (folder / "ada").mkdir()
    (folder / "ada" / "bot.py").write_text(BOT, encoding="utf-8")
    league = folder / "class.toml"
    league.write_text(
        f'games = [{{ name = "wichita", seats = 2 }}]\ndeals = {deals}\nbots = [{{ path = "ada", name = "ada" }}, '
        '{ name = "bo", sample = "greedy" }, { name = "cy", sample = "cautious" }]\n',
        encoding="utf-8",
    )
    played = Played(folder / "class.db", {"ada": old, "bo": GreedyBot, "cy": CautiousBot})
    programme = make_programme(read_league(league))
    with open_store(played.database) as store:
        begin(store, programme, SECRET)
        orders = [fixture.order(SECRET, programme.clock) for fixture in fixtures(programme)]
        store.append(ENDED, {"secret": SECRET.key.hex(), "digest": "", "standings_sha256": ""})
        store.add([row_of(play_order(each, played.classes.__getitem__, lambda *_: None)[0]) for each in orders])
    played.classes |= bots or {}
    return played


async def replayed(played: Played, new: type[Bot], until: float = inf) -> Replay:
    played.classes["ada v2"] = new
    with open_store(played.database) as store:
        last = last_night(store)
        (contest,) = last.programme.contests
        replay = Replay(last, "ada", "ada v2")
        await replay.play(deals_of(last, "ada", contest, {}), played.play, 4, until)
    return replay


def said(replay: Replay) -> str:
    (contest,) = replay.night.programme.contests
    return "\n".join(replay.lines(contest))


async def test_a_mended_mistake_is_told_beside_the_results_of_the_night(tmp_path: Path) -> None:
    played = night(tmp_path, Hoarder)
    replay = await replayed(played, GreedyBot)
    assert len(replay.differences.deals) == 12 and replay.steady
    assert len(played.orders) == STEADY + 24, "what the old version played counts"
    assert "12 deals" in said(replay) and "It met 2 of the bots" in said(replay)
    [first, *_] = replay.parted()
    assert first["line"].startswith("against ") and "They part at question" in first["line"]
    assert "ada v2 (you)" in first["replay"]


async def test_the_same_cards_and_luck_and_the_same_answers_are_exactly_0(tmp_path: Path) -> None:
    replay = await replayed(night(tmp_path, GreedyBot), GreedyBot)
    assert "alike: 0 Elo, for both gave the same answers on 12 deals" in said(replay)
    assert list(replay.parted()) == []


@pytest.mark.parametrize("moody", ["ada", "bo"])
async def test_who_does_not_answer_as_before_plays_now(tmp_path: Path, moody: str) -> None:
    played = night(tmp_path, GreedyBot, {moody: Moody})
    replay = await replayed(played, GreedyBot)
    assert not replay.steady and "so both play now" in said(replay)
    assert len(played.orders) == STEADY + 2 * 24


async def test_a_deal_in_which_an_opponent_fails_tells_nothing(tmp_path: Path) -> None:
    replay = await replayed(night(tmp_path, GreedyBot, {"bo": Failing}), Hoarder)
    assert {deal.other for deal in replay.differences.deals} == {"cy"}


async def test_a_new_version_that_fails_is_worse(tmp_path: Path) -> None:
    replay = await replayed(night(tmp_path, GreedyBot), Failing)
    assert "worse" in said(replay) and "ada v2: a fault" in next(replay.parted())["line"]


async def test_no_deal_begins_when_the_time_is_over(tmp_path: Path) -> None:
    replay = await replayed(night(tmp_path, GreedyBot), GreedyBot, until=0)
    assert said(replay) == "wichita: no deal could be played again."


def test_without_a_version_of_that_night_nothing_is_said(tmp_path: Path) -> None:
    database = night(tmp_path, GreedyBot, deals=1).database
    for new, earlier in (("zed v2", ["zed"]), ("ada", ["bo"])):
        assert what_changed(database, tmp_path / "class.toml", database, tmp_path / "ada", new, *earlier) == {}


def test_of_a_night_that_is_played_nothing_is_said(tmp_path: Path) -> None:
    database = night(tmp_path, GreedyBot, deals=1).database
    with open_store(database) as store, office(database) as at:
        at.withdraw("bo", "it was tired", from_start=False)
        assert not last_night(store).is_ended()
    assert what_changed(database, tmp_path / "class.toml", database, tmp_path / "ada", "ada v2", "ada") == {}


def test_a_version_whose_files_have_changed_is_not_played_again(tmp_path: Path) -> None:
    database = night(tmp_path, GreedyBot, deals=1).database
    (tmp_path / "ada" / "bot.py").write_text(f"{BOT}# later\n", encoding="utf-8")
    found = what_changed(database, tmp_path / "class.toml", database, tmp_path / "ada", "ada v3", "ada v2", "ada")
    assert found["lines"] == ["ada is not played again: it is not here as it was in the night."]


def test_who_was_withdrawn_since_does_not_play(tmp_path: Path) -> None:
    database, later = night(tmp_path, GreedyBot, deals=1).database, tmp_path / "later"
    later.mkdir()
    running = night(later, GreedyBot, deals=1).database
    with office(running) as at:
        at.withdraw("bo", BY_AUTHOR, from_start=False)
    found = what_changed(database, tmp_path / "class.toml", running, tmp_path / "ada", "ada v2", "ada")
    assert "It met 1 of the bots" in found["lines"][1] and found["lines"][2] == f"Without bo: {BY_AUTHOR}."


def test_a_process_of_the_place_plays_and_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = night(tmp_path, GreedyBot, deals=1).database
    words = [database, tmp_path / "class.toml", database, tmp_path / "ada", "ada v2", "ada"]
    assert changed(*map(str, words)) == 0
    found = json.loads(capsys.readouterr().out)["changed"]
    assert found["lines"][1].startswith("wichita: alike: 0 Elo") and found["deals"] == []
