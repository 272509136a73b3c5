"""A bot's own luck: a `random.Random` that is cheap to seed for every question."""

from __future__ import annotations

from hashlib import sha256
from random import Random
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from _typeshed import SupportsLenAndGetItem

T = TypeVar("T")
BITS: Final = 256
FRACTION_BITS: Final = 53
"""The random bits in a float from 0 to 1."""
NONE: Final = -1
"""Marks that no bits are left: a number of bits below what any call needs."""


class QuestionRng(Random):
    """Draws from the bits of a hash, lowest first, then from `Random(hash)`.

    Most bots draw little or nothing for a question. Seeding the Mersenne Twister takes
    longer than all their other work for it. The object becomes a plain `Random` when
    the bits run out, or when its state is read. So a search that draws thousands of
    numbers is as quick as ever. docs/chance.md has the algorithm with test vectors.
    """

    digest = bytes(32)
    _bits = 0
    _left = NONE

    gauss_next: float | None
    """The second of the two normal numbers that `Random` makes at once."""

    def __init__(self) -> None:
        """No seed yet: `begin` sets it."""

    def begin(self, rng_seed: bytes, question: int) -> None:
        """Restart for question number `question` of the bot with that seed.

        The object may have become a plain `Random` since the last question.
        """
        self.__class__ = QuestionRng
        self.digest = digest = sha256(rng_seed + question.to_bytes(8, "big")).digest()
        self._bits = int.from_bytes(digest, "big")
        self._left = BITS
        self.gauss_next = None

    def getrandbits(self, k: int, /) -> int:
        if not 0 <= k <= self._left:
            return _twister(self).getrandbits(k)
        bits = self._bits
        self._bits = bits >> k
        self._left -= k
        return bits & (1 << k) - 1

    def random(self) -> float:
        if self._left < FRACTION_BITS:
            return _twister(self).random()
        return self.getrandbits(FRACTION_BITS) * 2.0**-FRACTION_BITS

    def choice(self, seq: SupportsLenAndGetItem[T]) -> T:
        """Like `Random.choice`, with one call instead of four: bots use it most."""
        size = len(seq)
        k = size.bit_length()
        bits, left = self._bits, self._left
        while 0 < k <= left:
            pick = bits & (1 << k) - 1
            bits >>= k
            left -= k
            if pick < size:
                self._bits, self._left = bits, left
                return seq[pick]
        return Random.choice(self, seq)  # it may have become a plain `Random`

    def seed(self, *args: Any, **kwargs: Any) -> None:
        self._left = NONE
        self.__class__ = Random  # type: ignore[assignment]  # both have the same layout
        self.seed(*args, **kwargs)

    def getstate(self) -> tuple[Any, ...]:
        return _twister(self).getstate()

    def setstate(self, state: tuple[Any, ...]) -> None:
        _twister(self).setstate(state)


def _twister(rng: QuestionRng) -> Random:
    """The generator as a plain `Random`, without the bits of the hash.

    It may be one already: callers may still use its old methods.
    """
    if rng.__class__ is QuestionRng:
        rng.seed(rng.digest)
    return rng
