"""Hostile requests do no harm."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest
from starlette.testclient import TestClient

from pips_tourney.people.store import Invited
from pips_tourney.place.desk.uploads import UPLOAD_BYTES
from pips_tourney.place.pages.site import COOKIE
from tests.pips_tourney.place.conftest import Place

EVIL: Final = {"origin": "https://evil.example"}
SCRIPT: Final = "<script>alert(1)</script>"


def refused(place: Place, address: str, *codes: int, who: str = "bo", method: str = "GET", **of: object) -> None:
    """Somebody asks, and gets one of these codes."""
    place.enter(who)
    assert place.client.request(method, address, **of).status_code in codes  # type: ignore[arg-type]


def unsent(place: Place, more: dict[str, str] | None = None, mark: str | None = None) -> None:
    """A hand-in is refused as no form of one's own page, and nothing is kept."""
    form = place.enter("ada")
    data = {"text": "a = 1"} | ({} if mark is None else {"form": mark or form})
    assert place.client.post("/mine", data=data, headers=more or {}).status_code == 403
    assert place.hand_ins.all() == []


def ada_hands_in(place: Place, text: str = "a = 1") -> None:
    assert place.client.post("/mine", data={"form": place.enter("ada"), "text": text}).status_code == 303


def token(place: Place, who: str) -> dict[str, str]:
    person = next(each.id for each in place.people.everybody() if each.bot == who)
    return {"authorization": f"Bearer {place.people.new_token(person)}"}


def no_invite(place: Place) -> None:
    for address in ("/mine", "/organiser", "/mine/1.zip", "/api/v1/me", "/workshop/scrimmage"):
        assert place.client.get(address).status_code == 401


def guessed_cookie(place: Place) -> None:
    place.client.cookies.set(COOKIE, "guessed")
    assert place.client.get("/mine").status_code == 401


def fixed_cookie(place: Place) -> None:
    place.client.cookies.set(COOKIE, "fixed-by-another")
    answer = place.client.post("/enter", data={"code": place.codes["ada"]})
    assert "fixed-by-another" not in answer.headers["set-cookie"]


def guessed_codes(place: Place) -> None:
    place.site.wrong_code_s = 0
    codes = {place.client.post("/enter", data={"code": "K7QF-2M9T-XA4C-0"}).status_code for _ in range(50)}
    assert codes == {403}
    place.enter("ada")


def codes_at_once(place: Place) -> None:
    busy, most, tried = 0, 0, 0
    place.site.wrong_code_s = 0
    enter = place.people.enter

    def slow(code: str) -> str | None:
        nonlocal busy, most, tried
        busy, tried = busy + 1, tried + 1
        most = max(most, busy)
        time.sleep(0.01)
        busy -= 1
        return enter(code)

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(60) as senders:
        patch.setattr(place.people, "enter", slow)
        sent = [senders.submit(place.client.post, "/enter", data={"code": "K7QF-2M9T-XA4C-0"}) for _ in range(60)]
        codes = Counter(each.result().status_code for each in sent)
    assert codes == {403: 60}
    assert tried == 60 and most == 1


def revoked_invite(place: Place) -> None:
    place.enter("ada")
    place.people.revoke(place.people.everybody()[0].id)
    assert place.client.get("/mine").status_code == 401
    assert place.client.post("/enter", data={"code": place.codes["ada"]}).status_code == 403


def left_visit(place: Place) -> None:
    form = place.enter("ada")
    cookie = place.client.cookies[COOKIE]
    place.client.post("/leave", data={"form": form})
    place.client.cookies.set(COOKIE, cookie)
    assert place.client.get("/mine").status_code == 401


def old_mark(place: Place) -> None:
    unsent(place, mark=place.enter("ada"))


def anothers_version(place: Place) -> None:
    ada_hands_in(place)
    refused(place, "/mine/1.zip", 404)
    form = place.enter("bo")
    assert place.client.post("/mine/1/again", data={"form": form}).status_code == 404


def anothers_prints(place: Place) -> None:
    ada_hands_in(place)
    place.desk.logs.mkdir(parents=True)
    (place.desk.logs / "ada.serpent.0.log").write_text("ada's own words\n")
    assert "ada's own words" in place.client.get("/mine/log.txt").text
    place.client.post("/mine", data={"form": place.enter("bo"), "text": "b = 1"})
    assert "own words" not in place.client.get("/mine/log.txt").text


def organisers_acts(place: Place) -> None:
    form = place.enter("bo")
    for what in (
        "invite",
        "renew",
        "revoke",
        "end",
        "pause",
        "annul",
        "withdraw",
        "deadline",
        "recheck",
        "replay-match",
    ):
        assert place.client.post(f"/organiser/{what}", data={"form": form, "person": "1"}).status_code == 403


def cookie_for_the_api(place: Place) -> None:
    refused(place, "/api/v1/versions", 401, method="POST", files={"files": ("bot.py", b"")})
    assert place.hand_ins.all() == []


def json_for_the_api(place: Place) -> None:
    asked = place.client.post("/api/v1/versions", headers=token(place, "ada"), json={"text": "a"})
    assert asked.status_code == 415 and place.hand_ins.all() == []


def guessed_token(place: Place) -> None:
    for told in ("Bearer pips_x", "Bearer ", "Basic YTpi", "Bearer pips_" + "x" * 4000):
        assert place.client.get("/api/v1/me", headers={"authorization": told}).status_code == 401


def many_requests(place: Place) -> None:
    place.site.paces.of_account = 4
    place.enter("ada")
    codes = [place.client.get("/poster").status_code for _ in range(5)]
    assert codes[-1] == 429
    place.enter("bo")
    assert place.client.get("/poster").status_code == 200


def large_form(place: Place) -> None:
    form = place.enter("organiser")
    answer = place.client.post("/organiser/invite", data={"form": form, "names": "x" * 200_000})
    assert answer.status_code == 413 and "A form has at most 128 kB" in answer.text


def large_upload(place: Place) -> None:
    large = {"files": ("bot.py", bytes(UPLOAD_BYTES + (2 << 20)))}
    refused(place, "/mine", 413, method="POST", data={"form": "x"}, files=large)


def many_fields(place: Place) -> None:
    many = [("files", (f"{number}.py", b"")) for number in range(501)]
    refused(place, "/mine", 400, method="POST", files=many)


def broken_form(place: Place) -> None:
    kind = {"content-type": "multipart/form-data"}
    refused(place, "/mine", 400, method="POST", content=b"--x\r\n", headers=kind)


def line_in_the_address(place: Place) -> None:
    answer = place.client.get("/enter%0d%0aset-cookie:%20a=b")
    assert answer.status_code == 404 and "set-cookie" not in answer.headers


def line_in_a_name(place: Place) -> None:
    ada_hands_in(place)
    answer = place.client.get("/mine/1.zip")
    assert answer.headers["content-disposition"] == 'attachment; filename="version-1.zip"'
    form = place.enter("bo")
    assert place.client.post("/mine/name", data={"form": form, "bot": "a\r\nset-cookie: b=c"}).status_code == 422


def other_host(place: Place) -> None:
    form = place.enter("ada")
    told = {"host": "evil.example", "origin": "http://127.0.0.1:8080"}
    assert place.client.post("/mine", data={"form": form, "text": "a"}, headers=told).status_code == 403


def redirect_elsewhere(place: Place) -> None:
    for address in ("//evil.example/", "/%2fevil.example/", "/night//evil.example/..", "/\\evil.example"):
        answer = place.client.get(address)
        assert not answer.headers.get("location", "/").startswith(("//", "http://evil", "https:"))


def other_methods(place: Place) -> None:
    for method in ("PUT", "DELETE", "TRACE", "PATCH"):
        refused(place, "/mine", 405, method=method)


def odd_numbers(place: Place) -> None:
    for address in (
        "/mine/-1.zip",
        "/mine/99999999999999999999999.zip",
        "/mine/a.zip",
        "/mine/0x1/again",
        f"/mine/{'1' * 5000}.zip",
    ):
        refused(place, address, 404, 405, 422)


def long_numbers(place: Place) -> None:
    long, mark = "1" * 5000, place.enter("ada")
    assert place.client.post(f"/mine/{long}/again", data={"form": mark}).status_code == 404
    (first, *_) = place.client.get("/night/api/matches").json()
    for address in (f"/night/api/matches?after={long}", f"/night/api/match/{first[1]}?seat={long}"):
        assert place.client.get(address).status_code == 400, address[:30]
    form = {"form": place.enter("organiser"), "person": long}
    assert place.client.post("/organiser/renew", data=form).status_code == 404


def junk_cookies(place: Place) -> None:
    """What is added to a cookie, and what names nobody, is no account of its own."""
    place.site.paces.of_account = 4
    place.enter("ada")
    own = f"{COOKIE}={place.client.cookies[COOKIE]}"
    place.client.cookies.clear()
    codes = [
        place.client.get("/poster", headers={"cookie": f"{own}; junk={number}"}).status_code for number in range(5)
    ]
    assert codes[-1] == 429 and place.client.get("/poster", headers={"cookie": f"{COOKIE}=x"}).status_code == 200


def words_of_sql(place: Place) -> None:
    for address in ("/mine/' OR 1=1--.zip", "/night/api/match/' OR 1=1--", "/night/api/bot/x' UNION SELECT/losses"):
        refused(place, address, 403, 404)
    assert place.client.post("/enter", data={"code": "' OR code IS NOT NULL --"}).status_code == 403


def open_deal(place: Place) -> None:
    site = place.site.nights.site
    assert site is not None and site.live is not None
    place.enter("ada")
    match = place.client.get("/night/api/matches").json()[0][1]
    site.live.watch.archive.may_be_shown = lambda match_id: False  # type: ignore[method-assign]
    for address in (f"/night/api/match/{match}", f"/night/api/match/{match}/course"):
        refused(place, address, 403, 404, who="ada")


def unescaped_names(place: Place) -> None:
    place.people.invite([Invited(SCRIPT, team="<b>x</b>")])
    ada_hands_in(place)
    place.hand_ins.set_state(1, "refused", SCRIPT)
    for who, address in (("ada", "/mine"), ("organiser", "/organiser")):
        place.enter(who)
        page = place.client.get(address).text
        assert SCRIPT not in page and "<b>x</b>" not in page


def scripts_inside(place: Place) -> None:
    place.enter("organiser")
    for address in ("/enter", "/organiser", "/poster"):
        answer = place.client.get(address)
        assert "unsafe" not in answer.headers["content-security-policy"] and " onclick" not in answer.text
        assert answer.text.count("<script") == answer.text.count('<script src="/static/')


def framed(place: Place) -> None:
    place.enter("ada")
    for address in ("/mine", "/night/", "/api/v1/standings"):
        assert "frame-ancestors 'none'" in place.client.get(address).headers["content-security-policy"]


def formula_in_grades(place: Place) -> None:
    place.enter("organiser")
    assert not re.search(r"(^|,)[=+@]", place.client.get("/organiser/grades.csv").text, re.MULTILINE)


def night_without_invite(place: Place) -> None:
    for address in ("/night/", "/night/events", "/night/api/matches", "/night/api/season"):
        assert place.client.get(address).headers["location"] == "/enter"


def organisers_evidence(place: Place) -> None:
    place.enter("bo")
    rows = place.client.get("/night/api/matches").json()
    faulty = next(row for row in rows if row[6] and "bo" not in row[3])
    shown = place.client.get(f"/night/api/match/{faulty[1]}").text
    assert "it crashed" not in shown and "Traceback" not in shown


def files_of_the_place(place: Place) -> None:
    place.enter("ada")
    for address in (
        "/static/../place.db", "/static/%2e%2e/site.py", "/static/..%2f..%2fserve.py", "/night/static/..%2fserver.py",
        "/../../etc/passwd", "/place.db", "/class-place/invites.csv", "/templates/base.html", "/%00",
    ):  # fmt: skip
        answer = place.client.get(address)
        assert answer.status_code in (307, 404) and b"SQLite" not in answer.content


REQUESTS: Final[dict[str, Callable[[Place], None]]] = {
    "a visit without an invite": no_invite,
    "a guessed cookie": guessed_cookie,
    "a cookie that somebody else has set": fixed_cookie,
    "21 guessed codes in a minute": guessed_codes,
    "an invite that was revoked": revoked_invite,
    "the cookie of a visit that was left": left_visit,
    "a form of another site": lambda place: unsent(place, EVIL, ""),
    "a form that hides where it is from": lambda place: unsent(place, {"origin": "null"}, ""),
    "a form that the browser calls foreign": lambda place: unsent(place, {"sec-fetch-site": "cross-site"}, ""),
    "a form without its mark": unsent,
    "a form with a guessed mark": lambda place: unsent(place, mark="0" * 64),
    "the form of an earlier visit": old_mark,
    "another's version": anothers_version,
    "another's prints": anothers_prints,
    "another's fault and its traceback": organisers_evidence,
    "the organiser's page": lambda place: refused(place, "/organiser", 403),
    "the organiser's gradebook": lambda place: refused(place, "/organiser/grades.csv", 403),
    "the organiser's archive of feedback": lambda place: refused(place, "/organiser/feedback.zip", 403),
    "the organiser's acts": organisers_acts,
    "the night on screen without an invite": night_without_invite,
    "a match whose deal is still played": open_deal,
    "a guessed token": guessed_token,
    "a program's hand-in with a cookie alone": cookie_for_the_api,
    "a program's hand-in that is no form": json_for_the_api,
    "too many requests of one account": many_requests,
    "too many requests of one account, each with another cookie beside its own": junk_cookies,
    "a large form": large_form,
    "a large upload": large_upload,
    "a form of 501 files": many_fields,
    "a broken form": broken_form,
    "a line end in an address": line_in_the_address,
    "a line end in a bot's name": line_in_a_name,
    "a request for another host": other_host,
    "an address that leads to another site": redirect_elsewhere,
    "methods that nobody needs": other_methods,
    "numbers that are none": odd_numbers,
    "numbers of 5000 digits": long_numbers,
    "words of SQL": words_of_sql,
    "files of the place by their paths": files_of_the_place,
    "names and messages that are scripts": unescaped_names,
    "scripts inside a page": scripts_inside,
    "a page in another's frame": framed,
    "a formula in the gradebook": formula_in_grades,
    "60 guessed codes at the same moment": codes_at_once,
}


@pytest.mark.unmeasured  # pages that other tests open, again and again
@pytest.mark.parametrize("attack", REQUESTS.values(), ids=REQUESTS.keys())
def test_a_hostile_request_does_no_harm(played: Place, attack: Callable[[Place], None]) -> None:
    attack(played)
    played.client.cookies.clear()
    assert played.client.get("/enter").status_code == 200  # it is still there


def test_errors_show_no_insides(played: Place) -> None:
    client = TestClient(played.client.app, base_url="http://127.0.0.1:8080", raise_server_exceptions=False)
    answer = client.post("/enter", content=b"\xff\xfe", headers={"content-type": "application/x-www-form-urlencoded"})
    assert answer.status_code < 500 and "Traceback" not in answer.text
