"""A place that is served in a thread of this process, for browsers and programs."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pips_tourney.place.book import Book, Invited
from pips_tourney.place.calendar import Calendar
from pips_tourney.place.serve import PlaceConfig, _server
from pips_tourney.place.site import PlaceSite
from pips_tourney.web.address import listen
from tests.patience import PATIENCE_S
from tests.pips_tourney.place.conftest import IdleDesk
from tests.pips_tourney.web.nights import small_night


class OpenPlace:
    """A place that is served, with a night that is over."""

    def __init__(self, folder: Path) -> None:
        (folder / "versions").mkdir()
        self.book = Book(folder / "place.db")
        desk = IdleDesk(folder / "c.toml", small_night(folder), self.book, folder / "versions", Calendar(self.book))
        people = [Invited("Ada Lovelace", "ada"), Invited("Bo", "bo"), Invited("Cy", "cy")]
        self.codes = {person.bot: code for person, code in self.book.invite(people)}
        self.codes["organiser"] = self.book.organiser()
        self.site = PlaceSite(desk, "Class <1>")
        self.listener = listen("127.0.0.1", 0)
        self.base = f"http://127.0.0.1:{self.listener.getsockname()[1]}/"


@contextmanager
def opened(folder: Path) -> Iterator[OpenPlace]:
    place = OpenPlace(folder)
    server = _server(place.site, PlaceConfig(folder / "c.toml", folder / "c.db"))
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
        place.book.close()
