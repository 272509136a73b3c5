"""The addresses: the content of each, and access."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.testclient import TestClient

from pips_referee.records.record import Header
from pips_tourney.night.director import office
from pips_tourney.night.log.kinds import ENDED
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import open_store, read_store
from pips_tourney.web.archive import Archive, ArchivedResult
from pips_tourney.web.live import updates
from pips_tourney.web.page import SCRIPTS, STATIC, page
from pips_tourney.web.report import report
from pips_tourney.web.server import Showing, Site
from tests.pips_tourney.in_process import play
from tests.pips_tourney.web.nights import SECRET, play_on, small_night

pytestmark = pytest.mark.unmeasured  # other tests reach these lines

HERE = "http://127.0.0.1:8080"


@pytest.fixture(scope="module")
def client(night: Path) -> Iterator[TestClient]:
    with TestClient(Site(Showing(night)).app(), base_url=HERE) as client:
        yield client


def test_the_page_has_the_night_inside_and_asks_nobody_else(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    [inside] = re.findall(r'<script type="application/json" id="about">(.*?)</script>', page.text, re.DOTALL)
    about = json.loads(inside)
    assert about["night"]["league"] == "Small night"
    assert about["night"]["over"] is True
    assert [table["label"] for table in about["night"]["tables"]][-1] == "overall"
    assert about["progress"]["played"] == about["progress"]["scheduled"] == about["night"]["scheduled"]
    assert "default-src 'none'" in page.headers["content-security-policy"]
    for address in re.findall(r'(?:src|href)="([^"]+)"', page.text):
        assert address.startswith(("static/", "#", "data:"))
        if address.startswith("static/"):
            assert client.get(f"/{address}").status_code == 200


def test_modules_come_after_what_they_import_in_a_report_too() -> None:
    texts = {name: (STATIC / name).read_text(encoding="utf-8") for name in (*SCRIPTS, "workshop.js")}
    exports = {name: re.findall(r"^export .*?(\w+) =", text, re.MULTILINE) for name, text in texts.items()}
    earlier = set[str]()
    for name, text in texts.items():
        lines = re.findall(r'^import (?:\{([^}]*)\} from )?"\./(.*)";$', text, re.MULTILINE)
        assert len(lines) == len(re.findall(r"\bimport\b", text))
        for names, source in lines:
            assert source in earlier, (name, source)
            assert set(re.findall(r"\w+", names)) <= set(exports[source]), (name, source)
        earlier.add(name)
    [script] = re.findall(r'<script type="module">(.*?)</script>', page({}, whole=True), re.DOTALL)
    assert re.findall(r"^const _(\w+) = ", script, re.MULTILINE) == [name.removesuffix(".js") for name in SCRIPTS]
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)


def test_what_the_tables_say_of_bots(client: TestClient, night: Path) -> None:
    [inside] = re.findall(r'id="about">(.*?)</script>', client.get("/").text, re.DOTALL)
    serpent = json.loads(inside)["night"]["tables"][0]
    above, level, below = serpent["against"]["ada"]["bo"]
    assert above + level + below == 4
    assert serpent["against"]["bo"]["ada"] == [below, level, above]
    assert [matches for _, matches in serpent["seat_points"]["ada"]] == [4, 4]
    assert serpent["bots"]["ada"]["median_ms"] <= serpent["bots"]["ada"]["p99_ms"]
    faults = [
        bot["first_faults"] for table in json.loads(inside)["night"]["tables"][:-1] for bot in table["bots"].values()
    ]
    match, sentence = next(kinds["crash"] for kinds in faults if kinds)
    assert sentence == "exit status 3"
    explained = client.get(f"/api/match/{match}").json()["explained"]
    assert "What it was asked:" in explained


def test_what_a_room_is_shown_again_may_be_seen_and_surprised_most(tmp_path: Path) -> None:
    path = small_night(tmp_path, played=31)
    with TestClient(Site(Showing(path)).app(), base_url=HERE) as client:
        ids = client.get("/api/upsets").json()
        assert 1 < len(ids) <= 8
        assert {client.get(f"/api/match/{match}").status_code for match in ids} == {200}
    with read_store(path) as store:
        archive = Archive(store)
        last = archive.standings()
        elos = {(table.label, row.bot): row.elo or 0 for table in last.all_tables for row in table.rows}
        of = {played.fixture.match_id: played for played in archive.played}

    def surprise(match: str) -> float:
        played = of[match]
        placed = [*zip(played.places, played.fixture.seating, strict=True)]
        first, others = (
            [elos[played.fixture.part, bot] for place, bot in placed if (place == 1) == won] for won in (True, False)
        )
        return max(others) - max(first) if others else 0.0

    surprises = [*map(surprise, ids)]
    assert surprises == sorted(surprises, reverse=True) and surprises[0] > 0
    assert not any(of[match].faults for match in ids)


def test_a_shared_first_place_is_no_surprise() -> None:
    rows = [SimpleNamespace(bot="ada", elo=1400.0), SimpleNamespace(bot="bo", elo=1600.0)]
    played = []
    for name, places in (("level", (1, 1)), ("won", (1, 2)), ("lost", (2, 1))):
        of: Any = SimpleNamespace(part="s", seating=("ada", "bo"), match_id=name)
        played.append(ArchivedResult(1, of, places, (0, 0), (), 9))
    archive: Any = SimpleNamespace(
        latest=SimpleNamespace(all_tables=[SimpleNamespace(label="s", rows=rows)]), played=played,
        may_be_shown=lambda _: True,
    )  # fmt: skip
    assert Archive.upsets(archive, 3) == ["won", "level", "lost"]


def test_the_list_of_matches_and_what_has_come_since(client: TestClient) -> None:
    rows = client.get("/api/matches").json()
    assert [row[0] for row in rows] == list(range(1, len(rows) + 1))
    assert client.get(f"/api/matches?after={rows[-3][0]}").json() == rows[-2:]
    assert client.get("/api/matches?after=x").status_code == 400


def test_a_program_that_opens_no_page_reads_the_newest_matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long after the last look, which is old at once here."""
    monkeypatch.setattr(updates, "LOOK_S", 0.0)
    monkeypatch.setattr(updates, "OLD_S", 0.0)
    path = small_night(tmp_path, played=31)
    with TestClient(Site(Showing(path)).app(), base_url=HERE) as client:
        assert len(client.get("/api/matches?after=0").json()) == 31
        with open_store(path) as store:
            play_on(store, 31, 32)
        assert len(client.get("/api/matches?after=0").json()) == 32


def test_a_match_as_everybody_and_as_a_seat_saw_it(client: TestClient) -> None:
    match_id = client.get("/api/matches").json()[0][1]
    truth, seat = (client.get(f"/api/match/{match_id}{query}").json() for query in ("", "?seat=0"))
    assert truth["names"] == seat["names"]
    assert (truth["seat"], seat["seat"]) == (None, 0)
    assert truth["frames"][1]["set"]["hidden"][1] != seat["frames"][1]["set"]["hidden"][1]
    assert client.get(f"/api/match/{match_id}?seat=2").json() == {"error": f"match {match_id} has no seat 2"}
    assert client.get(f"/api/match/{match_id}?seat=x").status_code == 400
    assert client.get("/api/match/abc").json() == {"error": "there is no match abc"}  # the night is over


def test_the_beginning_of_an_id_as_pages_show_it_leads_to_its_match(client: TestClient) -> None:
    match_id = client.get("/api/matches").json()[0][1]
    for begin in (match_id[:8], match_id[:12].upper()):
        assert client.get(f"/api/match/{begin}").json() == client.get(f"/api/match/{match_id}").json()
    assert client.get(f"/api/match/{match_id[:7]}").status_code == 404
    assert client.get(f"/api/match/{match_id[:8]}z").status_code == 404


def test_a_beginning_of_two_ids_leads_nowhere() -> None:
    archive: Any = SimpleNamespace(_begins={"12345678": ("12345678aa", "12345678ab")})
    begins = ("12345678", "12345678A", "12345678AB")
    assert [Archive.whole_id(archive, begin) for begin in begins] == ["12345678", "12345678a", "12345678ab"]


def test_a_spoilt_record_is_told(tmp_path: Path) -> None:
    import sqlite3
    from contextlib import closing

    path = small_night(tmp_path, played=2)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE results SET record = x'ff'")
        connection.commit()
    with TestClient(Site(Showing(path, open_cards=True)).app(), base_url=HERE) as client:
        match_id = client.get("/api/matches").json()[0][1]
        told = client.get(f"/api/match/{match_id}")
        assert (told.status_code, told.json()["error"][:24]) == (422, "this is no match record:")


def test_no_cards_of_a_deal_that_is_still_played_are_shown(tmp_path: Path) -> None:
    path = small_night(tmp_path, played=3)
    with TestClient(Site(Showing(path)).app(), base_url=HERE) as client:
        rows = client.get("/api/matches").json()
        shown = [client.get(f"/api/match/{row[1]}").status_code for row in rows]
        assert shown == [200, 200, 403]
    with TestClient(Site(Showing(path, open_cards=True)).app(), base_url=HERE) as client:
        assert client.get(f"/api/match/{rows[2][1]}").status_code == 200


def test_a_match_that_is_played_again_is_shown_when_its_deal_is_over(tmp_path: Path) -> None:
    path = small_night(tmp_path, played=4)
    with TestClient(Site(Showing(path)).app(), base_url=HERE) as client:
        replaced, beside, other, _ = [row[1] for row in client.get("/api/matches").json()]
        assert client.get(f"/api/match/{replaced}").status_code == 200
    with office(path) as at:
        at.replay(replaced, "a power cut")
        again = next(at.night.fixtures())
    with TestClient(Site(Showing(path)).app(), base_url=HERE) as client:
        shown = {match: client.get(f"/api/match/{match}").status_code for match in (replaced, beside, other)}
        assert shown == {replaced: 403, beside: 403, other: 200}
    with open_store(path) as store:
        store.add([row_of(play(Header.read(again.order(SECRET, {}).header), bytes(32)))])
    with TestClient(Site(Showing(path)).app(), base_url=HERE) as client:
        assert [client.get(f"/api/match/{match}").status_code for match in (replaced, again.match_id)] == [200, 200]
    with office(path) as at:
        at.replay(again.match_id, "another power cut")
        at.undo_replay(again.match_id, "")
    with TestClient(Site(Showing(path)).app(), base_url=HERE) as client:
        assert client.get(f"/api/match/{again.match_id}").status_code == 200


def test_a_stranger_to_the_schedule_is_shown_when_the_night_is_over(tmp_path: Path) -> None:
    path = small_night(tmp_path, played=1)
    with open_store(path) as store:
        [row] = store.rows([*store.ids()]).values()
        store.add([row._replace(id="ab" * 16)])
        with TestClient(Site(Showing(path)).app(), base_url=HERE) as client:
            assert client.get(f"/api/match/{'ab' * 16}").status_code == 403
            store.append(ENDED, {"secret": SECRET.key.hex(), "digest": "", "standings_sha256": ""})
            assert client.get(f"/api/match/{'ab' * 16}").status_code == 200


def test_a_report_chooses_no_match_whose_deal_is_still_played(tmp_path: Path) -> None:
    chosen = []
    for played in (17, 18):  # the seventeenth has a crash in it, and the other seat of its deal comes next
        (folder := tmp_path / str(played)).mkdir()
        [inside] = re.findall(r'id="about">(.*?)</script>', report(small_night(folder, played=played), []), re.DOTALL)
        about = json.loads(inside)
        chosen.append([number for number, match_id, *_ in about["matches"] if match_id in about["replays"]])
    assert chosen[0]
    assert [17 in numbers for numbers in chosen] == [False, True]


def test_rules_are_read(client: TestClient) -> None:
    assert client.get("/api/rules/serpent").text.startswith("# Serpent")
    assert client.get("/api/rules/poker").status_code == 422


def test_without_a_night_there_are_only_seats() -> None:
    with TestClient(Site(Showing(None)).app(), base_url=HERE) as client:
        assert '"night":null' in client.get("/").text
        assert client.get("/api/matches").status_code == client.get("/events").status_code == 404


def test_beside_a_night_nobody_sits_down(night: Path) -> None:
    with TestClient(Site(Showing(night, play=False)).app(), base_url=HERE) as client:
        assert client.post("/api/seats", json={"game": "serpent"}).status_code == 404


@pytest.mark.parametrize("host", ["http://evil.example", "http://127.0.0.1.evil.example:8080"])
def test_another_sites_name_for_this_machine_is_refused(client: TestClient, host: str) -> None:
    assert client.get(f"{host}/").status_code == 403


@pytest.mark.parametrize(
    "host", ["http://localhost:8080", "http://127.0.0.1:1", "http://127.0.0.2:8080", "http://[::1]:8080"]
)
def test_this_machines_own_names_are_not(client: TestClient, host: str) -> None:
    assert client.get(f"{host}/api/rules/serpent").status_code == 200


def test_from_elsewhere_the_token_of_the_link_is_needed(night: Path) -> None:
    with TestClient(Site(Showing(night, token="let-me-in")).app(), base_url="http://10.0.0.7:8080") as client:
        assert client.get("/").status_code == 403
        assert client.get("/?token=wrong").status_code == 403
        assert client.get("/", headers={"cookie": "pips=wrong"}).status_code == 403
        assert client.get("/", headers={"cookie": '"\x01=;;'}).status_code == 403
        came = client.get("/?token=let-me-in", follow_redirects=False)
        assert (came.status_code, came.headers["location"]) == (303, "/")
        assert "HttpOnly" in came.headers["set-cookie"]
        assert client.get("/").status_code == 200


def test_the_night_is_the_one_in_the_file(client: TestClient, night: Path) -> None:
    with read_store(night) as store:
        assert {row[1] for row in client.get("/api/matches").json()} == set(store.ids())
