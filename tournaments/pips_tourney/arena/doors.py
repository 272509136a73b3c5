"""The sockets of an arena's bots: one per process, so that none can flood another's."""

from __future__ import annotations

from contextlib import suppress
from itertools import count
from pathlib import Path

import grpc

from pips.v1 import referee_pb2, referee_pb2_grpc
from pips_referee.service.tokens import OrganiserDoor
from pips_referee.timing.standstill import patience

OPEN_S = 10.0
"""The referee's timeout for opening a socket."""


class DoorError(Exception):
    """The referee did not open a socket: a failure of the machine."""


class ArenaDoors:
    """Sockets that the referee opens and closes, in a folder of the arena."""

    def __init__(
        self, folder: Path, stub: referee_pb2_grpc.RefereeServiceAsyncStub, organiser: OrganiserDoor,
        *, for_others: bool,
    ) -> None:  # fmt: skip
        """Begin without sockets.

        `for_others` means that bots run as other users, who have to enter the folder.
        """
        self._folder, self._stub, self._metadata = folder, stub, organiser.metadata
        self._numbers = count()
        self._open: dict[str, Path] = {}
        folder.mkdir(mode=0o700)
        if for_others:
            folder.chmod(0o711)  # regardless of the umask

    async def open(self, process: str) -> Path:
        """Open a socket for the process; it replaces the socket of its predecessor."""
        await self.close(process)
        path = self._folder / str(next(self._numbers))
        request = referee_pb2.OpenDoorRequest(process=process, address=f"unix:{path}")
        try:
            async with patience(OPEN_S):
                await self._stub.OpenDoor(request, metadata=self._metadata)
            self._open[process] = path
            path.chmod(0o600)  # the keeper then makes the process's user its owner
        except grpc.aio.AioRpcError as error:
            raise DoorError(f"the referee opens no socket for {process}: {error.details()}") from None
        except TimeoutError:
            raise DoorError(f"the referee opens no socket for {process}: it took {OPEN_S:g} s") from None
        except OSError as error:
            raise DoorError(f"the socket of {process} cannot be closed to others: {error}") from None
        return path

    async def close(self, process: str) -> None:
        """Close an ended process's socket; whatever is still connected is cut off."""
        if (path := self._open.pop(process, None)) is not None:
            with suppress(grpc.aio.AioRpcError):  # then the referee is gone too
                request = referee_pb2.CloseDoorRequest(address=f"unix:{path}")
                await self._stub.CloseDoor(request, timeout=OPEN_S, metadata=self._metadata)
