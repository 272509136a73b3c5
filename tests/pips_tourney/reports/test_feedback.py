"""Every author gets a page: what it says is true, and it gives nothing away."""

from __future__ import annotations

import re
import shlex
from base64 import b64decode
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_tourney.cli.bot import main as bot_main
from pips_tourney.cli.tourney import main
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.director import office
from pips_tourney.night.log.kinds import BROKEN, ENDED
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import open_store
from pips_tourney.night.plan.fixtures import fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.reports.feedback import LATER, TAKEN_OUT, Feedback, FeedbackPart, wilson
from pips_tourney.reports.feedback_pages import as_html, as_text, file_name, write_for_bots
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import play, write_league
from tests.pips_tourney.web.nights import small_night

pytestmark = pytest.mark.unmeasured  # other tests reach these lines

SECRET = Secret(b"\x01" * 32)


def played(folder: Path, *, over: bool) -> Path:
    """`bo` crashes in every first match of a deal; the last deal may not be over."""
    with open_store(folder / "night.db") as store:
        programme = make_programme(read_league(write_league(folder, "ada", "bo", deals=12)))
        begin(store, programme, SECRET)
        schedule = list(fixtures(programme))
        for fixture in schedule if over else schedule[:-1]:
            first = fixture.header(SECRET)
            crash = 1 if fixture.seating[0] == "bo" else None
            store.add([row_of(play(first, SECRET.rng_seed(fixture.match_id, 0), crash))])
        store.append(BROKEN, {"bots": {"late": "/home/teacher/class/late/bot.py: invalid syntax"}})
        if over:
            store.append(ENDED, {"secret": SECRET.key.hex()})
    return folder / "night.db"


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A night that is over."""
    return played(tmp_path_factory.mktemp("over"), over=True)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A night of which a match is to come."""
    return played(tmp_path_factory.mktemp("running"), over=False)


def written(night: Path, folder: Path) -> dict[str, str]:
    ended = CliRunner().invoke(main, ["report", str(night), "-o", str(folder)], catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    return {file.name: file.read_text(encoding="utf-8") for file in (folder / "feedback").iterdir()}


def test_each_bot_has_a_page_and_a_text(night: Path, tmp_path: Path) -> None:
    pages = written(night, tmp_path / "out")
    assert sorted(pages) == ["ada.html", "ada.txt", "bo.html", "bo.txt", "late.html", "late.txt"]
    for name in ("bo.html", "bo.txt"):
        for said in (
            "Place 1 of 2",
            "lost by crash, 12 matches",
            "What it was asked:",
            "What was legal:",
            "exit status 3",
        ):
            assert said in pages[name], (name, said)
        assert re.search(r"pips-bot ask [0-9a-f]{12}\.pips MY_BOT --seat \d --question 1 ", pages[name])
        assert re.search(r"pips-tourney replay [0-9a-f]{12}\.pips", pages[name])
        assert "night.db" not in pages[name]
    assert "lost by" not in pages["ada.txt"]
    assert "invalid syntax" in pages["late.txt"] and "/home" not in "".join(pages.values())


def test_a_bot_that_is_out_reads_why_unless_that_is_the_directors_word(tmp_path: Path) -> None:
    path = small_night(tmp_path, deals=6, more="max_faults = 1", games='["serpent"]')
    with office(path) as at:
        at.withdraw("bo", "copied from ada, see /home/teacher/notes", from_start=True)
    pages = written(path, tmp_path / "out")
    assert any("It was withdrawn after 1 fault, the last one (crash)" in page for page in pages.values())
    assert f"It was {TAKEN_OUT}." in pages["bo.txt"] and "copied" not in "".join(pages.values())


def test_a_match_whose_deal_is_not_over_is_on_no_page(running: Path, tmp_path: Path) -> None:
    """Neither is a record, nor luck: other bots still play the same deals."""
    programme = make_programme(read_league(running.with_suffix(".toml")))
    open_deal = list(fixtures(programme))[-2:]
    pages = written(running, tmp_path / "out")
    shown = "".join(pages.values())
    assert re.findall(r"match [0-9a-f]{12}", shown)
    assert not any(fixture.match_id[:12] in shown for fixture in open_deal)
    assert "lost by crash, 11 matches" in pages["bo.txt"] and LATER in pages["bo.txt"]
    for given_away in ("base64", "--luck", "pips-tourney replay", "pips-bot ask"):
        assert given_away not in shown


def test_every_command_of_a_page_runs_with_what_the_page_carries(
    night: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = written(night, tmp_path / "out")["bo.html"]
    (tmp_path / "student").mkdir()
    monkeypatch.chdir(tmp_path / "student")
    for name, data in re.findall(r'<a download="([^"]+)" href="data:application/octet-stream;base64,([^"]+)"', page):
        Path(name).write_bytes(b64decode(data))
    commands = [unescape(line) for line in re.findall(r"^pips-(?:tourney replay|bot ask) [^<\n]*", page, re.MULTILINE)]
    assert {command.split()[1] for command in commands} == {"replay", "ask"}
    for command in commands:
        words = ["serpent/greedy" if word == "MY_BOT" else word for word in shlex.split(command)[1:]]
        ended = CliRunner().invoke(bot_main if words[0] == "ask" else main, words, catch_exceptions=False)
        assert ended.exit_code == 0, (command, ended.output)
        assert "which is legal" in ended.output or words[0] == "replay"


def test_what_a_bot_prints_is_no_markup() -> None:
    page = Feedback("<b>", "<i>", (FeedbackPart("<script>", ('"><img src=x>',), ("</pre><script>alert(1)",)),))
    html = as_html(page)
    assert not re.search(r"<(b|i|img|script)\b", html)
    assert "</pre><script>" in as_text(page)


def test_the_interval_is_wilsons() -> None:
    low, high = wilson(0.5, 10)
    assert (round(low, 3), round(high, 3)) == (0.237, 0.763)  # the textbook's 5 of 10
    assert wilson(1.0, 10)[0] == pytest.approx(0.722, abs=1e-3)


def test_no_two_bots_share_a_file() -> None:
    taken: set[str] = set()
    names = [file_name(bot, taken) for bot in ("Ada", "ada", "ADA", "a b", "a_b", "a_b 2", "..", "CON.")]
    assert len(set(names)) == len(names) and not any("/" in name or name.startswith(".") for name in names)


def test_what_an_earlier_report_left_is_named(tmp_path: Path) -> None:
    assert write_for_bots([("ada", {".txt": "a"}), ("bo", {".txt": "b", ".html": "<p>"})], tmp_path) == []
    assert write_for_bots([("ada", {".txt": "new"})], tmp_path) == [tmp_path / "bo.html", tmp_path / "bo.txt"]
    assert (tmp_path / "ada.txt").read_text(encoding="utf-8") == "new"


def test_feedback_has_the_names_that_moodle_takes_back(tmp_path: Path) -> None:
    places = {"anna": "moodle.zip/Anna Alder_17_assignsubmission_file_/bot", "bo": "s/bo_123_456_bot.py"}
    write_for_bots([("anna", {".txt": "a"}), ("bo", {".txt": "b"}), ("cy", {".txt": "c"})], tmp_path, places)
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {"Anna Alder_17_assignsubmission_file_anna.txt", "bo.txt", "cy.txt"}
