"""The pages of a hosted night in this process, with a night that was played."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path

from pips_tourney.people.presence import GuestNote, note_guests
from pips_tourney.people.store import People
from pips_tourney.place.pages.guests import Guests
from pips_tourney.place.pages.site import PlaceSite
from pips_tourney.remote.certificates import host_folder, host_people

LEAGUE = 'games = ["wichita"]\nbots = [{ name = "r", sample = "random" }, { name = "g", sample = "greedy" }]\n'

DIAL = "192.168.1.5:7700"


class QuietGuests(Guests):
    """Guests whose host does not speak."""

    async def work(self) -> None:
        await asyncio.Event().wait()


@dataclass
class Hosted:
    """The pages, and the invites of `ada`, `bo` and `cy`, whose bots run elsewhere."""

    site: PlaceSite
    people: People
    codes: dict[str, str]
    guests: Guests

    def note(self, *guests: GuestNote) -> None:
        note_guests(self.site.desk.database, guests)


def hosted(folder: Path, night: Path) -> Hosted:
    league, database = folder / "c.toml", folder / "c.db"
    shutil.copy(night, database)
    league.write_text(LEAGUE, encoding="utf-8")
    where = host_folder(league)
    people = host_people(where)
    codes = {**dict(people.expect(["ada", "bo", "cy"])), "organiser": people.organiser()}
    guests = QuietGuests(league, database, people, DIAL)
    return Hosted(PlaceSite(guests, "Class"), people, codes, guests)
