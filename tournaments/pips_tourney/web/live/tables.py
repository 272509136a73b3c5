"""The tables in progress, and the boards of some of them.

The boards come from the referees on this machine. While there are spectators, the
referees are asked once a second for all of them.

Referees report what every seat sees. They send no hidden card unless the organiser
allows it. But a card that is open in one match may be hidden in another of the same
deal. So a board is drawn only if its match is the last one of the deal.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pips_referee.game import get_game
from pips_referee.service.tokens import OrganiserDoor
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.web.live.crowd import Crowd, encoded
from pips_tourney.web.live.updates import Live

if TYPE_CHECKING:
    from pips_tourney.web.live.onlooker import Onlooker
    from pips_tourney.web.match.frames import Camera

LOOK_S: Final = 1.0
"""Seconds between two requests to the referees."""
MOST_BOARDS: Final = 6
"""The most tables drawn at once."""


@dataclass(slots=True)
class Followed:
    """A match that is drawn."""

    fixture: Fixture
    camera: Camera
    next: int = 0
    """The position from which the referee continues."""
    say: str = ""
    """The last event, in words."""

    def shown(self) -> dict[str, Any]:
        of = self.fixture
        return {
            "id": of.match_id,
            "contest": of.part,
            "game": of.contest.game,
            "names": list(of.seating),
            "say": self.say,
            "table": self.camera.table,
        }


class Tables:
    """The tables as the runner has reported them, and their spectators.

    Without spectators, the referees are not asked.
    """

    def __init__(self, live: Live, *, open_cards: bool) -> None:
        self._live = live
        self._open_cards = open_cards
        self.crowd = Crowd()
        self._doors: list[OrganiserDoor] = []
        self._referees: dict[OrganiserDoor, Onlooker] = {}
        self._followed: dict[str, Followed] = {}
        self.told: list[dict[str, Any]] | None = None
        """The matches in progress. None if they are not known."""
        self._news = b""

    def hear(self, line: bytes) -> None:
        """Take a report of the runner."""
        said = json.loads(line)
        self.told = said["tables"]
        self._doors = [OrganiserDoor(*door) for door in said["referees"]]
        self._live.hear_lobby(said.get("lobby"))

    def over(self) -> None:
        """Record that the runner reports no more."""
        self.told, self._doors = None, []
        self._followed.clear()
        self.crowd.tell(self._encoded())

    async def keep_looking(self) -> None:
        """Look and send news while there are spectators. Never ends."""
        while True:
            await self.crowd.somebody()
            await self.look()
            await asyncio.sleep(self.crowd.pause_s(LOOK_S))

    async def look(self) -> None:
        """Look once. Spectators get any news."""
        referees = await self._reached()
        under_way = await asyncio.gather(*(referee.under_way() for referee in referees))
        running = [match_id for ids in under_way for match_id in ids]
        shown = {fixture.match_id: fixture for fixture in await self._live.ask(lambda: self._may_be_shown(running))}
        for match_id in self._followed.keys() - shown:
            del self._followed[match_id]
        new = [match_id for match_id in shown if match_id not in self._followed]
        for match_id in new[: MOST_BOARDS - len(self._followed)]:
            self._followed[match_id] = _followed(shown[match_id])
        await asyncio.gather(*map(self._follow, referees, under_way))
        news = self._encoded()
        if news != self._news:
            self._news = news
            self.crowd.tell(news)

    async def spectate(self) -> AsyncGenerator[bytes, None]:
        """The current tables, then all changes."""
        queue = self.crowd.join()
        try:
            yield self._encoded()
            async with aclosing(self.crowd.news(queue)) as news:
                async for piece in news:
                    yield piece
        finally:
            self.crowd.leave(queue)

    async def close(self) -> None:
        self._doors = []
        await self._reached()

    async def _reached(self) -> list[Onlooker]:
        """Connections to the current referees."""
        for door in self._referees.keys() - self._doors:
            await self._referees.pop(door).close()
        for door in self._doors:
            if door not in self._referees:
                self._referees[door] = _reached(door)
        return [*self._referees.values()]

    def _may_be_shown(self, running: Sequence[str]) -> list[Fixture]:
        """The matches whose cards may be seen now.

        After a decision, other matches of their deals may be played again.
        """
        archive = self._live.watch.archive
        known = [archive.schedule[match_id] for match_id in running if match_id in archive.schedule]
        return [each for each in known if self._open_cards or archive.is_last_of_its_deal(each.match_id)]

    async def _follow(self, referee: Onlooker, under_way: Sequence[str]) -> None:
        """Get the new events at a referee's tables that are drawn."""
        here = {match_id: self._followed[match_id].next for match_id in under_way if match_id in self._followed}
        for news in await referee.look(here, open_cards=self._open_cards) if here else ():
            followed = self._followed[news.match_id]
            followed.next = news.next
            for event in news.events(followed.fixture.contest.game):
                followed.say = followed.camera.event(event)["say"]

    def _encoded(self) -> bytes:
        boards = [followed.shown() for followed in self._followed.values() if followed.next]
        shown = None if self.told is None else {"list": self.told, "boards": boards, "open": self._open_cards}
        return encoded([("tables", json.dumps(shown, separators=(",", ":")))])


def _reached(door: OrganiserDoor) -> Onlooker:
    from pips_tourney.web.live.onlooker import Onlooker  # imported with gRPC, for the first spectator

    return Onlooker(door)


def _followed(fixture: Fixture) -> Followed:
    from pips_tourney.web.match.frames import Camera  # imported with the games, for the first spectator

    contest = fixture.contest
    return Followed(fixture, Camera(contest.game, get_game(contest.game).options(contest.options), fixture.seating))
