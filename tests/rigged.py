"""Luck that does what a test wants: outcomes given by the name of their stream,
everything else from a fixed seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from pips_referee.chance import SEED_BYTES, Chance

T = TypeVar("T")


class RiggedChance(Chance):
    """A `Chance` whose named streams give what is written here.

    `RiggedChance({"deck/1": parse_cards("QS 10H"), "dice/0/1": (3, 5), "cut/1": 17})`:
    a deck begins with those cards and the rest of the pack follows in its own order;
    dice and indices are as given. `asked` collects every name that was drawn, so that a
    test can see that its rigging was used.
    """

    __slots__ = ("asked", "outcomes")

    def __init__(self, outcomes: Mapping[str, Sequence[object] | int], seed: bytes = bytes(SEED_BYTES)) -> None:
        super().__init__(seed)
        self.outcomes = dict(outcomes)
        self.asked: list[str] = []

    def shuffled(self, name: str, items: Sequence[T], first: int | None = None) -> list[T]:
        self.asked.append(name)
        if name not in self.outcomes:
            return super().shuffled(name, items, first)
        rest = list(items)
        start = self.outcomes[name]
        assert not isinstance(start, int), f"{name} is a shuffle: rig it with the cards it begins with"
        begins = [rest.pop(rest.index(item)) for item in start]  # type: ignore[arg-type]  # of equal items, any
        return (begins + rest)[:first]

    def dice(self, name: str, count: int = 2) -> tuple[int, ...]:
        self.asked.append(name)
        if name not in self.outcomes:
            return super().dice(name, count)
        dice = self.outcomes[name]
        assert not isinstance(dice, int) and len(dice) == count, f"{name} is {count} dice"
        return tuple(int(str(die)) for die in dice)

    def index(self, name: str, stop: int) -> int:
        self.asked.append(name)
        if name not in self.outcomes:
            return super().index(name, stop)
        index = self.outcomes[name]
        assert isinstance(index, int) and 0 <= index < stop, f"{name} is a number from 0 to {stop - 1}"
        return index
