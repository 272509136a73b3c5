"""A season: a new night whenever the last one is complete, and standings over all."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from pips_tourney.engines import EngineError
from pips_tourney.night.log.kinds import ANNUL, WITHDRAW
from pips_tourney.night.log.store import StoreError, open_log, read_store
from pips_tourney.night.night import last_night
from pips_tourney.night.proof.verify import verify_night
from pips_tourney.night.table.season import season_standings
from pips_tourney.night.table.standings import standings
from pips_tourney.night.table.standings_json import as_json
from pips_tourney.night.table.tables import Standings
from pips_tourney.play import crew as crew_module
from pips_tourney.play.evening import LeagueChanged, NightOutcome, RunConfig
from pips_tourney.play.runner import run_night
from pips_tourney.reports.exports import SCHEMA
from pips_tourney.reports.season import NOBODY
from pips_tourney.reports.tables import to_json
from pips_tourney.secret import SecretError
from tests.pips_tourney.cli.conftest import Terminal
from tests.pips_tourney.in_process import InProcessEngine, write_league
from tests.pips_tourney.play.test_runner import Watching

pytestmark = pytest.mark.unmeasured  # other tests reach these lines

OLD_ADA = "ada (version 1, until night 1)"


class Weeks:
    """A league that goes on, in one folder."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self._monkeypatch = folder, monkeypatch
        self.database = folder / "night.db"
        self.watching = Watching()
        self.league("ada", "bo", "cy")

    def league(self, *bots: str, changed: str = "", deals: int = 2, more: str = "") -> None:
        """Write the league file.

        The `changed` bot is the same with something in its environment.
        """
        path = write_league(self.folder, *bots, deals=deals, more=f"season = true\n{more}")
        entry = f'{{ name = "{changed}", '
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(entry, f'{entry}env = {{ WEEK = "2" }}, '), encoding="utf-8")

    def play(
        self,
        engine: InProcessEngine | None = None,
        *,
        secret: str | None = None,
        new: bool = False,
        go_on: bool = False,
    ) -> NightOutcome:
        self._monkeypatch.setattr(crew_module, "make_engine", lambda *_: engine or InProcessEngine())
        file = None
        if secret is not None:
            file = self.folder / "secret"
            file.write_text(secret * 32, encoding="ascii")
        config = RunConfig(self.folder / "night.toml", self.database, None, file, new, go_on)
        return run_night(config, self.watching)


@pytest.fixture
def weeks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Weeks:
    return Weeks(tmp_path, monkeypatch)


def season_of(evening: NightOutcome) -> Standings:
    assert evening.season is not None
    return evening.season


def matches_of(of: Standings) -> dict[str, int]:
    return {row.bot: row.matches for row in of.tables[0].rows}


def test_a_run_after_a_complete_night_plays_another_with_its_own_secret_and_deals(weeks: Weeks) -> None:
    first = weeks.play()
    assert season_of(first).tables[0].ratings == first.standings.tables[0].ratings
    second = weeks.play()
    assert (first.played_now, second.played_now) == (12, 12)
    assert weeks.watching.announced[-1].moved_aside == weeks.folder / "night.1.db"
    assert (weeks.folder / "night.1.db").exists()
    records = []
    for file in (weeks.folder / "night.1.db", weeks.database):
        with read_store(file) as store:
            secret = store.secret()
            assert secret is not None
            assert store.log("end")[-1].payload["secret"] == secret.key.hex()
            assert verify_night(store).problems == ()
            records.append((secret, set(store.ids()), {row.sha256 for _, row in last_night(store).records() if row}))
    (secret, ids, hashes), (other, other_ids, other_hashes) = records
    assert secret != other
    assert ids == other_ids  # so the season has to distinguish them
    assert not hashes & other_hashes


def test_the_season_is_rated_over_all_nights_with_deals_kept_apart(weeks: Weeks) -> None:
    weeks.play()
    evening = weeks.play()
    season = season_of(evening)
    (table,) = season.tables
    assert season.league == "Test night, season"
    assert season.complete
    assert (table.scheduled, table.played, table.counted) == (24, 24, 24)
    assert matches_of(season) == {"ada": 16, "bo": 16, "cy": 16}
    assert table.ratings is not None and evening.standings.tables[0].ratings is not None
    assert table.ratings.deals == 2 * evening.standings.tables[0].ratings.deals
    with read_store(weeks.folder / "night.1.db") as store:
        (earlier,) = standings(last_night(store)).tables
    points = [{row.bot: row.points for row in part.rows} for part in (earlier, evening.standings.tables[0], table)]
    assert points[2] == {bot: points[0][bot] + points[1][bot] for bot in ("ada", "bo", "cy")}
    assert [night._asdict() for night in season.nights] == [
        {"number": 1, "file": "night.1.db", "counted": 12, "left_out": ()},
        {"number": 2, "file": "night.db", "counted": 12, "left_out": ()},
    ]
    jsonschema.validate(as_json(season), json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_a_new_version_is_a_new_player_and_bots_come_and_go(weeks: Weeks) -> None:
    weeks.play()
    weeks.league("ada", "bo", "di", changed="ada", more='anchor = "ada"\n')
    season = season_of(weeks.play())
    assert matches_of(season) == {OLD_ADA: 8, "ada": 8, "bo": 16, "cy": 8, "di": 8}
    assert season.tables[0].ratings is not None
    assert {row.bot: row.note for row in season.tables[0].rows}["ada"] == "anchor"
    assert weeks.watching.announced[-1].moved_aside is not None


def test_a_bot_that_comes_back_as_it_was_is_the_same_player(weeks: Weeks) -> None:
    weeks.play()
    weeks.league("ada", "bo", "cy", changed="ada")
    weeks.play()
    weeks.league("ada", "bo", "cy")
    season = season_of(weeks.play())
    assert matches_of(season) == {"ada": 16, "ada (version 2, until night 2)": 8, "bo": 24, "cy": 24}


def test_a_night_that_is_not_complete_goes_on_first(weeks: Weeks) -> None:
    with pytest.raises(EngineError):
        weeks.play(InProcessEngine(at_once=1, most=5))
    weeks.league("ada", "bo", "cy", changed="ada")
    with pytest.raises(LeagueChanged, match="bot ada"):
        weeks.play()
    weeks.league("ada", "bo", "cy")
    assert weeks.play().played_now == 7
    assert len(season_of(weeks.play()).nights) == 2


def test_complete_deals_of_a_night_that_was_given_up_count(weeks: Weeks) -> None:
    with pytest.raises(EngineError):
        weeks.play(InProcessEngine(at_once=1, most=7))
    season = season_of(weeks.play(new=True))
    (table,) = season.tables
    assert not season.complete
    assert (table.scheduled, table.played) == (24, 19)
    assert 12 < table.counted == sum(night.counted for night in season.nights) <= 19


def test_continue_stays_in_the_last_night(weeks: Weeks) -> None:
    weeks.play()
    weeks.league("ada", "bo", "cy", deals=3)
    evening = weeks.play(go_on=True)
    assert evening.played_now == 6
    assert len(season_of(evening).nights) == 1


def test_what_was_decided_after_its_end_ends_the_night_anew_before_another_begins(weeks: Weeks) -> None:
    weeks.play()
    with open_log(weeks.database) as store:
        match = next(last_night(store).fixtures())
        store.append(ANNUL, {"match": match.match_id, "block": match.block, "reason": "a power cut"})
    assert len(season_of(weeks.play()).nights) == 1
    season = season_of(weeks.play())
    assert [night.counted for night in season.nights] == [10, 12]


def test_who_was_withdrawn_too_early_counts_in_the_other_nights_alone(weeks: Weeks) -> None:
    weeks.play()
    with open_log(weeks.database) as store:
        payload = {"bot": "cy", "reason": "it cheated", "deals": {"serpent": 0}, "among": ["ada", "bo", "cy"]}
        store.append(WITHDRAW, payload)
    weeks.play()
    season = season_of(weeks.play())
    assert matches_of(season) == {"ada": 12, "bo": 12, "cy": 8}
    assert "(night 1)" in season.tables[0].withdrawn["cy"]


def test_a_secret_serves_one_night_of_a_season(weeks: Weeks) -> None:
    weeks.play(secret="17")
    with pytest.raises(SecretError, match=r"night\.db: a new night"):
        weeks.play(secret="17")
    assert not (weeks.folder / "night.1.db").exists()
    weeks.play(secret="5a")
    with pytest.raises(SecretError, match=r"night\.1\.db: a new night"):
        weeks.play(secret="17")


def test_a_game_that_is_played_otherwise_is_another_table(weeks: Weeks) -> None:
    path = weeks.folder / "night.toml"
    text = path.read_text(encoding="utf-8")

    def play(seats: int) -> NightOutcome:
        games = f'games = [{{ name = "wichita", seats = {seats}, deals = 1 }}, "serpent"]'
        path.write_text(text.replace('game = "serpent"', games), encoding="utf-8")
        return weeks.play()

    play(2)
    evening = play(3)
    season = season_of(evening)
    assert [(table.label, table.counted) for table in season.tables] == [("wichita", 3), ("serpent", 24)]
    assert [(night.counted, night.left_out) for night in season.nights] == [(12, ("wichita",)), (15, ())]
    assert season.overall is not None
    assert season.overall.counted == 27


def test_the_same_nights_give_the_same_bytes(weeks: Weeks) -> None:
    weeks.play(secret="17")
    once = to_json(season_of(weeks.play(secret="5a")), timings=False)
    for file in weeks.folder.glob("night*.db*"):
        file.unlink()
    weeks.play(InProcessEngine(at_once=50, mix=lambda taken: taken[::-1]), secret="17")
    with pytest.raises(EngineError):
        weeks.play(InProcessEngine(most=3), secret="5a")
    assert to_json(season_of(weeks.play(secret="5a")), timings=False) == once
    assert to_json(season_standings(weeks.database), timings=False) == once


def test_a_file_in_which_no_night_was_begun_is_no_night_of_the_season(weeks: Weeks) -> None:
    with pytest.raises(StoreError, match="no such database"):
        season_standings(weeks.database)
    weeks.play()
    weeks.database.rename(weeks.folder / "night.4.db")
    assert [night.number for night in season_standings(weeks.database).nights] == [4]
    assert [night.number for night in season_of(weeks.play()).nights] == [4, 5]


def test_the_season_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal(tmp_path, monkeypatch)
    write_league(tmp_path, "ada", "bo", deals=3, more="season = true\n")
    first = terminal.type("run", "night.toml")
    assert "season" not in first.stdout
    assert first.stderr.rstrip().endswith("Play another night with: pips-tourney run night.toml")
    second = terminal.type("run", "night.toml")
    assert "Test night, season: serpent" in second.stdout
    assert "Night 1, night.1.db: 6 matches\nNight 2, night.db: 6 matches" in second.stdout
    shown = terminal.type("standings", "night.toml", "--season")
    table, who_improved, rest = shown.stdout.partition(NOBODY)
    assert second.stdout.endswith(table)
    assert (who_improved, rest) == (NOBODY, "\n")
    told = json.loads(terminal.type("standings", "night.db", "--season", "--json").stdout)
    assert [night["file"] for night in told["nights"]] == ["night.1.db", "night.db"]
