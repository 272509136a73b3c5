"""The bots that play with a fence and without one, and those that are marked."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from pips_tourney.league import league as league_module
from pips_tourney.league.mistakes import LeagueError
from pips_tourney.league.read import read_league
from pips_tourney.night.director import DirectorError, office
from pips_tourney.night.log.store import read_store
from pips_tourney.night.table.season import season_standings
from pips_tourney.night.table.standings_json import standings_sha256
from pips_tourney.night.table.tables import Standings
from pips_tourney.play.evening import NightOutcome
from pips_tourney.reports.tables import print_standings, to_csv, to_json
from pips_tourney.sandbox import tiers
from pips_tourney.sandbox.tiers import SandboxError
from pips_tourney.web.report import report
from tests.pips_tourney.play.test_runner import FENCE, Desk

pytestmark = pytest.mark.unmeasured  # other tests reach these lines

SAMPLES = '{ name = "bo", sample = "random" }, { name = "cy", sample = "greedy" }'
MODEL = 'model = { endpoint = "http://localhost:1/v1", name = "m" }'
NOWHERE = "there is no bwrap on this machine"


@pytest.fixture(params=[0, 1000], ids=["root", "user"])
def user(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(os, "geteuid", lambda: request.param)
    return int(request.param)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    made = Desk(tmp_path, monkeypatch)
    (tmp_path / "in" / "ada").mkdir(parents=True)
    (tmp_path / "in" / "ada" / "bot.py").write_text("import nothing\n", encoding="utf-8")
    return made


@pytest.fixture
def fence(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    def there(is_there: bool) -> None:
        found = (FENCE, "") if is_there else (None, NOWHERE)
        monkeypatch.setattr(league_module, "looked_for", lambda _: lambda: found)

    return there


def play(desk: Desk, *bots: str, more: str = "", new: bool = False) -> NightOutcome:
    desk.league.write_text(
        f'game = "serpent"\ndeals = 2\n{more}\nbots = [{", ".join([*bots, SAMPLES])}]\n', encoding="utf-8"
    )
    return desk.play(config=desk.config(new=new))


def shown(of: Standings) -> str:
    console = Console(file=io.StringIO(), width=200)
    print_standings(of, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def unfenced(of: Standings) -> set[str]:
    """The marked bots, by JSON; CSV and the terminal mark the same."""
    [table] = json.loads(to_json(of, timings=False))["tables"]
    marked = {row["bot"] for row in table["rows"] if row.get("unfenced")}
    lines = csv.DictReader(io.StringIO(to_csv(of, timings=False)))
    assert {line["bot"] for line in lines if line["unfenced"] == "yes"} == marked
    assert all((f"{row['bot']} (unfenced)" in shown(of)) is (row["bot"] in marked) for row in table["rows"])
    return marked


TRUSTED = {
    "samples": "",
    "a file": '{ path = "in/ada/bot.py", name = "ada", trusted = true }',
    "a folder": '{ path = "in/ada", trusted = true }',
    "a command": '{ name = "ada", command = "python in/ada/bot.py", trusted = true }',
}
STRANGERS = {
    "a file": '{ path = "in/ada/bot.py", name = "ada" }',
    "a folder": '"in/ada"',
    "a command": '{ name = "ada", command = "python in/ada/bot.py" }',
    "a pattern": '"in/*"',
}


@pytest.mark.parametrize("bot", TRUSTED.values(), ids=TRUSTED)
def test_without_a_fence_trusted_bots_play_and_are_marked(
    desk: Desk, fence: Callable[[bool], None], user: int, bot: str
) -> None:
    fence(False)
    night = play(desk, *filter(None, [bot]))
    notes = [note for note in desk.watching.announced[0].notes if "fence" in note]
    assert notes == [f"No fence: the bots play on trust and could do what you may, since {NOWHERE}"]
    assert unfenced(night.standings) == {row.bot for row in night.standings.tables[0].rows} >= {"bo", "cy"}
    page = report(desk.database, ())
    assert '"unfenced":true' in page.replace(" ", "") and "bo (unfenced)</th>" in page


@pytest.mark.parametrize("bot", STRANGERS.values(), ids=STRANGERS)
def test_without_a_fence_a_stranger_s_bot_beside_samples_is_refused(
    desk: Desk, fence: Callable[[bool], None], user: int, bot: str
) -> None:
    fence(False)
    with pytest.raises(SandboxError, match=f"ada is a stranger's bot .*: {NOWHERE}. Install bubblewrap") as told:
        play(desk, bot)
    assert ("say `trusted = true` if you vouch for it" in str(told.value)) is (bot != STRANGERS["a pattern"])


@pytest.mark.parametrize("bot", [*TRUSTED.values(), *STRANGERS.values()], ids=[*TRUSTED, *STRANGERS])
def test_where_the_fence_can_be_had_everybody_plays_within_it(
    desk: Desk, fence: Callable[[bool], None], bot: str
) -> None:
    fence(True)
    night = play(desk, *filter(None, [bot]))
    assert unfenced(night.standings) == set()
    assert "unfenced)</th>" not in report(desk.database, ())


@pytest.mark.parametrize("kind", ["a file", "a folder", "a command"])
def test_where_the_fence_can_be_had_trusted_changes_nothing(
    desk: Desk, fence: Callable[[bool], None], kind: str
) -> None:
    """Not a byte of the log, but for when its entries were made and the night's key."""
    fence(True)
    first = play(desk, STRANGERS[kind])
    with read_store(desk.database) as store:
        kinds = [entry.kind for entry in store.log()]
    second = play(desk, TRUSTED[kind], new=True)
    with read_store(desk.database) as store:
        assert kinds == [entry.kind for entry in store.log()]
    assert first.digest == second.digest
    assert to_json(first.standings, timings=False) == to_json(second.standings, timings=False)


def test_a_mark_is_no_part_of_what_an_ended_night_is_hashed_by(desk: Desk, fence: Callable[[bool], None]) -> None:
    """The same matches on two machines are the same night."""
    nights: list[NightOutcome] = []
    for is_there in (True, False):
        fence(is_there)
        nights.append(play(desk, new=bool(nights)))
    assert nights[0].digest == nights[1].digest
    assert standings_sha256(nights[0].standings) == standings_sha256(nights[1].standings)
    assert unfenced(nights[1].standings) == {"bo", "cy"}


def test_a_season_marks_who_was_ever_unfenced(desk: Desk, fence: Callable[[bool], None]) -> None:
    desk.secret.write_text("5a" * 32, encoding="ascii")
    fence(False)
    play(desk, more="season = true")
    desk.secret.write_text("5b" * 32, encoding="ascii")
    fence(True)
    play(desk, more="season = true", new=True)
    assert unfenced(season_standings(desk.database)) == {"bo", "cy"}


def test_a_pattern_vouches_for_nobody(desk: Desk) -> None:
    with pytest.raises(LeagueError, match=r"bots\[0\].trusted: a pattern vouches for nobody"):
        play(desk, '{ path = "in/*", trusted = true }')


def test_a_model_bot_ships_with_pips_unless_it_has_a_command(desk: Desk) -> None:
    own = f'{{ name = "eve", command = "python in/ada/bot.py", {MODEL} }}'
    desk.league.write_text(
        f'game = "serpent"\nbots = [{{ name = "ada", {MODEL} }}, {own}, {SAMPLES}]\n', encoding="utf-8"
    )
    assert read_league(desk.league).who().strangers == ("eve",)


def test_nobody_vouches_for_what_runs_elsewhere(desk: Desk) -> None:
    with pytest.raises(LeagueError, match="this one plays on another machine"):
        play(desk, '{ name = "ada", remote = true, trusted = true }')


def test_a_submission_cannot_vouch_for_itself(desk: Desk, fence: Callable[[bool], None]) -> None:
    fence(False)
    (desk.folder / "in/ada/bot.toml").write_text('command = "python bot.py"\ntrusted = true\n', encoding="utf-8")
    with pytest.raises(LeagueError, match="there is no entry trusted"):
        play(desk, '"in/ada"')


@pytest.mark.parametrize("bot", ["a file", "a folder", "a command"])
def test_beside_a_guest_no_bot_of_the_organiser_s_is_unfenced(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, bot: str
) -> None:
    """It could read the secret. Samples do not, and play."""
    monkeypatch.setattr(tiers, "find_fence", lambda: (None, NOWHERE))
    for trusted, refused in ((f"{TRUSTED[bot]}, ", True), ("", False)):
        guest = '{ name = "guest", remote = true }'
        desk.league.write_text(f'game = "serpent"\nbots = [{trusted}{guest}, {SAMPLES}]\n', encoding="utf-8")
        league = read_league(desk.league)
        if refused:
            with pytest.raises(SandboxError, match="guest will dial in, and bots that play here could read the secret"):
                league.sandbox([], lambda: (None, NOWHERE))
        else:
            assert league.sandbox([], lambda: (None, NOWHERE)).fence is None


def test_a_stranger_s_bot_is_not_added_to_a_night_on_trust(desk: Desk, fence: Callable[[bool], None]) -> None:
    fence(False)
    play(desk)
    stranger, vouched = {"path": "in/ada"}, {"path": "in/ada", "trusted": True}
    with office(desk.database) as at:
        with pytest.raises(DirectorError, match="nothing can fence them in: say --trusted if you vouch for ada"):
            at.add(stranger, desk.folder)
        assert at.add(vouched, desk.folder).startswith("ada is added")


def test_a_stranger_s_bot_is_added_where_the_league_lets_it_play(desk: Desk, fence: Callable[[bool], None]) -> None:
    fence(False)
    play(desk, more="sandbox = { unfenced = true }")
    with office(desk.database) as at:
        assert at.add({"path": "in/ada"}, desk.folder).startswith("ada is added")
