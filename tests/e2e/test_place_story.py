"""A place: a class hands in over HTTP, and the place is killed meanwhile."""

from __future__ import annotations

import csv
import json
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2 as httpx
import pytest

from tests.e2e.desk import Desk, finish, wait_until

GOOD = "from pips_sdk.wichita import WichitaBot\n\nclass MyBot(WichitaBot):\n    pass\n"
BROKEN = "import nothing_of_this_name\n"


def begin(desk: Desk) -> tuple[subprocess.Popen[str], str, str]:
    """Open the place; its address and the organiser's code."""
    place = desk.begin("serve", "class.toml", "--roster", "roster.csv", "--listen", "127.0.0.1:0")
    assert place.stderr is not None
    said = ""
    while "For the organiser" not in said:
        line = place.stderr.readline()
        assert line, said
        said += line
    found = re.search(r"open at (http://\S+)/[\s\S]*enter#(\S+)", said)
    assert found is not None
    return place, found[1], found[2]


@contextmanager
def visit(address: str, code: str) -> Iterator[tuple[httpx.Client, str]]:
    """A visitor, and what their forms carry."""
    with httpx.Client(base_url=address, follow_redirects=True, timeout=30) as client:
        page = client.post("/enter", data={"code": code})
        found = re.search(r'name="form" value="([0-9a-f]{64})"', page.text)
        assert found is not None
        yield client, found[1]


@pytest.mark.long
@pytest.mark.xdist_group("processes")
def test_a_class_hands_in_and_no_hand_in_is_lost(desk: Desk) -> None:
    (desk.folder / "class.toml").write_text(
        'games = ["wichita"]\ndeals = 20\nbots = [{ name = "random", sample = "random" }, '
        '{ name = "greedy", sample = "greedy" }]\n'
    )
    (desk.folder / "roster.csv").write_text("name,bot\nada,ada\nbo,bo\n")
    place, address, _ = begin(desk)
    with (desk.folder / "class-place" / "invites.csv").open(encoding="utf-8") as file:
        codes = {row["name"]: row["code"] for row in csv.DictReader(file)}
    with visit(address, codes["ada"]) as (ada, form):
        assert "ada: " in ada.post("/mine", data={"form": form, "text": BROKEN}).text
        wait_until(lambda: "ada: refused" in ada.get("/mine").text, "the broken bot is not refused")
        assert "No module named &#39;nothing_of_this_name&#39;" in ada.get("/mine").text
        assert ada.post("/mine", data={"form": form}, files={"files": ("bot.py", GOOD)}).status_code == 200
    place.send_signal(signal.SIGKILL)
    place.wait()
    wait_until(lambda: not desk.left(), f"{desk.left()} are left")
    place, address, organiser = begin(desk)
    with visit(address, codes["ada"]) as (ada, _):
        wait_until(lambda: "with 95 % between" in ada.get("/mine").text, "no interval is shown")
        assert "ada v2" in ada.get("/api/v1/standings").text
    with visit(address, organiser) as (client, form):
        client.post("/organiser/end", data={"form": form, "night": "1"})
        wait_until((desk.folder / "class.1.db").exists, "no other night is opened")
        wait_until(lambda: "ada v2" in client.get("/api/v1/standings").text, "the next night does not have the bot")
        wait_until(lambda: "ada v2" in client.get("/organiser/grades.csv").text, "the next gradebook has it not")
    place.send_signal(signal.SIGINT)
    finish(place, 0)
    status = json.loads(desk.tell("status", "class.1.db", "--json"))
    assert status["state"] == "complete", status
    desk.tell("verify", "class.1.db")
    wait_until(lambda: not desk.left(), f"{desk.left()} are left")
