"""How a bot's process proves its name, and how an organiser proves its role."""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import Final, NamedTuple

_MAC_BYTES: Final = 32
_LAUNCH_BYTES: Final = 4
_ORGANISER: Final = b"the organiser of the night"
"""The organiser's claim. No bot has it: the launch number would be 1,952,998,688."""
AUTHORIZATION: Final = "authorization"
"""The metadata key for the organiser's token."""


class OrganiserDoor(NamedTuple):
    """The address for a referee's organiser, and the token that it requires."""

    address: str
    token: str

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The metadata to send with every call."""
        return ((AUTHORIZATION, f"Bearer {self.token}"),)


def organiser_token(key: bytes) -> str:
    """The organiser's token, as text; `key` is the referee's 32 bytes.

    It opens every hidden card of the night. So it travels by an inherited descriptor or
    a pipe, never in a command line. No bot can derive it from its own token.
    """
    return hmac.digest(key, _ORGANISER, sha256).hex()


def issue_token(key: bytes, process: str, launch: int = 0) -> bytes:
    """The token with which a bot's process proves its name.

    `key` is the arena's 32 bytes. The token is good for one hello. The next process of
    that name needs a token with a higher `launch`.
    """
    claim = launch.to_bytes(_LAUNCH_BYTES, "big") + process.encode()
    return hmac.digest(key, claim, sha256) + claim


def read_token(key: bytes, token: bytes) -> tuple[str, int] | None:
    """The process and launch of a token; None if this key did not issue it."""
    mac, claim = token[:_MAC_BYTES], token[_MAC_BYTES:]
    if not hmac.compare_digest(mac, hmac.digest(key, claim, sha256)):
        return None
    return claim[_LAUNCH_BYTES:].decode(), int.from_bytes(claim[:_LAUNCH_BYTES], "big")
