"""A bot with its own luck: it answers the same question differently each time."""

from __future__ import annotations

import os

from pips_sdk import run
from pips_sdk.serpent import SerpentBot


class FickleBot(SerpentBot):
    def lead(self, view):  # type: ignore[no-untyped-def]  # as a student writes it
        return view.playable[os.urandom(1)[0] % len(view.playable)]

    def answer(self, view):  # type: ignore[no-untyped-def]
        return view.playable[os.urandom(1)[0] % len(view.playable)]


if __name__ == "__main__":
    run(FickleBot)
