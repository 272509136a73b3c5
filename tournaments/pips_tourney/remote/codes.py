"""Invites so short that they can be read aloud: 24 letters and digits.

A code holds a secret and a mark. By the mark the player's machine recognises the
certificate that the host shows, which a code is too short to hold.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from functools import cached_property
from hashlib import scrypt, sha256
from typing import Final

from pips_tourney.errors import TourneyError

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Without I, L, O and U, which are misread."""
MISREAD: Final = str.maketrans("ILO", "110", "- \t\r\n")
SHORT_BYTES: Final = 8
MARK_BYTES: Final = 7
LETTERS: Final = (SHORT_BYTES + MARK_BYTES) * 8 // 5
GROUP: Final = 4
SECRET_BYTES: Final = 16
COST: Final = 1 << 14
"""What a guess costs: some 50 ms.

So few bytes are enough against somebody who tries them all.
"""


class InviteError(TourneyError):
    """An invite that cannot be read or made."""


@dataclass(frozen=True)
class Code:
    """An invite, as a player is given it: a short secret, and the mark of the host."""

    short: bytes
    mark: bytes

    def __str__(self) -> str:
        number = int.from_bytes(self.short + self.mark, "big")
        letters = "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(LETTERS)))
        return "-".join(letters[start : start + GROUP] for start in range(0, LETTERS, GROUP))

    @staticmethod
    def read(text: str) -> Code:
        """The code in a text, however it is grouped. Raises `InviteError`."""
        letters = text.upper().translate(MISREAD)
        if len(letters) != LETTERS or not set(letters) <= set(ALPHABET):
            raise InviteError("this is no code of an invite, which has 24 letters and digits: copy it again, whole")
        number = 0
        for letter in letters:
            number = number << 5 | ALPHABET.index(letter)
        data = number.to_bytes(SHORT_BYTES + MARK_BYTES, "big")
        return Code(data[:SHORT_BYTES], data[SHORT_BYTES:])

    @cached_property
    def secret(self) -> bytes:
        """What the bot shows its host: longer than what the code holds."""
        return scrypt(self.short, salt=b"pips invite", n=COST, r=8, p=1, dklen=SECRET_BYTES)

    @property
    def sha256(self) -> str:
        return sha256(self.secret).hexdigest()


def new_code(certificate: bytes) -> Code:
    """A code that nobody can guess, for a host with this certificate in DER."""
    return Code(secrets.token_bytes(SHORT_BYTES), mark_of(certificate))


def mark_of(certificate: bytes) -> bytes:
    """What a code holds of a certificate in DER."""
    return scrypt(certificate, salt=b"pips host", n=COST, r=8, p=1, dklen=MARK_BYTES)
