"""A match page by page, from a file or from a night's database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pips_referee.records.record import Header, read_record
from pips_referee.records.replay import replay_pages
from pips_sdk._runtime.log_marks import by_question
from pips_tourney.bots.find import find_bot
from pips_tourney.bots.found import BotProblem
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import open_store
from pips_tourney.workshop.duels import watch
from pips_tourney.workshop.duels.duel import Wanted, plan_duel
from pips_tourney.workshop.duels.watch import on_key, play_listening, record_in, show
from tests.pips_tourney.in_process import play
from tests.records import new_header

TALKS = """
from pips_sdk.serpent import SerpentBot

print("loaded")


class Talks(SerpentBot):
    number = 0

    def choose(self, view):
        self.number += 1
        for line in range(50):
            print(self.number, line)
        return next(view.legal_actions())
"""
PAGES = [["one", "1"], ["two"], ["three"]]


def record_of(match_id: str) -> bytes:
    usual = new_header("serpent")
    return play(Header(match_id, usual.game, usual.options, usual.names, usual.seed), bytes(32))


def keys(monkeypatch: pytest.MonkeyPatch, pressed: str) -> None:
    waiting: Iterator[str] = iter(pressed)
    monkeypatch.setattr(click, "getchar", lambda: next(waiting))


def shown(pages: list[list[str]]) -> list[str]:
    lines: list[str] = []
    show(pages, on_key(), lines.append)
    return lines


class TestPrinted:
    """What bots print is shown at the question at which they printed it."""

    def test_by_question(self) -> None:
        printed = ["loaded", "\x1e1 1", "one", "two", "\x1e0 1", "\x1e1 2", "\x1e", "\x1e1 x", "end"]
        assert by_question(printed) == {
            None: ["loaded"], (1, 1): ["one", "two"], (1, 2): ["\x1e", "\x1e1 x", "end"],
        }  # fmt: skip

    def test_the_last_lines_of_many(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "bot.py").write_text(TALKS, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        duel = plan_duel(find_bot("bot.py"), find_bot("random"), Wanted(1, seed="talks"))
        record, printed = play_listening(duel, in_process=True)
        pages = list(replay_pages(read_record(record), printed={at: said for at, said in printed.items() if at}))
        assert printed[None] == ["loaded"]
        answers = [(page, at) for page in pages for at, line in enumerate(page) if " (bot), question " in line]
        assert len(answers) > 2
        for number, (page, at) in enumerate(answers, 1):
            assert page[at + 1 : at + 3] == ["  | ... 10 lines more", f"  | {number} 10"]
            assert page[at + watch.MOST_PRINTED + 1] == f"  | {number} 49"


class TestPages:
    def test_a_key_for_each(self, monkeypatch: pytest.MonkeyPatch) -> None:
        keys(monkeypatch, " \r")
        assert shown(PAGES) == ["one", "1", "two", "three"]

    @pytest.mark.parametrize("key", ["q", "\x1b", "\x03"])
    def test_enough(self, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
        keys(monkeypatch, key)
        assert shown(PAGES) == ["one", "1"]

    def test_all_the_rest(self, monkeypatch: pytest.MonkeyPatch) -> None:
        keys(monkeypatch, "a")
        assert shown(PAGES) == ["one", "1", "two", "three"]


class TestRecords:
    @pytest.fixture
    def night(self, folder: Path) -> Path:
        path = folder / "night.db"
        with open_store(path) as store:
            store.add([row_of(record_of(match_id)) for match_id in ("ab12", "ab34", "cd56")])
        return path

    def test_a_file(self, folder: Path) -> None:
        (folder / "match.pips").write_bytes(record_of("ab12"))
        assert record_in(folder / "match.pips", None).header.match_id == "ab12"

    @pytest.mark.parametrize("begins", ["cd56", "cd", "CD"])
    def test_one_of_a_database(self, night: Path, begins: str) -> None:
        assert record_in(night, begins).header.match_id == "cd56"

    @pytest.mark.parametrize("begins", ["ab", None])
    def test_which_one(self, night: Path, begins: str | None) -> None:
        with pytest.raises(BotProblem, match=r"^which match\? Give the beginning of its id:\n  ab12  serpent: 1\. "):
            record_in(night, begins)

    def test_there_are_many(self, folder: Path) -> None:
        path, data = folder / "night.db", row_of(record_of("x"))
        with open_store(path) as store:
            store.add([data._replace(id=f"{number:04}") for number in range(50)])
        with pytest.raises(BotProblem, match=r"0019  serpent.*\n  \.\.\.$"):
            record_in(path, None)

    def test_none_of_that_name(self, night: Path, folder: Path) -> None:
        with pytest.raises(BotProblem, match=r"has no match zz$"):
            record_in(night, "zz")
        open_store(folder / "new.db").close()
        with pytest.raises(BotProblem, match=r"has no matches yet$"):
            record_in(folder / "new.db", None)

    def test_what_is_no_record(self, folder: Path) -> None:
        with pytest.raises(BotProblem, match=r"nobody cannot be read: No such file or directory$"):
            record_in(folder / "nobody", None)
        (folder / "junk").write_bytes(b"\xffjunk")
        with pytest.raises(BotProblem, match=r"junk: this is no match record"):
            record_in(folder / "junk", None)
        (folder / "junk.db").write_bytes(watch.DATABASE_BEGINS + b"junk")
        with pytest.raises(BotProblem, match=r"junk\.db is no database of a night"):
            record_in(folder / "junk.db", None)
