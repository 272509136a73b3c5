"""What a bot says of itself: its games, and methods that look misspelt."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

from pips_tourney.bots.find import find_bot
from pips_tourney.bots.found import BotProblem
from pips_tourney.cli import counting
from pips_tourney.cli.bot import main
from tests.needs import needs
from tests.pips_tourney.workshop.conftest import SERPENT, Write

MISSPELT = f"{SERPENT}    def leed(self, view):\n        return view.playable[0]\n"
MEANT = "has `leed` (my_bot.py:4), which no question calls. Did you mean `lead`?"


def test_a_program_in_any_language_is_asked_what_it_plays(write: Write) -> None:
    file = write(
        "other.txt", """import os; print('[{"game": "wichita"}]' if os.environ.get("PIPS_DESCRIBE") else "")"""
    )
    assert find_bot(f"{sys.executable} {file}").games() == ("wichita",)
    assert find_bot(f"{sys.executable} -c 1").games() == ()
    assert find_bot(f"{sys.executable} -c {{").games() == ()


HELLO = '{"type":"hello","games":["wichita"]}'


@pytest.mark.parametrize(
    ("printed", "lines"),
    [
        (HELLO, True),
        (f"{HELLO}\\nmore", True),
        (f"[warning] no lock\\n{HELLO}", True),
        ('{"type":"hello","games":3}', False),
        ('{"type":"bye","games":["wichita"]}', False),
        ('{"games":["wichita"]}', False),
        ("[1]", False),
    ],
)
def test_a_program_in_lines_is_known_by_its_hello(printed: str, lines: bool, write: Write) -> None:
    file = write("hello.py.txt", f"print('{printed}')")
    bot = find_bot(f"{sys.executable} {file}")
    assert bot.games() == (("wichita",) if lines else ())
    assert ("pips_sdk.lines" in bot.program("wichita").command) == lines


def test_what_somebody_else_s_bot_toml_starts_is_not_asked(write: Write) -> None:
    write("best/bot.toml", 'command = "touch asked"\n')
    assert find_bot("best").games() == ()
    assert not (write("best/x", "").parent / "asked").exists()


@needs("node")
def test_a_file_for_node_that_runs_nothing(write: Write) -> None:
    write("other.js", "class MyBot {}")
    with pytest.raises(BotProblem, match=r"other\.js ran to its end and played nothing: does it call run\?"):
        find_bot("other.js").games()


def test_a_misspelt_method_is_named_by_play_and_check(write: Write) -> None:
    write("my_bot.py", MISSPELT)
    played = CliRunner().invoke(main, ["play", "my_bot.py", "random", "-n", "2", "--in-process"])
    assert MEANT in played.output
    checked = CliRunner().invoke(main, ["check", "my_bot.py", "--in-process"])
    assert checked.exit_code == 0 and MEANT in checked.output


def test_two_words_that_name_neither_command_nor_folder() -> None:
    with pytest.raises(BotProblem, match=r"there is no command a on this machine, and no bot a bot: no file or folder"):
        find_bot("a bot")


def test_a_long_duel_says_now_and_then_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    times = iter([0.0, 1.0, 11.0, 11.0, 12.0, 30.0])
    with counting.counted(4, lambda: next(times)) as advance:
        for _ in range(4):
            advance()
    assert capsys.readouterr().err == "2 of 4 matches\n"
