"""The pages: who may see and do what, and requests that mean harm."""

from __future__ import annotations

import asyncio
import csv
import io
import re
import time
import zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from html import unescape
from pathlib import Path
from unittest.mock import AsyncMock, Mock

import pytest
from starlette.datastructures import Address
from starlette.exceptions import HTTPException
from starlette.requests import Request

from pips_tourney.analysis.ledger import LuckError
from pips_tourney.errors import TourneyError
from pips_tourney.night.log.store import StoreError
from pips_tourney.people.codes import SHORT_BYTES, InviteError
from pips_tourney.people.store import PeopleError, Person
from pips_tourney.place.desk import hand_ins
from pips_tourney.place.desk.hand_ins import BotVersion
from pips_tourney.place.desk.uploads import UPLOAD_BYTES
from pips_tourney.place.pages import hand_in
from pips_tourney.place.pages.site import COOKIE, PlaceSite
from pips_tourney.place.requests.connections import MOST
from pips_tourney.place.requests.limits import UNTIL_SENT
from pips_tourney.reports.own_records import without_folders
from pips_tourney.web.match.courses import NoCourse
from tests.pips_tourney.place.conftest import Place

CONTAINERFILE = Path(__file__).parents[3] / "Containerfile"
SCRIPT = "<script>alert(1)</script>"
FOR_VISITORS = ["/mine", "/workshop/scrimmage", "/organiser", "/organiser/grades.csv", "/mine/1.zip"]


def test_who_has_no_invite_sees_nothing(place: Place) -> None:
    for address in FOR_VISITORS:
        assert place.client.get(address).status_code == 401
    assert place.client.get("/").headers["location"] == "/enter"
    for address in ("/mine", "/leave", "/organiser/end", "/mine/1/again"):
        assert place.client.post(address).status_code == 401
    place.client.cookies.set(COOKIE, "guessed")
    assert place.client.get("/mine").status_code == 401


def test_the_containers_health_check_asks_for_a_page_that_is_open_to_all(place: Place) -> None:
    [address] = re.findall(r"127.0.0.1:8080(/\w+)'", CONTAINERFILE.read_text(encoding="utf-8"))
    assert place.client.get(address).status_code == 200


def test_the_cookie_is_new_at_every_entry_and_out_of_reach_of_scripts(place: Place) -> None:
    place.client.cookies.set(COOKIE, "fixed-by-another")
    answer = place.client.post("/enter", data={"code": place.codes["ada"]})
    told = answer.headers["set-cookie"].lower()
    assert "httponly" in told and "samesite=strict" in told and "fixed-by-another" not in told
    place.client.base_url = "https://127.0.0.1:8080"
    assert "secure" in place.client.post("/enter", data={"code": place.codes["ada"]}).headers["set-cookie"].lower()


def test_wrong_codes_keep_no_right_one_out(place: Place) -> None:
    """A school has one address, and so has everybody behind a proxy."""
    assert PlaceSite.wrong_code_s >= 2
    place.site.wrong_code_s = 0
    for _ in range(100):
        assert place.client.post("/enter", data={"code": "K7QF-2M9T-XA4C-0"}).status_code == 403
    assert place.client.post("/enter", data={"code": place.codes["ada"]}).status_code == 303


async def test_no_code_is_looked_up_for_a_client_that_has_gone(place: Place) -> None:
    """Others wait in the same queue, because a look takes long."""
    place.people.enter = Mock()  # type: ignore[method-assign]
    gone = Mock(spec=Request, headers={}, form=AsyncMock(return_value={"code": "x"}))
    gone.is_disconnected.return_value = True
    with pytest.raises(HTTPException) as refused:
        await place.site.enter(gone)
    assert refused.value.status_code == 499 and not place.people.enter.called


async def test_many_codes_of_one_address_keep_no_other_waiting(place: Place) -> None:
    """However many are before them, its own only wait longer."""
    place.site.wrong_code_s, asked = 0, list[str]()
    place.people.enter = Mock(side_effect=asked.append)  # type: ignore[method-assign]

    def with_code(code: str, address: str) -> Mock:
        request = Mock(spec=Request, headers={}, form=AsyncMock(return_value={"code": code}))
        request.client, request.is_disconnected.return_value = Address(address, 1), False
        return request

    flood = [with_code("guess", "10.0.0.1") for _ in range(50)]
    requests = [*flood, with_code("ada", "10.0.0.2"), with_code("bo", "10.0.0.1"), with_code("cy", "10.0.0.3")]
    await asyncio.gather(*map(place.site.enter, requests), return_exceptions=True)
    assert asked[1:4] == ["ada", "cy", "guess"] and asked[-1] == "bo" and len(asked) == 53


def test_a_wrong_code_is_answered_late(place: Place) -> None:
    place.site.wrong_code_s = 0.2
    begun = time.monotonic()
    assert place.client.post("/enter", data={"code": "K7QF-2M9T-XA4C-0"}).status_code == 403
    assert time.monotonic() - begun >= 0.2


def test_a_year_of_guesses_finds_no_code() -> None:
    codes, guesses = 60, MOST / PlaceSite.wrong_code_s * 365 * 86400
    assert codes * guesses / 256**SHORT_BYTES < 1e-6


def test_a_text_and_a_file_are_handed_in_and_come_back(place: Place) -> None:
    form = place.enter("ada")
    assert place.client.post("/mine", data={"form": form, "text": "a = 1\r\n", "name": ""}).status_code == 303
    files = [("files", ("bot.py", b"b = 2\n")), ("files", ("more.py", b""))]
    assert place.client.post("/mine", data={"form": form}, files=files).status_code == 303
    page = place.client.get("/mine").text
    assert "ada v2: waiting" in page and "ada: replaced before its check" in page
    with zipfile.ZipFile(io.BytesIO(place.client.get("/mine/1.zip").content)) as archive:
        assert archive.read("bot.py") == b"a = 1\n"
    assert place.client.post("/mine/1/again", data={"form": form}).status_code == 303
    assert [version.bot for version in place.hand_ins.all()] == ["ada", "ada v2", "ada v3"]
    assert place.client.get("/mine/99.zip").status_code == 404
    assert place.client.post("/mine/99/again", data={"form": form}).status_code == 404


async def test_an_account_has_one_heavy_answer_made_at_a_time(place: Place) -> None:
    ada, bo = (person for person in place.people.everybody() if person.bot in ("ada", "bo"))
    here, most, gone = Counter[int](), Counter[int](), Mock(spec=Request, scope={})
    gone.is_disconnected.return_value = True

    async def answer(person: Person) -> None:
        there = Mock(spec=Request, scope={})
        there.is_disconnected.return_value = False
        async with AsyncExitStack() as there.scope[UNTIL_SENT]:
            await place.site.heavy(there, person)
            here[person.id] += 1
            most[person.id] = max(most[person.id], here[person.id])
            await asyncio.sleep(0)
            here[person.id] -= 1

    await asyncio.gather(*(answer(person) for person in (ada, bo) for _ in range(20)))
    assert most == {ada.id: 1, bo.id: 1}
    async with AsyncExitStack() as gone.scope[UNTIL_SENT]:
        with pytest.raises(HTTPException):
            await place.site.heavy(gone, ada)


def test_what_a_bot_printed_is_made_readable_beside_the_pages(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others' pages do not wait for it, and a line without an end is cut."""
    place.client.post("/mine", data={"form": place.enter("ada"), "text": "a = 1"})
    place.desk.logs.mkdir(parents=True)
    (place.desk.logs / "ada.serpent.0.log").write_text(f"/home/ada/bot.py {'x' * 50_000}\n")

    def beside(line: str) -> str:
        with pytest.raises(RuntimeError, match="no running event loop"):
            asyncio.get_running_loop()
        return without_folders(line)

    monkeypatch.setattr(hand_in, "without_folders", beside)
    line = place.client.get("/mine/log.txt").text
    assert line.startswith("ada: bot.py xxx") and len(line) < 2000


def test_nobody_sees_or_takes_anothers_versions(place: Place) -> None:
    place.client.post("/mine", data={"form": place.enter("ada"), "text": "a = 1"})
    form = place.enter("bo")
    assert place.client.get("/mine/1.zip").status_code == 404
    assert place.client.post("/mine/1/again", data={"form": form}).status_code == 404
    assert "ada" not in place.client.get("/mine").text.replace(form, "")  # its digits may be any of a to f
    for address in ("/organiser", "/organiser/grades.csv"):
        assert place.client.get(address).status_code == 403
    for what in ("invite", "renew", "revoke", "end", "pause", "resume", "annul"):
        assert place.client.post(f"/organiser/{what}", data={"form": form, "person": "1"}).status_code == 403
    place.enter("organiser")
    assert place.client.get("/mine/1.zip").status_code == 200


@pytest.mark.parametrize("address", ["/mine", "/leave", "/mine/1/again"])
def test_a_form_of_another_site_does_nothing(place: Place, address: str) -> None:
    form = place.enter("ada")
    others = [
        ({"form": form, "text": "a"}, {"origin": "https://evil.example"}),
        ({"form": form, "text": "a"}, {"sec-fetch-site": "cross-site"}),
        ({"form": form, "text": "a"}, {"origin": "null"}),
        ({"text": "a"}, {}),
        ({"form": "0" * 64, "text": "a"}, {}),
        ({"form": "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "text": "a"}, {}),
    ]
    for data, headers in others:
        assert place.client.post(address, data=data, headers=headers).status_code == 403
    assert (
        place.client.post("/enter", data={"code": "x"}, headers={"origin": "https://evil.example"}).status_code == 403
    )
    assert place.hand_ins.all() == [] and place.client.get("/mine").status_code == 200


def test_the_form_of_an_earlier_visit_is_void(place: Place) -> None:
    old = place.enter("ada")
    place.enter("ada")
    assert place.client.post("/mine", data={"form": old, "text": "a"}).status_code == 403


def test_who_has_left_is_out(place: Place) -> None:
    form = place.enter("ada")
    cookie = place.client.cookies[COOKIE]
    assert place.client.post("/leave", data={"form": form}).headers["location"] == "/enter"
    place.client.cookies.set(COOKIE, cookie)
    assert place.client.get("/mine").status_code == 401


def test_names_and_texts_are_never_marks_of_the_page(place: Place) -> None:
    form = place.enter("organiser")
    made = place.client.post("/organiser/invite", data={"form": form, "names": SCRIPT})
    assert "1 are invited" in made.text and SCRIPT not in made.text and "&lt;script&gt;" in made.text
    place.client.post("/mine", data={"form": place.enter("ada"), "text": "a"})
    place.hand_ins.set_state(1, "refused", SCRIPT)
    for who, address in (("ada", "/mine"), ("organiser", "/organiser")):
        place.enter(who)
        assert SCRIPT not in place.client.get(address).text
    answer = place.client.post("/mine", data={"form": place.enter("ada"), "text": "a", "name": SCRIPT})
    assert answer.status_code == 422 and SCRIPT not in answer.text and "Not handed in" in answer.text


def test_the_text_of_a_refused_hand_in_stays_on_the_page(place: Place) -> None:
    typed = f"# {SCRIPT}\nmine = 1"
    answer = place.client.post("/mine", data={"form": place.enter("ada"), "name": "../bot.py", "text": typed})
    assert answer.status_code == 422
    [text] = re.findall(r"<textarea[^>]*>\n([^<]*)</textarea>", answer.text)
    assert unescape(text) == typed


def test_no_page_has_a_script_or_style_inside(place: Place) -> None:
    place.enter("organiser")
    for address in ("/enter", "/organiser", "/mine", "/poster"):
        answer = place.client.get(address)
        assert "<style" not in answer.text and " style=" not in answer.text and " onclick" not in answer.text
        assert answer.text.count("<script") == answer.text.count('<script src="/static/')
        assert answer.headers["cache-control"] == "no-store"


HOSTILE = [
    "/static/../place.db", "/static/%2e%2e/site.py", "/static/..%2f..%2fserve.py", "/%2fevil.example/", "/mine/-1.zip",
    "/mine/1.zip/../2.zip", "/mine/99999999999999999999999.zip", "/mine/a.zip", "/organiser/../place.db",
    "/enter%0d%0aset-cookie:%20a=b", "/%00", "/templates/base.html", "/../../etc/passwd", "/place.db",
]  # fmt: skip


@pytest.mark.parametrize("address", HOSTILE)
def test_hostile_addresses_lead_nowhere(place: Place, address: str) -> None:
    place.enter("ada")
    answer = place.client.get(address)
    assert answer.status_code in (307, 404, 405) and "set-cookie" not in answer.headers
    assert b"SQLite" not in answer.content and b"root:" not in answer.content
    if answer.status_code == 307:
        assert answer.headers["location"].startswith(("/", "http://127.0.0.1:8080"))


def test_too_much_is_refused(place: Place) -> None:
    form = place.enter("ada")
    large = {"files": ("bot.py", bytes(UPLOAD_BYTES + (2 << 20)))}
    answer = place.client.post("/mine", data={"form": form}, files=large)
    assert answer.status_code == 413 and "A hand-in has at most 8 MB" in answer.text
    assert '<a href="/mine">Back to my bot</a>' in answer.text and "Back to" not in place.client.get("/none").text
    many = [("files", (f"{number}.py", b"")) for number in range(501)]
    assert place.client.post("/mine", data={"form": form}, files=many).status_code == 400
    fields = {"form": form} | {f"f{number}": "" for number in range(30)}
    assert place.client.post("/mine", data=fields).status_code in (303, 400, 422)
    broken = place.client.post("/mine", content=b"--x\r\n", headers={"content-type": "multipart/form-data"})
    assert broken.status_code == 400
    assert place.hand_ins.all() == []


def test_nobody_fills_the_disk(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pips_tourney.place.desk.hand_ins.MOST_AN_HOUR", 2)
    form = place.enter("ada")
    text = {"form": form, "text": "pass"}
    assert [place.client.post("/mine", data=text).status_code for _ in range(3)] == [303, 303, 422]
    assert "within an hour: wait" in place.client.post("/mine", data=text).text
    assert place.client.post("/mine/1/again", data={"form": form}).status_code == 422
    assert len(place.hand_ins.all()) == 2 == len([*place.hand_ins.folder.iterdir()])
    place.people.do("UPDATE versions SET at = '2020-01-01T00:00:00+00:00'")
    assert place.client.post("/mine", data=text).status_code == 303


def test_hand_ins_of_an_account_at_the_same_moment_keep_its_pace(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    form, add = {"form": place.enter("ada")}, place.hand_ins.add

    def slow(person: Person, folder: str) -> BotVersion:
        time.sleep(0.05)
        return add(person, folder)

    assert place.client.post("/mine", data=form | {"text": "pass"}).status_code == 303
    monkeypatch.setattr(hand_ins, "MOST_AN_HOUR", 3)
    monkeypatch.setattr(place.hand_ins, "add", slow)
    with ThreadPoolExecutor(8) as senders:
        sent = [senders.submit(place.client.post, "/mine/1/again", data=form) for _ in range(4)]
        sent += [senders.submit(place.client.post, "/mine", data=form | {"text": "pass"}) for _ in range(4)]
        codes = Counter(each.result().status_code for each in sent)
    assert codes == {303: 2, 422: 6} and len(place.hand_ins.all()) == 3
    with monkeypatch.context() as unread:
        unread.setattr(Path, "read_bytes", Mock(side_effect=AssertionError("it is read in vain")))
        assert place.client.post("/mine/1/again", data=form).status_code == 422


def test_what_the_organiser_does_with_people(place: Place) -> None:
    form = place.enter("organiser")
    renewed = place.client.post("/organiser/renew", data={"form": form, "person": "1"}).text
    assert "Ada: <code>http://127.0.0.1:8080/enter#" in renewed
    assert place.client.post("/organiser/renew", data={"form": form, "person": "77"}).status_code == 404
    assert place.client.post("/organiser/revoke", data={"form": form, "person": "2"}).status_code == 200
    assert place.client.post("/organiser/none", data={"form": form}).status_code == 404
    for what in ("pause", "annul"):
        early = place.client.post(f"/organiser/{what}", data={"form": form})
        assert early.status_code == 422 and "has not begun" in early.text
    assert "Two" not in place.client.post("/organiser/invite", data={"form": form, "names": ""}).text
    assert place.client.post("/enter", data={"code": place.codes["bo"]}).status_code == 403
    place.enter("organiser")
    assert place.client.get("/mine").headers["location"] == "/organiser"
    assert place.client.post("/mine", data={"form": place.enter("organiser"), "text": "a"}).status_code == 403


def test_the_file_of_invites_follows_the_organisers_page(place: Place) -> None:
    form, file = place.enter("organiser"), place.people.folder / "invites.csv"

    def codes() -> dict[str, str]:
        with file.open(encoding="utf-8", newline="") as lines:
            return {line["name"]: line["code"] for line in csv.DictReader(lines)}

    place.client.post("/organiser/invite", data={"form": form, "names": "Cy\nDee"})
    assert set(codes()) == {"Cy", "Dee"} and place.people.enter(old := codes()["Cy"])
    cy, dee = (str(person.id) for person in place.people.everybody()[-2:])
    place.client.post("/organiser/renew", data={"form": form, "person": cy})
    assert not place.people.enter(old) and place.people.enter(codes()["Cy"])
    place.client.post("/organiser/revoke", data={"form": form, "person": dee})
    assert set(codes()) == {"Cy"}
    place.client.post("/organiser/renew", data={"form": form, "person": dee})
    assert place.people.enter(codes()["Dee"])
    file.unlink()
    file.mkdir()
    assert place.client.post("/organiser/renew", data={"form": form, "person": cy}).status_code == 200
    assert place.desk.told[-1] == "invites.csv is not up to date: Is a directory"


def test_a_hand_in_that_fails_leaves_nothing_and_is_counted(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    form = place.enter("ada")
    place.client.post("/mine", data={"form": form, "text": "a = 1"})
    kept = set(place.hand_ins.folder.iterdir())

    def fails(*_: object) -> None:
        raise PeopleError("the place cannot keep anything now")

    monkeypatch.setattr(hand_ins, "MOST_AN_HOUR", 3)
    with monkeypatch.context() as failing:
        failing.setattr(place.hand_ins, "add", fails)
        assert place.client.post("/mine", data={"form": form, "text": "a = 2"}).status_code == 422
        assert place.client.post("/mine/1/again", data={"form": form}).status_code == 422
    assert set(place.hand_ins.folder.iterdir()) == kept
    assert "versions came from you" in place.client.post("/mine", data={"form": form, "text": "a = 3"}).text


def test_names_of_bots_in_the_night_are_taken(played: Place) -> None:
    """`cy` plays in the night, and is nobody's here."""
    form = played.enter("ada")
    assert "it stays from the first hand-in on</label>" in played.client.get("/mine").text
    taken = played.client.post("/mine/name", data={"form": form, "bot": "cy"})
    assert taken.status_code == 422 and "cy is taken" in taken.text
    made = played.client.post("/organiser/invite", data={"form": played.enter("organiser"), "names": "cy"})
    assert "1 are invited" in made.text and played.people.everybody()[-1].bot == "cy 2"


def test_a_night_that_cannot_be_read_tells_its_path_to_the_organiser_alone(played: Place) -> None:
    form, database = played.enter("ada"), played.site.desk.database
    junk = database.with_name("junk")
    junk.write_text("no database")
    junk.replace(database)
    answer = played.client.post("/mine/name", data={"form": form, "bot": "another"})
    assert answer.status_code == 422 and "try again in a moment" in answer.text
    assert str(database.parent) not in answer.text and played.people.everybody()[0].bot == "ada"
    form = played.enter("organiser")
    answer = played.client.post("/organiser/invite", data={"form": form, "names": "Cy"})
    assert answer.status_code == 422 and len(played.people.everybody()) == 2
    assert played.client.get("/organiser").text.count(f"{database}: file is not a database") == 1


READ = ["/mine", "/mine/records.zip", "/api/v1/standings", "/api/v1/me"]


@pytest.mark.parametrize("kind", [StoreError, LuckError, NoCourse, InviteError])
def test_no_error_that_a_student_reads_has_a_path(
    played: Place, monkeypatch: pytest.MonkeyPatch, kind: type[TourneyError]
) -> None:
    folder = played.site.desk.database.parent
    played.client.post("/mine", data={"form": played.enter("ada"), "text": "a = 1"})
    for where in (folder / "small.db", Path("/home/teacher/of class/secret.db")):

        async def ask(*_: object, where: Path = where, **__: object) -> None:
            raise kind(f"{where}: entry 7 of its log cannot be read: {str(where)!r}")

        monkeypatch.setattr(played.site.nights, "ask", ask)
        for address in READ:
            answer = played.client.get(address)
            assert answer.status_code == 422, address
            assert all(part not in answer.text for part in (str(folder), "/home", "teacher", "of class")), answer.text


def test_the_season_is_in_the_menu_once_there_is_one(place: Place) -> None:
    place.enter("ada")
    assert "#/season" not in place.client.get("/mine").text
    place.desk.database.with_name("c.1.db").touch()
    assert "#/season" in place.client.get("/mine").text
