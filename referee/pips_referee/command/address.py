"""Addresses as people write them: HOST:PORT, with or without brackets around IPv6."""

from __future__ import annotations

from ipaddress import ip_address
from typing import NamedTuple


class Address(NamedTuple):
    """A host, without brackets, and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the address."""
        return is_loopback(self.host)


def read_address(text: str, lowest: int = 1) -> Address | None:
    """Parse HOST:PORT; None if it is malformed or the port is below `lowest`."""
    host, _, digits = text.strip().rpartition(":")
    bare = host[1:-1] if host[:1] == "[" and host[-1:] == "]" else host
    if not bare or set(bare) & set("/[] \t\n") or not (digits.isascii() and digits.isdecimal()):
        return None
    if ":" in bare and not _is_ip(bare):
        return None
    return Address(bare, int(digits)) if len(digits) < 6 and lowest <= int(digits) < 65536 else None


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host, with or without brackets."""
    bare = host.strip("[]")
    return bare == "localhost" or (_is_ip(bare) and ip_address(bare).is_loopback)


def _is_ip(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
