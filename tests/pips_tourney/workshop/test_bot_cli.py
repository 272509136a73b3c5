"""`pips-bot` as it is typed, without processes.

Every error of a beginner, and the words of its answer.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pips_referee.records.record import verify
from pips_tourney.cli.bot import main
from pips_tourney.cli.bots import two_bots
from pips_tourney.cli.groups import BOT_HELP
from pips_tourney.cli.tourney import main as tourney
from pips_tourney.workshop.checks import check
from pips_tourney.workshop.duels import in_process
from tests.pips_tourney.workshop.conftest import SERPENT, Write


def run(*words: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(tourney if words[0] == "replay" else main, list(words), input=typed)


def ended(status: int, *words: str, typed: str | None = None) -> str:
    """All it printed. Fails with that output when the exit code is another."""
    result = run(*words, typed=typed)
    assert result.exit_code == status, result.output
    return result.output


class TestNew:
    def test_from_nothing_to_a_result_in_two_commands(self) -> None:
        assert ended(0, "new", "my_bot", "--game", "serpent").splitlines() == [
            f"wrote {Path('my_bot/README.md')}",
            f"wrote {Path('my_bot/my_bot.py')}",
            f"wrote {Path('my_bot/pytest.ini')}",
            f"wrote {Path('my_bot/test_my_bot.py')}",
            "",
            "Play it:   pips-bot play my_bot greedy",
            "Change it, and play again.",
        ]
        first, result, difference, *_ = ended(0, "play", "my_bot", "greedy", "-n", "20", "--in-process").splitlines()
        assert first.startswith("my_bot against greedy: Serpent, 2 seats; 20 matches = 10 deals, each from every seat")
        assert result.startswith("my_bot won ")
        how = r"(as strong as|\d+ Elo (weaker|stronger) than)"
        assert re.match(rf"my_bot is {how} greedy, 95 % interval [-+]", difference)

    def test_the_command_that_it_prints_works(self) -> None:
        printed = ended(0, "new", "my bots/fox", "--game", "serpent")
        [line] = [line for line in printed.splitlines() if line.startswith("Play it:")]
        command = shlex.split(line.removeprefix("Play it:"))
        assert command == ["pips-bot", "play", "my bots/fox", "greedy"]
        assert ended(0, *command[1:], "-n", "2", "--in-process").startswith("fox against greedy")

    def test_only_languages_that_there_are(self) -> None:
        assert "there are " in ended(2, "new", "my_bot", "--game", "serpent", "--language", "cobol")

    def test_a_name_that_will_not_do(self) -> None:
        assert "such as my_bot" in ended(2, "new", "My-Bot", "--game", "serpent")


class TestPlay:
    def test_the_same_word_gives_the_same_result(self) -> None:
        words = ("play", "serpent/greedy", "random", "-n", "4", "--in-process", "--seed", "spring")
        assert ended(0, *words) == ended(0, *words)
        assert "--seed spring" in ended(0, *words)

    def test_options_seats_and_records(self, folder: Path) -> None:
        words = ("play", "greedy", "random", "-n", "1", "--in-process", "--game", "WICHITA", "--seats", "3")
        printed = ended(0, *words, "--option", "decks=3", "--save", "kept")
        assert printed.startswith("greedy against random, with house greedy: Wichita, 3 seats, decks 3; 3 matches = 1")
        assert [verify(file.read_bytes()).outcome.faults for file in (folder / "kept").iterdir()] == [()] * 3

    def test_records_of_two_series_are_not_mixed(self, folder: Path) -> None:
        words = ("play", "serpent/greedy", "random", "-n", "2", "--in-process", "--save", "kept")
        ended(0, *words)
        before = {file.name: file.read_bytes() for file in (folder / "kept").iterdir()}
        assert "kept has the records of other matches; name another folder with --save" in ended(2, *words)
        assert {file.name: file.read_bytes() for file in (folder / "kept").iterdir()} == before

    def test_words_may_be_values(self) -> None:
        words = ("play", "greedy", "random", "-n", "1", "--in-process", "--game", "pippip")
        assert "Pip-Pip!, 2 seats, rules hervey; " in ended(0, *words, "--option", "rules=hervey")
        assert "write it as NAME=VALUE, such as decks=2" in ended(2, *words, "--option", "rules")


class TestCheck:
    def test_ready(self, write: Write) -> None:
        write("mine.py", f"{SERPENT}    pass\n")
        assert ended(0, "check", "mine.py", "--in-process").endswith("\nmine is ready for a league.\n")

    def test_not_ready(self, write: Write) -> None:
        write("mine.py", f"{SERPENT}    def lead(self, view):\n        return None\n")
        assert ended(1, "check", "mine.py", "--in-process").endswith("one thing to fix, then check again.\n")
        assert json.loads(ended(1, "check", "mine.py", "--in-process", "--json"))["ok"] is False

    def test_without_linux_it_is_played_in_process(self, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
        write("mine.py", f"{SERPENT}    pass\n")
        monkeypatch.setattr(sys, "platform", "win32")
        assert "- played in this process" in ended(0, "check", "mine.py")


class TestWatch:
    def test_slowly(self, monkeypatch: pytest.MonkeyPatch) -> None:
        waited: list[float] = []
        monkeypatch.setattr(two_bots, "sleep", waited.append)
        printed = ended(0, "watch", "serpent/greedy", "random", "--in-process", "--seed", "w", "--delay", "0.25")
        assert "seat 0: " in printed
        assert "place 1: " in printed
        assert printed.endswith("To watch it again: --seed w\n")
        assert set(waited) == {0.25}


class TestReplay:
    @pytest.fixture
    def file(self, folder: Path) -> str:
        ended(0, "play", "serpent/greedy", "random", "-n", "1", "--in-process", "--save", "kept")
        return str(next((folder / "kept").iterdir()))

    def test_from_all_sides(self, file: str) -> None:
        whole = ended(0, "replay", file, "--all")
        assert "you direct" in whole
        assert "place 1: " in whole
        mine = ended(0, "replay", file, "--seat", "1")
        assert "seat 1: random (you)" in mine or "seat 1: greedy (you)" in mine
        assert len(mine) < len(whole)

    def test_a_seat_that_is_not_there(self, file: str) -> None:
        assert "the match has seats 0 to 1" in ended(2, "replay", file, "--seat", "2")

    def test_what_is_no_record(self) -> None:
        assert "Error: nobody cannot be read: No such file or directory" in ended(2, "replay", "nobody")


class TestHuman:
    def test_a_seat_at_the_table(self) -> None:
        printed = ended(0, "human", "serpent", "--seed", "me", typed="1\n? S1\nq\n")
        assert "seat 0: You" in printed
        assert printed.endswith("You left the table.\nThe same deal again: --seed me\n")

    def test_the_end_of_input_is_leaving(self) -> None:
        assert "You left the table." in ended(0, "human", "dominion", "--against", "random", "--seat", "1", typed="")

    def test_to_the_end(self) -> None:
        printed = ended(0, "human", "serpent", "--against", "random", typed="1\n" * 100)
        assert "You have " in printed
        assert "You left" not in printed

    def test_no_such_seat(self) -> None:
        assert "the table has seats 0 to 1" in ended(2, "human", "serpent", "--seat", "2")


class TestEveryErrorOfABeginner:
    """What happened, where, and what to do, in the words of `pips-bot check`.

    All authors meet that command first.
    """

    @pytest.fixture(autouse=True)
    def hurry(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(check, "PATIENCE_S", 1.0)

    def checked(self, write: Write, text: str) -> str:
        write("mine.py", text)
        return run("check", "mine.py", "--in-process").output

    def test_file_not_found(self, folder: Path) -> None:
        told = ended(2, "check", "mine.py")
        assert f"Error: there is no bot mine.py: no file or folder has that name in {folder}" in told
        assert "`pips-bot new NAME --game GAME` makes a new bot." in told

    @pytest.mark.parametrize("command", ["check", "play"])
    def test_file_not_found_whose_name_has_a_quotation_mark(self, command: str) -> None:
        words = ["greedy"] if command == "play" else []
        told = ended(2, command, "Anna's bot/x.py", *words)
        assert "Error: there is no bot Anna's bot/x.py: no file or folder has that name in" in told

    def test_a_folder_in_what_is_a_file(self, write: Write) -> None:
        write("afile", "")
        told = ended(2, "new", "afile/x", "--game", "serpent")
        assert told == "Error: the folder afile/x cannot be made: Not a directory; make the bot elsewhere\n"
        told = ended(2, "play", "greedy", "random", "--game", "serpent", "--in-process", "--save", "afile/x")
        error = "Error: afile/x cannot be written: Not a directory; name another folder with --save\n"
        assert told.endswith(error)

    def test_records_that_cannot_be_written(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "replace", refuse)
        told = ended(2, "play", "greedy", "random", "--game", "serpent", "-n", "2", "--in-process", "--save", "kept")
        assert "Error: kept/" in told
        assert ".pips cannot be written: Permission denied; name another folder with --save\n" in told

    def test_no_bot_class(self, write: Write) -> None:
        told = self.checked(write, "class Mine: pass\n")
        assert "mine.py has no bot class: Mine derives from none of a game." in told
        assert "class MyBot(DominionBot):" in told

    def test_two_bot_classes(self, write: Write) -> None:
        told = self.checked(write, f"{SERPENT}    pass\n\nclass Other(SerpentBot):\n    pass\n")
        assert "mine.py has 2 bots for serpent: MyBot and Other." in told
        assert "Say at its end which one plays, for example: run(MyBot)" in told

    def test_syntax_error(self, write: Write) -> None:
        told = self.checked(write, f"{SERPENT}    def lead(self, view)\n        return view.playable[0]\n")
        assert "mine.py, line 4: Python cannot read this: expected ':'" in told
        assert "Fix that line, or the one above it." in told

    def test_wrong_return_type(self, write: Write) -> None:
        told = self.checked(write, f"{SERPENT}    def lead(self, view):\n        return 'the ace'\n")
        assert "MyBot.lead() must return one Card, such as view.playable[0], but it returned 'the ace'" in told
        assert "(at mine.py:4)" in told
        assert "What to do: Return what the sentence above asks for." in told

    def test_illegal_action(self, write: Write) -> None:
        told = self.checked(write, f"{SERPENT}    def give(self, view):\n        return view.playable[:1] * 3\n")
        assert re.search(r"An illegal answer to question \d \(give\) of a match of Serpent\.", told)
        assert "The answer was: give " in told
        assert "give the defender three of" in told
        assert "What to do: Answer with what the question offers" in told

    def test_forgotten_return(self, write: Write) -> None:
        told = self.checked(write, f"{SERPENT}    def lead(self, view):\n        view.playable[0]\n")
        assert "but it returned None (did it forget its `return`?) (at mine.py:4)" in told
        assert "What to do: Every way through the method needs a `return`." in told

    def test_infinite_loop(self, write: Write) -> None:
        """In tests/e2e the referee's clock ends it."""
        told = self.checked(write, f"{SERPENT}    def lead(self, view):\n        while True:\n            pass\n")
        assert "MyBot did not answer question " in told
        assert "(lead) of a match of Serpent" in told
        assert "It was in lead, mine.py, line " in told
        assert "What to do: Is there a loop in it that never ends?" in told

    def test_print_to_stdout(self, write: Write) -> None:
        body = "        print('I lead')\n        return view.playable[0]\n"
        told = self.checked(write, f"{SERPENT}    def lead(self, view):\n{body}")
        assert "- it prints, for example 'I lead': in a league nobody reads that" in told
        assert "print(..., file=sys.stderr)" in told
        assert "mine is ready for a league." in told

    def test_bad_game_name(self, write: Write) -> None:
        write("mine.py", f"{SERPENT}    pass\n")
        names = "'dominion', 'pippip', 'serpent', 'wichita'"
        for words in (["new", "other", "--game", "chess"], ["play", "mine.py", "random", "--game", "chess"]):
            assert f"Invalid value for '--game': 'chess' is not one of {names}" in ended(2, *words)
        assert "mine does not play wichita; it plays serpent" in ended(
            2, "play", "mine.py", "random", "--game", "wichita"
        )

    def test_an_exception(self, write: Write) -> None:
        told = self.checked(write, f"{SERPENT}    def lead(self, view):\n        return view.cards[0]\n")
        assert "AttributeError: 'SerpentView' object has no attribute 'cards'. Did you mean" in told
        assert "It was asked this:" in told


def test_a_loop_ends_a_meeting_with_the_same_words(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    usual: Any = in_process.play_here
    monkeypatch.setattr("pips_tourney.workshop.duels.play.play_here", lambda *given: usual(*given[:3], 1.0))
    write("mine.py", f"{SERPENT}    def lead(self, view):\n        while True:\n            pass\n")
    told = ended(2, "play", "mine.py", "random", "--in-process")
    assert "Error: MyBot did not answer question " in told
    assert in_process.PATIENCE_S > 1


def test_the_help_names_what_one_can_do() -> None:
    told = ended(0, "--help")
    assert all(f"  {command} " in told for command in ("check", "human", "new", "play", "ask", "watch"))
    assert BOT_HELP.split(":")[0] in " ".join(told.split())
