"""The address of the pages, and the token for visitors from other machines."""

from __future__ import annotations

import secrets
import socket

from pips_referee.command.address import Address, is_loopback
from pips_tourney.errors import TourneyError


class AddressTaken(TourneyError):
    """Nothing can be served at that address."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens at that address. `AddressTaken` says why it cannot."""
    host = host.strip("[]")
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise AddressTaken(f"nothing can be served at {host}, port {port}: {error.strerror or error}") from None


def token_for(host: str) -> str | None:
    """A new token, if other machines can reach the pages."""
    return None if is_loopback(host) else secrets.token_urlsafe(16)


def link(listener: socket.socket, token: str | None, page: str = "", secure: bool = False) -> str:
    """The link to open in a browser."""
    host, port = listener.getsockname()[:2]
    host = shown_host(host)
    where = f"http{'s' * secure}://{Address(host, port)}/{page}"
    return where if token is None else f"{where}?token={token}"


def shown_host(host: str) -> str:
    """The host in links to an address that is listened at.

    For all addresses it is this machine's own, because laptops rarely know its name.
    """
    if host == "0.0.0.0":  # noqa: S104 - compared, not bound
        return own_address()
    return socket.gethostname() if host == "::" else host


def resolved(host: str) -> str:
    """The address at which a socket for that host listens, or the host if unknown."""
    host = host.strip("[]")
    try:
        return str(socket.getaddrinfo(host, 0, socket.AF_INET6 if ":" in host else socket.AF_INET)[0][4][0])
    except OSError:
        return host


def own_address() -> str:
    """The address at which other machines most likely reach this one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as trial:
        try:
            trial.connect(("192.0.2.1", 9))  # nothing is sent: this only determines the route
            return str(trial.getsockname()[0])
        except OSError:
            return socket.gethostname()
