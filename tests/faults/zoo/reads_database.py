"""Looks for the league's database and the secret in it.

It boasts of what it read by raising an exception. Bots run as the user who runs the
night, so it may find the secret: the standings show crashes then.
"""

import os
import sqlite3
from pathlib import Path

from pips_sdk import run
from pips_sdk.serpent import SerpentAction, SerpentBot, SerpentView


def look() -> str:
    for place in os.environ["LOOK_HERE"].split(":"):
        try:
            found = sqlite3.connect(f"file:{Path(place)}?mode=ro", uri=True).execute("SELECT key FROM secret")
            return str(found.fetchone()[0].hex())
        except sqlite3.Error:
            continue
    return ""


class Zoo(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        if secret := look():
            raise RuntimeError(f"gained: the secret is {secret[:4]}...")
        return super().choose(view)


run(Zoo)
