"""Looks for all that a night keeps: its league file, its database, its secret, the
other submissions, the organiser's sockets.

It looks where it was told, at its own folder's neighbours, and in the temporary folder.
It boasts of what it could read by raising an exception.
"""

import os
from pathlib import Path

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView

OWN = Path(__file__).parent
NAMES = ("night.toml", "night.db", "night.db-wal", "secret")


def readable() -> list[str]:
    night = Path(os.environ["LOOK_HERE"])
    places = [night / name for name in NAMES]
    for folder in (night / "in", OWN.parent):
        places += [place for place in folder.glob("*/*") if place.parent.name != OWN.name]
    places += night.glob("pips-*/*/socket")
    places += Path("/tmp").glob("*/pips-*/*/socket")
    return [str(place) for place in places if opens(place)]


def opens(place: Path) -> bool:
    try:
        os.close(os.open(place, os.O_RDONLY))
    except OSError:
        return False
    return True


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if self._question == 1 and (found := readable()):
            raise RuntimeError(f"gained: {len(found)} places to read, such as {found[0]}")
        return super().choose(view)


run(Zoo)
