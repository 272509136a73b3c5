"""What is played beside the night for authors, and what their pages say of it."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path

from pips_tourney.people.store import Person
from pips_tourney.place.desk.changes import CHANGED, SCRIMMAGE, found_of, next_change, next_scrimmage, play_beside
from pips_tourney.place.desk.hand_ins import READY, WITHDRAWN, BotVersion
from pips_tourney.place.desk.uploads import keep_files
from tests.pips_tourney.place.conftest import Place
from tests.records import random_record

FOUND = {"lines": ["ada v2 beside ada", "serpent: <b>better"], "deals": [{"line": "against bo", "replay": "seat 0 …"}]}


def hand_in(place: Place, person: Person) -> BotVersion:
    hand_ins = place.hand_ins
    version = hand_ins.add(person, keep_files([("bot.py", b"pass")], hand_ins.folder, person.bot))
    hand_ins.set_state(version.id, READY)
    return version


def to_do(place: Place) -> tuple[BotVersion, list[str]] | None:
    return next_change(place.hand_ins, place.desk.league, place.desk.database)


async def looked_at(place: Place, code: int | None = 0, line: str = json.dumps({"changed": FOUND})) -> str:
    async def run(_: Sequence[str], __: float, hear: Callable[[bytes], None]) -> tuple[int | None, str]:
        hear(line.encode())
        return code, "no memory"

    found = to_do(place)
    assert found is not None
    return await play_beside(place.hand_ins, *found, run)


def people(place: Place) -> list[Person]:
    return [person for person in place.people.everybody() if not person.organiser]


async def test_newest_versions_are_looked_at_once_after_a_night_is_over(place: Place, tmp_path: Path) -> None:
    ada, bo = people(place)
    hand_in(place, bo)
    versions = [hand_in(place, ada) for _ in range(3)]
    assert to_do(place) is None, "no night is over"
    for number in (1, 2):
        (tmp_path / f"c.{number}.db").touch()
    found = to_do(place)
    assert found is not None
    version, words = found
    assert version.id == versions[-1].id
    assert words[0] == "changed" and words[-3:] == ["ada v3", "ada v2", "ada"]
    assert words[1] == str(tmp_path / "c.2.db") and words[4] == str(place.hand_ins.files(version))
    assert await looked_at(place) == ""
    assert to_do(place) is None


async def test_a_process_that_fails_is_told_to_the_organiser_alone(place: Place, tmp_path: Path) -> None:
    ada, _ = people(place)
    _, newest = hand_in(place, ada), hand_in(place, ada)
    (tmp_path / "c.1.db").touch()
    assert await looked_at(place, None, "no JSON") == "What ada v2 changes is not known: no memory"
    assert found_of(place.hand_ins, newest, CHANGED) == {}
    place.enter("ada")
    assert "What changed" not in place.client.get("/mine").text


async def test_its_author_reads_it_and_nobody_else(place: Place, tmp_path: Path) -> None:
    ada, _ = people(place)
    _, newest = hand_in(place, ada), hand_in(place, ada)
    (tmp_path / "c.1.db").touch()
    await looked_at(place)
    place.enter("ada")
    page = place.client.get("/mine").text
    assert "What changed" in page and "serpent: &lt;b&gt;better" in page
    link = f"/mine/{newest.id}/changed/1"
    assert f'href="{link}"' in page
    assert place.client.get(link).text == "seat 0 …"
    for wrong in (f"/mine/{newest.id}/changed/2", f"/mine/{newest.id}/changed/x", "/mine/99/changed/1"):
        assert place.client.get(wrong).status_code == 404
    place.enter("bo")
    assert place.client.get(link).status_code == 404


def asked(place: Place) -> tuple[BotVersion, list[str]] | None:
    return next_scrimmage(place.hand_ins, place.desk.league, place.desk.database)


async def scrimmaged(place: Place, said: object, code: int | None = 0) -> str:
    """Have the next scrimmage played by a process that says this."""

    async def run(_: Sequence[str], __: float, hear: Callable[[bytes], None]) -> tuple[int | None, str]:
        hear(json.dumps(said).encode())
        return code, "no memory"

    found = asked(place)
    assert found is not None
    return await play_beside(place.hand_ins, *found, run)


def test_a_scrimmage_is_asked_for_one_at_a_time_and_played_in_turn(place: Place) -> None:
    ada, bo = people(place)
    form = place.enter("ada")
    assert place.client.post("/mine/scrimmage", data={"form": form, "against": "greedy"}).status_code == 422
    assert "Scrimmage" not in place.client.get("/mine").text
    version, other = hand_in(place, ada), hand_in(place, bo)
    page = place.client.get("/mine").text
    assert '<option value="greedy" selected>sample greedy</option>' in page and ">bo<" not in page
    for wrong in ("mcts9", str(other.id), "../ada", ""):
        assert place.client.post("/mine/scrimmage", data={"form": form, "against": wrong}).status_code == 422
    place.hand_ins.publish(bo, other.id)
    assert f'<option value="{other.id}">bo</option>' in place.client.get("/mine").text
    assert place.client.post("/mine/scrimmage", data={"form": form, "against": str(other.id)}).status_code == 303
    assert place.client.get("/api/v1/versions").json()["scrimmage"] is True
    again = place.client.post("/mine/scrimmage", data={"form": form, "against": "greedy"})
    assert again.status_code == 422 and "one scrimmage at a time" in again.text
    form = place.enter("bo")
    assert place.client.post("/mine/scrimmage", data={"form": form, "against": str(other.id)}).status_code == 422
    assert place.client.post("/mine/scrimmage", data={"form": form, "against": "greedy"}).status_code == 303
    found = asked(place)
    assert found is not None and found[0].id == version.id, "who asked first plays first"
    assert found[1][0] == SCRIMMAGE and [json.loads(word)["name"] for word in found[1][3:]] == ["ada", "bo"]
    place.hand_ins.set_state(version.id, WITHDRAWN)
    found = asked(place)
    assert found is not None and found[0].id == other.id, "a bot that was taken out plays no more"


async def test_its_author_reads_a_scrimmage_and_watches_what_was_lost(place: Place) -> None:
    ada, _ = people(place)
    hand_in(place, ada)
    form = place.enter("ada")
    place.client.post("/mine/scrimmage", data={"form": form, "against": "greedy"})
    assert "data-waits" in place.client.get("/mine").text
    record = b64encode(random_record()).decode()
    assert await scrimmaged(place, {SCRIMMAGE: {"against": "greedy", "lines": ["<b>lost 9"], "lost": record}}) == ""
    page = place.client.get("/mine").text
    assert "&lt;b&gt;lost 9" in page and "data-waits" not in page and "20 deals now" in page
    watch = place.client.get("/workshop/scrimmage").text
    assert '"names":["bot0","bot1"]' in watch and place.client.get("/workshop/static/replay.js").is_success
    assert place.client.get("/api/v1/versions").json()["scrimmage"] is False and asked(place) is None
    place.enter("bo")
    assert place.client.get("/workshop/scrimmage").status_code == 404
    assert "lost 9" not in place.client.get("/mine").text


async def test_a_scrimmage_that_fails_is_told_to_the_organiser_and_asked_for_again(place: Place) -> None:
    ada, _ = people(place)
    hand_in(place, ada)
    form = place.enter("ada")
    place.client.post("/mine/scrimmage", data={"form": form, "against": "greedy"})
    assert await scrimmaged(place, "nonsense", 2) == "ada had no scrimmage: no memory"
    page = place.client.get("/mine").text
    assert "It could not be played. Your organiser can see why." in page and "no memory" not in page
    assert place.client.post("/mine/scrimmage", data={"form": form, "against": "greedy"}).status_code == 303
