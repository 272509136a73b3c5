"""The night's secret and everything drawn from it: seeds, nonces, the order of play.

Each is an HMAC-SHA256 over the canonical JSON of its purpose. So nothing that a bot
receives is equal or linked in two matches of one deal. Once the secret is revealed,
everything can be reproduced. The key is the secret. If a beacon was named beforehand,
the key is made from the secret and the beacon's text.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from pips_referee.written import written_text
from pips_tourney.errors import TourneyError

SECRET_BYTES: Final = 32
BEACON_VERSION: Final = 1
_canonical: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


class SecretError(TourneyError):
    """A secret file that does not hold a secret."""


def canonical(value: object) -> bytes:
    """Write a JSON value in its only form: sorted keys, no spaces, UTF-8."""
    return _canonical(value).encode()


def as_json(part: Any) -> Any:
    """Dataclasses, mappings and sequences in the types of JSON.

    pydantic does the same, but first builds a serializer, for which a night would wait.
    """
    if part is None or isinstance(part, (str, int, float)):
        return part
    if isinstance(part, Mapping):
        return {name: as_json(value) for name, value in part.items()}
    if isinstance(part, Sequence):
        return [as_json(each) for each in part]
    return {each.name: as_json(getattr(part, each.name)) for each in fields(part)}


@dataclass(frozen=True, slots=True)
class Secret:
    """32 bytes, drawn once a night and revealed when the night is over.

    `beacon` is the text of a public beacon that was named beforehand; empty without
    one.
    """

    key: bytes
    beacon: str = ""
    _inner: bytes = field(init=False, repr=False, compare=False)
    _outer: bytes = field(init=False, repr=False, compare=False)
    """The key of every draw, padded and XORed with each of HMAC's two constants."""

    def __post_init__(self) -> None:
        mixed = hmac.digest(self.key, canonical(["beacon", BEACON_VERSION, self.beacon]), "sha256")
        padded = (mixed if self.beacon else self.key).ljust(sha256().block_size, b"\0")
        object.__setattr__(self, "_inner", bytes(byte ^ 0x36 for byte in padded))
        object.__setattr__(self, "_outer", bytes(byte ^ 0x5C for byte in padded))

    @staticmethod
    def draw() -> Secret:
        return Secret(secrets.token_bytes(SECRET_BYTES))

    @property
    def commitment(self) -> str:
        """The SHA-256 of the secret, in hexadecimal.

        It is published before the first match.
        """
        return sha256(self.key).hexdigest()

    def deal_seed(
        self,
        game: str,
        options: Mapping[str, object],
        combination: Sequence[Sequence[str]],
        suite_seed: str,
        redeal: int = 0,
    ) -> bytes:
        """The seed of all luck of a deal.

        A deal belongs to one combination of bots (name and fingerprint each). `redeal`
        is how often it was dealt anew.
        """
        return self._derive("seed", game, options, combination, suite_seed, *([redeal] if redeal else []))

    def nonce(self, match_id: str) -> bytes:
        return self._derive("nonce", match_id)

    def rng_seed(self, match_id: str, seat: int) -> bytes:
        """The seed of a bot's own randomness in one match."""
        return self._derive("bot", match_id, seat)

    def play_order(self, match_id: str) -> bytes:
        """Sort key of matches that are near each other in the schedule.

        The resulting order shows no bot which of them belong together.
        """
        return self._derive("order", match_id)

    def seed_order(self, contest: str, bot: str) -> bytes:
        """Sort key of a contest's bots that nothing else puts in order.

        It orders all bots in the first round of a knockout, and bots with equal results
        in every round of a Swiss tournament.
        """
        return self._derive("seeds", contest, bot)

    def luck_key(self, match_id: str, value_sha256: str) -> bytes:
        """The key of all redraws in a match's luck ledger, for one value function."""
        return self._derive("luck", match_id, value_sha256)

    def _derive(self, *what: object) -> bytes:
        # HMAC (RFC 2104) with prepared keys: it halves the time of five draws a match.
        return sha256(self._outer + sha256(self._inner + canonical(what)).digest()).digest()


def read_secret(path: Path) -> Secret:
    """Read a secret from a file: 64 hexadecimal digits.

    `SecretError` says how to make one.
    """
    try:
        key = bytes.fromhex(written_text(path).strip())
    except OSError as error:
        raise SecretError(f"{path}: {error.strerror}") from None
    except ValueError:
        key = b""
    if len(key) != SECRET_BYTES:
        raise SecretError(
            f"{path}: a secret file holds {2 * SECRET_BYTES} hexadecimal digits; "
            f'make one with: python -c "import secrets; print(secrets.token_hex({SECRET_BYTES}))" > {path}'
        )
    return Secret(key)
