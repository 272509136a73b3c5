"""The place for programs: every answer is as docs/openapi.json says."""

from __future__ import annotations

import json
import re
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pips_tourney.place.desk.deletion import delete_person
from pips_tourney.place.desk.hand_ins import READY, REFUSED, WAITING, WITHDRAWN
from pips_tourney.place.desk.results import results_json
from tests.pips_tourney.place.conftest import Place

OPEN_API = json.loads((Path(__file__).parents[3] / "docs" / "openapi.json").read_text(encoding="utf-8"))


@pytest.fixture
def place(played: Place) -> Place:
    return played


def token(place: Place, who: str = "ada") -> dict[str, str]:
    """What a program of this person sends."""
    person = next(each.id for each in place.people.everybody() if each.bot == who)
    return {"authorization": f"Bearer {place.people.new_token(person)}"}


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
    ours = {route.path for route in app.routes if getattr(route, "path", "").startswith("/api")}
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
    place.hand_ins.set_state(made["id"], "ready", "fine")
    found = check(place, "/api/v1/results.json", headers=ada)
    assert found["score"] == 1.0 and any("Elo" in each["name"] for each in found["leaderboard"])
    assert check(place, "/api/v1/standings", headers=ada)["league"] == "Class"


def test_refusals_are_described_too(place: Place) -> None:
    check(place, "/api/v1/me", 401)
    check(place, "/api/v1/me", 401, headers={"authorization": "Bearer pips_guessed"})
    ada = token(place)
    path = "/api/v1/versions"
    check(place, path, 415, method="post", headers=ada, content=b"x")
    check(place, path, 422, method="post", headers=ada, files={"files": ("../x.py", b"")})
    place.enter("ada")
    check(place, path, 401, method="post", files={"files": ("bot.py", b"")})  # a cookie hands nothing in
    place.enter("organiser")
    check(place, "/api/v1/me", 403)


def test_a_token_ends_with_its_invite(place: Place) -> None:
    ada = token(place)
    (person, *_) = place.people.everybody()
    place.people.revoke(person.id)
    check(place, "/api/v1/me", 401, headers=ada)


def test_results_of_a_bot_that_is_refused() -> None:
    me = {"version": {"state": "refused", "said": "no", "bot": "ada"}, "standings": []}
    assert results_json(me)["score"] == 0.0 and results_json(me)["tests"][0]["status"] == "failed"


def told_of_faults(place: Place, bot: str) -> list[str]:
    """What this visitor reads of the faults in all matches of a bot."""
    rows = place.client.get("/night/api/matches").json()
    shown = [place.client.get(f"/night/api/match/{row[1]}").json() for row in rows if bot in row[3] and row[6]]
    assert shown
    return [line for match in shown for line in match["explained"]]


def test_the_night_marks_ones_own_row_and_needs_no_javascript(place: Place) -> None:
    for who, own in (("ada", ["ada"]), ("bo", ["bo"])):
        place.client.post("/mine", data={"form": place.enter(who), "text": "a = 1"})
        page = place.client.get("/night/").text
        about = re.search(r'id="about">(.*?)</script>', page)
        assert about is not None and json.loads(about[1])["own"] == own
        assert "<caption>Standings: " in page and '<th scope="row">ada</th>' in page
    place.enter("organiser")
    about = re.search(r'id="about">(.*?)</script>', place.client.get("/night/").text)
    assert about is not None and json.loads(about[1])["own"] == [], "none is the organiser's own"
    assert told_of_faults(place, "ada") != [], "though all are explained to them"


def test_an_author_s_pages_of_the_night(place: Place) -> None:
    form = place.enter("ada")
    place.client.post("/mine", data={"form": form, "text": "a = 1"})
    page = place.client.get("/mine").text
    for heading in ("Ratings, night by night", "Lost matches", "Where it loses", "Hand in", "For programs"):
        assert heading in page
    assert any("What it was asked:" in line for line in told_of_faults(place, "ada"))
    assert re.search(r'href="/night/#/match/[0-9a-f]{32}/worst\?seat=[01]"', page)
    assert place.client.get("/mine/records.zip").headers["content-type"] == "application/zip"
    assert place.client.get("/mine/log.txt").status_code == 200
    assert "pips_" in place.client.post("/mine/token", data={"form": form}).text
    assert place.client.get("/night/").status_code == 200 and "My bot" in place.client.get("/night/").text
    place.client.cookies.clear()
    assert place.client.get("/night/").headers["location"] == "/enter"
    place.enter("bo")
    assert told_of_faults(place, "ada") == []


def test_a_correction_is_shown_before_it_is_made(place: Place) -> None:
    form = place.enter("organiser")
    (first, *_) = place.client.get("/night/api/matches").json()
    asked = {"form": form, "match": first[1][:8], "reason": "a power cut"}
    shown = place.client.post("/organiser/annul", data={**asked, "how": "preview"}).text
    assert "Nothing was decided" in shown and "What would change" in shown
    assert place.client.post("/organiser/annul", data=asked).text.count("is annulled")
    again = {**asked, "reason": "it was none"}
    assert "counts again" in place.client.post("/organiser/restore", data=again).text
    assert "will be played again" in place.client.post("/organiser/replay-match", data=asked).text
    assert "counts again" in place.client.post("/organiser/undo-replay", data=again).text
    bot = {"form": form, "bot": "bo", "reason": "asked for"}
    assert "Withdrawn: bo" not in place.client.get("/organiser").text
    assert "Nothing was decided" in place.client.post("/organiser/withdraw", data={**bot, "how": "preview"}).text
    assert "is withdrawn" in (page := place.client.post("/organiser/withdraw", data=bot).text)
    assert "Withdrawn: bo (asked for)." in page and 'action="/organiser/reinstate#corrections"' in page
    assert "bo plays again" in place.client.post("/organiser/reinstate", data=bot).text
    past = {"form": form, "deadline": "2020-01-01T10:00"}
    told = place.client.post("/organiser/deadline", data=past).text
    assert "2020-01-01 10:00 is over, so nothing was set" in told and not place.desk.calendar.is_closed
    assert place.client.post("/organiser/deadline", data={**past, "at-once": "on"}).status_code == 200
    assert place.desk.calendar.is_closed
    told = place.client.post("/organiser/deadline", data={"form": form, "deadline": "2030-01-01T10:00"}).text
    assert "The deadline is 2030-01-01 10:00" in told
    assert place.client.post("/organiser/deadline", data={"form": form, "deadline": "soon"}).status_code == 422
    for name in ("grades.csv", "feedback.zip"):
        assert place.client.get(f"/organiser/{name}").status_code == 200


def test_the_gradebook_of_an_earlier_night_stays(place: Place) -> None:
    place.enter("organiser")
    database = place.desk.database
    now = place.client.get("/organiser/grades.csv")
    assert now.headers["content-disposition"].endswith('grades-night-1-so-far.csv"')
    assert "gradebook of night" not in place.client.get("/organiser").text
    shutil.copy(database, database.with_name(f"{database.stem}.1{database.suffix}"))
    assert "Download the gradebook of night 1" in place.client.get("/organiser").text
    then = place.client.get("/organiser/grades.csv?night=1")
    assert then.headers["content-disposition"].endswith('grades-night-1.csv"') and then.text == now.text
    for night in ("2", "0", "x", "-1"):
        assert place.client.get(f"/organiser/grades.csv?night={night}").status_code == 404
    place.enter("ada")
    assert place.client.get("/organiser/grades.csv?night=1").status_code == 403


def test_the_organisers_reasons_are_nobody_elses(place: Place) -> None:
    reason = "copied from a friend"
    bot = {"form": place.enter("organiser"), "bot": "bo", "reason": reason, "start": "on"}
    assert "is withdrawn" in place.client.post("/organiser/withdraw", data=bot).text
    place.enter("ada")
    assert place.client.portal is not None
    known = place.client.portal.call(partial(place.site.nights.ask, lambda archive: archive.standings(), now=True))
    assert reason in str(known)
    for address in ("/api/v1/standings", "/api/v1/me", "/mine", "/night/", "/night/api/matches", "/night/api/season"):
        answer = place.client.get(address)
        assert reason not in answer.text, address
    tables = place.client.get("/api/v1/standings").json()["tables"]
    assert any(table["withdrawn"] == ["bo"] for table in tables) and "was taken out" in place.client.get("/night/").text


def test_one_may_hand_in_later_than_all(place: Place) -> None:
    place.desk.calendar.set_deadline("2020-01-01 10:00", at_once=True)
    _, bo = place.people.everybody()
    form = place.enter("organiser")
    told = place.client.post(
        "/organiser/deadline", data={"form": form, "deadline": "2099-01-01T10:00", "person": str(bo.id)}
    ).text
    assert "Bo may hand in until 2099-01-01 10:00." in told and "<br>until 2099-01-01 10:00" in told
    for who, status in (("ada", 422), ("bo", 303)):
        form = place.enter(who)
        assert place.client.post("/mine", data={"form": form, "text": "pass", "name": "b.py"}).status_code == status
    assert "Until 2099-01-01 10:00." in place.client.get("/mine").text
    nobody = place.client.post("/organiser/deadline", data={"form": place.enter("organiser"), "person": "77"})
    assert nobody.status_code == 404
    delete_person(place.desk, bo, only_shown=False)
    assert place.desk.calendar.own() == {} and place.desk.calendar.is_closed


def test_an_author_chooses_for_the_last_night_and_withdraws(place: Place) -> None:
    ada, bo = place.people.everybody()
    for person in (ada, ada, bo):
        place.hand_ins.set_state(place.hand_ins.keep(person, [("b.py", b"pass")]).id, READY)
    form = {"form": place.enter("ada")}
    assert "in the last night" not in place.client.get("/mine").text, "there is no deadline"
    place.desk.calendar.set_deadline("2099-01-01 10:00")
    assert place.client.get("/mine").text.count(" in the last night</button>") == 2
    assert place.client.post("/mine/1/final", data=form).status_code == 303
    page = place.client.get("/mine").text
    assert page.count("This version plays in the last night.") == 1 and page.count(" in the last night</button>") == 1
    assert place.client.post("/mine/1/final", data={**form, "newest": ""}).status_code == 303
    assert "This version plays in the last night." not in place.client.get("/mine").text
    place.desk.calendar.set_deadline("2020-01-01 10:00", at_once=True)
    assert "this cannot be undone" in place.client.get("/mine").text
    place.desk.calendar.set_deadline("2099-01-01 10:00")
    assert [place.client.post(f"/mine/{number}/final", data=form).status_code for number in (3, 9)] == [404, 404]
    assert place.client.post("/mine/withdraw", data=form).status_code == 303
    page = place.client.get("/mine").text
    assert "ada v2: withdrawn" in page and "Withdraw my bot" not in page and "Hand in ada v2 again" in page
    assert [version.state for version in place.hand_ins.all()] == [WITHDRAWN, WITHDRAWN, READY]
    for path in ("/mine/1/final", "/mine/withdraw"):
        assert place.client.post(path, data={"form": "0" * 64}).status_code == 403
        assert place.client.post(path, data={"form": place.enter("organiser")}).status_code == 403
        place.enter("ada")


def test_a_refused_version_is_checked_again(place: Place) -> None:
    ada, bo = place.people.everybody()
    version = place.hand_ins.keep(ada, [("b.py", b"pass")])
    form = place.enter("organiser")
    ask = {"form": form, "person": str(ada.id)}
    assert place.client.post("/organiser/recheck", data=ask).status_code == 422, "it waits"
    place.hand_ins.set_state(version.id, REFUSED, "No.")
    assert "Check ada again" in place.client.get("/organiser").text
    assert "ada is checked again." in place.client.post("/organiser/recheck", data=ask).text
    assert [each.state for each in place.hand_ins.all()] == [WAITING]
    assert place.client.post("/organiser/recheck", data={**ask, "person": str(bo.id)}).status_code == 422


def test_nothing_is_taken_after_the_deadline(place: Place) -> None:
    form = place.enter("ada")
    place.client.post("/mine", data={"form": form, "text": "a = 1"})
    place.desk.calendar.set_deadline("2020-01-01 10:00", at_once=True)
    refused = place.client.post("/mine", data={"form": form, "text": "a = 2"})
    assert refused.status_code == 422 and "the deadline was 2020-01-01 10:00" in refused.text
    assert place.client.post("/mine/1/again", data={"form": form}).status_code == 422
    check(place, "/api/v1/versions", 422, method="post", headers=token(place), files={"files": ("bot.py", b"")})
    place.desk.calendar.set_deadline("")
    assert place.client.post("/mine", data={"form": form, "text": "a = 2"}).status_code == 303


def test_the_organiser_sees_everybodys_faults_prints_and_versions(place: Place) -> None:
    place.client.post("/mine", data={"form": place.enter("ada"), "text": "a = 1"})
    place.desk.logs.mkdir(parents=True)
    (place.desk.logs / "ada.serpent.0.log").write_text("a word of ada's\n")
    place.enter("organiser")
    assert any("What it was asked:" in line for line in told_of_faults(place, "ada"))
    assert "a word of ada" in place.client.get("/mine/log.txt").text
    assert 'href="/mine/1.zip"' in place.client.get("/organiser").text
