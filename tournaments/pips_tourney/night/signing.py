"""The night's key: it signs what the organiser hands out (Ed25519, RFC 8032).

The private key is in its own file beside the database. The secret cannot replace it:
the secret is revealed at the night's end, and then anybody could sign.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Final

from pips_tourney.errors import TourneyError

KEY: Final = ".key"
"""The suffix of the key's file, after the database's name."""
KEY_BYTES: Final = 32


class KeyFileError(TourneyError):
    """There is no key to sign with."""


def new_key() -> bytes:
    """A new private key: 32 bytes."""
    return secrets.token_bytes(KEY_BYTES)


def public_of(key: bytes) -> str:
    """The public key, 64 hexadecimal digits."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(key).public_key().public_bytes_raw().hex()


def sign(key: bytes, message: bytes) -> str:
    """The signature, 128 hexadecimal digits."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(key).sign(message).hex()


def is_signed(public: str, message: bytes, signature: str) -> bool:
    """Whether the owner of this public key signed this message."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def key_file(database: Path) -> Path:
    """The path of a night's key."""
    return Path(f"{database}{KEY}")


def keep_key(database: Path, key: bytes) -> None:
    """Write the key of a night that begins, over the key of an earlier night."""
    write_private(key_file(database), key.hex())


def read_key(database: Path) -> bytes:
    """Read the key of a night; `KeyFileError` if its file is gone or holds no key."""
    file = key_file(database)
    try:
        key = bytes.fromhex(file.read_text(encoding="ascii").strip())
    except FileNotFoundError:
        raise KeyFileError(
            f"{file}: there is no such file, so nothing can be signed for this night; put it back where the night "
            "was played (nights of before this version have none)"
        ) from None
    except OSError as error:
        raise KeyFileError(f"{file}: {error.strerror}") from None
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise KeyFileError(f"{file}: this is no key of a night ({2 * KEY_BYTES} hexadecimal digits)")
    return key


def write_private(file: Path, text: str) -> None:
    """Write a file for its owner alone, whole or not at all.

    `KeyFileError` when it cannot be written.
    """
    new = file.with_name(f"{file.name}.new")
    try:
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as opened:
            opened.write(f"{text}\n")
            opened.flush()
            os.fsync(opened.fileno())
        new.replace(file)
    except OSError as error:
        raise KeyFileError(f"{file}: {error.strerror}") from None
