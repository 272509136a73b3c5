"""League files: what they may contain, and every mistake at once with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pips_tourney.league.mistakes import LeagueError
from pips_tourney.league.read import read_league

GOOD = """
games = ["serpent"]
deals = { suite = "quick", count = 10 }
bots = [{ name = "ada", sample = "random" }, { name = "bo", sample = "serpent/greedy" }]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "night.toml"
    path.write_text(text, encoding="utf-8")
    return path


def mistakes(folder: Path, text: str) -> dict[str, str]:
    with pytest.raises(LeagueError) as caught:
        read_league(write(folder, text))
    return dict(caught.value.mistakes)


def test_a_short_file_has_good_defaults(tmp_path: Path) -> None:
    league = read_league(write(tmp_path, GOOD))
    file = league.file
    assert league.name == "night"
    assert [game.name for game in file.games] == ["serpent"]
    assert (file.clock.answer_ms, file.startup_ms, file.tables, file.arenas, file.fill) == (
        1000,
        10_000,
        32,
        None,
        None,
    )


def test_a_single_game_and_a_command_in_one_line_are_fine(tmp_path: Path) -> None:
    bots = 'bots = [{ name = "ada", command = "python bot.py --deep" }, { name = "bo", sample = "random" }]'
    league = read_league(write(tmp_path, f'game = {{ name = "serpent" }}\nanchor = "bo"\n{bots}'))
    assert league.file.bots[0].command == ["python", "bot.py", "--deep"]
    assert league.file.anchor is not None and (league.file.anchor.name, league.file.anchor.elo) == ("bo", 1500)


@pytest.mark.parametrize(
    ("deals", "count", "suite"),
    [("7", 7, None), ('"league"', None, "league"), ('{ suite = "league", count = 7 }', 7, "league")],
)
def test_deals_are_a_count_or_a_suite_or_both(tmp_path: Path, deals: str, count: int | None, suite: str | None) -> None:
    bots = 'bots = [{ name = "ada", sample = "greedy" }, { name = "bo", sample = "random" }]'
    league = read_league(write(tmp_path, f'games = ["serpent"]\ndeals = {deals}\n{bots}'))
    assert league.file.deals is not None
    assert (league.file.deals.count, league.file.deals.suite) == (count, suite)


MISTAKEN = """
games = [{ name = "serpent", seats = 3 }]
deals = { suite = "league", count = 0 }
colck = { answer_ms = 10 }

[[bots]]
name = "ada"
sample = "gredy"

[[bots]]
name = "ada"
command = "./bot"
cwd = "nowhere"
"""


@pytest.mark.parametrize(
    ("more", "where", "what"),
    [
        ('schedule = "swis"', "schedule.name", "'swis'"),
        ('schedule = "gauntlet"', "schedule.hero", "a gauntlet needs one"),
        ('schedule = { name = "gauntlet", hero = "cy" }', "schedule.hero", "no bot is called 'cy'"),
        ('schedule = { name = "swiss", hero = "ada" }', "schedule.hero", "only a gauntlet has this entry, not a swiss"),
        ('schedule = { name = "knockout", rounds = 3 }', "schedule.rounds", "only a swiss"),
        ('schedule = { name = "knockout", advance = 2 }', "schedule.advance", "from 1 to 1 can go on, not 2"),
        ('schedule = "knockout"\nfinal = "knockout"', "final", "a knockout is its own final"),
        ('final = { name = "knockout", advance = 5 }', "final.advance", "not 5"),
        ('schedule = "swiss"\nstop = "settled"', "stop", "ends with its last round"),
        ('stop = "settled"', "deals.count", "max_deals that says how many"),
        ('stop = { name = "settled", confidence = 1.5 }', "stop.confidence", "less than 1"),
        (
            'final = { name = "knockout", deals = 11 }',
            "deals.count",
            "10 and 11 in the final), but the suite 'quick' has 20 deals: write `deals = 10` to draw them, or name the",
        ),
        (
            'schedule = { name = "swiss", rounds = 3 }',
            "deals.count",
            "30 (3 rounds of 10), but the suite 'quick' has 20",
        ),
        ("max_tables = 0", "max_tables", "greater than or equal to 1"),
    ],
)
def test_a_form_that_cannot_be_played(tmp_path: Path, more: str, where: str, what: str) -> None:
    assert what in mistakes(tmp_path, f"{more}\n{GOOD}")[where]


def test_a_gauntlet_s_hero_plays_all_games(tmp_path: Path) -> None:
    bots = 'bots = [{ name = "ada", sample = "random", games = ["serpent"] }, { name = "bo", sample = "random" }]'
    text = f'games = ["serpent", "wichita"]\nschedule = {{ name = "gauntlet", hero = "ada" }}\nfill = "random"\n{bots}'
    assert mistakes(tmp_path, text) == {"schedule.hero": "ada does not play all games of the league"}


def test_a_final_needs_a_table(tmp_path: Path) -> None:
    text = GOOD.replace('"serpent"', '{ name = "wichita", seats = 3 }', 1) + 'fill = "random"\n'
    found = mistakes(tmp_path, text.replace("serpent/greedy", "random") + 'final = { name = "knockout", bots = 2 }')
    assert found == {"final.bots": "wichita needs 3 bots at a table, not 2"}


def test_deals_of_a_settled_night_and_of_rounds_are_drawn_if_no_suite_is_named(tmp_path: Path) -> None:
    bots = GOOD.splitlines()[-1]
    for more in ('stop = "settled"', 'schedule = "swiss"', 'final = "knockout"'):
        assert read_league(write(tmp_path, f'game = "serpent"\n{more}\n{bots}')).file.suite is None
    assert read_league(write(tmp_path, f'game = "serpent"\n{bots}')).file.suite == "quick"
    long = read_league(write(tmp_path, f'game = "serpent"\nstop = "settled"\ndeals = {{ suite = "long" }}\n{bots}'))
    assert long.file.deals_of(long.file.games[0]) == 2000


@pytest.mark.parametrize(("more", "least"), [("", 120), ("duplicate = false", 20)])
def test_a_budget_lets_every_table_play_in_every_order(tmp_path: Path, more: str, least: int) -> None:
    stop = 'stop = { name = "settled", deals = "adaptive", matches = %d }'
    bots = "".join(f'[[bots]]\nname = "{name}"\nsample = "random"\n' for name in ("ada", "bo", "cy", "dee", "eve"))
    text = f'games = [{{ name = "wichita", seats = 4 }}]\n{stop}\n{more}\n{bots}'
    assert "takes" in mistakes(tmp_path, text % (least - 1))["stop.matches"]
    assert read_league(write(tmp_path, text % least)).file.bots


def test_mistakes_of_form_come_first_each_on_a_line_with_its_place(tmp_path: Path) -> None:
    text = MISTAKEN.replace('name = "ada"\ncommand', 'name = "bo"\ncommand')
    path = write(tmp_path, text)
    with pytest.raises(LeagueError) as caught:
        read_league(path)
    lines = str(caught.value).splitlines()
    assert lines[0] == f"{path}: 2 mistakes"
    assert [line.split(": ")[0].strip() for line in lines[1:]] == ["deals.count", "colck"]
    assert "did you mean clock?" in lines[2]


@pytest.mark.parametrize(
    ("change", "where", "what"),
    [
        (
            ('["serpent"]', '["serpant"]'),
            "games[0].name",
            "no game 'serpant'; the games are dominion, pippip,",
        ),
        (('["serpent"]', "[]"), "games", "at least 1 item"),
        (('["serpent"]', "[7]"), "games[0]", "7"),
        (('["serpent"]', '[{name = "serpent", options = {tie = 1}}]'), "games[0].options", "no option tie"),
        (('["serpent"]', '[{name = "serpent", options = {max_tiebreaks = -1}}]'), "games[0].options", "0 to 1000"),
        (('["serpent"]', '["serpent", "serpent"]'), "games[1].label", "two games would be called 'serpent'"),
        (('"ada"', '"a/b"'), "bots[0].name", "1 to 40 letters"),
        (('"bo"', '"ada"'), "bots[1].name", "'ada' is the name of bots[0] already"),
        (('sample = "random"', 'command = ""'), "bots[0].command", "at least 1 item"),
        (('sample = "random"', 'sample = "wichita/random"'), "bots[0].sample", "plays wichita"),
        (('sample = "random"', 'sample = "random", command = "x"'), "bots[0]", "either a command, a sample or a path"),
        (('sample = "random"', 'sample = "random", cmd = "x"'), "bots[0].cmd", "no such entry; did you mean cwd"),
        (("games", "seats = 3\ngames"), "seats", "no such entry; it belongs in games"),
        (('name = "ada", ', ""), "bots[0].name", "is missing"),
        (('"ada"', '"ada", games = ["serpent", "chess"]'), "bots[0].games", "'chess' is not played here"),
        (('"serpent"]', '{ name = "serpent", deals = 30 }]'), "games[0].deals", "30, but the suite 'quick' has 20"),
        (("count = 10", "count = 21"), "deals.count", "21, but the suite 'quick' has 20"),
        (("count = 10", "count = 10.5"), "deals.count", "valid integer"),
        (("games", "clock = 10\ngames"), "clock", "is a table, such as { name = value }, not 10"),
        (('suite = "quick"', 'suite = "slow"'), "deals.suite", "no suite 'slow'"),
        (("games", "tables = 0\ngames"), "tables", "greater than or equal to 1"),
        (("games", 'anchor = "zoe"\ngames'), "anchor", "no bot is called 'zoe'"),
        (("games", "games = 1\ngames"), "the file", "Cannot overwrite"),
        (
            ('{ name = "bo", sample = "serpent/greedy" }', ""),
            "games[0].seats",
            "needs 2 bots at a table, the league has 1",
        ),
    ],
)
def test_each_mistake_is_named_where_it_is(tmp_path: Path, change: tuple[str, str], where: str, what: str) -> None:
    found = mistakes(tmp_path, GOOD.replace(*change))
    assert what in found[where], found
    assert len(found) == 1, found


def test_a_file_that_cannot_be_read_is_a_mistake_too(tmp_path: Path) -> None:
    deep = tmp_path / "deep.toml"
    deep.write_text(f"a = {5_000 * '['}")
    with pytest.raises(LeagueError, match="the file: it is nested too deeply"):
        read_league(deep)
    with pytest.raises(LeagueError, match="the file: No such file"):
        read_league(tmp_path / "nowhere.toml")


def test_bots_that_are_no_list_do_not_hide_other_mistakes(tmp_path: Path) -> None:
    assert set(mistakes(tmp_path, 'games = "x"\nbots = 3\nclock = 5\ntables = "many"')) == {
        "games", "bots", "clock", "tables",
    }  # fmt: skip


def test_too_few_bots_are_filled_up_by_house_bots_if_the_league_says_so(tmp_path: Path) -> None:
    lonely = GOOD.replace(', { name = "bo", sample = "serpent/greedy" }', "")
    league = read_league(write(tmp_path, f'fill = "random"\n{lonely}'))
    assert [bot.name for bot in league.players(2)] == ["ada", "(house 1)"]
    assert "random_bot" in " ".join(league.program(league.players(2)[1], "serpent").command)


def test_a_cluster_is_for_the_engine_that_uses_one(tmp_path: Path) -> None:
    cluster = 'scheduler = "tls://10.0.0.1:8786"\ntls = { ca = "ca.pem", cert = "cert.pem", key = "key.pem" }\n'
    for name in ("cert.pem", "key.pem"):
        (tmp_path / name).touch()
    assert mistakes(tmp_path, cluster + GOOD) == {
        "scheduler": 'is for a league with engine = "dask"',
        "tls": 'is for a league with engine = "dask"',
        "tls.ca": "there is no file ca.pem",
    }
    (tmp_path / "ca.pem").touch()
    assert read_league(write(tmp_path, f'engine = "dask"\n{cluster}{GOOD}')).file.tls is not None
    assert "give its address" in mistakes(tmp_path, f'engine = "dask"\n{GOOD}')["scheduler"]


@pytest.mark.parametrize("name", ["日本", "Zoë", "Мария", "हिन्दी", "ada", "3rd try+1", "x" * 40, "½"])
def test_a_name_is_letters_and_digits_of_any_script(tmp_path: Path, name: str) -> None:
    text = f'{GOOD}anchor = "{name}"'.replace('"ada"', f'"{name}"')
    assert [bot.name for bot in read_league(write(tmp_path, text)).file.bots] == [name, "bo"]
    labelled = GOOD.replace('"serpent"]', f'{{ name = "serpent", label = "{name}" }}]')
    assert read_league(write(tmp_path, labelled)).file.games[0].label == name


@pytest.mark.parametrize(
    "name", ["", " ada", "a/b", "a,b", "a\nb", "a\u200bb", "\u0301a", "-a", "x" * 41, "a\u202eb", 'a"b', "a😀"]
)
def test_what_is_no_name_is_told_what_is(tmp_path: Path, name: str) -> None:
    found = mistakes(tmp_path, GOOD.replace('"ada"', json.dumps(name, ensure_ascii=False)))
    assert "a name is 1 to 40 letters, digits, blanks and . _ + -, a letter or digit first" in found["bots[0].name"]


@pytest.mark.parametrize("name", ["A\\nB", "\\u001b[2J", "\\u202eA", "A\\u2028"])
def test_the_name_of_a_league_is_one_line(tmp_path: Path, name: str) -> None:
    assert read_league(write(tmp_path, f'name = "Sci-fi [/3]: 王 & \\\\C"\n{GOOD}')).name == "Sci-fi [/3]: 王 & \\C"
    assert "one line" in mistakes(tmp_path, f'name = "{name}"\n{GOOD}')["name"]


def test_a_name_has_one_form(tmp_path: Path) -> None:
    found = mistakes(tmp_path, GOOD.replace('"ada"', '"Zoe\u0308"'))
    assert found["bots[0].name"] == (
        r"'Zoe\u0308' is not in Unicode's normal form C: write 'Zo\xeb', which looks alike"
    )


def test_the_clock_s_younger_options_are_no_part_of_it_unless_they_are_set(tmp_path: Path) -> None:
    """Ids are made of the clock. Those of older leagues stay as they are."""
    assert read_league(write(tmp_path, GOOD)).file.clock.settings() == {
        "answer_ms": 1000, "bank_ms": 0, "increment_ms": 0,
    }  # fmt: skip
    clock = read_league(write(tmp_path, f"clock = {{ longest_ms = 4000 }}\n{GOOD}")).file.clock
    assert clock.settings()["longest_ms"] == 4000
    assert "clock.longest_ms" in mistakes(tmp_path, f"clock = {{ longest_ms = 0 }}\n{GOOD}")
