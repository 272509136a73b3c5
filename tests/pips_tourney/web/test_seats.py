"""A person's seat: asked as a bot is, with only legal answers accepted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from pips_tourney.web.live import seats as seats_module
from pips_tourney.web.live.seats import BrowserSeat, NoSeat, Seats
from pips_tourney.web.server import Showing, Site

GAMES = ("serpent", "wichita", "pippip", "dominion")


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(Site(Showing(None)).app(), base_url="http://localhost") as client:
        yield client


def sit(client: TestClient, **wanted: Any) -> dict[str, Any]:
    state: dict[str, Any] = client.post("/api/seats", json={"against": "random", **wanted}).json()
    return state


def say(client: TestClient, state: dict[str, Any], answer: str, **more: Any) -> Any:
    body = {"number": state["ask"]["number"], "answer": answer, "seen": state["from"] + len(state["frames"]), **more}
    return client.post(f"/api/seats/{state['id']}", json=body).json()


def test_the_word_of_a_deal_brings_it_back(client: TestClient) -> None:
    first, again, other = (sit(client, game="wichita", seed=seed) for seed in ("tin", "tin", ""))
    assert first["frames"] == again["frames"] != other["frames"]
    assert first["seed"] == ""  # told at the end: it tells all cards


@pytest.mark.parametrize("game", GAMES)
def test_a_match_from_the_first_question_to_the_replay(client: TestClient, game: str) -> None:
    options = {"size": 3, "max_rounds": 3} if game == "dominion" else {}
    state = sit(client, game=game, options=options, seat=1)
    assert state["names"][1] == "guest"
    assert client.get(f"/api/seats/{state['id']}/replay").json() == {"error": "the match is not over yet"}
    table: dict[str, Any] = {}
    frames = []
    while True:
        frames += state["frames"]
        for frame in state["frames"]:
            table |= frame["set"]
        if state["over"]:
            break
        ask = state["ask"]
        state = say(client, state, "-" if ask["kind"] == "lay" else str(len(ask["actions"])))
    assert client.get(f"/api/seats/{state['id']}").json()["frames"] == frames
    replay = client.get(f"/api/seats/{state['id']}/replay").json()
    assert replay["frames"][-1]["outcome"] == frames[-1]["outcome"]
    if game != "dominion":  # which hides nothing
        hidden = [
            card
            for frame in frames
            for hand in frame["set"].get("hidden", frame["set"].get("hands", []))
            for card in hand
        ]
        assert None in hidden
    assert client.request("DELETE", f"/api/seats/{state['id']}").status_code == 200


@pytest.mark.parametrize("wrong", [-1, True, 1.5, "x", [1], "1" * 5000])
def test_fields_that_are_no_numbers_are_named(client: TestClient, wrong: Any) -> None:
    for field in ("seats", "seat"):
        told = client.post("/api/seats", json={"game": "wichita", "against": "random", field: wrong})
        assert told.status_code == 404 and f"`{field}` is a whole number" in told.json()["error"]
    state = sit(client, game="wichita")
    for field in ("number", "seen"):
        told = client.post(f"/api/seats/{state['id']}", json={"answer": "1", field: wrong})
        assert told.status_code == 422 and f"`{field}` is a whole number" in told.json()["error"]


def test_stacks_are_weighed_before_they_are_laid(client: TestClient) -> None:
    state = sit(client, game="wichita")
    while state["ask"]["kind"] != "lay":
        state = say(client, state, "2")
    good = " ".join(state["ask"]["some"][0])
    assert say(client, state, good, weigh=True) == {"legal": True, "why": ""}
    assert "that is not in your hand" in say(client, state, f"{good} {good} {good} {good}", weigh=True)["why"]
    late = say(client, {**state, "ask": {"number": 0}}, good, weigh=True)
    assert late == {"legal": False, "why": "that question is not open any more"}
    laid = say(client, state, good)
    assert any(frame["say"].startswith("guest lays ") for frame in laid["frames"])


def test_what_is_not_legal_is_refused_and_the_question_stays(client: TestClient) -> None:
    state = sit(client, game="serpent")
    assert "there is no answer number 999" in say(client, state, "999")["error"]
    assert say(client, {**state, "ask": {"number": 7}}, "1")["error"] == "that question is not open any more"
    assert say(client, state, "1")["ask"]["kind"] == "reveal"


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ({"game": "poker"}, "there is no game 'poker'"),
        ({"game": "serpent", "seats": 3}, "for 2 seats, not 3"),
        ({"game": "serpent", "seat": 2}, "the table has seats 0 to 1"),
        ({"game": "serpent", "against": "nobody"}, "nobody"),
        ({"game": "serpent", "options": {"x": 1}}, "no option x"),
        ({"game": "serpent", "seats": "many"}, "`seats` is a whole number"),
    ],
)
def test_a_table_that_cannot_be_is_refused(client: TestClient, wanted: dict[str, Any], why: str) -> None:
    assert why in sit(client, **wanted)["error"]


def test_only_json_objects_are_taken(client: TestClient) -> None:
    assert client.post("/api/seats", data={"game": "serpent"}).status_code == 415
    json = {"content-type": "application/json"}
    assert client.post("/api/seats", content="[1]", headers=json).status_code == 400
    assert client.post("/api/seats", content="{", headers=json).status_code == 400


SERPENT = {"game": "serpent", "against": "random"}


def another_browser(client: TestClient) -> TestClient:
    """The same server, asked by somebody else."""
    return TestClient(client.app, base_url="http://localhost")


def test_a_whole_class_sits_down_and_then_it_is_full(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert seats_module.MOST_SEATS >= 48
    monkeypatch.setattr(seats_module, "MOST_SEATS", 2)
    for _ in range(2):
        assert another_browser(client).post("/api/seats", json=SERPENT).status_code == 200
    full = another_browser(client).post("/api/seats", json=SERPENT)
    assert (full.status_code, "2 people are playing already" in full.json()["error"]) == (503, True)
    assert int(full.headers["retry-after"]) > 0


def test_a_browser_that_sits_down_again_gives_its_seat_back(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seats_module, "MOST_SEATS", 1)
    first = client.post("/api/seats", json=SERPENT)
    assert "HttpOnly" in first.headers["set-cookie"]
    taken = [client.post("/api/seats", json=SERPENT) for _ in range(8)]
    again = taken[-1]
    assert {each.status_code for each in taken} == {200}
    assert client.get(f"/api/seats/{first.json()['id']}").json() == {"error": "there is no such table any more"}
    assert client.get(f"/api/seats/{again.json()['id']}").status_code == 200
    wrong = client.post("/api/seats", json={"game": "chess"})
    assert wrong.status_code == 404  # and the seat was not given away for it
    assert client.get(f"/api/seats/{again.json()['id']}").status_code == 200


class Sitting:
    """Seats, and a clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.seats = Seats(lambda: self.now)

    def take(self, browser: str = "") -> BrowserSeat:
        return self.seats.take(SERPENT, browser)

    def is_there(self, seat: BrowserSeat) -> bool:
        self.take("somebody else")
        try:
            return self.seats[seat.id] is seat
        except NoSeat:
            return False


@pytest.fixture
def sitting() -> Iterator[Sitting]:
    sitting = Sitting()
    yield sitting
    sitting.seats.close()


def test_who_is_not_heard_of_for_an_hour_has_left(sitting: Sitting) -> None:
    thinking, gone = sitting.take(), sitting.take()
    for half in range(1, 4):
        sitting.now = seats_module.IDLE_S / 2 * half
        thinking.state(0)
    assert sitting.is_there(thinking)
    assert not sitting.is_there(gone)
