"""Serpent once more, as plain and slow as the rulebook; it counts what decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from functools import cache
from itertools import combinations

from pips_referee.cards import CARDS, Card
from pips_referee.chance import Chance
from pips_referee.games.serpent.values import Give, Reveal, SerpentAction

Legal = set[tuple[str, frozenset[Card]]]
Turns = Generator[Legal, SerpentAction, None]
CELLS = range(12)


def plain(action: SerpentAction) -> tuple[str, frozenset[Card]]:
    """An answer without the order of its cards."""
    cards = action.cards if isinstance(action, (Give, Reveal)) else (action.card,)
    return type(action).__name__, frozenset(cards)


def touch(a: int, b: int) -> bool:
    """S5.1: cells 0 to 5 are one row, 6 to 11 the other."""
    return abs(a % 6 - b % 6) + abs(a // 6 - b // 6) == 1


@cache
def shapes() -> list[frozenset[int]]:
    """S6.1: all sets of three or more cells that hang together."""
    found, grown = set[frozenset[int]](), {frozenset([cell]) for cell in CELLS}
    while grown:
        grown = {s | {c} for s in grown for c in CELLS if c not in s and any(touch(c, other) for other in s)}
        found |= {shape for shape in grown if len(shape) > 2}
    return sorted(found, key=len)


def is_stretch(ranks: Sequence[int]) -> bool:
    """S6.1, S6.2"""
    return len({*ranks}) == len(ranks) < 13 and any(
        {(first + step - 1) % 13 + 1 for step in range(len(ranks))} == {*ranks} for first in ranks
    )


class Twin:
    """A match; `play` yields each question's legal answers and is sent the answer."""

    def __init__(self, hands: int, max_tiebreaks: int, chance: Chance) -> None:
        self.hands, self.most, self.chance = hands, hands + 2 * max_tiebreaks, chance
        self.totals = [0, 0]
        self.hidden: list[list[Card]] = [[], []]
        self.open: list[list[Card]] = [[], []]
        self.asked: int | None = None
        self.decided = Counter[str]()

    def play(self) -> Turns:
        number = 0
        while number < self.hands or number % 2 or (self.totals[0] == self.totals[1] and number < self.most):
            self.decided["S8.1"] += number == self.hands
            number += 1
            yield from self.play_hand(number, (number - 1) % 2)
        self.decided["S7.2"] += self.totals[0] != self.totals[1]
        self.decided["S8.2"] += self.totals[0] == self.totals[1]
        self.asked = None

    def play_hand(self, number: int, director: int) -> Turns:
        pack, defender = self.chance.shuffled(f"deck/{number}", CARDS), 1 - director
        self.hidden[defender], self.hidden[director], self.open = pack[:3], pack[3:12], [[], []]
        for kind, taker in (("Give", defender), ("Reveal", director)):
            three = {(kind, frozenset(cards)) for cards in combinations(self.hidden[director], 3)}
            action = yield from self.ask(director, three)
            self.open[taker] = [*action[1]]
            self.hidden[director] = [card for card in self.hidden[director] if card not in action[1]]
            self.decided["S2.2" if kind == "Give" else "S2.3"] += 1
        rows: list[list[Card]] = [[], []]
        leader = director
        for _ in range(6):
            lead = yield from self.lay(leader, "Lead", rows, None)
            leader = 1 - leader
            yield from self.lay(leader, "Answer", rows, lead)
        self.totals[director] += self.score([card.rank for card in rows[director] + rows[defender]])

    def lay(
        self, seat: int, kind: str, rows: list[list[Card]], lead: Card | None
    ) -> Generator[Legal, SerpentAction, Card]:
        """S4"""
        hand = self.hidden[seat] + self.open[seat]
        fits = hand if lead is None else [card for card in hand if card.suit == lead.suit or card.rank == lead.rank]
        self.decided["S4.2"] += 0 < len(fits) < len(hand)
        self.decided["S4.2 by a card face up alone"] += bool(fits) and not any(c in self.hidden[seat] for c in fits)
        self.decided["S4.3"] += not fits and len(hand) > 1
        self.decided["S4.4"] += len(fits or hand) == 1
        _, (card,) = yield from self.ask(seat, {(kind, frozenset([card])) for card in fits or hand})
        for cards in (self.hidden[seat], self.open[seat]):
            if card in cards:
                cards.remove(card)
        rows[seat].append(card)
        return card

    def score(self, ranks: list[int]) -> int:
        """S5, S6"""
        pairs = [(a, b) for a, b in combinations(CELLS, 2) if touch(a, b) and ranks[a] == ranks[b]]
        runs = [shape for shape in shapes() if is_stretch([ranks[cell] for cell in shape])]
        whole = [run for run in runs if not any(run < other for other in runs)]
        within = [run for run in runs if run not in whole]
        self.decided["S5.1"] += bool(pairs)
        self.decided["S5.2"] += any({*p} & {*q} for p, q in combinations(pairs, 2))
        self.decided["S6.1"] += bool(runs)
        self.decided["S6.2"] += any({1, 13} <= {ranks[cell] for cell in run} for run in whole)
        self.decided["S6.3"] += bool(within)
        steps = [run for run in within if not any(run < other and len(other) == len(run) + 1 for other in runs)]
        self.decided["S6.3 by two cells at once"] += bool(steps)
        self.decided["S6.4"] += any(run & other for run, other in combinations(whole, 2))
        return 2 * len(pairs) + sum(map(len, whole))

    def ask(self, seat: int, legal: Legal) -> Generator[Legal, SerpentAction, tuple[str, frozenset[Card]]]:
        """S4.4"""
        if len(legal) == 1:
            return legal.pop()
        self.asked = seat
        answer = plain((yield legal))
        assert answer in legal
        return answer
