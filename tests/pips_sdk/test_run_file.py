"""Reading a bot's file: its bots, and what a beginner learns about each mistake."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pips_sdk import run_file
from pips_sdk._runtime.start import StartError
from pips_sdk.run_file import load_bots, main
from pips_sdk.wichita import WichitaBot

Write = Callable[[str], Path]
IMPORT = (
    "from pips_sdk import Bot, run\nfrom pips_sdk.serpent import SerpentBot\nfrom pips_sdk.wichita import WichitaBot\n"
)


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes `my_bot.py`; restores the interpreter after the test."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", ["python"])
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])

    def write_file(text: str) -> Path:
        path = tmp_path / "my_bot.py"
        path.write_text(text, encoding="utf-8")
        return path

    return write_file


def names(path: Path) -> list[str]:
    return [bot.__name__ for bot in load_bots(path)]


def told(path: Path) -> str:
    with pytest.raises(StartError) as error:
        load_bots(path)
    return str(error.value).replace(str(path), "my_bot.py")


class TestTheBotsOfAFile:
    def test_a_class_is_enough(self, write: Write) -> None:
        assert names(write(f"{IMPORT}class Mine(WichitaBot): pass")) == ["Mine"]

    @pytest.mark.parametrize("end", ["run(Second)", "if __name__ == '__main__':\n    run(Second)"])
    def test_run_says_which(self, write: Write, end: str) -> None:
        classes = "class First(WichitaBot): pass\nclass Second(WichitaBot): pass\n"
        assert names(write(IMPORT + classes + end)) == ["Second"]

    def test_one_for_each_of_several_games(self, write: Write) -> None:
        assert names(write(f"{IMPORT}class A(WichitaBot): pass\nclass B(SerpentBot): pass")) == ["A", "B"]

    def test_what_another_is_derived_from_is_no_bot_of_its_own(self, write: Write) -> None:
        assert names(write(f"{IMPORT}class Base(WichitaBot): pass\nclass Mine(Base): pass\nsame = Mine")) == ["Mine"]

    def test_its_folder_is_where_it_imports_from(self, write: Write) -> None:
        path = write(f"{IMPORT}from helper_of_mine import wide\nclass Mine(WichitaBot): width = wide")
        path.with_name("helper_of_mine.py").write_text("wide = 7", encoding="utf-8")
        [mine] = load_bots(path)
        assert mine.__dict__["width"] == 7
        assert load_bots(path)[0].__module__ == "__main__"

    @pytest.mark.parametrize("place", ["Path('weights.txt')", "Path(__file__).with_name('weights.txt')"])
    def test_its_folder_is_where_it_opens_files(
        self, write: Write, monkeypatch: pytest.MonkeyPatch, place: str
    ) -> None:
        later = "    def weigh(self): return Path(__file__).with_name('weights.txt').read_text()"
        path = write(f"{IMPORT}from pathlib import Path\nheavy = {place}.read_text()\nclass Mine(WichitaBot):\n{later}")
        path.with_name("weights.txt").write_text("7", encoding="utf-8")
        monkeypatch.chdir(path.parents[1])
        [mine] = load_bots(path.relative_to(path.parents[1]))
        assert mine.__dict__["weigh"](None) == "7"
        assert Path.cwd() == path.parents[1]

    def test_the_modules_beside_it_are_its_own(self, write: Write, tmp_path: Path) -> None:
        for folder in ("one", "two"):
            (tmp_path / folder / "brain").mkdir(parents=True)
            (tmp_path / folder / "brain" / "__init__.py").write_text("from brain.cells import name", encoding="utf-8")
            (tmp_path / folder / "brain" / "cells.py").write_text(f"name = {folder!r}", encoding="utf-8")
            text = f"{IMPORT}import brain\nclass Mine(WichitaBot): pass\nMine.whose = lambda self: brain.name"
            write(text).rename(tmp_path / folder / "bot.py")
        bots = [load_bots(tmp_path / folder / "bot.py")[0] for folder in ("one", "two")]
        assert [bot.__dict__["whose"](None) for bot in bots] == ["one", "two"]

    def test_what_it_prints_goes_to_stderr(self, write: Write, capsys: pytest.CaptureFixture[str]) -> None:
        load_bots(write(f"print('hello')\n{IMPORT}class Mine(WichitaBot): pass"))
        assert capsys.readouterr() == ("", "hello\n")

    def test_the_program_that_reads_it_stays_the_main_one(self, write: Write) -> None:
        before = sys.modules["__main__"]
        load_bots(write(f"{IMPORT}class Mine(WichitaBot): pass"))
        assert sys.modules["__main__"] is before


class TestWhatABeginnerIsTold:
    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(StartError, match=r"nobody\.py cannot be read: No such file or directory$"):
            load_bots(tmp_path / "nobody.py")

    def test_no_bot_class(self, write: Write) -> None:
        message = told(write("x = 1"))
        assert message.startswith("my_bot.py has no bot class. A bot derives from DominionBot, PippipBot,")
        assert "SerpentBot, WichitaBot or GameBot, for example" in message
        assert message.endswith(
            "from pips_sdk.dominion import DominionBot\n\n    class MyBot(DominionBot):\n        ..."
        )

    def test_a_class_that_is_no_bot(self, write: Write) -> None:
        assert told(write("class Mine: pass")).startswith(
            "my_bot.py has no bot class: Mine derives from none of a game. A bot derives from DominionBot"
        )

    def test_a_class_of_no_game(self, write: Write) -> None:
        assert told(write(f"{IMPORT}class Mine(Bot): pass")).startswith(
            "Mine in my_bot.py derives from Bot itself, which plays no game. A bot derives from DominionBot"
        )

    def test_two_bot_classes(self, write: Write) -> None:
        assert told(write(f"{IMPORT}class A(WichitaBot): pass\nclass B(WichitaBot): pass")) == (
            "my_bot.py has 2 bots for wichita: A and B. Say at its end which one plays, for example: run(A)"
        )

    def test_run_of_what_is_no_bot(self, write: Write) -> None:
        message = told(write(f"{IMPORT}class Mine(WichitaBot): pass\nrun(Mine())"))
        assert message.startswith("my_bot.py, line 5: run() takes the class itself")

    def test_a_syntax_error(self, write: Write) -> None:
        assert told(write("class Mine:\n    def lay(self, view)\n        return 1\n")) == (
            "my_bot.py, line 2: Python cannot read this: expected ':'\n"
            "    def lay(self, view)\n"
            "                       ^\n"
            "Fix that line, or the one above it."
        )

    def test_a_syntax_error_without_a_line(self, write: Write) -> None:
        assert told(write("x = 1\0")).startswith("my_bot.py")

    def test_an_exception_when_it_is_read(self, write: Write) -> None:
        assert told(write("x = 1\ny = X\n")) == (
            "my_bot.py, line 2: NameError: name 'X' is not defined\n"
            "    y = X\n"
            "It was raised when the file was read, before any match."
        )

    def test_a_module_that_is_not_there(self, write: Write) -> None:
        assert told(write("import numpie")) == (
            "my_bot.py, line 1: ModuleNotFoundError: No module named 'numpie'\n"
            "    import numpie\n"
            f"Fix the name of the module, or install it into the Python that runs the bot: {sys.executable}"
        )

    @pytest.mark.filterwarnings("ignore::ImportWarning")
    def test_an_import_with_a_dot(self, write: Write) -> None:
        assert told(write("from .helper import best")).endswith("import what lies beside it without the dot.")

    def test_a_file_that_ends_itself(self, write: Write) -> None:
        assert told(write("raise SystemExit")) == (
            "my_bot.py, line 1: the file ends the program while it is read.\n"
            "    raise SystemExit\n"
            "A bot goes on until `run` is done with it."
        )


class TestTheProgram:
    def test_it_runs_the_bots(self, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
        ran: list[type] = []
        monkeypatch.setattr(run_file, "run", lambda *bots: ran.extend(bots))
        path = write(f"{IMPORT}class Mine(WichitaBot): pass")
        main([str(path)])
        assert [issubclass(bot, WichitaBot) for bot in ran] == [True]
        assert sys.argv == [str(path)]
        assert sys.modules["__main__"].__dict__["Mine"] is ran[0], "so that its own processes find it"

    def test_it_describes_the_bots(self, write: Write, capsys: pytest.CaptureFixture[str]) -> None:
        main(["--describe", str(write(f"print('hello')\n{IMPORT}class Mine(WichitaBot): pass"))])
        assert json.loads(capsys.readouterr().out) == [{"name": "Mine", "game": "wichita", "hints": []}]

    def test_it_ends_with_what_is_wrong(self, write: Write, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as ended:
            main([str(write("x = 1"))])
        assert ended.value.code == 2
        assert "has no bot class" in capsys.readouterr().err
