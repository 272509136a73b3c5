"""Ask a referee of this machine for what spectators may see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import grpc

from pips.v1 import referee_pb2, referee_pb2_grpc
from pips_referee.game import Event
from pips_referee.service.tokens import OrganiserDoor
from pips_referee.wire import get_wire

PATIENCE_S: Final = 2.0
_NO_LIMITS: Final = [("grpc.max_receive_message_length", -1)]


@dataclass(frozen=True, slots=True)
class News:
    """The news of a match."""

    match_id: str
    next: int
    _message: referee_pb2.WatchedMatch

    def events(self, game: str) -> Iterator[Event]:
        wire = get_wire(game)
        return (wire.read_event(event) for event in self._message.events)


class Onlooker:
    """The connection to one referee.

    A referee that does not answer is ending, and so has no matches in progress.
    """

    def __init__(self, door: OrganiserDoor) -> None:
        self._metadata = door.metadata
        self._channel = grpc.aio.insecure_channel(door.address, options=_NO_LIMITS)
        self._stub = referee_pb2_grpc.RefereeServiceStub(self._channel)

    async def under_way(self) -> Sequence[str]:
        """The ids of the place's matches in progress."""
        return (await self._watch(referee_pb2.WatchRequest())).under_way

    async def look(self, start: Mapping[str, int], *, open_cards: bool) -> list[News]:
        """The news of these matches, each from its position on."""
        matches = [referee_pb2.Watched(match_id=match_id, start=place) for match_id, place in start.items()]
        response = await self._watch(referee_pb2.WatchRequest(matches=matches, open_cards=open_cards))
        return [News(message.match_id, message.next, message) for message in response.matches]

    async def _watch(self, request: referee_pb2.WatchRequest) -> referee_pb2.WatchResponse:
        try:
            return await self._stub.Watch(request, timeout=PATIENCE_S, metadata=self._metadata)
        except grpc.aio.AioRpcError:
            return referee_pb2.WatchResponse()

    async def close(self) -> None:
        await self._channel.close()
