"""A person plays a published version by hand; it plays in the league's sandbox."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest

from pips_referee.game import get_game
from pips_referee.records.record import Header
from pips_sdk import Bot
from pips_tourney.place.desk import seat as seat_module
from pips_tourney.place.desk.hand_ins import READY, BotVersion
from pips_tourney.place.desk.seat import PublishedTable
from pips_tourney.place.desk.uploads import keep_files
from pips_tourney.web.live import seats as seats_module
from pips_tourney.web.live.seats import NoSeat, Seats
from tests.needs import needs
from tests.pips_tourney.place.conftest import Place
from tests.pips_tourney.place.opened import OpenPlace

TELLS = """import os
from pips_sdk import run
from pips_sdk.wichita import WichitaBot


class Mine(WichitaBot):
    def choose(self, view):
        if os.path.exists("bot.py") and not os.path.exists({path!r}):
            raise RuntimeError("it is fenced in")
        return super().choose(view)


if __name__ == "__main__":
    run(Mine)
"""


def publish(place: Place | OpenPlace, text: str, author: str = "bo") -> BotVersion:
    """A version that its author has published."""
    person = next(each for each in place.people.everybody() if each.bot == author)
    files = keep_files([("bot.py", text.encode())], place.hand_ins.folder, author)
    version = place.hand_ins.add(person, files)
    place.hand_ins.set_state(version.id, READY)
    place.hand_ins.publish(person, version.id)
    return version


def played_out(place: Place, state: dict[str, Any]) -> dict[str, Any]:
    """The last state of a match in which the person gives the first answers."""
    while state.get("ask"):
        said = {"number": state["ask"]["number"], "answer": "-" if state["ask"]["kind"] == "lay" else "1"}
        said["seen"] = state["from"] + len(state["frames"])
        state = place.client.post(f"/night/api/seats/{state['id']}", json=said).json()
    return state


@needs("bwrap")
@pytest.mark.xdist_group("processes")
def test_a_stranger_is_played_by_hand_within_the_fence(played: Place) -> None:
    """It sees its own file, not the night's. Only its author is told why it fails."""
    publish(played, TELLS.format(path=str(played.desk.database)))
    played.enter("ada")
    state = played.client.post("/night/api/seats", json={"game": "wichita", "against": "bo", "seed": "tin"}).json()
    assert state["names"] == ["guest", "bo"], state
    state = played_out(played, state)
    assert state["over"] and state["seed"] == "tin" and state["frames"][-1]["outcome"]["places"] == [1, 2]
    replay = played.client.get(f"/night/api/seats/{state['id']}/replay").json()
    assert [frame["say"] for frame in replay["frames"] if "fault" in frame] == ["bo: crash"]


def test_a_bot_that_does_not_start_shows_its_mistake_to_nobody_else(
    played: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(played, "pass")
    played.enter("ada")
    monkeypatch.setattr(seat_module, "command", lambda _: [sys.executable, "-c", "raise ValueError('secret')"])
    state = played.client.post("/night/api/seats", json={"game": "wichita", "against": "bo"}).json()
    assert state["failed"].startswith("bo did not start") and not state["over"]


def test_what_is_not_the_bots_mistake_is_told(played: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that a game's package prints is passed over."""
    publish(played, "pass")
    played.enter("ada")
    prints = "print('hello'); print(7); print('{\"why\": \"bo does not play Wichita\"}')"
    monkeypatch.setattr(seat_module, "command", lambda _: [sys.executable, "-c", prints])
    state = played.client.post("/night/api/seats", json={"game": "wichita", "against": "bo"}).json()
    assert state["failed"] == "bo does not play Wichita"


def test_only_a_published_version_is_offered_and_to_members_alone(played: Place) -> None:
    version = publish(played, "pass")
    wanted = {"game": "wichita", "against": "bo"}
    assert played.client.post("/night/api/seats", json=wanted).status_code == 303
    form = played.enter("ada")
    page = played.client.get("/night/").text
    assert f'"against":{{"numbers":{{"bo":"{version.id}"}},"form":""' in page, "Ada has no bot for a scrimmage"
    played.enter("bo")
    assert f'"form":"{form}"' not in (page := played.client.get("/night/").text) and '"form":""' not in page
    bo = next(each for each in played.people.everybody() if each.bot == "bo")
    played.hand_ins.publish(bo, version.id, off=True)
    told = played.client.post("/night/api/seats", json=wanted).json()
    assert "nobody plays wichita against bo here" in told["error"]


class SlowTable:
    """A table whose bot never answers the person's first answer."""

    budget_s: float | None = 0.05

    def __init__(self) -> None:
        self.closed = threading.Event()

    def play(self, header: Header, person: type[Bot]) -> bytes:
        bot = person()
        bot.begin(0, 2, header.options, bytes(32))
        bot.ask(1, header.new_match().question().view, ())
        assert self.closed.wait(30)
        raise NoSeat("The match was broken off.")

    def close(self) -> None:
        self.closed.set()


def test_a_bot_that_thinks_for_too_long_ends_the_match() -> None:
    table = SlowTable()
    seats = Seats(published=lambda: {"slow": lambda: table})
    seat = seats.take({"game": "wichita", "against": "slow"})
    assert seat.state(0)["ask"]
    seat.answer(1, "1")
    state = seat.state(0)
    assert "used up the time" in state["failed"] and state["ask"] is None and table.closed.is_set()
    seats.close()


def test_a_person_who_does_not_answer_gives_the_table_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats_module, "ANSWER_S", 0.05)
    table = SlowTable()
    seat = Seats(published=lambda: {"slow": lambda: table}).take({"game": "wichita", "against": "slow"})
    seat.thread.join(30)
    state = seat.state(0)
    assert "table was given up" in state["failed"] and state["ask"] is None


def test_only_the_newest_request_of_a_seat_waits_and_none_once_it_is_left() -> None:
    table = SlowTable()
    table.budget_s = 60
    seats = Seats(published=lambda: {"slow": lambda: table})
    seat = seats.take({"game": "wichita", "against": "slow"})
    assert seat.state(0)["ask"]
    seat.answer(1, "1")
    with ThreadPoolExecutor(2) as waiting:
        first, second = waiting.submit(seat.state, 0), waiting.submit(seat.state, 0)
        [done], _ = wait((first, second), 30, FIRST_COMPLETED)
        assert not done.result()["failed"]
        seats.leave(seat.id)
        assert {first.result(30)["failed"], second.result(30)["failed"]} == {"", "You have left the table."}


def test_a_table_that_was_left_starts_no_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def start(_: object) -> list[str]:
        table.close()
        return [sys.executable, "-c", f"open({str(tmp_path / 'started')!r}, 'w')"]

    monkeypatch.setattr(seat_module, "command", start)
    table = PublishedTable(tmp_path, tmp_path, {"name": "bo"})
    game = get_game("wichita")
    with pytest.raises(NoSeat, match="broken off"):
        table.play(Header("m", game, game.options({}), ("guest", "bo"), bytes(32)), Bot)
    assert not (tmp_path / "started").exists()
