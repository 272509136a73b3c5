"""The first week of a course on a place, by its pages alone."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Final

import httpx2 as httpx

from tests.e2e.desk import wait_until
from tests.lab import looping
from tests.lab.evening.room import Findings, Room
from tests.lab.evening.students import BROKEN
from tests.lab.place.opened import SOURCES, OpenedPlace

ROOMS: Final = Path(__file__).parents[2] / "pips_tourney"
QUICK: Final = """
games = ["wichita"]
bots = [{ name = "random", sample = "random" }, { name = "greedy", sample = "greedy" }]
deals = { suite = "quick", count = 20 }
final = { name = "knockout", deals = 5 }
"""
LOUD: Final = f"{SOURCES[0]}\n    def draw(self, view):\n        print('x' * 999)\n        return False\n"
PEOPLE: Final = 4
ANALYSED_S: Final = 240.0
"""How long an analysis is waited for while the night plays; its time is printed."""
BY_TESTS: Final = {
    "D7": ["place/test_proxy.py::test_a_class_behind_nginx"],
    "C20": ["place/test_proxy.py::test_sixty_behind_one_address_and_one_who_guesses"],
    "C17": ["night/table/test_copies.py"],
    "H3": ["place/test_site.py::test_an_account_has_one_heavy_answer_made_at_a_time"],
    "M3": ["place/test_connections.py", "place/test_limits.py"],
    "D14": ["web/test_crowded.py::test_news_of_matches_leave_a_cross_table_alone"],
    "D15": [
        "league/test_collected.py",
        "place/test_pages.py::test_a_match_of_long_ago_is_found_by_its_id",
        "place/test_pages.py::test_a_hand_in_has_the_time_on_the_wall_and_a_projector_no_forms",
    ],
}
"""What takes a proxy, a browser or one small place each is left to these tests."""


def first_week(room: Room, found: Findings) -> None:
    """Students begin, hand in and look; their organiser corrects and grades."""
    with found.step("D1"), tempfile.TemporaryDirectory(prefix="pl-", dir="/tmp") as folder:
        _without_s, with_s, every_s, is_same = looping.play(Path(folder), bots=6, deals=5)
        assert is_same and with_s < every_s / 2
        found.shown("D1", f"a night with a bot that loops takes {with_s / every_s:.0%} of one that it plays to its end")
    with tempfile.TemporaryDirectory(prefix="pw-", dir="/tmp") as folder:
        place = OpenedPlace(Path(folder), PEOPLE)
        place.prepare()
        try:
            place.open()
            with found.step("D12"):
                assert "StoreError" not in place.said and "already exists" not in place.said
                found.shown("D12", f"the first start says {len(place.said.splitlines())} lines, none of an error")
            _students(place, found)
            _organiser(place, found)
            _typed(room, place, found)
            _opened_again(place, found)
        finally:
            place.close()
    for defect, tests in BY_TESTS.items():
        with found.step(defect):
            typed = [sys.executable, "-m", "pytest", "-q", "-n0", *(str(ROOMS / test) for test in tests)]
            ended = subprocess.run(typed, capture_output=True, text=True, check=False)
            last = ended.stdout.splitlines()[-1]
            assert ended.returncode == 0 and "skipped" not in last, last
            found.shown(defect, f"tests: {last}")


def _students(place: OpenedPlace, found: Findings) -> None:
    with found.step("D5"):
        with httpx.Client(base_url=place.address, timeout=60) as stranger:
            wrong = [stranger.post("/enter", data={"code": "K7QF-2M9T-XA4C-0"}).status_code for _ in range(21)]
        ada, form = place.enter(place.codes["s00"])
        assert wrong == [403] * 21
        found.shown("D5", "after 21 wrong codes of one address a right one opens its page")
    with closing(ada):
        with found.step("D10", "F1"):
            page = ada.get("/mine").text
            assert "#/season" not in page
            found.shown("D10", "there is no Season in the menu before there is one")
            files = re.findall(r"files/([^\"<\s]+)", page)
            assert files and all(ada.get(f"/files/{name}").status_code == 200 for name in files)
            found.shown("F1", f"the first page has {', '.join(sorted(set(files)))}")
        with found.step("D3", "F2"):
            _hand_in(ada, form, "anna.zip", _zip({"anna/my_bot.py": SOURCES[0], "__MACOSX/anna/._my_bot.py": "\0"}))
            wait_until(lambda: "s00: ready" in ada.get("/mine").text, "a zipped folder is not ready")
            found.shown("D3", "a zipped folder with __MACOSX is handed in and plays")
            page = ada.get("/mine").text
            assert page.index("s00: ready") < page.index('id="hand-in"')
            found.shown("F2", "after a hand-in the verdict stands above the form")
    with found.step("D4"):
        two = [place.enter(place.codes[name]) for name in ("s02", "s03")]
        for number, (client, form) in enumerate(two):
            _hand_in(client, form, "bot.py", f"# {number}\n{SOURCES[1]}".encode())
        wait_until(lambda: all(_state(client) == "checking" for client, _ in two), "two are not checked at once")
        found.shown("D4", "two are checked at once")
        wait_until(lambda: all(_state(client) == "ready" for client, _ in two), "two are not ready")
        with found.step("D6"):
            _analyses(two[0][0], found)
        for client, _ in two:
            client.close()
    loud, form = place.enter(place.codes["s01"])
    with closing(loud), found.step("D8", "F5"):
        _hand_in(loud, form, "bot.py", LOUD.encode())
        wait_until(lambda: "s01: ready" in loud.get("/mine").text, "a loud bot is not ready")
        (size,) = re.findall(r"It printed .* kB in \d+ matches", loud.get("/mine").text)
        found.shown("D8", size)
        loud.post("/mine/withdraw", data={"form": form})
        assert "s01: withdrawn" in loud.get("/mine").text
        found.shown("F5", "a student withdraws")


def _analyses(client: httpx.Client, found: Findings) -> None:
    """What an author of the class asks while the night plays."""
    wait_until(lambda: _has_luck(client), "s00 has no luck")
    took_s = []
    for what in ("bot/s00/losses", "luck"):
        begun = time.perf_counter()
        answer = client.get(f"/night/api/{what}", timeout=ANALYSED_S)
        assert answer.is_success, answer.text
        took_s.append(time.perf_counter() - begun)
    found.shown("D6", f"losses are known after {took_s[0]:.0f} s while the night plays, luck after {took_s[1]:.0f} s")


def _has_luck(client: httpx.Client) -> bool:
    time.sleep(1)
    answer = client.get("/night/api/luck", timeout=ANALYSED_S)
    return "json" in answer.headers["content-type"] and '"s00"' in answer.text


def _organiser(place: OpenedPlace, found: Findings) -> None:
    client, form = place.enter(place.organiser)
    with closing(client):
        with found.step("D2"):
            wait_until(lambda: "s00" in client.get("/organiser/grades.csv").text, "there is no gradebook")
            rows = [*csv.DictReader(io.StringIO(client.get("/organiser/grades.csv").text.removeprefix("\ufeff")))]
            assert {row["name"] for row in rows} == {*place.codes} and str(place.folder) not in str(rows)
            found.shown("D2", f"the gradebook has a line for each of {PEOPLE} people: {rows[-1]['status']}")
        with found.step("D11"):
            told = client.post("/organiser/deadline", data={"form": form, "deadline": "2020-01-01T10:00"}).text
            assert "is over, so nothing was set" in told
            found.shown("D11", "a deadline of 2020 is asked about, and not taken")
        with found.step("F3"):
            client.post("/organiser/alike", data={"form": form})
            wait_until(lambda: _compared(client) > 0, "the bots are not compared")
            found.shown("F3", f"a page compares {_compared(client)} bots")

        with found.step("acts"):
            _acts(place, client, form, found)


def _acts(place: OpenedPlace, client: httpx.Client, form: str, found: Findings) -> None:
    """A version for the final, a new check, and the deletion of a person."""
    client.post("/organiser/deadline", data={"form": form, "deadline": "2099-01-01T10:00"})
    ada, adas = place.enter(place.codes["s00"])
    with closing(ada):
        version = ada.get("/api/v1/versions").json()["versions"][-1]["id"]
        assert "plays in the last night" in ada.post(f"/mine/{version}/final", data={"form": adas}).text
    bo, bos = place.enter(place.codes["s03"])
    with closing(bo):
        _hand_in(bo, bos, "bot.py", BROKEN["syntax"].encode())
        wait_until(lambda: _state(bo) == "refused", "a mistake is not refused")
        [person] = re.findall(r'name="person" value="(\d+)">\s*<button class="danger">[^<]*of s03<', _page(client))
        client.post("/organiser/recheck", data={"form": form, "person": person})
        wait_until(lambda: _page(client).count("Not checked yet") == 0 and _state(bo) == "refused", "no new check")
    gone = {"form": form, "person": person}
    assert "s03" in client.post("/organiser/delete", data={**gone, "how": "preview"}).text
    client.post("/organiser/delete", data={**gone, "how": "do"})
    with httpx.Client(base_url=place.address) as stranger:
        assert stranger.post("/enter", data={"code": place.codes["s03"]}).status_code == 403
    found.shown("acts", "a version is chosen for the final, one is checked again, a person is deleted")


def _page(client: httpx.Client) -> str:
    return client.get("/organiser").text


def _typed(room: Room, place: OpenedPlace, found: Findings) -> None:
    """What a terminal says to a student and to their teacher."""
    with found.step("F6"):
        room.write("quick.toml", QUICK)
        said = room.type("run", "quick.toml", "--dry-run", status=2).said
        assert "write `deals = 20`" in said, said
        found.shown("F6", f"`quick` with a final says: {said.rpartition(': ')[2]}")
    with found.step("C15"):
        (room.folder / "mac").mkdir()
        room.write("mac/foo.py", SOURCES[0])
        room.write("mac/._foo.py", "\0")
        room.type("check", "mac", bot=True)
        found.shown("C15", "a bot beside its ._foo.py of a Mac is checked")
    with found.step("C21"):
        room.write("token.txt", "pips_wrong")
        words = ("submit", "mac", "--to", place.address, "--token-file", "token.txt", "--results", "results.json")
        room.type(*words, bot=True, status=2)
        assert json.loads((room.folder / "results.json").read_text(encoding="utf-8"))["score"] == 0
        found.shown("C21", "a wrong token is in results.json, with the score 0")


def _opened_again(place: OpenedPlace, found: Findings) -> None:
    """A week later, with a roster that a spreadsheet wrote."""
    with found.step("F4", "C5"):
        link = place.organiser
        place.close()
        (place.folder / "roster.csv").write_text("name;bot;team\r\ns00;;\r\nZoe;;\r\n", encoding="utf-8")
        place.open()
        place.enter(link)[0].close()
        assert place.organiser == link
        found.shown("F4", "the organiser's link of the first start opens the second, too")
        assert {"Zoe"} < {*place.codes} <= {"Zoe", *(f"s{number:02}" for number in range(PEOPLE))}
        found.shown("C5", f"of a roster with semicolons come {', '.join(sorted(place.codes))}")


def _compared(client: httpx.Client) -> int:
    """How many bots were compared; asked as seldom as a person does."""
    time.sleep(0.5)
    return int(client.get("/organiser/alike.json").json()["bots"])


def _state(client: httpx.Client) -> str:
    """That of a student's newest version; asked as seldom as a page does."""
    time.sleep(0.2)
    return str(client.get("/api/v1/versions").json()["versions"][-1]["state"])


def _hand_in(client: httpx.Client, form: str, name: str, content: bytes) -> None:
    client.post("/mine", data={"form": form}, files={"files": (name, content)}).raise_for_status()


def _zip(files: dict[str, str]) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return into.getvalue()
