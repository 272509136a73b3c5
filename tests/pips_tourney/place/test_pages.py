"""One menu, the first page, a card for each author, and the organiser's desk."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from pips_tourney.night.director import office
from pips_tourney.night.plan.decisions import BY_NEWER
from pips_tourney.night.preview import Moved, Preview
from pips_tourney.night.table import boss
from pips_tourney.place.desk.deletion import withdraw_own
from pips_tourney.place.desk.hand_ins import FINAL, READY
from pips_tourney.place.pages import organiser
from pips_tourney.place.pages.shown import RatedVersion, _interval, curve
from tests.pips_tourney.place.conftest import Place


@pytest.fixture
def place(played: Place) -> Place:
    return played


def about(place: Place) -> dict[str, Any]:
    """What the page of the night is told."""
    [inside] = re.findall(r'id="about">(.*?)</script>', place.client.get("/night/").text, re.DOTALL)
    found: dict[str, Any] = json.loads(inside)
    return found


@pytest.mark.parametrize("who", ["ada", "organiser"])
def test_all_pages_have_one_menu(place: Place, who: str) -> None:
    place.enter(who)
    of_night = [tuple(link) for link in about(place)["home"]]
    for address in ("/", "/organiser" if who == "organiser" else "/mine"):
        page = place.client.get(address).text
        nav = page[page.index("<nav") : page.index("</nav>")]
        assert re.findall(r'href="([^"]+)"[^>]*>([^<]+)<', nav) == of_night
        assert re.findall(r'href="([^"]+)" aria-current="page"', nav) == [address]
    assert ("/night/#/play", "Play") in of_night and "/night/#/season" not in dict(of_night)


def test_an_address_that_leads_nowhere_says_so_and_is_no_success(place: Place) -> None:
    place.enter("ada")
    page = place.client.get("/nowhere").text
    assert '<p class="told wrong" role="alert">There is no such page.</p>' in page
    page = place.client.post("/mine", data={"form": place.enter("ada"), "text": ""}).text
    assert '<p class="told wrong" role="alert">Not handed in: ' in page


def test_members_alone_take_seats_and_meet_quick_bots(place: Place) -> None:
    sit = {"game": "wichita", "against": "greedy", "seats": 2}
    place.client.cookies.clear()
    assert place.client.post("/night/api/seats", json=sit).headers["location"] == "/enter"
    place.enter("ada")
    [offered] = about(place)["play"]
    assert offered["game"] == "wichita" and set(offered["bots"]) == {"random", "cautious", "greedy"}
    first = place.client.post("/night/api/seats", json=sit).json()
    assert first["names"] == ["guest", "greedy"]
    for wrong in ({"against": "search"}, {"game": "serpent"}):
        told = place.client.post("/night/api/seats", json={**sit, **wrong})
        assert told.status_code == 404 and "nobody plays" in told.json()["error"]
    assert place.client.post("/night/api/seats", json=sit).status_code == 200
    assert place.client.get(f"/night/api/seats/{first['id']}").status_code == 404, "a member has one seat"


def test_acts_stand_beside_what_they_act_on_and_offer_the_way_back(place: Place) -> None:
    form = place.enter("organiser")
    first = next(row for row in reversed(place.client.get("/night/api/matches").json()) if "ada" in row[3])
    page = place.client.get("/organiser?of=ada").text
    assert f'name="match" value="{first[1]}"' in page and "Withdraw ada" in page and 'value="cy"' not in page
    assert page.count("This can take a minute while a night plays.") == page.count("Show what changes") > 0
    asked = {"form": form, "match": first[1], "reason": "a power cut"}
    shown = place.client.post("/organiser/annul", data={**asked, "how": "preview"}).text
    assert "Do it" in shown and f'name="match" value="{first[1]}"' in shown and "Take it back" not in shown
    done = place.client.post("/organiser/annul", data={**asked, "how": "do"}).text
    assert 'action="/organiser/restore#corrections"' in done and "Take it back" in done
    assert 'href="/organiser" aria-current="page"' in done
    assert f"Annulled: match {first[1][:8]} and its deal (a power cut)." in place.client.get("/organiser").text
    assert place.client.post("/organiser/restore?of=ada", data={**asked, "reason": "taken back"}).text.count("?of=ada#")
    page = place.client.get("/organiser").text
    assert f"Annulled: match {first[1][:8]} and its deal (a power cut). Taken back (taken back)." in page
    assert page.count('action="/organiser/restore#corrections"') == 0
    for reason in ("it loops", "again"):
        place.client.post("/organiser/withdraw", data={"form": form, "bot": "ada", "reason": reason, "how": "do"})
        page = place.client.get("/organiser?of=bo").text
        assert page.count('action="/organiser/reinstate?of=bo#corrections"') == 1 and 'value="taken back"' in page
        place.client.post("/organiser/reinstate", data={"form": form, "bot": "ada", "reason": "taken back"})
    page = place.client.get("/organiser").text
    assert page.index("Withdrawn: ada (again). Taken back") < page.index("Withdrawn: ada (it loops). Taken back")


@pytest.mark.parametrize("tab", ["people", "corrections"])
def test_what_an_act_offers_next_stays_on_its_tab(place: Place, monkeypatch: pytest.MonkeyPatch, tab: str) -> None:
    """Also if no table could show what changes: the reason is kept."""
    asked = {"form": place.enter("organiser"), "bot": "ada", "reason": "a mistake", "tab": tab}
    with monkeypatch.context() as patch:
        patch.setattr(organiser, "preview", lambda *_: Preview("It is out.", ()))
        shown = place.client.post("/organiser/withdraw", data={**asked, "how": "preview"}).text
    assert "Do it" in shown and 'name="reason" value="a mistake"' in shown and "No place and no Elo." in shown
    assert f'action="/organiser/withdraw#{tab}"' in shown and f'href="/organiser#{tab}"' in shown
    done = place.client.post("/organiser/withdraw", data={**asked, "how": "do"}).text
    assert f'action="/organiser/reinstate#{tab}"' in done
    [told] = re.findall('<p class="told" role="status">(.*?)</p>', done)
    assert "ada is withdrawn" in told and "`" not in told, "a terminal's words are no help here"


def test_the_version_that_plays_is_withdrawn_while_a_newer_one_waits(place: Place) -> None:
    ada, _ = place.people.everybody()
    place.hand_ins.set_state(place.hand_ins.keep(ada, [("b.py", b"pass")]).id, READY)
    assert place.hand_ins.keep(ada, [("b.py", b"a = 1")]).bot == "ada v2"
    place.enter("organiser")
    page = place.client.get("/organiser").text
    assert "ada v2</a>: waiting" in page and ">Withdraw ada</button>" in page
    assert page.count("<p>For this night and this version alone.</p>") == 1


def test_a_deadline_of_ones_own_is_asked_for_and_not_taken_from_that_of_all(place: Place) -> None:
    form, calendar = place.enter("organiser"), place.desk.calendar

    def fields() -> dict[str, str]:
        page = place.client.get("/organiser").text
        return dict(re.findall(r'id="until-(\d+)" name="deadline" type="datetime-local" value="([^"]*)"', page))

    def when() -> str:
        page = place.client.get("/organiser").text
        [said] = re.findall(r"<h2>Night</h2>\s*<p>(.*?)</p>", page, re.DOTALL)
        return str(said)

    assert when() == "It ends when you say so."
    calendar.set_deadline("2099-01-01 10:00")
    assert fields() == {"0": "2099-01-01T10:00", "1": "", "2": ""}
    assert when() == "It ends on\nThursday 2099-01-01 10:00, and then one more is played."
    place.client.post("/organiser/deadline", data={"form": form, "person": "1", "deadline": "2099-02-01T10:00"})
    assert fields()["1"] == "2099-02-01T10:00" and "2099-02-01" in when()
    early = {"form": form, "person": "2", "deadline": "2098-02-01T10:00"}
    told = place.client.post("/organiser/deadline", data=early).text
    assert "That is earlier than the common deadline, 2099-01-01 10:00." in told
    assert "The next night begins at once" in told
    calendar.set_deadline("", place.people.everybody()[1])
    calendar.set_deadline("", place.people.everybody()[0])
    calendar.set_deadline("2020-01-01 10:00", at_once=True)
    assert when() == "The deadline has passed, and the last night is over."
    page = place.client.get("/organiser").text
    assert "The deadline has passed: one last night follows." in page and "The next night begins" not in page
    place.people.set_setting(FINAL, "1")
    assert "End this night" not in place.client.get("/organiser").text


def test_a_form_that_is_sent_again_ends_no_later_night(place: Place) -> None:
    form, page = place.enter("organiser"), place.client.get("/organiser").text
    [night] = re.findall('action="/organiser/end">.*?name="night" value="(.*?)"', page)
    for without in ({}, {"night": ""}, {"night": "x"}):
        assert place.client.post("/organiser/end", data={"form": form, **without}).status_code == 422
    assert place.desk.frozen_at is None, "a form names its night"
    for _ in range(2):
        told = place.client.post("/organiser/end", data={"form": form, "night": night}).text
        assert "The night is played to its end." in told and place.desk.frozen_at == 0
    place.desk._ending.unlink()
    place.desk.database.with_name("small.1.db").touch()
    again = place.client.post("/organiser/end", data={"form": form, "night": night})
    assert again.status_code == 422 and "so night 2 goes on" in again.text and place.desk.frozen_at is None
    assert 'name="night" value="2"' in place.client.get("/organiser").text


def test_a_match_of_long_ago_is_found_by_its_id(place: Place) -> None:
    place.enter("organiser")
    [first, *_, last] = [row[1] for row in place.client.get("/night/api/matches").json()]
    assert f'value="{last}"' in (page := place.client.get("/organiser").text) and f'value="{first}"' not in page
    page = place.client.get(f"/organiser?match={first[:8].upper()}").text
    assert f'value="{first}"' in page and f'value="{last}"' not in page


def test_what_authors_do_themselves_is_no_correction(place: Place) -> None:
    ada, _ = place.people.everybody()
    place.hand_ins.set_state(place.hand_ins.keep(ada, [("b.py", b"pass")]).id, READY)
    withdraw_own(place.desk, ada)
    with office(place.desk.database) as at:
        at.withdraw("bo", f"{BY_NEWER} 2", from_start=False)
        assert set(at.decisions.out) == {"ada", "bo"}
    place.enter("organiser")
    page = place.client.get("/organiser").text
    assert "withdrawn, out of the night" in page
    assert "Corrections so far" not in page and "Let ada play again" not in page


def test_the_organiser_finds_people_and_who_is_missing(place: Place) -> None:
    place.client.post("/mine", data={"form": place.enter("ada"), "text": "a = 1"})
    place.enter("organiser")
    place.hand_ins.set_state(1, "refused", "bot.py, line 1: <b>")
    page = place.client.get("/organiser").text
    assert "2 of 2 have not handed in</a>, 1 of them was refused" in page and "bot.py, line 1: &lt;b&gt;" in page
    place.hand_ins.set_state(1, READY)
    page = place.client.get("/organiser").text
    assert "1 of 2 has not handed in" in page and "new invite for Ada" in page and "new invite for Bo" in page
    for query, names in (
        ("only=absent", {"Bo"}),
        ("who=AD", {"Ada"}),
        ("who=x", set()),
        ("who=bo&only=absent", {"Bo"}),
    ):
        page = place.client.get(f"/organiser?{query}").text
        assert set(re.findall("new invite for ([A-Z][a-z]+)", page)) == names, query


def test_a_card_says_where_a_bot_stands_and_what_to_do_next(place: Place) -> None:
    form = place.enter("ada")
    assert "<h2>Nothing has been handed in yet</h2>" in place.client.get("/mine").text
    place.client.post("/mine", data={"form": form, "text": "a = 1"})
    assert "wait for its check" in place.client.get("/mine").text
    place.hand_ins.set_state(1, "refused", "bot.py, line 1")
    assert "fix what the check found" in place.client.get("/mine").text
    place.desk.calendar.set_deadline("2020-01-01 10:00", at_once=True)
    page = place.client.get("/mine").text
    assert "mend what" not in page and "your organiser alone can give you more time" in page
    place.desk.calendar.set_deadline("")
    place.hand_ins.set_state(1, "ready")
    page = place.client.get("/mine").text
    card = page[page.index('id="card"') : page.index('id="hand-in"')]
    assert "ada: ready" in card and "of 3</b>" in card and "/worst?seat=" in card and 'class="curve"' not in card


@pytest.mark.parametrize("is_above", [True, False])
def test_a_bot_above_the_boss_has_a_badge(place: Place, monkeypatch: pytest.MonkeyPatch, is_above: bool) -> None:
    monkeypatch.setattr(
        boss, "above_boss", lambda table, _: {"ada"} if is_above and table.label == "wichita" else {"bo"}
    )
    place.client.post("/mine", data={"form": place.enter("ada"), "text": "a = 1"})
    assert ("★ Above greedy in wichita, with 95 % or more." in place.client.get("/mine").text) is is_above


def test_a_preview_lists_those_that_move(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Moved("wichita", "ada", 1, "1500", 2, "1490"), Moved("wichita", "stays", 1, "1500", 1, "1500")
    monkeypatch.setattr(organiser, "preview", lambda *_: Preview("It is out.", rows))
    asked = {"form": place.enter("organiser"), "bot": "ada", "reason": "a mistake", "how": "preview"}
    page = place.client.post("/organiser/withdraw", data=asked).text
    assert '<th scope="row">ada</th>' in page and "stays" not in page


def test_a_hand_in_has_the_time_on_the_wall_and_a_projector_no_forms(place: Place) -> None:
    place.client.post("/mine", data={"form": place.enter("ada"), "text": "a = 1"})
    assert re.search(r"Handed in on \d{4}-\d\d-\d\d \d\d:\d\d\.", place.client.get("/mine").text)
    poster = place.client.get("/poster").text
    assert "<form" not in poster and '<p class="poster">http://127.0.0.1:8080</p>' in poster


def test_an_interval_may_be_open() -> None:
    told = [_interval(*ends) for ends in ((1400.0, 1500.4), (None, 1519.0), (1481.0, None), (None, None))]
    assert told == ["1400 to 1500", "below 1519", "above 1481", ""]


def test_the_curve_of_a_bots_versions() -> None:
    def row(night: int, elo: str, contest: str = "serpent") -> RatedVersion:
        return RatedVersion(night, contest, f"ada v{night}", "1 of 3", elo, "", 9)

    assert curve([]) is None and curve([row(1, "1400"), row(2, "", "serpent")]) is None
    made = curve([row(1, "1400"), row(1, "1700", "wichita"), row(2, "1500"), row(3, "1450")])
    assert made is not None and made["dots"] == [(5, 45), (100, 5), (195, 25)]
    assert made["said"] == "Elo: ada v1 1400 in night 1, ada v2 1500 in night 2, ada v3 1450 in night 3"
