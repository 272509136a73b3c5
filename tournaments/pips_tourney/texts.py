"""Many short texts, kept as one: each alone takes Python half a hundred bytes more."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import overload


class Texts(Sequence[str]):
    """A sequence of texts that only grows."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._whole = bytearray()
        self._ends = array("I", [0])
        for text in texts:
            self.append(text)

    def append(self, text: str) -> None:
        self._whole += text.encode()
        self._ends.append(len(self._whole))

    def now(self) -> Texts:
        """Those so far. They stay while this grows, and must not grow themselves."""
        those = Texts()
        those._whole, those._ends = self._whole, self._ends[:]
        return those

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[number] for number in range(len(self))[at]]
        number = range(len(self))[at]
        return self._whole[self._ends[number] : self._ends[number + 1]].decode()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Texts) or self._ends != other._ends:
            return False
        return self._whole[: self._ends[-1]] == other._whole[: other._ends[-1]]

    __hash__ = None  # type: ignore[assignment]  # it changes
