"""A bot's only stream: it sends, and waits for the next message.

gRPC's public calls pass every message between threads, so that a process can do
something else meanwhile. A bot has nothing else to do. So it polls its socket itself,
as gRPC's C core allows, which cuts a round trip by a third. The classes for this are
internal to grpcio. If they are missing, the public call is used.
"""

from __future__ import annotations

from queue import SimpleQueue
from typing import Any, Final, Protocol

from pips_sdk._runtime.contract import grpc
from pips_sdk._runtime.start import StartError

Options = tuple[tuple[str, Any], ...]
"""A channel's options, with gRPC's names."""

PLAY: Final = "/pips.v1.RefereeService/Play"
CHANNEL_OPTIONS: Final[Options] = (("grpc.max_receive_message_length", -1), ("grpc.enable_retries", 0))
_STATUS: Final[dict[int, grpc.StatusCode]] = {code.value[0]: code for code in grpc.StatusCode}
_SENT: Final = "sent"
_READ: Final = "read"
_ENDED: Final = "ended"


class Stream(Protocol):
    """A stream to the referee.

    Once the other side has ended it, messages are lost without an error, and `read`
    returns None.
    """

    def write(self, data: bytes) -> None:
        """Send a message."""

    def read(self, reply: bytes | None = None) -> bytes | None:
        """Send the reply, if there is one; return the next message.

        None if the stream has ended.
        """

    def end(self) -> tuple[grpc.StatusCode, str]:
        """The status of the ended stream, once all messages are read."""

    def close(self) -> None:
        """Leave the stream, even if it has not ended."""


def open_stream(address: str, ca: str | None, name: str | None) -> Stream:
    """A stream to the referee, with TLS if `ca` is not None: see `tls`.

    The first `read` shows whether a referee answers.
    """
    options, known = (CHANNEL_OPTIONS, None) if ca is None else tls(ca, name)
    try:
        return PolledStream(address, options, known)
    except (AttributeError, ImportError, TypeError):
        return PlainStream(address, options, known)


def tls(ca: str, name: str | None) -> tuple[Options, grpc.ChannelCredentials]:
    """The options and credentials to connect to a referee with TLS.

    The referee's certificate is for `name`, or otherwise for its host. `ca` is a file
    of PEM certificates to check it with, or "" for gRPC's default authorities.
    `StartError` if the file cannot be read.
    """
    try:
        known = grpc.ssl_channel_credentials(_content(ca) if ca else None)
    except OSError as error:
        raise StartError(f"the certificates in {ca} (PIPS_CA) cannot be read: {error.strerror}") from None
    named = (("grpc.ssl_target_name_override", name),) if name else ()
    return (*CHANNEL_OPTIONS, ("grpc.enable_http_proxy", 0), *named), known


def _content(file: str) -> bytes:
    with open(file, "rb") as opened:  # noqa: PTH123 - bots start faster without pathlib
        return opened.read()


class PolledStream:
    """A stream of gRPC's C core.

    The thread that waits for an event polls the socket. Every operation ends with an
    event.
    """

    def __init__(self, address: str, options: Options, known: grpc.ChannelCredentials | None) -> None:
        from grpc._cython import cygrpc  # type: ignore[attr-defined]

        self._send: Any = cygrpc.SendMessageOperation
        self._receive: Any = cygrpc.ReceiveMessageOperation(0)
        self._status: tuple[grpc.StatusCode, str] | None = None
        begin = (cygrpc.SendInitialMetadataOperation((), 0), cygrpc.ReceiveStatusOnClientOperation(0))
        hear = (cygrpc.ReceiveInitialMetadataOperation(0),)
        inner: Any = None if known is None else known._credentials  # type: ignore[attr-defined]  # noqa: SLF001
        self._channel: Any = cygrpc.Channel(address.encode(), options, inner)
        self._call: Any = self._channel.segregated_call(
            0, PLAY.encode(), None, None, (), None, ((begin, _ENDED), (hear, "")), None
        )

    def write(self, data: bytes) -> None:
        if self._status is None and self._call.operate((self._send(data, 0),), _SENT):
            self._wait_for(_SENT)

    def read(self, reply: bytes | None = None) -> bytes | None:
        operations = (self._receive,) if reply is None else (self._send(reply, 0), self._receive)
        if self._status is not None or not self._call.operate(operations, _READ):
            return None
        data: bytes | None = self._wait_for(_READ).batch_operations[-1].message()
        return data

    def end(self) -> tuple[grpc.StatusCode, str]:
        if self._status is None:
            self._wait_for(_ENDED)
        assert self._status is not None
        return self._status

    def close(self) -> None:
        self._channel.close(grpc.StatusCode.CANCELLED.value[0], "the bot has left")

    def _wait_for(self, tag: str) -> Any:
        while True:
            event = self._call.next_event()
            if event.tag == _ENDED:
                status = event.batch_operations[-1]
                self._status = _STATUS[status.code()], status.details() or ""
            if event.tag == tag:
                return event


class PlainStream:
    """A stream through gRPC's public call."""

    def __init__(self, address: str, options: Options, known: grpc.ChannelCredentials | None) -> None:
        self._out: SimpleQueue[bytes | None] = SimpleQueue()
        self._channel = (
            grpc.insecure_channel(address, options) if known is None else grpc.secure_channel(address, known, options)
        )
        play: Any = self._channel.stream_stream(PLAY)  # without serialisers: bytes out, bytes in
        self._call: Any = play(iter(self._out.get, None))

    def write(self, data: bytes) -> None:
        self._out.put(data)

    def read(self, reply: bytes | None = None) -> bytes | None:
        if reply is not None:
            self.write(reply)
        try:
            data: bytes = next(self._call)
        except (StopIteration, grpc.RpcError):
            return None
        return data

    def end(self) -> tuple[grpc.StatusCode, str]:
        return self._call.code(), self._call.details() or ""

    def close(self) -> None:
        self._out.put(None)
        self._channel.close()
