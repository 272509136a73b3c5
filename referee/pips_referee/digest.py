"""SHA-256 by Python's own code: quick to load, and quicker for a few bytes.

`hashlib` loads OpenSSL, which takes a bot 3 ms of its start. It gives the same digests.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Final, Protocol

HOMES: Final = ("_sha2", "_sha256", "hashlib")
"""Where it is, in the order of preference: since Python 3.12, before that, always."""


class Sha256(Protocol):
    """What has taken some bytes in."""

    def digest(self) -> bytes: ...


class _MakeSha256(Protocol):
    def __call__(self, data: bytes, /) -> Sha256: ...


def _find() -> _MakeSha256:
    for home in HOMES:
        with suppress(ImportError):
            found: _MakeSha256 = import_module(home).sha256
            return found
    raise ImportError("this Python has no SHA-256")


sha256: Final = _find()
