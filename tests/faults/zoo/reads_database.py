"""Looks for the league's database and its secret.

It boasts of what it read by raising an exception. Under the tier `none` it finds the secret, and the standings show
crashes; under `limits` as root and under `bubblewrap` it finds nothing, and they show no fault.
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
