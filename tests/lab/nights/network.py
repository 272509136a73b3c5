"""A simulated network: streams of bytes with delays and cuts, below gRPC's place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, NoReturn

import grpc

PlayCall = Callable[[AsyncIterator[bytes], Any], Any]
IN_ORDER_S: Final = 1e-6
"""Between two messages of one direction, for a loop keeps no order at one moment."""
Passes = Callable[[str], None]
"""Called with the name of each point that something passes."""


class Cut(grpc.aio.BaseError):
    """The stream is lost."""


class Aborted(Exception):
    """The referee ended a call."""

    def __init__(self, code: grpc.StatusCode, details: str) -> None:
        super().__init__(details)
        self.code, self.details = code, details


def rpc_error(details: str, code: grpc.StatusCode = grpc.StatusCode.UNAVAILABLE) -> grpc.aio.AioRpcError:
    """What gRPC raises for a call that failed."""
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), details)


class Direction:
    """One direction of a stream; messages keep their order."""

    def __init__(self, delay_s: Callable[[], float], passes: Callable[[], None] = lambda: None) -> None:
        self._delay_s, self._passes = delay_s, passes
        self._messages: asyncio.Queue[bytes | Cut | None] = asyncio.Queue()
        self._last_s = 0.0
        self.is_cut = False
        self.is_silent = False
        """What is sent is lost without a word: the stream is half-open."""

    def send(self, data: bytes | Cut | None) -> None:
        """Send a message; None is the stream's end."""
        self._passes()
        if self.is_cut or (self.is_silent and isinstance(data, bytes)):
            return
        loop = asyncio.get_running_loop()
        self._last_s = max(self._last_s + IN_ORDER_S, loop.time() + self._delay_s())
        loop.call_at(self._last_s, self._messages.put_nowait, data)

    def cut(self) -> None:
        """Lose the stream: what is under way does not arrive."""
        self.is_cut = True
        self._messages.put_nowait(Cut())

    def __aiter__(self) -> Direction:
        return self

    async def __anext__(self) -> bytes:
        message = await self._messages.get()
        if message is None:
            raise StopAsyncIteration
        if isinstance(message, Cut):
            raise message
        return message


class Line:
    """A stream between a bot and its referee; its referee's side is a gRPC context."""

    def __init__(self, delay_s: Callable[[], float], passes: Passes = lambda _: None, peer: str = "unix:") -> None:
        self.to_bot = Direction(delay_s, lambda: passes("asked"))
        self.to_referee = Direction(delay_s, lambda: passes("answered"))
        self._peer = peer

    def cut(self) -> None:
        """Cut both directions."""
        self.to_bot.cut()
        self.to_referee.cut()

    def peer(self) -> str:
        return self._peer

    def invocation_metadata(self) -> tuple[()]:
        return ()

    async def send_initial_metadata(self, metadata: tuple[()]) -> None:
        pass

    async def write(self, data: bytes) -> None:
        if self.to_bot.is_cut:
            raise Cut
        self.to_bot.send(data)

    async def abort(self, code: grpc.StatusCode, details: str) -> NoReturn:
        raise Aborted(code, details)


class Network:
    """The doors of a simulated machine, and the streams through them."""

    def __init__(self, delay_s: Callable[[], float], passes: Passes) -> None:
        self.delay_s, self._passes = delay_s, passes
        self._doors: dict[str, PlayCall] = {}
        self.lines: dict[Line, str] = {}
        """The address of each living stream."""
        self.calls: set[asyncio.Task[None]] = set()

    def listen(self, address: str, play: PlayCall) -> None:
        """Open a door."""
        self._doors[address] = play

    def close(self, address: str) -> None:
        """Close a door, and cut all streams through it."""
        self._doors.pop(address, None)
        for line, at in list(self.lines.items()):
            if at == address:
                line.cut()

    def doors(self) -> list[str]:
        """The addresses at which somebody listens."""
        return list(self._doors)

    def reset(self) -> None:
        """Begin without doors and streams."""
        self._doors.clear()
        self.lines.clear()
        self.calls.clear()

    def dial(self, address: str, peer: str = "unix:", far_s: float = 0.0) -> Line:
        """Open a stream; `Cut` if nobody listens at the address.

        `far_s` is the way's length.
        """
        self._passes("dialled")
        if address not in self._doors:
            raise Cut(f"nobody listens at {address}")
        line = Line(lambda: self.delay_s() + far_s, self._passes, peer)
        self.lines[line] = address
        call = asyncio.get_running_loop().create_task(self._serve(self._doors[address], line))
        self.calls.add(call)
        call.add_done_callback(self.calls.discard)
        return line

    async def _serve(self, play: PlayCall, line: Line) -> None:
        try:
            await play(line.to_referee, line)
        except (Aborted, Cut):
            pass
        finally:
            self.lines.pop(line, None)
            line.to_bot.send(None)
