"""A person's seat: asked as a bot is, answered by what is legal and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from pips_tourney.web import seats as seats_module
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
        ({"game": "serpent", "seats": 3}, "2 to 2 seats, not 3"),
        ({"game": "serpent", "seat": 2}, "the table has seats 0 to 1"),
        ({"game": "serpent", "against": "nobody"}, "nobody"),
        ({"game": "serpent", "options": {"x": 1}}, "no option x"),
        ({"game": "serpent", "seats": "many"}, "invalid literal"),
    ],
)
def test_a_table_that_cannot_be_is_refused(client: TestClient, wanted: dict[str, Any], why: str) -> None:
    assert why in sit(client, **wanted)["error"]


def test_only_json_objects_are_taken(client: TestClient) -> None:
    assert client.post("/api/seats", data={"game": "serpent"}).status_code == 415
    json = {"content-type": "application/json"}
    assert client.post("/api/seats", content="[1]", headers=json).status_code == 400
    assert client.post("/api/seats", content="{", headers=json).status_code == 400


def test_no_more_than_so_many_sit_down_and_the_idle_go(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats_module, "MOST_SEATS", 1)
    first = sit(client, game="serpent")
    assert "1 persons play already" in sit(client, game="serpent")["error"]
    monkeypatch.setattr(seats_module, "IDLE_S", -1.0)
    assert "ask" in sit(client, game="serpent")
    assert client.get(f"/api/seats/{first['id']}").json() == {"error": "there is no such table any more"}
