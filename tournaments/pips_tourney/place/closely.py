"""What takes a while to find of a bot: its luck, and where it loses."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Final

from pips_tourney.place.processes import read_all

LONGEST_S: Final = 120.0
"""How long it may take to find one: others need the machine."""
MOST_ASKING: Final = 8
"""How many may ask at once."""
MOST_KEPT: Final = 200
"""How many answers are kept."""


class Closely:
    """Finds one at a time, and keeps what it has found.

    A person waits for one answer at a time: nobody takes the places of others.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._turn = asyncio.Lock()
        self._asking = set[int]()
        """The numbers of the persons who wait for an answer."""
        self._kept: dict[tuple[str, str, str], list[str]] = {}
        """What was found, by what was asked for and of which matches."""

    async def find(self, what: str, bot: str, person: int, of: str) -> list[str]:
        """What a bot's `luck` was, or its `losses`.

        `of` stands for the matches that are looked at, and changes when they do.
        """
        key = what, bot, of
        if key in self._kept:
            return self._kept[key]
        if person in self._asking:
            return ["You wait for such an answer already: ask again when it is there."]
        if len(self._asking) >= MOST_ASKING:
            return ["Many ask for this: try again in a minute."]
        self._asking.add(person)
        try:
            async with self._turn:
                return await self._find(key)
        finally:
            self._asking.discard(person)

    async def _find(self, key: tuple[str, str, str]) -> list[str]:
        if key in self._kept:  # another asked for the same
            return self._kept[key]
        (what, bot, _), said = key, list[str]()
        words = (what, str(self._database), bot)
        code, _ = await read_all(words, LONGEST_S, lambda line: said.extend(json.loads(line)["found"]))
        if code != 0:
            return ["It could not be found: no deal is complete, or the machine is busy."]
        self._kept[key] = said
        if len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return said
