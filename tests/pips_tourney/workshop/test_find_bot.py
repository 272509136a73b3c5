"""A bot is named as a file, a folder, a command, or a sample bot's name."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pips_referee.game import REGISTRY
from pips_tourney.bots.find import find_bot, sample_names
from pips_tourney.bots.found import BotProblem, Command, NodeFile, PythonFile, Sample
from tests.needs import needs
from tests.pips_tourney.workshop.conftest import SERPENT, Write

A_BOT = f"{SERPENT}    pass\n"


def problem(word: str) -> str:
    with pytest.raises(BotProblem) as told:
        find_bot(word)
    return str(told.value)


class TestFiles:
    def test_a_python_file(self, write: Write, folder: Path) -> None:
        write("my_bot.py", A_BOT)
        bot = find_bot("my_bot.py")
        assert isinstance(bot, PythonFile)
        assert (bot.name, bot.games(), bot.folder) == ("my_bot", ("serpent",), folder)
        assert bot.bot_class("serpent").__name__ == "MyBot"
        program = bot.program("serpent")
        assert program.command == (sys.executable, "-P", "-m", "pips_sdk.run_file", "my_bot.py")
        assert program.cwd == str(folder)

    @pytest.mark.parametrize("word", ["best", "best/best.py", "python best/best.py", "greedy"])
    def test_what_was_typed_is_kept(self, write: Write, word: str) -> None:
        write("best/best.py", A_BOT)
        assert find_bot(word).word == word

    def test_a_folder_with_an_archive_alone_says_so(self, write: Write) -> None:
        write("best/best.zip", "PK")
        assert problem("best") == "best: best.zip is an archive, not a bot: unzip it in that folder"

    def test_a_folder_in_between_is_named(self, write: Write) -> None:
        write("gus/ada/ada.py", A_BOT)
        assert problem("gus") == "gus: its files are one folder deeper, in ada: move those of the bot up"

    def test_a_folder_is_meant_by_the_name_of_its_file(self, write: Write) -> None:
        write("best/best.py", A_BOT)
        assert "Did you mean best?" in problem("best.py")

    def test_it_plays_no_other_game(self, write: Write) -> None:
        write("my_bot.py", A_BOT)
        with pytest.raises(BotProblem, match=r"^my_bot\.py has no bot for wichita; it plays serpent$"):
            find_bot("my_bot.py").bot_class("wichita")

    def test_a_broken_file_is_told_where_its_games_are_asked(self, write: Write) -> None:
        write("my_bot.py", "import")
        bot = find_bot("my_bot.py")
        with pytest.raises(BotProblem, match=r"^my_bot\.py, line 1: Python cannot read this"):
            bot.games()
        with pytest.raises(BotProblem, match=r"^my_bot\.py, line 1: Python cannot read this"):
            bot.bot_class("serpent")

    def test_a_file_that_is_killed_while_it_is_read(self, write: Write) -> None:
        write("my_bot.py", "import os; os._exit(7)")
        with pytest.raises(BotProblem, match=r"^my_bot\.py cannot be read: Python ended by 7$"):
            find_bot("my_bot.py").games()

    def test_a_file_that_loops_while_it_is_read(self, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
        def wait(*_: Any, timeout: float, **__: Any) -> None:
            raise subprocess.TimeoutExpired("python", timeout)

        write("my_bot.py", "while True: pass")
        monkeypatch.setattr(subprocess, "run", wait)
        with pytest.raises(BotProblem, match=r"without coming to an end\. Does it loop.* outside its class\?$"):
            find_bot("my_bot.py").games()

    @pytest.mark.parametrize("file", ["other.js", "other.mjs", "other.cjs"])
    def test_a_file_for_node(self, write: Write, folder: Path, monkeypatch: pytest.MonkeyPatch, file: str) -> None:
        write(file, "")
        monkeypatch.setattr(shutil, "which", lambda command: f"/bin/{command}")
        bot = find_bot(file)
        assert bot == NodeFile("other", Path(file))
        assert bot.folder == folder
        assert bot.program("serpent").command == ("node", file)
        monkeypatch.setattr(shutil, "which", lambda command: None)
        assert problem(file) == "node is not installed on this machine: install it, or fix its name"

    @needs("node")
    @pytest.mark.parametrize(
        ("text", "games"),
        [
            ('console.log(process.env.PIPS_DESCRIBE && \'[{"game": "serpent"}]\')', ("serpent",)),
            ("console.log('hi'); console.log('[{\"game\": \"serpent\"}]')", ("serpent",)),
            ("console.log('I tell you nothing')", ()),
            ("console.log('[7]')", ()),
            ("process.exit(2)", ()),
        ],
    )
    def test_a_file_for_node_tells_its_games_or_does_not(self, write: Write, text: str, games: tuple[str]) -> None:
        write("other.js", text)
        assert find_bot("other.js").games() == games

    @needs("node")
    def test_what_node_cannot_run(self, write: Write) -> None:
        write("other.js", "let = 7 7")
        with pytest.raises(BotProblem, match=r"(?s)^other\.js cannot be run:\n.*other\.js:1.*SyntaxError"):
            find_bot("other.js").games()
        write("other.mjs", "import 'nowhere-at-all'")
        with pytest.raises(BotProblem, match=r"(?s)nowhere-at-all.*Install what it imports: `npm install` in "):
            find_bot("other.mjs").games()

    def test_a_program(self, write: Write, folder: Path) -> None:
        path = write("fast_bot", "#!/bin/sh\n")
        assert problem("fast_bot").startswith("fast_bot is no bot: a bot is a Python file (.py)")
        path.chmod(0o755)
        bot = find_bot("fast_bot")
        assert bot == Command("fast_bot", (str(path),), folder)
        assert bot.program("serpent").cwd == str(folder)


class TestFolders:
    @pytest.mark.parametrize("file", ["best/best.py", "best/bot.py", "best/main.py", "best/anything.py"])
    def test_the_file_in_it(self, write: Write, file: str) -> None:
        write(file, A_BOT)
        write("best/test_best.py", "")
        write("best/conftest.py", "")
        write("best/best.test.js", "")
        bot = find_bot("best")
        assert isinstance(bot, PythonFile)
        assert (bot.name, bot.path) == ("best", Path(file))

    def test_the_folder_one_is_in(self, write: Write, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        write("best/best.py", A_BOT)
        monkeypatch.chdir(folder / "best")
        assert find_bot(".").name == "best"

    def test_nothing_in_it(self, folder: Path) -> None:
        (folder / "empty").mkdir()
        assert problem("empty").startswith("empty: which file is the bot? It is looked for as empty.py, bot.py or")
        assert "but it has no file of a bot." in problem("empty")

    def test_too_much_in_it(self, write: Write) -> None:
        write("best/a.py", "")
        write("best/b.js", "")
        assert "but it has a.py, b.js. Rename the bot's file, name the file itself, or say how" in problem("best")


class TestSamples:
    @pytest.mark.parametrize("game", REGISTRY)
    def test_by_name(self, game: str) -> None:
        bot = find_bot("greedy")
        assert bot == Sample("greedy", None)
        assert (bot.games(), bot.folder) == ((), None)
        assert bot.bot_class(game).__name__ == "GreedyBot"
        assert bot.program(game).command[-1] == f"pips_sample_bots.{game}.greedy_bot"

    def test_of_one_game(self) -> None:
        assert find_bot("serpent/greedy").games() == ("serpent",)

    def test_a_game_without_it(self) -> None:
        bot = Sample("nobody", None)
        for ask in (bot.program, bot.bot_class):
            with pytest.raises(BotProblem, match=r"^there is no sample bot 'nobody' for serpent; there are .*greedy"):
                ask("serpent")

    def test_there_are_the_usual_ones_for_every_game(self) -> None:
        assert all({"random", "greedy"} <= set(sample_names(game)) for game in REGISTRY)


class TestCommands:
    def test_a_command_with_a_file(self, write: Write, folder: Path) -> None:
        write("other.py", "")
        bot = find_bot("python other.py --fast")
        assert bot == Command("other", ("python", "other.py", "--fast"))
        assert bot.program("serpent").command == (sys.executable, "other.py", "--fast")
        assert (bot.program("serpent").cwd, bot.folder) == (str(folder), None)

    def test_a_command_without_one(self) -> None:
        assert find_bot("sh -c true").name == "sh"

    def test_one_that_is_not_there(self) -> None:
        assert problem("nobody --fast").startswith("there is no command nobody on this machine")

    def test_it_has_no_class(self) -> None:
        with pytest.raises(
            BotProblem, match=r"^sh is a program of its own: in this process only Python files and sample bots"
        ):
            find_bot("sh -c true").bot_class("serpent")


class TestWhatIsNotThere:
    def test_a_file(self, folder: Path) -> None:
        message = problem("nobody.py")
        assert message.startswith(f"there is no bot nobody.py: no file or folder has that name in {folder}, and no")
        assert message.endswith("`pips-bot new NAME --game GAME` makes a new bot.")

    def test_a_slip_of_the_pen(self, write: Write) -> None:
        write("my_bot.py", A_BOT)
        assert "Did you mean my_bot.py?" in problem("my_bott.py")
        assert "Did you mean greedy?" in problem("gredy")

    def test_a_name_that_is_no_command_either(self) -> None:
        assert problem("Anna's bot").startswith("there is no bot Anna's bot: no file or folder has that name")

    def test_a_folder_that_is_not_there_either(self) -> None:
        assert problem("nowhere/bot.py").startswith("there is no bot nowhere/bot.py")


class TestBotToml:
    def test_it_says_how_the_bot_is_started(self, write: Write, folder: Path) -> None:
        write("fast/bot.toml", 'command = ["./fast", "--deep"]\nenv = { LEVEL = "3" }\ngames = ["serpent"]')
        bot = find_bot("fast")
        assert isinstance(bot, Command)
        assert (bot.name, bot.command, bot.games()) == ("fast", ("./fast", "--deep"), ("serpent",))
        program = bot.program("serpent")
        assert (program.cwd, program.env["LEVEL"]) == (str(folder / "fast"), "3")

    @pytest.mark.parametrize(
        ("text", "what"),
        [
            ("command = 'x'\ncomand = 'y'", "there is no entry comand"),
            ("games = ['serpent']", "`command`"),
            ("command = []", "`command`"),
            ('command = "node \'x.js"', "`command`"),
            ("command = [7]", "`command`"),
            ("command = 'x'\nenv = { A = 1 }", "`env`"),
            ("command = 'x'\ngames = ['chess']", "there is no game 'chess'"),
            ("command = ", "cannot be read"),
        ],
    )
    def test_what_is_wrong_in_it(self, write: Write, text: str, what: str) -> None:
        write("fast/bot.toml", text)
        assert what in problem("fast")
