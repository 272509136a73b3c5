"""Mistakes as tests: red for the bot that made them, green for one that does not."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from random import Random
from types import ModuleType

import pytest
from click.testing import CliRunner

from pips_sdk import Bot
from pips_tourney.analysis import as_tests
from pips_tourney.analysis.analyse import analyse
from pips_tourney.analysis.as_tests import MistakeTest, mistake_tests, mistakes_file
from pips_tourney.cli.bot import main
from tests.pips_tourney.analysis.matches import GREEDY, PLANTED, records

BOT = """from pips_sample_bots.wichita.greedy_bot import GreedyBot


class MyBot(GreedyBot):
    def lay(self, view):
        late = view.stock_size / len(view.points) <= 6 and len(view.hand) > 6
        return () if late else super().lay(view)
"""


def mistakes_of(game: str) -> list[MistakeTest]:
    clock = count()
    played = records(game, [PLANTED[game], GREEDY[game]], 20)
    (found,) = analyse(played, "ada", 200, clock=lambda: float(next(clock)))
    return mistake_tests(found, PLANTED[game], Random(1))


def red(tests: list[MistakeTest], bot: type[Bot], game: str) -> int:
    """How many of the written tests fail for a bot."""
    text = mistakes_file(tests, PLANTED[game], "mine", game).replace("from mine import", "# from mine import")
    module = ModuleType("written")
    vars(module)[PLANTED[game].__name__] = bot
    exec(compile(text, "written.py", "exec"), vars(module))
    failed = 0
    for name, test in list(vars(module).items()):
        if name.startswith("test_"):
            try:
                test()
            except AssertionError:
                failed += 1
    return failed


@pytest.mark.parametrize("game", ["wichita", pytest.param("serpent", marks=pytest.mark.long)])
def test_they_are_red_for_the_bot_of_then_and_green_for_the_mended_one(game: str) -> None:
    tests = [test for test in mistakes_of(game) if test.mistake.decision.situation == PLANTED[game].planted]
    assert tests
    assert red(tests, PLANTED[game], game) == len(tests)
    assert red(tests, GREEDY[game], game) == 0
    for test in tests:
        assert test.mistake.better in test.harmless
        assert not {*test.costly} & {*test.harmless}
        assert test.cost.interval[0] > 0


def test_what_the_bot_does_not_do_in_the_position_is_no_test() -> None:
    clock = count()
    played = records("wichita", [PLANTED["wichita"], GREEDY["wichita"]], 20)
    (found,) = analyse(played, "ada", 200, clock=lambda: float(next(clock)))
    assert found.mistakes
    assert mistake_tests(found, GREEDY["wichita"], Random(1)) == []


class TestTheCommand:
    def test_the_tests_are_of_the_bot_beside_them(self, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = list[str]()

        def noted(_: object, name: str, *more: object) -> list[object]:
            asked.append(name)
            return []

        monkeypatch.setattr("pips_tourney.cli.bots.records.look", noted)
        for words in (["kept"], ["kept", "--tests", "my_bot/test_mistakes.py"]):
            CliRunner().invoke(main, ["analyse", *words])
        assert asked == ["my_bot", "my_bot"]
        for record in Path("kept").iterdir():
            record.unlink()
        CliRunner().invoke(
            main, ["play", "greedy", "random", "--game", "wichita", "--in-process", "-n", "2", "--save", "kept"]
        )
        for words in (["kept"], ["kept", "--tests", "my_bot/test_mistakes.py"]):
            assert "whose decisions? Name one with --bot: " in CliRunner().invoke(main, ["analyse", *words]).output

    @pytest.fixture
    def kept(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "my_bot").mkdir()
        (tmp_path / "my_bot" / "my_bot.py").write_text(BOT, encoding="utf-8")
        words = ["play", "my_bot", "greedy", "--in-process", "-n", "30", "--seed", "a", "--save", "kept"]
        assert CliRunner().invoke(main, words, catch_exceptions=False).exit_code == 0
        return tmp_path

    def test_they_stand_beside_the_bot(self, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(as_tests, "WORLDS", 100)
        words = ["analyse", "kept", "--seconds", "1", "--tests", "my_bot/test_mistakes.py"]
        told = CliRunner().invoke(main, words, catch_exceptions=False)
        assert told.exit_code == 0
        assert "mistakes are tests now: pytest my_bot/test_mistakes.py\n" in told.output
        written = (kept / "my_bot" / "test_mistakes.py").read_text(encoding="utf-8")
        assert "from my_bot import MyBot\n" in written
        assert "view = position('ask: lay | " in written
        again = CliRunner().invoke(main, words)
        assert again.exit_code == 2
        assert "my_bot/test_mistakes.py is there already: name another file" in again.output
        assert (kept / "my_bot" / "test_mistakes.py").read_text(encoding="utf-8") == written

    @pytest.mark.parametrize(
        ("place", "why"),
        [
            ("my_bot/mistakes.py", "pytest does not find mistakes.py: name it test_mistakes.py"),
            ("kept/test_mistakes.py", "kept"),
            ("nowhere/test_mistakes.py", "there is no folder nowhere"),
        ],
    )
    def test_where_they_cannot_stand(self, kept: Path, place: str, why: str) -> None:
        told = CliRunner().invoke(main, ["analyse", "kept", "--seconds", "1", "--tests", place])
        assert told.exit_code == 2
        assert why in told.output

    def test_one_is_printed(self, kept: Path) -> None:
        record = str(min((kept / "kept").glob("*.pips")))
        told = CliRunner().invoke(main, ["ask", record, "--seat", "0", "--question", "1"])
        assert "\nFor a test: view = position('ask: " in told.output
