"""A place whose desk does not work: what is handed in waits."""

from __future__ import annotations

import asyncio
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from pips_tourney.people import codes
from pips_tourney.people.store import Invited, People
from pips_tourney.place.desk.calendar import Calendar
from pips_tourney.place.desk.desk import Desk
from pips_tourney.place.desk.hand_ins import HandIns
from pips_tourney.place.pages.hand_in import HandInPages
from pips_tourney.place.pages.site import PlaceSite
from pips_tourney.place.serve import pages_of
from tests.patience import PATIENCE_S
from tests.pips_tourney.web.nights import small_night

HERE = "http://127.0.0.1:8080"
LEAGUE = 'games = ["wichita"]\nbots = [{ name = "r", sample = "random" }, { name = "g", sample = "greedy" }]\n'


class IdleDesk(Desk):
    """A desk at which nobody works."""

    async def work(self) -> None:
        await asyncio.Event().wait()


@pytest.fixture(scope="package", autouse=True)
def cheap_codes() -> Iterator[None]:
    """A code is read in no time: what a guess costs is `test_codes.py`'s."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codes, "COST", 2)
        yield


@dataclass
class Place:
    """The application, its people, and visitors."""

    desk: Desk
    people: People

    def __post_init__(self) -> None:
        self.desk.league.write_text(LEAGUE, encoding="utf-8")
        self.hand_ins, self.site = self.desk.hand_ins, PlaceSite(self.desk, "Class")
        self.client = TestClient(
            self.site.app(pages_of(self.site, HandInPages(self.site, self.desk))), base_url=HERE, follow_redirects=False
        )
        people = [Invited("Ada", "ada"), Invited("Bo", "bo")]
        self.codes = {person.bot: code for person, code in self.people.invite(people)}
        self.codes["organiser"] = self.people.organiser()

    def enter(self, who: str) -> str:
        """Enter, and return what a form of this visit carries."""
        self.client.cookies.clear()
        assert self.client.post("/enter", data={"code": self.codes[who]}).status_code == 303
        page = self.client.get("/organiser" if who == "organiser" else "/mine")
        found = re.search(r'name="form" value="([0-9a-f]{64})"', page.text)
        assert found is not None
        return found[1]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "versions").mkdir()
    people = People(tmp_path)
    desk = IdleDesk(tmp_path / "c.toml", tmp_path / "c.db", HandIns(people, tmp_path / "versions"), Calendar(people))
    place = Place(desk, people)
    with place.client:
        yield place
    people.close()


@pytest.fixture(scope="session")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A night that is over, to be copied."""
    return small_night(tmp_path_factory.mktemp("night"))


@pytest.fixture
def played(tmp_path: Path, night: Path) -> Iterator[Place]:
    """A place with a night that is over, in which the bots of both have played."""
    (tmp_path / "versions").mkdir()
    people = People(tmp_path)
    database = tmp_path / "small.db"
    shutil.copy(night, database)
    desk = IdleDesk(tmp_path / "c.toml", database, HandIns(people, tmp_path / "versions"), Calendar(people))
    place = Place(desk, people)
    with place.client:
        until = time.monotonic() + PATIENCE_S
        while place.site.nights.site is None:
            assert time.monotonic() < until, "the night is not shown"
            time.sleep(0.01)
        yield place
    people.close()
