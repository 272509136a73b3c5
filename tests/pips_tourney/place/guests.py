"""The pages of a hosted night in this process, with a night that was played."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path

from pips_tourney.night.log.guests import GuestNote, note_guests
from pips_tourney.place.calendar import Calendar
from pips_tourney.place.guest_book import GuestBook
from pips_tourney.place.guest_desk import GuestDesk
from pips_tourney.place.site import PlaceSite
from pips_tourney.remote.certificates import own_files
from pips_tourney.remote.invites import Invites, host_folder

DIAL = "192.168.1.5:7700"


class QuietDesk(GuestDesk):
    """A desk to which no host speaks."""

    async def work(self) -> None:
        await asyncio.Event().wait()


@dataclass
class Hosted:
    """The pages, and the invites of `ada`, `bo` and `cy`, whose bots run elsewhere."""

    site: PlaceSite
    book: GuestBook
    invites: Invites
    codes: dict[str, str]

    def note(self, *guests: GuestNote) -> None:
        note_guests(self.site.desk.database, guests)


def hosted(folder: Path, night: Path) -> Hosted:
    league, database = folder / "c.toml", folder / "c.db"
    shutil.copy(night, database)
    where = host_folder(league)
    invites = Invites(where)
    book = GuestBook(where / "place.db", invites, own_files(where), ["ada", "bo", "cy"])
    codes = {**dict(book.invite_all()), "organiser": book.organiser()}
    site = PlaceSite(QuietDesk(league, database, book, where, Calendar(book), dial=DIAL), "Class")
    return Hosted(site, book, invites, codes)
