"""Carry versions over: the night plays everybody's newest ready version, no older one.

The book records what was handed in, the night's log which bots play.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any, Final

from pips_tourney.bots.archives import HandInError
from pips_tourney.errors import TourneyError
from pips_tourney.night.director import DirectorError, Office
from pips_tourney.night.log.store import open_log
from pips_tourney.night.night import last_night, nights
from pips_tourney.night.plan.decisions import BY_NEWER
from pips_tourney.place.desk.hand_ins import FINAL, READY, REFUSED, WHY_OUT, BotVersion, HandIns

_LOG: Final = logging.getLogger(__name__)


class CarryOver:
    """What brings versions from the book to the night, and tells the organiser."""

    def __init__(self, database: Path, hand_ins: HandIns, tell: Callable[[str], object]) -> None:
        self.database, self.hand_ins, self._tell = database, hand_ins, tell
        self._brought: object = None
        """The state that was last brought over; an equal state is skipped."""
        self._gone: list[str] = []
        """The bots whose files were missing at the last look."""
        self._why_not = ""
        """Why the last attempt to bring versions over failed; "" if it did not."""

    def has_files(self, version: BotVersion) -> bool:
        """Whether the version's files still exist."""
        with suppress(HandInError):
            return bool(self.hand_ins.files(version))
        return False

    def refuse(self, version: BotVersion, told: str, said: str) -> None:
        """Mark a version as refused, and tell the organiser and its author why."""
        self._tell(f"{version.bot} {told}")
        self.hand_ins.set_state(version.id, REFUSED, said)

    async def bring_over(self, last: int | None) -> bool:
        """Make the night play the versions up to the `last`; return whether it does.

        None: all versions.
        """
        try:
            is_so = self.database.exists() and await asyncio.to_thread(self.bring, last)
        except TourneyError as error:
            if str(error) != self._why_not:  # it is tried again, but reported once
                _LOG.warning("the night did not take a version: %s", error)
                self._tell(str(error))
            self._why_not = str(error)
            return False
        self._why_not = ""
        return is_so

    def bring(self, last: int | None) -> bool:
        """As `bring_over`, in this thread. `TourneyError` if the night refuses."""
        every = self.hand_ins.all()
        ready = [version for version in every if version.state == READY and (last is None or version.id <= last)]
        out = {version.bot: WHY_OUT[version.state] for version in every if version.state in WHY_OUT}
        newest = {version.person: version for version in ready}
        if self.hand_ins.people.setting(FINAL):
            chosen = self.hand_ins.chosen()
            newest |= {version.person: version for version in ready if chosen.get(version.person) == version.id}
        gone = {version.id for version in ready if not self.has_files(version)}
        state = (self.database.stat().st_ino, sorted(version.id for version in newest.values()), gone, out)
        if state == self._brought:
            return True
        with open_log(self.database) as store:
            if not nights(store) or (at := Office(last_night(store))).night.is_ended():
                return False
            self._follow(at, [version for version in ready if version.id not in gone])
            for version in newest.values():
                if version.id not in gone:
                    self._enter(at, version, [each for each in ready if each.person == version.person])
            for bot in sorted((at.decisions.added.keys() & out) - at.decisions.out.keys()):
                at.withdraw(bot, out[bot], from_start=False)  # it was added while its author withdrew it
        self._tell_gone([version.bot for version in newest.values() if version.id in gone])
        self._brought = state
        return True

    def _tell_gone(self, bots: list[str]) -> None:
        """Tell the organiser once which bots have lost their files."""
        if bots and bots != self._gone:
            self._tell(f"The files of {', '.join(bots)} are gone: put them back, and they play")
        self._gone = bots

    def names(self) -> set[str]:
        """The names of the bots in the night, including versions.

        After a kill a database may have no tables: then there is no night yet.
        """
        if not self.database.exists():
            return set()
        with open_log(self.database) as store:
            return Office(last_night(store)).bots() if nights(store) else set()

    def _follow(self, at: Office, versions: Iterable[BotVersion]) -> None:
        """Tell the night where its versions are now, in case the place has moved."""
        added = at.decisions.added
        for version in versions:
            entry, place = added.get(version.bot, {}), self.hand_ins.files(version).resolve()
            if _is_in(place, entry) and entry["cwd"] != str(place):
                at.follow(version.bot, place)

    def _enter(self, at: Office, version: BotVersion, own: Sequence[BotVersion]) -> None:
        folder = self.hand_ins.files(version)
        if version.bot not in at.bots():
            try:
                at.add(
                    {"path": folder.name, "name": version.bot}, folder.parent
                )  # a complete path may look like a pattern
            except DirectorError as error:
                said = "The night does not take it. The organiser sees why. Hand it in again."
                self.refuse(version, f"cannot play: {error}", said)
                return
        elif not _is_in(folder, at.decisions.added.get(version.bot, {})):
            said = "The night has another bot of this name. Hand it in again: it gets another one."
            self.refuse(version, "cannot play: the night has another bot of this name", said)
            return
        for older in own:
            if older.id != version.id and older.bot in at.bots() and older.bot not in at.decisions.out:
                at.withdraw(older.bot, f"{BY_NEWER} {version.number}", from_start=False)


def _is_in(folder: Path, entry: Mapping[str, Any]) -> bool:
    """Whether a night's bot is the one in a version's folder, which may have moved."""
    return PurePath(entry.get("cwd", "")).parts[-2:] == folder.parts[-2:]
