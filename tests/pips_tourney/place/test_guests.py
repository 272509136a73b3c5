"""A hosted night's pages: one invite for the browser and for the bot."""

from __future__ import annotations

import csv
import json
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from pips_referee.command.address import Address
from pips_tourney.cli.places.serve_league import PageDoor, _around
from pips_tourney.night.log.store import StoreError
from pips_tourney.people.codes import Code
from pips_tourney.people.presence import GuestNote, forget_guests
from pips_tourney.people.store import People, PeopleError, Person
from pips_tourney.place.pages.guests import FAILED, Guests
from pips_tourney.place.serve import pages_of
from pips_tourney.remote.certificates import host_people
from pips_tourney.web.door import Door
from tests.patience import PATIENCE_S
from tests.pips_tourney.place.conftest import HERE
from tests.pips_tourney.place.guests import DIAL, Hosted, hosted
from tests.pips_tourney.place.test_api import schema

EVERYWHERE = Address("0.0.0.0", 7700)
PAGES = Address("0.0.0.0", 0)


class Visit:
    """A browser at the pages."""

    def __init__(self, of: Hosted) -> None:
        self.of = of
        self.client = TestClient(of.site.app(pages_of(of.site, of.guests)), base_url=HERE, follow_redirects=False)

    def enter(self, who: str) -> str:
        """Enter, and return what a form of this visit carries."""
        self.client.cookies.clear()
        assert self.client.post("/enter", data={"code": self.of.codes[who]}).status_code == 303
        page = self.client.get("/organiser" if who == "organiser" else "/mine").text
        (form, *_) = re.findall(r'name="form" value="([0-9a-f]{64})"', page)
        return str(form)


@pytest.fixture
def visit(tmp_path: Path, night: Path) -> Iterator[Visit]:
    visit = Visit(hosted(tmp_path, night))
    with visit.client:
        until = time.monotonic() + PATIENCE_S
        while visit.of.site.nights.site is None:
            assert time.monotonic() < until, "the night is not shown"
            time.sleep(0.01)
        yield visit
    visit.of.people.close()


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    with host_people(tmp_path) as people:
        yield people


def entered(people: People, code: str) -> Person | None:
    """A visitor who entered with a code."""
    return people.visitor(people.enter(code) or "")


def test_the_code_with_which_a_bot_joins_opens_the_pages(people: People) -> None:
    codes = dict(people.expect(["ada", "bo"]))
    assert set(codes) == {"ada", "bo"} and people.expect(["ada", "bo"]) == []
    assert people.invites()["ada"] == Code.read(codes["ada"]).sha256  # what `join` shows
    for typed in (codes["ada"], codes["ada"].lower().replace("-", " ")):
        assert (person := entered(people, typed)) is not None and person.bot == "ada"
    assert people.enter("0000-0000-0000-0000-0000-0000") is None and people.enter("abcd-efgh-jkmn") is None
    assert (person := entered(people, people.organiser())) is not None and person.organiser


def test_a_visit_ends_with_its_invite_wherever_that_ends(people: People, tmp_path: Path) -> None:
    """The terminal's `invite` is another process with the same file."""
    codes = dict(people.expect(["ada", "bo"]))
    cookie, other = (people.enter(codes[player]) or "" for player in ("ada", "bo"))
    (ada, bo) = people.everybody()
    token = people.new_token(ada.id)
    with host_people(tmp_path) as terminal:
        again = terminal.player_code("ada")
        assert people.visitor(cookie) is None and people.of_token(token) is None and people.visitor(other) == bo
        assert people.enter(codes["ada"]) is None and entered(people, again) == ada
        assert terminal.revoke(bo.id) and not terminal.revoke(bo.id)
    assert people.visitor(other) is None and set(people.invites()) == {"ada"}


def test_whoever_was_revoked_is_not_invited_by_the_next_start(people: People) -> None:
    people.expect(["ada", "bo"])
    (ada, _) = people.everybody()
    people.revoke(ada.id)
    assert [player for player, _ in people.expect(["ada", "bo", "cy"])] == ["cy"]
    assert set(people.invites()) == {"bo", "cy"}
    assert entered(people, people.new_code(ada.id)) == ada


def test_a_visit_goes_on_when_the_host_does(people: People, tmp_path: Path) -> None:
    codes = dict(people.expect(["ada", "bo"]))
    cookies = [people.enter(codes[player]) or "" for player in ("ada", "bo")]
    people.close()
    with host_people(tmp_path) as later:
        later.expect(["bo", "cy"])
        assert [later.visitor(cookie) is None for cookie in cookies] == [True, False]  # ada plays no more
        assert [person.bot for person in later.everybody()] == ["bo", "cy"] == [*later.invites()]
        assert later.enter(codes["ada"]) is None
        with pytest.raises(PeopleError, match="nobody here has the number 1"):
            later.new_code(1)
        later.expect(["ada", "bo"])  # an evening without her is over
        assert later.enter(codes["ada"]) is not None


def test_my_bot_says_where_it_is(visit: Visit) -> None:
    visit.enter("ada")
    page = visit.client.get("/mine").text
    assert "The night is not hosted now." in page and f"pips-bot join {DIAL} my_bot.py" in page
    since = "2026-11-25T19:02:11+00:00"
    check = "<b>it crashed</b>"
    visit.of.note(GuestNote("ada", True, since, "", 3), GuestNote("bo", False, since, check, 0))
    page = visit.client.get("/mine").text
    assert "It is connected since 2026-11-25 19:02:11 UTC, 3 ms away." in page and "Its check passed." in page
    for part in (
        "Ratings, night by night",
        "Lost matches",
        "serpent: the place",
        "Where it loses",
        "/mine/records.zip",
    ):
        assert part in page, part
    for part in ("Hand in", "Versions", "/mine/log.txt", "crashed"):
        assert part not in page, part
    assert visit.client.get("/mine/records.zip").status_code == 200
    visit.enter("bo")
    page = visit.client.get("/mine").text
    assert "It is not connected since" in page and "Its check found: &lt;b&gt;it crashed" in page
    visit.enter("cy")
    page = visit.client.get("/mine").text
    assert "wichita: lost by crash, 1 match" in page  # with what explains it


def test_a_program_asks_where_its_bot_is(visit: Visit) -> None:
    visit.enter("ada")

    def me() -> Any:
        said = visit.client.get("/api/v1/me").json()
        Draft202012Validator(schema("/api/v1/me", 200)).validate(said)
        return said

    assert me()["guest"] == {"here": False, "since": None, "check": None, "said": ["The night is not hosted now."]}
    visit.of.note(GuestNote("ada", False, "", None, 0))
    assert me()["guest"]["said"] == ["It has not dialled in."]
    visit.of.note(GuestNote("ada", True, "2026-11-25T19:02:11+00:00", "it crashed", 0))
    said = me()
    assert said["guest"]["here"] and said["guest"]["said"][1] == "Its check found: it crashed"
    assert {row["bot"] for row in said["standings"]} == {"ada"} and said["version"] is None
    forget_guests(visit.of.site.desk.database)
    assert not me()["guest"]["here"]


def test_nothing_is_handed_in(visit: Visit) -> None:
    form = visit.enter("ada")
    assert visit.client.post("/mine", data={"form": form, "text": "a = 1"}).status_code == 405
    assert visit.client.post("/mine/name", data={"form": form, "bot": "fox"}).status_code == 404
    for address in ("/mine/log.txt", "/mine/1.zip"):
        assert visit.client.get(address).status_code == 404
    (ada, *_) = visit.of.people.everybody()
    headers = {"authorization": f"Bearer {visit.of.people.new_token(ada.id)}"}
    refused = visit.client.post("/api/v1/versions", headers=headers, files={"files": ("bot.py", b"")})
    assert refused.status_code == 404 and f"pips-bot join {DIAL}" in refused.json()["error"]
    refused = visit.client.get("/api/v1/results.json", headers=headers)
    Draft202012Validator(schema("/api/v1/results.json", 404)).validate(refused.json())
    assert refused.status_code == 404 and "/api/v1/me" in refused.json()["error"]


def test_the_organiser_s_page_is_of_a_hosted_night_alone(visit: Visit) -> None:
    (visit.of.people.folder / "ending").mkdir()  # the folder of the league is not the desk's
    visit.enter("organiser")
    page = visit.client.get("/organiser").text
    assert "Free disk" in page and "Waiting for their check" not in page and "<li>Versions" not in page


def test_why_pages_fail_is_told_and_logged(
    visit: Visit, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise StoreError("c.db is damaged")

    visit.enter("ada")
    monkeypatch.setattr(visit.of.site.nights, "ask", fails)
    for _ in range(2):
        assert visit.client.get("/mine").status_code == 422
    assert visit.of.site.desk.last_told() == ["c.db is damaged"]
    assert [record.getMessage() for record in caplog.records if "damaged" in record.getMessage()] == [
        "a page cannot be shown: c.db is damaged"
    ]


def test_the_organiser_invites_anew_and_revokes(visit: Visit) -> None:
    visit.of.note(GuestNote("ada", True, "2026-11-25T19:02:11+00:00", "it crashed", 0))
    form = visit.enter("organiser")
    page = visit.client.get("/organiser").text
    assert (
        "It is connected since" in page and "Its check found: it crashed" in page and f"dial in at <code>{DIAL}" in page
    )
    (ada, bo, _) = visit.of.people.everybody()
    before = visit.of.people.invites()
    made = visit.client.post("/organiser/renew", data={"form": form, "person": ada.id}).text
    (code,) = re.findall(r"PIPS_TOKEN=(\S+) pips-bot join", made)
    assert f"/enter#{code}" in made and visit.of.people.invites()["ada"] == Code.read(code).sha256 != before["ada"]
    visit.client.post("/organiser/revoke", data={"form": form, "person": bo.id})
    assert set(visit.of.people.invites()) == {"ada", "cy"}
    for what in ("invite", "end", "deadline"):
        told = visit.client.post(
            f"/organiser/{what}", data={"form": form, "names": "Eve", "deadline": "2099-01-01 10:00"}
        )
        assert told.status_code == 404
    assert visit.client.get("/organiser/grades.csv").text.startswith("\ufeffname,id,team,bot,")
    visit.of.codes["bo"] = "SE5M-A8RZ-85G0-P2K3-YB39-5CDA"
    assert visit.client.post("/enter", data={"code": visit.of.codes["bo"]}).status_code == 403


def test_spectators_see_the_night_alone(visit: Visit) -> None:
    assert visit.client.get("/night/").headers["location"] == "/enter"
    visit.of.site.spectators = Door(visit.of.site.show_night, "the-token")
    assert visit.client.get("/night/").status_code == 403
    let_in = visit.client.get("/night/?token=the-token")
    assert "secure" not in let_in.headers["set-cookie"].lower()
    assert let_in.status_code == 303 and let_in.headers["location"] == "/night/"
    assert visit.client.get("/night/").status_code == 200 and visit.client.get("/night/api/season").status_code == 200
    assert "My bot" not in visit.client.get("/night/").text  # which would lead them to a 401
    assert visit.client.get("/").headers["location"] == "/enter" and visit.client.get("/mine").status_code == 401
    by_tls = visit.client.get(HERE.replace("http:", "https:") + "/night/?token=the-token")
    assert "secure" in by_tls.headers["set-cookie"].lower()
    visit.enter("ada")
    assert "My bot" in visit.client.get("/night/").text


def test_what_a_check_found_is_not_for_everybody(people: People, tmp_path: Path) -> None:
    heard = list[bytes]()
    of = Guests(tmp_path / "c.toml", tmp_path / "c.db", people, DIAL)
    of.nights.hear = heard.append  # type: ignore[assignment, method-assign]
    guests = [{"player": name, "check": check} for name, check in (("ada", "a secret line"), ("bo", ""), ("cy", None))]
    for told in (["one"], ["one", "two"]):
        lobby = {"begun": False, "when_all_here": False, "guests": guests}
        of._hear(json.dumps({"tables": [], "referees": [], "lobby": lobby, "told": told}).encode())
    assert of.last_told() == ["one", "two"] and b"secret" not in heard[0]
    assert [guest["check"] for guest in json.loads(heard[0])["lobby"]["guests"]] == [FAILED, "", None]
    of._hear(json.dumps({"tables": [], "referees": [], "lobby": None}).encode())
    of.told.append("the night cannot be read")
    of._hear(json.dumps({"tables": [], "referees": [], "lobby": None, "told": ["three"]}).encode())
    assert of.last_told() == ["three", "the night cannot be read"]  # the host's next line does not drop it


def test_the_line_to_join_is_what_a_player_types_also_after_a_new_invite(visit: Visit) -> None:
    form, file = visit.enter("organiser"), visit.of.people.folder / "invites.csv"
    visit.client.post("/organiser/renew", data={"form": form, "person": "1"})
    with file.open(encoding="utf-8", newline="") as lines:
        [line] = csv.DictReader(lines)
    assert line["bot"] == "ada" and line["join"] == f"PIPS_TOKEN={line['code']} pips-bot join {DIAL} my_bot.py"


def test_the_pages_know_where_bots_dial_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pips_tourney.cli.places.serve_league.own_address", lambda: "10.0.0.5")
    league = tmp_path / "c.toml"
    plain = _around(league, EVERYWHERE, PageDoor(Address("127.0.0.1", 0)))
    assert plain.words == [str(league), "10.0.0.5:7700", "", ""] and not plain.secure
    assert not capsys.readouterr().err
    assert _around(league, Address("192.168.1.5", 7700), PageDoor(PAGES)).words[1] == "192.168.1.5:7700"
    assert "See --tls" in capsys.readouterr().err
    own = _around(league, EVERYWHERE, PageDoor(PAGES, tls=True))
    assert own.secure and Path(own.words[-1]).is_file()
    assert "the authority in " in capsys.readouterr().err


def test_the_certificate_of_the_pages_names_what_the_link_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pips_tourney.cli.places.serve_league.own_address", lambda: "10.0.0.5")
    monkeypatch.setattr("pips_tourney.web.address.own_address", lambda: "10.0.0.5")
    for web_host, named in (
        ("192.168.56.1", "192.168.56.1"),
        ("0.0.0.0", "10.0.0.5"),
        ("fd00::1", "fd00::1"),
    ):
        at = _around(tmp_path / "c.toml", EVERYWHERE, PageDoor(Address(web_host, 0), tls=True))
        certificate = x509.load_pem_x509_certificate(Path(at.words[2]).read_bytes())
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        asked = [named, "10.0.0.5", socket.gethostname(), "localhost", "127.0.0.1"]
        assert [str(name.value) for name in names] == [*dict.fromkeys(asked)]
