"""The proxy: who may ask what, the book that is its cache, and what replies cost."""

from __future__ import annotations

import json
import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from pips_sdk.model.door import ModelDoor
from pips_sdk.model.endpoint import TRIES, Endpoint, ModelMessage, ModelUnreachable
from pips_tourney.models.book import NAME, AnswerBook, BookedReply, BookError, ModelQuestion
from pips_tourney.models.league_model import LeagueModel
from pips_tourney.models.proxy import ModelProxy
from pips_tourney.models.usage import usage_of
from tests.model_stub import KEY, Stub, model_stub
from tests.patience import PATIENCE_S

GPT, OTHER = "gpt/serpent/0", "gpt/serpent/1"
TABLE = "a" * 32


def asked(words: str = "pass") -> list[ModelMessage]:
    return [{"role": "user", "content": f"For example: answer: {words}"}]


@dataclass
class Desk:
    """A proxy for one bot, and doors to it."""

    folder: Path
    stub: Stub
    model: LeagueModel
    proxy: ModelProxy
    spent: list[str] = field(default_factory=list)
    doors: dict[str, ModelDoor] = field(default_factory=dict)

    def door(self, process: str = GPT) -> ModelDoor:
        if process not in self.doors:
            self.doors[process] = ModelDoor(str(self.proxy.open(process)))
        return self.doors[process]

    def ask(self, question: int = 1, attempt: int = 1, process: str = GPT, table: str = TABLE) -> str:
        return self.door(process).ask(table, question, attempt, asked())

    def lines(self) -> list[BookedReply]:
        with closing(sqlite3.connect(self.folder / "night.db")) as connection:
            query = f"SELECT {', '.join(BookedReply._fields)} FROM {NAME} ORDER BY rowid"
            return [BookedReply(*row) for row in connection.execute(query)]


@pytest.fixture
def stub() -> Iterator[Stub]:
    with model_stub() as serving:
        yield serving


@pytest.fixture
def new(tmp_path: Path, stub: Stub) -> Iterator[Callable[..., Desk]]:
    desks: list[Desk] = []

    def make(**settings: Any) -> Desk:
        model = replace(LeagueModel(Endpoint(stub.url, "m", KEY, sleep=lambda _: None)), **settings)
        sockets = tmp_path / f"s{len(desks)}"
        sockets.mkdir()
        desk = Desk(tmp_path, stub, model, ModelProxy(sockets, AnswerBook(tmp_path / "night.db"), {"gpt": model}))
        desk.proxy.on_spent = desk.spent.append
        desk.proxy.expect(TABLE, "match-1", 1, "gpt", 100)
        desks.append(desk)
        return desk

    yield make
    for desk in desks:
        for door in desk.doors.values():
            door.close()
        desk.proxy.close()
        assert not desk.proxy.folder.exists()


def test_the_proxy_asks_with_the_key_and_keeps_the_reply(new: Callable[..., Desk]) -> None:
    desk = new(prices=(1.0, 2.0))
    assert desk.ask() == "I think aloud.\nanswer: pass"
    assert desk.stub.keys == [f"Bearer {KEY}"]
    (line,) = desk.lines()
    assert line[:8] == ("match-1", 1, 1, 1, GPT, "I think aloud.\nanswer: pass", 100, 10)
    assert line[8] == pytest.approx(120e-6)
    assert KEY.encode() not in b"".join(file.read_bytes() for file in desk.folder.glob("night.db*"))


def test_what_was_asked_before_is_not_asked_again_even_by_the_next_run(new: Callable[..., Desk]) -> None:
    first, second = new(), new()
    assert first.ask() == first.ask() == second.ask()
    assert len(first.stub.bodies) == 1
    second.door().ask(TABLE, 1, 1, asked("other words"))
    second.ask(attempt=2)
    second.ask(question=2)
    assert len(first.stub.bodies) == 4


def test_another_rotation_learns_nothing_of_it(new: Callable[..., Desk]) -> None:
    desk = new()
    desk.ask()
    desk.ask(process=OTHER)
    assert len(desk.stub.bodies) == 2


def test_another_model_is_asked_anew(new: Callable[..., Desk], stub: Stub) -> None:
    new().ask()
    new(endpoint=Endpoint(stub.url, "m", KEY, {"temperature": 1})).ask()
    new(endpoint=Endpoint(stub.url, "n", KEY)).ask()
    assert len(stub.bodies) == 3


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"hm", "one line of JSON"),
        (b"[]", "a JSON object"),
        (b"{}", "no such table"),
        ({"table": "b" * 32}, "no such table"),
        ({"question": 0}, "`question` is a whole number from 1"),
        ({"question": True}, "`question` is a whole number from 1"),
        ({"question": 101}, "a match of this game has 100 questions at most"),
        ({"attempt": "1"}, "`attempt` is a whole number from 1"),
        ({"attempt": 3}, "2 replies at most"),
        ({"messages": []}, "`messages` is a list"),
        ({"messages": [{"role": "tool", "content": ""}]}, "a message has a `role`"),
        ({"messages": [{"role": "user", "content": 1}]}, "`role` and `content`"),
        ({"messages": [{"role": "user", "content": "", "name": "x"}]}, "`role` and `content`"),
        ({"messages": [{"role": "user", "content": "\ud800"}]}, "a text that UTF-8 can write"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_and_asks_nobody(
    new: Callable[..., Desk], line: bytes | dict[str, Any], why: str
) -> None:
    desk = new()
    if isinstance(line, dict):
        line = json.dumps({"table": TABLE, "question": 1, "attempt": 1, "messages": asked(), **line}).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(desk.proxy.open(GPT)))
        connection.sendall(line + b"\n" + line + b"\n")  # the connection goes on
        with connection.makefile("rb") as said:
            first, second = json.loads(said.readline()), json.loads(said.readline())
    assert why in first["error"] and first == second
    assert desk.stub.bodies == []


def test_a_table_is_known_while_it_is_played(new: Callable[..., Desk]) -> None:
    desk = new()
    desk.ask()
    assert desk.proxy.lost("match-1") is None
    with pytest.raises(ModelUnreachable, match="no such table"):
        desk.ask()


def test_a_bot_asks_for_no_other_bot(new: Callable[..., Desk]) -> None:
    desk = new()
    desk.proxy.expect("c" * 32, "match-1", 0, "someone", 100)
    with pytest.raises(ModelUnreachable, match="no such table"):
        desk.ask(table="c" * 32)


def test_a_process_that_starts_anew_gets_another_socket(new: Callable[..., Desk]) -> None:
    desk = new()
    old = desk.proxy.open(GPT)
    assert desk.proxy.open(GPT) != old
    assert not old.exists()
    with pytest.raises(ModelUnreachable, match="the organiser's proxy is gone"):
        ModelDoor(str(old)).ask(TABLE, 1, 1, asked())


class TestNoReply:
    def test_the_match_is_void_and_says_why(self, new: Callable[..., Desk]) -> None:
        desk = new()
        desk.stub.down = 401, "who are you?"
        with pytest.raises(ModelUnreachable, match="status 401: who are you"):
            desk.ask()
        lost = desk.proxy.lost("match-1")
        assert lost is not None and (lost.bot, lost.always) == ("gpt", False)
        assert lost.why.startswith("gpt: no reply from its model: http")
        assert desk.proxy.lost("match-1") is None

    @pytest.mark.parametrize("status", [400, 413, 500])
    def test_a_request_that_earned_its_refusal_is_the_bots(self, new: Callable[..., Desk], status: int) -> None:
        """A prompt that no model takes would else be a second look at the cards."""
        desk = new()
        desk.stub.refused = status, "too long"
        with pytest.raises(ModelUnreachable, match=r"too long.*the endpoint answers the organiser"):
            desk.ask()
        assert desk.proxy.lost("match-1") is None

    @pytest.mark.parametrize("status", [401, 500])
    def test_an_endpoint_that_came_back_is_asked_once_more(self, new: Callable[..., Desk], status: int) -> None:
        """After it refused a request, and before the organiser's own question."""
        desk = new()
        desk.stub.troubles = [(status, {}, "restarting")] * (1 if status < 500 else TRIES)
        assert desk.ask()
        assert desk.stub.probes == 1
        assert desk.proxy.lost("match-1") is None

    def test_an_endpoint_that_drips_is_down(self, new: Callable[..., Desk]) -> None:
        desk = new(within_s=0.4)
        desk.stub.drips_s = 0.05
        with pytest.raises(ModelUnreachable, match=r"no reply within 0\.3 s"):
            desk.ask()
        lost = desk.proxy.lost("match-1")
        assert lost is not None and "no reply within" in lost.why


class TestLockedBook:
    """The database is the organiser's: what it refuses is no bot's fault."""

    @pytest.fixture
    def desk(self, new: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch) -> Desk:
        monkeypatch.setattr("pips_tourney.models.book.BUSY_S", 0.01)
        return new()

    @pytest.mark.parametrize("reading", [True, False], ids=["looked up", "kept"])
    def test_the_match_is_void(self, desk: Desk, reading: bool) -> None:
        with closing(sqlite3.connect(desk.folder / "night.db", isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE" if reading else "BEGIN IMMEDIATE")
            with pytest.raises(ModelUnreachable, match=r"night.db: a model's answer cannot be .*: database is locked"):
                desk.ask()
        lost = desk.proxy.lost("match-1")
        assert lost is not None and lost.always and lost.why.startswith("gpt: ")

    def test_so_it_is_when_a_default_cannot_be_kept(self, desk: Desk) -> None:
        with closing(sqlite3.connect(desk.folder / "night.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            desk.door().defaulted(TABLE, 1)
        lost = desk.proxy.lost("match-1")
        assert lost is not None and "cannot be kept: database is locked" in lost.why

    @pytest.mark.parametrize("name", ["find", "spent", "open"])
    def test_no_other_error_comes_out_of_the_book(self, desk: Desk, name: str) -> None:
        book = desk.proxy.book
        uses: dict[str, Callable[[], object]] = {
            "find": lambda: book.find(ModelQuestion("m", 0, 1, 1, GPT, b"")),
            "spent": book.spent,
            "open": lambda: AnswerBook(desk.folder / "other.db"),
        }
        (desk.folder / "other.db").write_bytes(b"no database" * 99)
        with closing(sqlite3.connect(desk.folder / "night.db")) as other, other:
            other.execute(f"DROP TABLE {NAME}")
        with pytest.raises(BookError, match=r"\.db: .*(no such table|not a database)"):
            uses[name]()


class TestMoney:
    def test_when_it_is_spent_nothing_is_asked_and_the_organiser_hears_once(self, new: Callable[..., Desk]) -> None:
        desk = new(prices=(0.0, 1e6), max_cost=20.0)
        assert desk.ask(1) and desk.ask(2)
        for question in (3, 4):
            with pytest.raises(ModelUnreachable, match="gpt has spent 20 of max_cost = 20"):
                desk.ask(question)
        assert desk.ask(1), "what is in the book costs nothing"
        assert len(desk.stub.bodies) == 2
        (said,) = desk.spent
        assert said.startswith("gpt has spent 20 of max_cost = 20. To go on: stop the run, raise max_cost")
        lost = desk.proxy.lost("match-1")
        assert lost is not None and lost.always and "max_cost" in lost.why

    def test_the_next_run_knows_what_was_spent(self, new: Callable[..., Desk]) -> None:
        new(prices=(0.0, 1e6)).ask()
        with pytest.raises(ModelUnreachable, match="has spent 10 of max_cost = 5"):
            new(max_cost=5.0).ask(2)


def test_no_more_requests_at_once_than_the_league_says(new: Callable[..., Desk]) -> None:
    here, most, go = [0], [0], Event()

    def says(_: str, __: int) -> str:
        here[0] += 1
        most[0] = max(most[0], here[0])
        go.wait(PATIENCE_S)
        here[0] -= 1
        return "answer: pass"

    desk = new(at_once=2)
    desk.stub.says = says
    askers = [Thread(target=desk.ask, args=(1, 1, f"gpt/serpent/{n}")) for n in range(4)]
    for n in range(4):
        desk.door(f"gpt/serpent/{n}")
    for asker in askers:
        asker.start()
    while here[0] < 2:
        pass
    go.set()
    for asker in askers:
        asker.join(PATIENCE_S)
    assert len(desk.stub.bodies) == 4
    assert most == [2]


def test_usage_counts_questions_second_tries_and_defaults(new: Callable[..., Desk]) -> None:
    desk = new(prices=(1.0, 1.0))
    desk.ask(1)
    desk.ask(2)
    desk.ask(2, attempt=2)
    desk.door().defaulted(TABLE, 2)
    desk.door().unmarked(TABLE, 1)
    (used,) = usage_of(desk.lines())
    assert used[:9] == ("serpent", "gpt", 2, 3, 1, 1, 1, 300, 30)
    assert used.line().startswith("gpt asked its model 2 questions; 300 tokens in, 30 out; median ")
    assert used.line().endswith(
        "cost 0.00033; asked again 1 time; played the legal default 1 time; read without markup 1 time"
    )
    assert used.as_json()["cost"] == 0.00033
