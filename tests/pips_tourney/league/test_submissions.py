"""Bots that a league names by path.

Which are found, what they are called, which are broken and why.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pips_tourney.league.entries import BotEntry
from pips_tourney.league.league import League
from pips_tourney.league.mistakes import LeagueError
from pips_tourney.league.read import read_league
from pips_tourney.league.submissions import name_of
from pips_tourney.names import is_name, name_from, numbered
from pips_tourney.night.plan.from_league import make_programme

A_BOT = "from pips_sdk.serpent import SerpentBot\n\nclass MyBot(SerpentBot):\n    pass\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two good submissions, three broken ones, a stray file and a hidden folder."""
    for name in ("ada", "bo", "nothing", "two", "typo", ".git"):
        (tmp_path / "submissions" / name).mkdir(parents=True)
    write(tmp_path, "submissions/ada/bot.py", A_BOT)
    write(tmp_path, "submissions/bo/bot.toml", 'command = "./bo --fast"\nenv = { DEPTH = "3" }\ngames = ["serpent"]')
    write(tmp_path, "submissions/two/a.py", A_BOT)
    write(tmp_path, "submissions/two/b.py", A_BOT)
    write(tmp_path, "submissions/typo/bot.toml", 'comand = "./bo"')
    write(tmp_path, "submissions/README.md", "What was handed in.")
    return tmp_path


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def league(folder: Path, bots: str) -> League:
    write(folder, "night.toml", f'game = "serpent"\n{bots}\n')
    return read_league(folder / "night.toml")


def mistakes(folder: Path, bots: str) -> dict[str, str]:
    with pytest.raises(LeagueError) as caught:
        league(folder, bots)
    return dict(caught.value.mistakes)


def bot_of(of: League, name: str) -> BotEntry:
    return next(bot for bot in of.file.bots if bot.name == name)


@pytest.mark.parametrize(
    "bots", ['bots = "submissions/*"', 'bots = ["submissions/*"]', '[[bots]]\npath = "submissions/*"']
)
def test_every_folder_is_a_bot(folder: Path, bots: str) -> None:
    found = league(folder, bots)
    assert [bot.name for bot in found.file.bots] == ["ada", "bo"]
    assert all(bot.optional for bot in found.file.bots)
    ada, bo = found.file.bots
    assert ada.command == ["python", "-P", "-m", "pips_sdk.run_file", "bot.py"]
    assert (bo.command, bo.env, bo.games) == (["./bo", "--fast"], {"DEPTH": "3"}, ["serpent"])
    program = found.program(bo, "serpent")
    assert program.cwd == str(folder / "submissions/bo") and program.env["DEPTH"] == "3"


def test_broken_ones_have_a_reason_and_stop_nobody(folder: Path) -> None:
    broken = league(folder, 'bots = "submissions/*"').broken
    assert set(broken) == {"nothing", "two", "typo"}
    assert broken["nothing"].startswith("submissions/nothing: which file is the bot?")
    assert "it has no file of a bot" in broken["nothing"]
    assert "it has a.py, b.py" in broken["two"]
    assert broken["typo"].startswith("submissions/typo/bot.toml says how") and "no entry comand" in broken["typo"]
    assert str(folder) not in " ".join(broken.values())
    assert league(folder, f'bots = "{folder}/submissions/*"').broken == broken


def test_a_broken_one_is_called_as_it_would_be_and_says_once_where_it_lies(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "late/two/bot.js", "")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    broken = league(folder, 'bots = ["submissions/*", "late/*"]').broken
    assert broken["two 2"].startswith("late/two: node is not installed")
    assert broken["two"].count("submissions/two") == 1


def test_where_too_few_are_left_the_broken_ones_are_told_too(folder: Path) -> None:
    write(folder, "s/a/bot.py", A_BOT)
    write(folder, "s/b/notes.txt", "No bot yet.")
    with pytest.raises(LeagueError, match="2 mistakes") as caught:
        league(folder, 'bots = "s/*"')
    broken, short = caught.value.mistakes
    assert short.where == "games[0].seats" and "the league has 1 bot for it" in short.what
    assert broken.where == "bots" and "b is left out: " in broken.what and "which file is the bot?" in broken.what


def test_where_all_are_broken_no_bots_are_left(folder: Path) -> None:
    write(folder, "s/b/notes.txt", "No bot yet.")
    write(folder, "s/c/notes.txt", "No bot yet.")
    with pytest.raises(LeagueError) as caught:
        league(folder, 'bots = "s/*"')
    told = [what for where, what in caught.value.mistakes if where == "bots"]
    assert told[0] == "no bots are left"
    assert ["b is left out: " in told[1], "c is left out: " in told[2], len(told)] == [True, True, 3]


def test_other_mistakes_are_not_those_of_broken_bots(folder: Path) -> None:
    assert list(mistakes(folder, 'bots = "submissions/*"\ntables = 0')) == ["tables"]
    told = mistakes(folder, 'bots = "submissions/*"\nanchor = "two"')
    assert list(told) == ["bots", "anchor"] and " is left out: " in told["bots"]


def test_a_pattern_stands_beside_other_bots(folder: Path) -> None:
    more = 'bots = ["submissions/*", { name = "greedy", sample = "greedy" }, { name = "bo", sample = "random" }]'
    found = league(folder, more)
    assert [bot.name for bot in found.file.bots] == ["ada", "bo 2", "greedy", "bo"]
    assert not bot_of(found, "greedy").optional
    wrong = mistakes(folder, 'bots = ["submissions/*", { name = "x", sample = "gredy" }, { path = "nowhere" }]')
    assert wrong == {"bots[2].path": f"there is no {folder / 'nowhere'}"}
    wrong = mistakes(folder, 'bots = ["submissions/*", { name = "x", sample = "gredy" }]')
    assert list(wrong) == ["bots[1].sample"]


def test_a_file_with_a_class_alone_is_a_bot(folder: Path) -> None:
    write(folder, "mine/quick.py", A_BOT)
    found = league(folder, 'bots = [{ path = "mine/quick.py" }, { name = "other", path = "submissions/ada" }]')
    quick, other = found.file.bots
    assert (quick.name, other.name) == ("quick", "other")
    assert quick.command == ["python", "-P", "-m", "pips_sdk.run_file", "mine/quick.py"] and quick.cwd is None
    before = [found.fingerprint(bot, "serpent") for bot in found.file.bots]
    write(folder, "mine/quick.py", A_BOT + "\n")
    after = [found.fingerprint(bot, "serpent") for bot in found.file.bots]
    assert before[0] != after[0] and before[1] == after[1]


def test_the_fingerprint_of_a_folder_is_that_of_all_its_files(folder: Path) -> None:
    found = league(folder, 'bots = "submissions/*"')
    before = make_programme(found).entrants
    write(folder, "submissions/ada/weights.json", "{}")
    changed = {old.name for old, new in zip(before, make_programme(found).entrants, strict=True) if old != new}
    assert changed == {"ada"}


@pytest.mark.parametrize(
    ("bots", "where", "what"),
    [
        ('bots = "nowhere/*"', "bots[0].path", "nothing in"),
        ('bots = [{ path = "submissions/two" }]', "bots[0].path", "which file is the bot?"),
        ('bots = [{ path = "submissions/ada", command = "x" }]', "bots[0].path", "what command would"),
        ('bots = [{ path = "submissions/*", name = "x" }]', "bots[0].name", "called as their folders are"),
        ("bots = 7", "bots", "valid list"),
        ('bots = [7, { name = "a", sample = "random" }]', "bots[0]", "7"),
        ('bots = [{ name = "a", pth = "x" }]', "bots[0].pth", "did you mean path?"),
        ('bots = ["submissions/*", { name = "a", command = "./a", python = "py" }]', "bots[1].python", "`python`"),
        ('bots = ["submissions/*", { name = "a", command = "./a", install = true }]', "bots[1].install", "txt"),
    ],
)
def test_mistakes_are_named_where_they_stand(folder: Path, bots: str, where: str, what: str) -> None:
    assert what in mistakes(folder, bots)[where]


def test_a_name_holds_what_names_may_hold(tmp_path: Path) -> None:
    assert name_of(tmp_path / "Zoë (2).py") == name_of(tmp_path / "Zoe\u0308 (2).py") == "Zoë _2_"
    assert name_of(tmp_path / "-x.py") == "x"
    assert name_of(tmp_path / "(ß).py") == "ß_"
    assert name_of(tmp_path / "हिन्दी.py") == "हिन्दी", "vowel signs belong to their letters"
    assert name_of(tmp_path / "-😀-.py") == "bot"
    assert len(name_of(tmp_path / ("x" * 99 + ".py"))) == 40


@given(st.text())
def test_what_a_bot_is_called_is_a_name_and_a_name_is_kept(text: str) -> None:
    name = name_from(text)
    assert is_name(name) and name_from(name) == name
    again = numbered(name, {name})
    assert is_name(again) and again != name


CALLED = {
    "李明": "李明", "Мария": "Мария", "Иван": "Иван", "Zoe": "Zoe", "Zoë": "Zoë", "a,b": "a_b 3", "a;b": "a_b 4",
    "a_b": "a_b", "a_b 2": "a_b 2", "x" * 45 + "1": "x" * 40, "x" * 45 + "2": "x" * 38 + " 2",
}  # fmt: skip


def test_a_folder_with_brackets_is_found_by_its_name(folder: Path) -> None:
    write(folder, "bot[1]/bot.py", A_BOT)
    write(folder, "bot1/bot.py", A_BOT)
    found = league(folder, 'bots = [{ path = "bot[1]", trusted = true }, "submissions/[ab]*"]')
    assert bot_of(found, "bot_1_").cwd == "bot[1]"
    assert [bot.name for bot in found.file.bots] == ["bot_1_", "ada", "bo"]
    shutil.rmtree(folder / "bot[1]")
    assert [bot.name for bot in league(folder, 'bots = ["bot[1]", "submissions/bo"]').file.bots] == ["bot1", "bo"]


def test_folders_whose_names_would_be_one_are_numbered(tmp_path: Path) -> None:
    for name in CALLED:
        write(tmp_path, f"s/{name}/bot.py", A_BOT)
    write(tmp_path, "s/a?b/notes.txt", "No bot yet, but it has its number, and keeps it when it is mended.")
    found = league(tmp_path, 'bots = "s/*"')
    assert {str(bot.cwd): bot.name for bot in found.file.bots} == {f"s/{at}": name for at, name in CALLED.items()}
    write(tmp_path, "s/a?b/bot.py", A_BOT)
    assert {bot.name for bot in league(tmp_path, 'bots = "s/*"').file.bots} == {*CALLED.values(), "a_b 5"}


def test_what_two_entries_lead_to_is_one_bot(folder: Path) -> None:
    more = 'bots = ["submissions/*", "submissions/b*", { path = "submissions/ada", env = { DEPTH = "4" } }]'
    found = league(folder, more)
    assert [bot.name for bot in found.file.bots] == ["bo", "ada"]
    assert bot_of(found, "ada").env == {"DEPTH": "4"} and len(found.broken) == 3


def test_games_of_a_submission_that_are_not_played_tonight_are_no_mistake(folder: Path) -> None:
    write(folder, "submissions/bo/bot.toml", 'command = "./bo"\ngames = ["serpent", "wichita"]')
    (_, bo) = league(folder, 'bots = "submissions/*"').file.bots
    assert bo.plays("serpent")


@pytest.mark.parametrize(
    ("archive", "told"),
    [("vera.zip", "zip is broken"), ("vera.ZIP", "pack it again"), ("vera.tar.gz", "unpack it"), ("vera.7z", "unpack")],
)
def test_an_archive_that_cannot_be_unpacked_is_named(folder: Path, archive: str, told: str) -> None:
    write(folder, f"submissions/{archive}", "PK")
    found = league(folder, 'bots = ["submissions/*"]')
    assert "submissions/" + archive in found.broken["vera"]
    assert told in found.broken["vera"]
    write(folder, "submissions/vera/bot.py", A_BOT)
    assert "vera" not in league(folder, 'bots = ["submissions/*"]').broken  # it was unpacked beside it


def test_a_league_knows_where_its_bots_lie(folder: Path) -> None:
    found = league(folder, 'bots = ["submissions/*", { name = "random", sample = "random" }]')
    assert found.where["ada"] == "submissions/ada"
    assert found.where["two"] == "submissions/two"  # broken, but handed in
    assert "random" not in found.where


def test_a_path_may_name_games_that_this_league_does_not_play(folder: Path) -> None:
    """Its author wrote `bot.toml` for every league, as below a pattern."""
    write(folder, "submissions/bo/bot.toml", 'command = "./bo"\ngames = ["serpent", "wichita"]')
    found = league(folder, 'bots = [{ path = "submissions/bo" }, { path = "submissions/ada" }]')
    assert [bot.name for bot in found.file.bots] == ["bo", "ada"]
