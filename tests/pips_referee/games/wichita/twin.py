"""Wichita once more, as plain and slow as the rulebook; it counts what decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, product

from pips_referee.cards import CARDS, KING, Card
from pips_referee.chance import Chance
from pips_referee.games.wichita.values import DrawOn, Lay, WichitaAction

Ranks = tuple[int, ...]
Dice = tuple[int, int]
Legal = set[Ranks] | set[bool]
"""The stacks that can be laid, or the answers to drawing on."""
Turns = Generator[Legal, WichitaAction, None]


def ranks_of(cards: Iterable[Card]) -> Ranks:
    return tuple(sorted(card.rank for card in cards))


def subsets(ranks: Ranks) -> Iterator[Ranks]:
    for size in range(len(ranks) + 1):
        yield from combinations(ranks, size)


@cache
def ways(ranks: Ranks, target: int) -> int:
    """W4 word by word: in how many ways the cards are a stack."""
    values = [rank for rank in ranks if rank != KING]
    factor: int = 2 ** (len(ranks) - len(values))
    bases = {sum(values)} | {2 * value - sum(values) for value in values}
    doubled, halved = [base * factor == target for base in bases], [base == target * factor for base in bases]
    return sum(doubled) + (sum(halved) if factor > 1 else 0)


def is_stack(ranks: Ranks, target: int) -> bool:
    return ways(ranks, target) > 0


def worth(ranks: Ranks, dice: Dice) -> int:
    """W5"""
    return is_stack(ranks, sum(dice)) + (sorted(ranks) == sorted(dice))


def stacks_of(hand: Sequence[Card], target: int) -> set[Ranks]:
    counts = Counter(ranks_of(hand))
    taken = product(*([(rank,) * n for n in range(count + 1)] for rank, count in sorted(counts.items())))
    return {stack for parts in taken if is_stack(stack := sum(parts, ()), target)}


class Twin:
    """A match; `play` yields each question's legal answers and is sent the answer."""

    def __init__(self, decks: int, seats: int, chance: Chance) -> None:
        self.seats, self.chance = range(seats), chance
        packs = decks or seats // 2 + seats % 2
        self.stock = chance.shuffled("deck", CARDS * packs)
        self.hands: list[list[Card]] = [[] for _ in self.seats]
        self.points = [0] * seats
        self.asked: int | None = None
        self.decided = Counter[str]()
        self.decided["W1.2 a pack for a single seat"] += not decks and seats % 2
        self.decided["W1.2 the option"] += decks > 0

    def play(self) -> Turns:
        player, turns = self.first(), Counter[int]()
        while self.stock:
            turns[player] += 1
            yield from self.turn(player, self.dice(f"dice/{player}/{turns[player]}"))
            empty = not self.hands[player]
            self.decided["W6.3"] += empty and not self.stock
            if not empty:
                player = (player + 1) % len(self.seats)
            elif self.stock:
                self.turn_up(player)
        self.decided["W7.1"] += bool(self.hands[player])
        self.decided["W8.1 below zero"] += min(self.scores()) < 0
        self.decided["W8.2 a shared place"] += len({*self.scores()}) < len(self.seats)
        self.asked = None

    def scores(self) -> list[int]:
        """W8.1"""
        return [points - len(hand) for points, hand in zip(self.points, self.hands, strict=True)]

    def dice(self, name: str) -> Dice:
        one, other = self.chance.dice(name)
        return one, other

    def first(self) -> int:
        """W2"""
        rolling, number = list(self.seats), 0
        while len(rolling) > 1:
            number += 1
            sums = {seat: sum(self.dice(f"first/{seat}/{number}")) for seat in rolling}
            best = [seat for seat in rolling if sums[seat] == max(sums.values())]
            self.decided["W2.2"] += len(best) > 1
            self.decided["W2.2 not all of them"] += 1 < len(best) < len(rolling)
            rolling = best
        return rolling[0]

    def turn(self, player: int, dice: Dice) -> Turns:
        """W3"""
        low, high = sorted(dice)
        self.draw(player, low)
        self.decided["W3.3 not asked: no stock"] += low < high and not self.stock
        self.decided["W3.3 not asked: doubles"] += low == high and bool(self.stock)
        if low < high and self.stock:
            self.asked = player
            answer = yield {False, True}
            assert isinstance(answer, DrawOn)
            self.draw(player, high - low if answer.more else 0)
        yield from self.lay(player, dice)

    def draw(self, player: int, count: int) -> None:
        """W3.4"""
        self.decided["W3.4"] += count > len(self.stock)
        self.hands[player] += self.stock[:count]
        del self.stock[:count]

    def lay(self, player: int, dice: Dice) -> Turns:
        """W4, W5"""
        hand, legal = self.hands[player], stacks_of(self.hands[player], sum(dice))
        self.decided["W4.1 not asked"] += not legal
        self.decided["W4.5 only kings in hand"] += ranks_of(hand) == (KING,) * len(hand) != ()
        self.decided["W4.6 two ways"] += any(ways(stack, sum(dice)) > 1 for stack in legal)
        if not legal:
            return
        self.asked = player
        answer = yield legal
        assert isinstance(answer, Lay)
        self.decided["W4.1 nothing laid"] += not answer.stacks
        self.decided["W4.1 several laid"] += len(answer.stacks) > 1
        for cards in answer.stacks:
            self.count(stack := ranks_of(cards), dice)
            self.points[player] += worth(stack, dice)
            for card in cards:
                hand.remove(card)

    def count(self, stack: Ranks, dice: Dice) -> None:
        target = sum(dice)
        base = [rank for rank in stack if rank != KING]
        added, kings = sum(base), len(stack) - len(base)
        subtracted = 2 * max(base) - added
        self.decided["W4.3 added"] += added == target and not kings
        self.decided["W4.3 subtracted"] += subtracted == target and not kings and len(base) > 1
        self.decided["W4.4 doubled"] += kings > 0 and target in (added << kings, subtracted << kings)
        self.decided["W4.4 halved"] += kings > 0 and target << kings in (added, subtracted)
        self.decided["W4.4 several kings"] += kings > 1
        self.decided["W5.2"] += worth(stack, dice) == 2
        self.decided["W5.2 after doubles"] += worth(stack, dice) == 2 and dice[0] == dice[1]

    def turn_up(self, player: int) -> None:
        """W6.1, W7.2"""
        self.stock.pop(0)
        self.points[player] += 1
        self.decided["W6.2"] += bool(self.stock)
        self.decided["W7.2"] += not self.stock
