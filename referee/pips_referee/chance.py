"""All luck of a match, drawn from one seed in named streams.

A stream's bytes are SHA-256 in counter mode over the seed and the stream's name. So
luck depends on its purpose ("dice/2/17": seat 2's 17th roll), never on when it is
drawn. The same deal gives the same luck to the same seat, whatever the others do. A
`Chance` has no state. A stream opened twice gives the same bytes twice, so states of a
game can be copied freely. docs/chance.md has the algorithm, with test vectors.
"""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from hashlib import sha256
from struct import Struct
from typing import Final, NamedTuple, Protocol, TypeVar

T = TypeVar("T")
SEED_BYTES: Final = 32
_FIRST_BLOCK: Final = bytes(8)
_EIGHT_WORDS: Final = Struct(">8I").unpack
_TWO_WORDS: Final = Struct(">2I24x").unpack
_WORDS: Final = 1 << 32


def _limit(stop: int) -> int:
    """The largest multiple of `stop` in a word; words above favour small numbers."""
    return _WORDS - _WORDS % stop


_DICE_LIMIT: Final = _limit(6)


class Rng(Protocol):
    """The luck of a random player; `random.Random` and `Stream` both are one."""

    def randrange(self, stop: int, /) -> int: ...

    def choice(self, seq: Sequence[T], /) -> T: ...

    def shuffle(self, x: MutableSequence[T], /) -> None: ...


class Stream:
    """One named stream: integers by rejection, shuffles by Fisher-Yates from 0 on."""

    __slots__ = ("_block", "_key", "_words")

    def __init__(self, seed: bytes, name: str) -> None:
        self._key = seed + name.encode()
        self._block = 0
        self._words: list[int] = []

    def _next_block(self) -> list[int]:
        """The next eight words, the first of them last."""
        digest = sha256(self._key + self._block.to_bytes(8, "big")).digest()
        self._block += 1
        self._words = words = [*_EIGHT_WORDS(digest)]
        words.reverse()
        return words

    def randrange(self, stop: int, /) -> int:
        """A uniform integer from 0 to stop - 1, for stop up to 2**32."""
        while (word := (self._words or self._next_block()).pop()) > _WORDS - stop and word >= _limit(stop):
            pass  # nearly always the first comparison is enough
        return word % stop

    def choice(self, seq: Sequence[T], /) -> T:
        return seq[self.randrange(len(seq))]

    def shuffle(self, x: MutableSequence[T], first: int | None = None, /) -> None:
        """Shuffle in place; with `first`, only the first `first` places."""
        size = len(x)
        words = self._words
        for place in range(size - 1 if first is None else min(first, size - 1)):
            stop = size - place  # randrange(stop), without a call for each card
            while (word := (words or (words := self._next_block())).pop()) > _WORDS - stop and word >= _limit(stop):
                pass
            other = place + word % stop
            x[place], x[other] = x[other], x[place]


class Chance:
    """The luck of one match. Immutable; `seed` is 32 bytes."""

    __slots__ = ("seed",)

    def __init__(self, seed: bytes) -> None:
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a seed is {SEED_BYTES} bytes, not {len(seed)}")
        self.seed = seed

    @classmethod
    def fresh(cls, rng: Rng) -> Chance:
        """Luck with a seed drawn from `rng`."""
        return cls(b"".join([rng.randrange(1 << 32).to_bytes(4, "big") for _ in range(SEED_BYTES // 4)]))

    def stream(self, name: str) -> Stream:
        """The stream of that name, from its beginning."""
        return Stream(self.seed, name)

    def shuffled(self, name: str, items: Sequence[T], first: int | None = None) -> list[T]:
        """A shuffled copy; with `first`, only the first `first` items: cheaper."""
        shuffled = list(items)
        self.stream(name).shuffle(shuffled, first)
        return shuffled[:first]

    def dice(self, name: str, count: int = 2) -> tuple[int, ...]:
        """The values of `count` six-sided dice, in the order they fell."""
        if count == 2:  # nearly always: the first two words, without a stream
            first, second = _TWO_WORDS(sha256(self.seed + name.encode() + _FIRST_BLOCK).digest())
            if first < _DICE_LIMIT and second < _DICE_LIMIT:
                return first % 6 + 1, second % 6 + 1
        stream = self.stream(name)
        return tuple([stream.randrange(6) + 1 for _ in range(count)])

    def index(self, name: str, stop: int) -> int:
        """One integer from 0 to stop - 1: a cut, a drawn card."""
        return self.stream(name).randrange(stop)


class Drawn(NamedTuple):
    """One outcome of luck: the stream's name, and the draw."""

    stream: str
    outcome: tuple[object, ...] | int
    """Shuffled items, dice or index; for a plain stream its integers and shuffles."""


class TracedChance(Chance):
    """The luck of another `Chance`; records every outcome in the order drawn."""

    __slots__ = ("_chance", "_notes")

    def __init__(self, chance: Chance) -> None:
        super().__init__(chance.seed)
        self._chance = chance
        self._notes: list[tuple[str, list[object] | tuple[object, ...] | int]] = []

    def take_drawn(self) -> tuple[Drawn, ...]:
        """The outcomes since the last call."""
        notes, self._notes = self._notes, []
        return tuple([Drawn(name, tuple(noted) if isinstance(noted, list) else noted) for name, noted in notes])

    def stream(self, name: str) -> Stream:
        noted: list[object] = []
        self._notes.append((name, noted))
        return _TracedStream(self.seed, name, noted)

    def shuffled(self, name: str, items: Sequence[T], first: int | None = None) -> list[T]:
        shuffled = self._chance.shuffled(name, items, first)
        self._notes.append((name, tuple(shuffled)))
        return shuffled

    def dice(self, name: str, count: int = 2) -> tuple[int, ...]:
        dice = self._chance.dice(name, count)
        self._notes.append((name, dice))
        return dice

    def index(self, name: str, stop: int) -> int:
        index = self._chance.index(name, stop)
        self._notes.append((name, index))
        return index


class _TracedStream(Stream):
    __slots__ = ("_noted",)

    def __init__(self, seed: bytes, name: str, noted: list[object]) -> None:
        super().__init__(seed, name)
        self._noted = noted

    def randrange(self, stop: int, /) -> int:
        number = super().randrange(stop)
        self._noted.append(number)
        return number

    def shuffle(self, x: MutableSequence[T], first: int | None = None, /) -> None:
        super().shuffle(x, first)
        self._noted.append(tuple(x[:first]))
