"""Connections by hand: HTTP/2 streams to a referee that never say hello."""

from __future__ import annotations

import socket
import ssl
from contextlib import suppress

PLAY = "/pips.v1.RefereeService/Play"
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_SETTINGS, _HEADERS, _END_HEADERS = 4, 1, 4


def streams(count: int, path: str = PLAY) -> bytes:
    """Return the opening bytes of a connection with `count` silent streams."""
    fields = {
        ":method": "POST", ":scheme": "http", ":path": path, ":authority": "localhost",
        "te": "trailers", "content-type": "application/grpc",
    }  # fmt: skip
    block = b"".join(b"\0" + _text(name) + _text(value) for name, value in fields.items())
    begun = [_frame(_HEADERS, _END_HEADERS, 2 * number + 1, block) for number in range(count)]
    return _PREFACE + _frame(_SETTINGS, 0, 0, b"") + b"".join(begun)


def crowd(address: str | tuple[str, int], connections: int, begin: bytes = b"") -> list[socket.socket]:
    """Open many connections to a Unix socket or port; send these bytes on each."""
    made = []
    for _ in range(connections):
        with suppress(OSError):  # refused: that is what is tested
            made.append(connect(address))
            made[-1].sendall(begin)
    return made


def connect(address: str | tuple[str, int], tls: ssl.SSLContext | None = None) -> socket.socket:
    stranger = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
    stranger.settimeout(20)
    stranger.connect(address)
    return stranger if tls is None else tls.wrap_socket(stranger, server_hostname="localhost")


def alive(strangers: list[socket.socket]) -> int:
    """Return how many of them the other end has not closed."""
    return sum(map(_is_alive, strangers))


def _is_alive(stranger: socket.socket) -> bool:
    stranger.setblocking(False)
    try:
        while stranger.recv(1 << 16):
            pass
    except (BlockingIOError, ssl.SSLWantReadError):
        return True
    except OSError:
        return False
    return False


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def _text(text: str) -> bytes:
    return bytes([len(text)]) + text.encode()
