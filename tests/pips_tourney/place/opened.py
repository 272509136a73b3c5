"""A place that is served in a thread of this process, for browsers and programs."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pips_tourney.people.store import Invited, People
from pips_tourney.place.desk.calendar import Calendar
from pips_tourney.place.desk.hand_ins import HandIns
from pips_tourney.place.pages.hand_in import HandInPages
from pips_tourney.place.pages.site import PlaceSite, Takes
from pips_tourney.place.requests.proxy import PublicAddress
from pips_tourney.place.serve import pages_of, server_of
from pips_tourney.web.address import listen
from tests.patience import PATIENCE_S
from tests.pips_tourney.place.conftest import IdleDesk
from tests.pips_tourney.place.guests import hosted
from tests.pips_tourney.web.nights import small_night

LEAGUE = 'games = ["serpent"]\nbots = [{ name = "ada", sample = "random" }, { name = "bo", sample = "greedy" }]\n'


class OpenPlace:
    """A place that is served, with a night that is over."""

    people: People
    site: PlaceSite
    codes: dict[str, str]
    hand_ins: HandIns
    takes: Takes

    def __init__(self, folder: Path, public: PublicAddress | None = None) -> None:
        (folder / "versions").mkdir()
        (folder / "c.toml").write_text(LEAGUE, encoding="utf-8")
        self.people = People(folder)
        hand_ins = HandIns(self.people, folder / "versions")
        desk = IdleDesk(folder / "c.toml", small_night(folder), hand_ins, Calendar(self.people))
        people = [Invited("Ada Lovelace", "ada"), Invited("Bo", "bo"), Invited("Cy", "cy")]
        self.codes = {person.bot: code for person, code in self.people.invite(people)}
        self.codes["organiser"] = self.people.organiser()
        self.site = PlaceSite(desk, "Class <1>", public=public or PublicAddress())
        self.hand_ins = hand_ins
        self.takes = HandInPages(self.site, desk)
        self.listen()

    def listen(self) -> None:
        self.listener = listen("127.0.0.1", 0)
        self.base = f"http://127.0.0.1:{self.listener.getsockname()[1]}/"


class OpenHost(OpenPlace):
    """The pages of a hosted night, with a night that is over."""

    def __init__(self, folder: Path, public: PublicAddress | None = None) -> None:
        assert public is None
        of = hosted(folder, small_night(folder))
        self.people, self.codes, self.site, self.takes = of.people, of.codes, of.site, of.guests
        self.note = of.note
        self.listen()


@contextmanager
def opened(folder: Path, kind: type[OpenPlace] = OpenPlace, public: PublicAddress | None = None) -> Iterator[OpenPlace]:
    place = kind(folder, public)
    server = server_of(place.site, pages_of(place.site, place.takes), None)
    thread = threading.Thread(target=server.run, args=([place.listener],))
    thread.start()
    until = time.monotonic() + PATIENCE_S
    while not server.started or place.site.nights.site is None:
        assert thread.is_alive() and time.monotonic() < until, "the place did not open"
        time.sleep(0.01)
    try:
        yield place
    finally:
        server.should_exit = True
        thread.join()
        place.people.close()
