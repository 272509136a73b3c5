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
"""The random bits of a float from 0 to 1."""
NONE: Final = -1
"""Fewer bits than any call asks for."""


class QuestionRng(Random):
    """Draws from the bits of a hash, the lowest first, then as `Random(hash)`.

    Most bots draw little or nothing for a question. To seed the Mersenne Twister takes
    longer than all their other work on it. The object becomes a plain `Random` when the
    bits run out, or when its state is read. So a search that draws thousands of numbers
    is as quick as ever. docs/chance.md has the algorithm with test vectors.
    """

    digest = bytes(32)
    _bits = 0
    _left = NONE

    gauss_next: float | None
    """`Random` makes two normal numbers at once: the second of them."""

    def __init__(self) -> None:
        """Without a seed: `begin` gives it one."""

    def begin(self, rng_seed: bytes, question: int) -> None:
        """Begin anew for question number `question` of the bot with that seed.

        It may have become a plain `Random` meanwhile.
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
        """As `Random` does it, in one call and not in four: the draw of most bots."""
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
        return Random.choice(self, seq)  # it may be a plain `Random` by now

    def seed(self, *args: Any, **kwargs: Any) -> None:
        self._left = NONE
        self.__class__ = Random  # type: ignore[assignment]  # both have the same layout
        self.seed(*args, **kwargs)

    def getstate(self) -> tuple[Any, ...]:
        return _twister(self).getstate()

    def setstate(self, state: tuple[Any, ...]) -> None:
        _twister(self).setstate(state)


def _twister(rng: QuestionRng) -> Random:
    """The generator without its bits, as a plain `Random`.

    It may be one already: callers keep its methods while they draw.
    """
    if rng.__class__ is QuestionRng:
        rng.seed(rng.digest)
    return rng
