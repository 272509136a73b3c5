"""The place for programs: every answer is as docs/openapi.json says."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pips_tourney.night.programme import fixtures
from pips_tourney.night.store import open_store, read_store
from pips_tourney.place import child
from pips_tourney.place.closely import MOST_ASKING, Closely
from pips_tourney.place.results import results_json
from pips_tourney.place.shown import looked_at
from pips_tourney.secret import Secret
from pips_tourney.web.archive import Archive
from tests.patience import PATIENCE_S
from tests.pips_tourney.place.conftest import Place
from tests.pips_tourney.web import nights
from tests.pips_tourney.web.nights import long_night, play_on, small_night

OPEN_API = json.loads((Path(__file__).parents[3] / "docs" / "openapi.json").read_text(encoding="utf-8"))


@pytest.fixture
def place(played: Place) -> Place:
    return played


def token(place: Place, who: str = "ada") -> dict[str, str]:
    """What a program of this person sends."""
    person = next(each.id for each in place.book.people() if each.bot == who)
    return {"authorization": f"Bearer {place.book.new_token(person)}"}


def schema(path: str, status: int, method: str = "get") -> dict[str, Any]:
    """What OPEN_API says of an answer."""
    answer = OPEN_API["paths"][path][method]["responses"][str(status)]
    (content,) = answer["content"].values()
    return {**content["schema"], "components": OPEN_API["components"]}


def check(place: Place, path: str, status: int = 200, **of: Any) -> Any:
    """Ask, and compare the answer with OPEN_API."""
    method = of.pop("method", "get")
    answer = place.client.request(method, of.pop("at", path), **of)
    assert answer.status_code == status, answer.text
    said = answer.json()
    Draft202012Validator(schema(path, status, method)).validate(said)
    return said


def test_the_description_is_whole() -> None:
    for path, methods in OPEN_API["paths"].items():
        for method, about in methods.items():
            assert about["summary"] and about["responses"], (path, method)
    for each in OPEN_API["components"]["schemas"].values():
        Draft202012Validator.check_schema(each)
    text = json.dumps(OPEN_API)
    for name in re.findall(r"#/components/schemas/(\w+)", text):
        assert name in OPEN_API["components"]["schemas"]


def test_every_address_of_the_place_is_described(place: Place) -> None:
    app: Any = place.client.app
    ours = {route.path for route in app.routes if getattr(route, "path", "").startswith(("/api", "/metrics"))}
    assert ours == set(OPEN_API["paths"])


def test_a_program_hands_in_and_asks(place: Place) -> None:
    ada = token(place)
    assert check(place, "/api/v1/me", headers=ada)["version"] is None
    assert check(place, "/api/v1/results.json", headers=ada)["score"] == 0.0
    files = {"files": ("bot.py", b"a = 1\n")}
    made = check(place, "/api/v1/versions", 201, method="post", headers=ada, files=files)
    assert made["bot"] == "ada" and made["state"] == "waiting" and made["before"] == 0
    assert [each["id"] for each in check(place, "/api/v1/versions", headers=ada)["versions"]] == [made["id"]]
    me = check(place, "/api/v1/me", headers=ada)
    assert {row["contest"] for row in me["standings"]} >= {"serpent", "wichita"} and "first deal" in me["plays_from"]
    place.book.set_state(made["id"], "ready", "fine")
    found = check(place, "/api/v1/results.json", headers=ada)
    assert found["score"] == 1.0 and any("Elo" in each["name"] for each in found["leaderboard"])
    assert check(place, "/api/v1/standings", headers=ada)["league"] == "Class"
    matches = check(place, "/api/v1/matches", headers=ada)["matches"]
    later = check(place, "/api/v1/matches", at=f"/api/v1/matches?after={matches[3]['number']}", headers=ada)["matches"]
    assert later == matches[4:]
    own = next(match["id"] for match in matches if "ada" in match["bots"])
    record = place.client.get(f"/api/v1/records/{own}", headers=ada)
    assert record.status_code == 200 and record.headers["content-type"] == "application/octet-stream"


def test_refusals_are_described_too(place: Place) -> None:
    check(place, "/api/v1/me", 401)
    check(place, "/api/v1/me", 401, headers={"authorization": "Bearer pips_guessed"})
    ada = token(place)
    path = "/api/v1/versions"
    check(place, path, 415, method="post", headers=ada, content=b"x")
    check(place, path, 422, method="post", headers=ada, files={"files": ("../x.py", b"")})
    check(place, "/api/v1/matches", 400, at="/api/v1/matches?after=-1", headers=ada)
    others = next(
        match["id"] for match in check(place, "/api/v1/matches", headers=ada)["matches"] if "ada" not in match["bots"]
    )
    check(place, "/api/v1/records/{match}", 404, at=f"/api/v1/records/{others}", headers=ada)
    place.enter("ada")
    check(place, path, 401, method="post", files={"files": ("bot.py", b"")})  # a cookie hands nothing in
    place.enter("organiser")
    check(place, "/api/v1/me", 403)


def test_a_token_ends_with_its_invite(place: Place) -> None:
    ada = token(place)
    (person, *_) = place.book.people()
    place.book.revoke(person.id)
    check(place, "/api/v1/me", 401, headers=ada)


def test_metrics_are_the_organisers(place: Place) -> None:
    assert place.client.get("/metrics", headers=token(place)).status_code == 403
    made = place.client.post("/organiser/token", data={"form": place.enter("organiser")}).text
    place.client.cookies.clear()
    (found,) = re.findall(r"pips_[\w-]+", made)
    told = place.client.get("/metrics", headers={"authorization": f"Bearer {found}"})
    assert told.headers["content-type"].startswith("text/plain; version=0.0.4")
    for line in told.text.splitlines():
        assert re.fullmatch(r"# (HELP|TYPE) pips_\w+ .+|pips_\w+ \d+", line)
    assert "pips_people 2" in told.text


def test_news_come_as_events(place: Place) -> None:
    site = place.site.nights.site
    assert site is not None

    def end_soon() -> None:
        while not len(site.live.crowd if site.live is not None else ()):
            time.sleep(0.01)
        assert place.client.portal is not None
        place.client.portal.call(site.send_home)

    from threading import Thread

    Thread(target=end_soon, daemon=True).start()
    answer = place.client.get("/api/v1/events", headers=token(place))
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert "event: night" in answer.text and "event: progress" in answer.text


def test_results_of_a_bot_that_is_refused() -> None:
    me = {"version": {"state": "refused", "said": "no", "bot": "ada"}, "standings": []}
    assert results_json(me)["score"] == 0.0 and results_json(me)["tests"][0]["status"] == "failed"


def test_pages_of_bots_and_matches(place: Place) -> None:
    form = place.enter("ada")
    place.client.post("/mine", data={"form": form, "text": "a = 1"})
    page = place.client.get("/mine").text
    for heading in ("Rating over the versions", "Lost matches", "Its luck", "Hand in", "For programs"):
        assert heading in page
    faulty = re.findall(r'href="/match/([0-9a-f]{32})"', place.client.get("/bots/ada").text)
    shown = [place.client.get(f"/match/{match}").text for match in faulty]
    assert all("Step by step" in page for page in shown) and any("<h2>Faults" in page for page in shown)
    assert place.client.get("/match/0000").status_code == 404 == place.client.get("/bots/nobody").status_code
    assert place.client.get("/mine/records.zip").headers["content-type"] == "application/zip"
    assert place.client.get("/mine/log.txt").status_code == 200
    assert "pips_" in place.client.post("/mine/token", data={"form": form}).text
    assert place.client.get("/night/").status_code == 200 and "My bot" in place.client.get("/night/").text
    place.client.cookies.clear()
    assert place.client.get("/night/").headers["location"] == "/enter"
    place.enter("bo")
    assert not any("<h2>Faults" in place.client.get(f"/match/{match}").text for match in faulty)


def test_a_correction_is_shown_before_it_is_made(place: Place) -> None:
    form = place.enter("organiser")
    match = re.search(r"<code>([0-9a-f]{8})</code>", place.client.get("/matches").text)
    assert match is not None
    asked = {"form": form, "match": match[1], "reason": "a power cut"}
    shown = place.client.post("/organiser/annul", data={**asked, "how": "preview"}).text
    assert "Nothing was decided" in shown and "The table that would be" in shown
    assert place.client.post("/organiser/annul", data=asked).text.count("is annulled")
    bot = {"form": form, "bot": "bo", "reason": "asked for"}
    assert "Nothing was decided" in place.client.post("/organiser/withdraw", data={**bot, "how": "preview"}).text
    assert "is withdrawn" in place.client.post("/organiser/withdraw", data=bot).text
    told = place.client.post("/organiser/deadline", data={"form": form, "deadline": "2030-01-01T10:00"}).text
    assert "The deadline is 2030-01-01 10:00" in told
    assert place.client.post("/organiser/deadline", data={"form": form, "deadline": "soon"}).status_code == 422
    for name in ("grades.csv", "feedback.zip"):
        assert place.client.get(f"/organiser/{name}").status_code == 200


def test_the_organisers_reasons_are_nobody_elses(place: Place) -> None:
    reason = "copied from a friend"
    bot = {"form": place.enter("organiser"), "bot": "bo", "reason": reason, "start": "on"}
    assert "is withdrawn" in place.client.post("/organiser/withdraw", data=bot).text
    place.enter("ada")
    assert place.client.portal is not None
    known = place.client.portal.call(partial(place.site.nights.ask, lambda archive: archive.standings(), now=True))
    assert reason in str(known)
    for address in ("/", "/api/v1/standings", "/api/v1/me", "/api/v1/matches", "/mine", "/bots/bo", "/night/"):
        answer = place.client.get(address)
        assert reason not in answer.text, address
    tables = place.client.get("/api/v1/standings").json()["tables"]
    assert any(table["withdrawn"] == ["bo"] for table in tables) and "<li>bo</li>" in place.client.get("/").text


def test_nothing_is_taken_after_the_deadline(place: Place) -> None:
    form = place.enter("ada")
    place.client.post("/mine", data={"form": form, "text": "a = 1"})
    place.site.desk.calendar.set_deadline("2020-01-01 10:00")
    refused = place.client.post("/mine", data={"form": form, "text": "a = 2"})
    assert refused.status_code == 422 and "the deadline was 2020-01-01 10:00" in refused.text
    assert place.client.post("/mine/1/again", data={"form": form}).status_code == 422
    check(place, "/api/v1/versions", 422, method="post", headers=token(place), files={"files": ("bot.py", b"")})
    place.site.desk.calendar.set_deadline("")
    assert place.client.post("/mine", data={"form": form, "text": "a = 2"}).status_code == 303


def test_the_organiser_sees_everybodys_faults_prints_and_versions(place: Place) -> None:
    place.client.post("/mine", data={"form": place.enter("ada"), "text": "a = 1"})
    faulty = re.findall(r'href="/match/([0-9a-f]{32})"', place.client.get("/bots/ada").text)
    place.site.desk.logs.mkdir(parents=True)
    (place.site.desk.logs / "ada.serpent.0.log").write_text("a word of ada's\n")
    place.enter("organiser")
    assert any("<h2>Faults" in place.client.get(f"/match/{match}").text for match in faulty)
    assert "a word of ada" in place.client.get("/mine/log.txt").text
    assert 'href="/mine/1.zip"' in place.client.get("/organiser").text


@pytest.mark.unmeasured
async def test_luck_and_losses_are_found_for_few_at_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    closely = Closely(place.site.desk.database)
    assert any(line.startswith("serpent: ada") for line in await closely.find("luck", "ada", 1, "some"))
    closely._asking = {1}
    assert "You wait" in (await closely.find("luck", "bo", 1, "some"))[0]
    assert any(line.startswith("serpent: bo") for line in await closely.find("luck", "bo", 2, "some"))
    closely._asking = set(range(10, 10 + MOST_ASKING))
    assert await closely.find("losses", "ada", 1, "some") == ["Many ask for this: try again in a minute."]


async def test_luck_is_found_once_for_the_same_matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codes, ran = [1, 0, 0], list[tuple[str, ...]]()

    async def read_all(words: tuple[str, ...], seconds: float, hear: Callable[[bytes], None]) -> tuple[int, str]:
        ran.append(words)
        hear(json.dumps({"found": [words[2], str(len(ran))]}).encode())
        return codes.pop(0), ""

    monkeypatch.setattr("pips_tourney.place.closely.read_all", read_all)
    closely = Closely(tmp_path / "c.db")
    assert "could not be found" in (await closely.find("luck", "ada", 1, "some"))[0]  # that is not kept
    first, same = await asyncio.gather(closely.find("luck", "ada", 1, "some"), closely.find("luck", "ada", 2, "some"))
    assert first == same == await closely.find("luck", "ada", 1, "some") == ["ada", "2"]
    assert await closely.find("luck", "ada", 1, "others") == ["ada", "3"] and len(ran) == 3


def test_the_page_of_luck_goes_by_the_night_it_is_of(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[str]()

    async def find(what: str, bot: str, person: int, of: str) -> list[str]:
        asked.append(of)
        return [f"{what} of {bot}"]

    def luck() -> str:
        assert "luck of ada" in place.client.get("/mine/luck").text
        return asked[-1]

    monkeypatch.setattr(place.site.closely, "find", find)
    place.client.post("/mine", data={"form": place.enter("ada"), "text": "a = 1"})
    first, ids = luck(), match_ids(place.site.desk.database)
    assert luck() == first and len(first) == 64
    monkeypatch.setattr(nights, "SECRET", Secret(bytes(32)))
    (tmp_path / "next").mkdir()
    small_night(tmp_path / "next").replace(place.site.desk.database)
    until = time.monotonic() + PATIENCE_S
    while not place.site.nights.is_open:
        assert time.monotonic() < until, "the next night is not shown"
        time.sleep(0.01)
    assert match_ids(place.site.desk.database) == ids  # the same bots and deals: the ids say nothing
    assert luck() != first


def match_ids(database: Path) -> list[str]:
    with read_store(database) as store:
        return sorted(store.ids())


def test_what_is_looked_at_changes_with_each_deal_that_becomes_complete(tmp_path: Path) -> None:
    with open_store(long_night(tmp_path, 24, played=0, names=("ada", "bo", "cy"))) as store:
        archive = Archive(store)
        found = [looked_at(archive, "ada")]
        for number, fixture in enumerate(fixtures(archive.night.programme)):
            play_on(store, number, number + 1)
            archive.refresh()
            found.append(looked_at(archive, "ada"))
            is_new = archive.missing[fixture.block] == 0 and "ada" in fixture.seating
            assert (found[-1] != found[-2]) is is_new
    assert len({*found}) == 1 + 24 // 3  # of three pairs hers are two, of two matches a deal


def test_where_a_bot_loses(played: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(child, "ANALYSIS_S", 0.2)
    monkeypatch.setattr(child, "ANALYSED", 4)
    monkeypatch.setattr(os, "nice", lambda _: 0)
    assert child.losses(played.site.desk.database, "ada") == 0
    assert any("Where it loses" in line for line in json.loads(capsys.readouterr().out)["found"])
