"""By what a bot's process proves its name."""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import Final

_MAC_BYTES: Final = 32
_LAUNCH_BYTES: Final = 4


def issue_token(key: bytes, process: str, launch: int = 0) -> bytes:
    """The token by which a bot's process proves its name; `key` is the arena's 32 bytes.

    It is good for one hello: the next process of that name needs one with a higher `launch`.
    """
    claim = launch.to_bytes(_LAUNCH_BYTES, "big") + process.encode()
    return hmac.digest(key, claim, sha256) + claim


def read_token(key: bytes, token: bytes) -> tuple[str, int] | None:
    """The process and launch a token was issued for, or None when it was not issued with this key."""
    mac, claim = token[:_MAC_BYTES], token[_MAC_BYTES:]
    if not hmac.compare_digest(mac, hmac.digest(key, claim, sha256)):
        return None
    return claim[_LAUNCH_BYTES:].decode(), int.from_bytes(claim[:_LAUNCH_BYTES], "big")
