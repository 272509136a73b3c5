"""A hosted night with its pages: one command, one invite for browser and bot."""

from __future__ import annotations

import csv
import re
import signal
import ssl
import subprocess
from typing import Any, Final

import httpx2 as httpx
import pytest

from tests.e2e.desk import Desk, finish, kill, wait_until
from tests.e2e.test_remote import BO, HOST_WORDS, Hall
from tests.patience import PATIENCE_S

PLAYERS: Final = ("ada", "cy")


class Pages:
    """The pages of a host, from what it says of them."""

    def __init__(self, desk: Desk, host: subprocess.Popen[str]) -> None:
        self.desk, said, found = desk, "", None
        assert host.stderr is not None
        for line in host.stderr:
            said += line
            if found := re.search(r"organiser alone: (https://[^:]+:\d+/)enter#(\S+)", said):
                break
        assert found is not None, said
        self.said, self.base, self.organiser = said, found[1], found[2]
        with (desk.folder / "night.host" / "invites.csv").open(encoding="utf-8") as file:
            self.invites = {row["bot"]: row for row in csv.DictReader(file)}

    def enter(self, code: str) -> httpx.Client:
        """A browser that knows the league's authority."""
        known = ssl.create_default_context(cafile=str(self.desk.folder / "night.host" / "authority.pem"))
        client = httpx.Client(base_url=self.base, follow_redirects=True, timeout=60, verify=known)
        assert client.post("/enter", data={"code": code}).status_code == 200
        return client


def guest(client: httpx.Client) -> Any:
    return client.get("/api/v1/me").json()["guest"]


@pytest.mark.long
def test_one_invite_is_for_the_browser_and_for_the_bot(desk: Desk) -> None:
    hall = Hall(desk, *PLAYERS, deals=3, house=BO)
    host = desk.begin(
        "serve",
        "night.toml",
        "--listen",
        "127.0.0.1:0",
        "--dial",
        f"127.0.0.1:{hall.port}",
        *HOST_WORDS,
        "--tls",
        "--stay",
    )
    pages = Pages(desk, host)
    assert "2 invites are in" in pages.said and set(pages.invites) == set(PLAYERS)
    browsers = {player: pages.enter(pages.invites[player]["code"]) for player in PLAYERS}
    wait_until(lambda: guest(browsers["ada"])["said"] == ["It has not dialled in."], "the lobby is not open")
    joined = {player: _join(hall, pages.invites[player]["join"]) for player in PLAYERS[:1]}
    wait_until(lambda: guest(browsers["ada"])["check"] == "", "ada's check is not on her page")
    assert not guest(browsers["cy"])["here"]
    organiser = pages.enter(pages.organiser)
    wait_until(lambda: "ada is here with" in organiser.get("/organiser").text, "the organiser is not told")
    page = organiser.get("/organiser").text
    assert "It is connected since" in page
    joined["cy"] = _join(hall, pages.invites["cy"]["join"])
    for player in PLAYERS:
        told, _ = finish(joined[player])
        assert "The night is over" in told
    wait_until(lambda: len(browsers["ada"].get("/api/v1/me").json()["standings"]) == 1, "there are no standings")
    assert "Last matches" in browsers["ada"].get("/mine").text
    assert browsers["ada"].get("/organiser").status_code == 403
    (ada,) = re.findall(r'value="(\d+)">\n<button>End the invite, visits and token of ada<', page)
    (form, *_) = re.findall(r'name="form" value="([0-9a-f]{64})"', page)
    assert organiser.post("/organiser/revoke", data={"form": form, "person": ada}).status_code == 200
    assert browsers["ada"].get("/mine").status_code == 401 and browsers["cy"].get("/mine").status_code == 200
    for client in (*browsers.values(), organiser):
        client.close()
    kill(host, signal.SIGINT)
    host.communicate(timeout=PATIENCE_S)
    desk.assert_nothing_is_left()


def _join(hall: Hall, line: str) -> subprocess.Popen[str]:
    return hall.join_by(line.split(), "serpent/greedy")
