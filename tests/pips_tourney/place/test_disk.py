"""Each author of a place has a part of its disk."""

from __future__ import annotations

import pytest

from pips_tourney.bots.archives import HandInError
from pips_tourney.people.store import Invited
from tests.pips_tourney.place.conftest import Place

BOT = ("bot.py", b"from pips_sdk.serpent import SerpentBot\n\nclass MyBot(SerpentBot):\n    pass\n")


def test_nobody_uses_up_more_than_their_part_of_the_disk(place: Place) -> None:
    """Versions count at once, even the smallest files, and prints at the next count."""
    desk = place.desk
    desk.people.invite([Invited("Cy", "cy", "Foxes"), Invited("Dee", "", "Foxes")])
    ada, bo, cy, dee = desk.people.everybody()
    desk.disk.gb = 3 / 1024
    desk.hand_ins.keep(cy, [BOT, ("weights", bytes(900_000))])
    desk.hand_ins.keep(dee, [BOT, ("weights", bytes(200_000))])
    desk.hand_ins.keep(bo, [BOT, *((f"{number}.txt", b"x") for number in range(300))])
    for person in (bo, cy, dee):
        with pytest.raises(HandInError, match=r"take 1\.\d MB, and each author here has 1\.0 MB: ask the organiser"):
            desk.hand_ins.keep(person, [BOT])
    desk.hand_ins.keep(ada, [BOT])
    (log := desk.logs / "ada.serpent.0.log").parent.mkdir(parents=True)
    log.write_bytes(bytes(1 << 20))
    desk.disk.gb *= 1.5
    desk.disk.look(desk.hand_ins.owners())
    for person in (ada, bo, cy):
        desk.hand_ins.keep(person, [BOT])
    log.write_bytes(bytes(3 << 19))
    desk.disk.look(desk.hand_ins.owners())
    with pytest.raises(HandInError, match="each author here has"):
        desk.hand_ins.keep(ada, [BOT])
