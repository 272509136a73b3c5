"""Invites short enough to read aloud: 13 letters and digits, or 24.

A code contains a secret. If bots dial in, it also contains a mark of the host's
certificate, which is itself too long for a code. The player's machine recognises the
certificate by its mark.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from functools import cached_property
from hashlib import scrypt, sha256
from typing import Final

from pips_tourney.errors import TourneyError

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Without I, L, O and U, which are easily misread."""
MISREAD: Final = str.maketrans("ILO", "110", "- \t\r\n")
SHORT_BYTES: Final = 8
MARK_BYTES: Final = 7
SHORT_LETTERS: Final = 13
LETTERS: Final = (SHORT_BYTES + MARK_BYTES) * 8 // 5
GROUP: Final = 4
SECRET_BYTES: Final = 16
COST: Final = 1 << 14
"""The scrypt cost of one guess: about 50 ms.

It makes so short a secret safe against somebody who tries all values.
"""


class InviteError(TourneyError):
    """An invite that cannot be read or made."""


@dataclass(frozen=True)
class Code:
    """An invite as a person receives it: a short secret, and the mark of a host."""

    short: bytes
    mark: bytes = b""

    def __str__(self) -> str:
        number, letters = int.from_bytes(self.short + self.mark, "big"), ""
        for _ in range(LETTERS if self.mark else SHORT_LETTERS):
            number, letter = divmod(number, len(ALPHABET))
            letters = ALPHABET[letter] + letters
        return "-".join(letters[start : start + GROUP] for start in range(0, len(letters), GROUP))

    @staticmethod
    def read(text: str) -> Code:
        """Parse a code, however its letters are grouped. Raises `InviteError`."""
        letters = text.upper().translate(MISREAD)
        length = {SHORT_LETTERS: SHORT_BYTES, LETTERS: SHORT_BYTES + MARK_BYTES}.get(len(letters), 0)
        number = 0
        for letter in letters if set(letters) <= set(ALPHABET) else "":
            number = number << 5 | ALPHABET.index(letter)
        if not 0 < number < 1 << 8 * length:
            raise InviteError(
                f"this is no code of an invite, which has {SHORT_LETTERS} or {LETTERS} letters and digits: "
                "copy it again, whole"
            )
        data = number.to_bytes(length, "big")
        return Code(data[:SHORT_BYTES], data[SHORT_BYTES:])

    @cached_property
    def secret(self) -> bytes:
        """What the bot shows its host: a longer secret, derived from the short one."""
        return scrypt(self.short, salt=b"pips invite", n=COST, r=8, p=1, dklen=SECRET_BYTES)

    @property
    def sha256(self) -> str:
        return sha256(self.secret).hexdigest()


def new_code(mark: bytes = b"") -> Code:
    """A random code for a host with this mark."""
    return Code(secrets.token_bytes(SHORT_BYTES), mark)


def mark_of(certificate: bytes) -> bytes:
    """The mark of a certificate in DER, for use in codes."""
    return scrypt(certificate, salt=b"pips host", n=COST, r=8, p=1, dklen=MARK_BYTES)
