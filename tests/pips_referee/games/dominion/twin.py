"""Dominion once more, as plain and slow as the rulebook; it counts what decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import pairwise

from pips_referee.cards import ACE, CARDS, JACK, KING, QUEEN, Card
from pips_referee.chance import Chance
from pips_referee.games.dominion.values import (
    PASS,
    Advance,
    Attack,
    Conquer,
    Declare,
    Deploy,
    DominionAction,
    Reinforce,
    Remove,
    Resign,
)

Legal = set[DominionAction]
Turns = Generator[Legal, DominionAction, None]
Answer = Generator[Legal, DominionAction, DominionAction]
ROUNDS = {(2, 3): 60, (2, 4): 120, (2, 5): 200, (3, 3): 60, (3, 4): 200, (3, 5): 100}


class Over(Exception):
    """The match has ended at once."""


@dataclass
class Land:
    """One territory."""

    card: Card
    row: int
    column: int
    owner: int | None = None
    armies: int = 0

    @property
    def strength(self) -> int:
        """D2.1"""
        return self.card.rank + self.armies

    @property
    def room(self) -> int:
        """D2.2"""
        return max(0, 13 - self.strength)

    def change(self, by: int, owner: int | None = None) -> None:
        """D2.3"""
        self.armies += by
        self.owner = (self.owner if owner is None else owner) if self.armies else None

    def beside(self, other: Land) -> bool:
        return abs(self.row - other.row) + abs(self.column - other.column) == 1

    def reaches(self, other: Land) -> bool:
        """D1.4, D4.1"""
        upright = (self.row + self.column) % 2 == 0
        return self.beside(other) and (self.column == other.column) == upright


class Twin:
    """A match; `play` yields each question's legal answers and is sent the answer."""

    def __init__(
        self, size: int | None, rounds: int | None, resigning: bool, optional: bool, seats: int, chance: Chance
    ) -> None:
        size = size or (4 if seats < 4 else 5)
        self.rounds = rounds or ROUNDS[min(seats, 3), size]
        self.seats, self.chance, self.resigning, self.optional = range(seats), chance, resigning, optional
        pack = chance.shuffled("playfield", [card for card in CARDS if ACE <= card.rank <= JACK])
        self.lands = [Land(pack[at], at // size, at % size) for at in range(size * size)]
        self.stock, self.discards = chance.shuffled("stock/0", CARDS), list[Card]()
        self.turned: Card | None = None
        self.resigned, self.had_armies = set[int](), set[int]()
        self.rolls, self.shuffles = Counter[str](), 0
        self.asked: int | None = None
        self.decided = Counter[str]()

    def play(self) -> Turns:
        try:
            for _ in range(self.rounds):
                for seat in self.seats:
                    if seat not in self.resigned:
                        yield from self.turn(seat)
            self.decided["D11.2"] += 1
        except Over:
            pass
        self.asked = None
        ranks = sorted([self.rank(seat) for seat in self.seats])
        self.decided["D11.3 armies decide"] += any(a[1] == b[1] and a != b for a, b in pairwise(ranks))
        self.decided["D11.3 a shared place"] += len({*ranks}) < len(ranks)
        self.decided["D12.2 shared by several"] += len(self.resigned) > 1

    def own(self, seat: int) -> list[int]:
        return [cell for cell, land in enumerate(self.lands) if land.owner == seat]

    def rank(self, seat: int) -> tuple[bool, int, int]:
        """D11.3, D12.2: the higher, the better."""
        armies = sum([self.lands[cell].armies for cell in self.own(seat)])
        return seat not in self.resigned, len(self.own(seat)), armies

    def places(self) -> list[int]:
        """D11.1: against a winner all others have nothing, so they are equal."""
        ranks = [(0,) if seat in self.resigned else self.rank(seat) for seat in self.seats]
        return [1 + sum(other > rank for other in ranks) for rank in ranks]

    def roll(self, name: str) -> tuple[int, int]:
        one, other = self.chance.dice(f"{name}/{self.rolls[name]}")
        self.rolls[name] += 1
        return one, other

    def ask(self, seat: int, legal: Legal) -> Answer:
        self.asked = seat
        answer = yield legal
        assert answer in legal
        return answer

    def turn(self, seat: int) -> Turns:
        """D3"""
        self.turned = None
        beaten = seat in self.had_armies and not self.own(seat)
        self.decided["D12.4"] += beaten and not self.resigning
        if beaten and self.resigning:
            if (yield from self.ask(seat, {PASS, Resign()})) != PASS:
                self.resigned.add(seat)
                alone = len(self.resigned) == len(self.seats) - 1
                self.decided["D12.3"] += alone
                if alone:
                    raise Over
                return
            self.decided["D12.1 stays"] += 1
        if self.attacks(seat) and (yield from self.ask(seat, {PASS, Declare()})) != PASS:
            yield from self.king(seat)
            yield from self.attack(seat)
        yield from self.advance(seat)
        yield from self.deploy(seat)

    def attacks(self, seat: int) -> Legal:
        """D4.1, D4.2"""
        return {
            Attack(source, target)
            for source, one in enumerate(self.lands)
            for target, other in enumerate(self.lands)
            if one.owner == seat and one.reaches(other) and other.owner not in (None, seat)
        }

    def king(self, seat: int) -> Turns:
        """D4.3, D4.4, D5.3, D5.4, D5.6"""
        self.decided["D4.4"] += not self.stock
        if not self.stock:
            self.shuffles += 1
            self.stock, self.discards = self.chance.shuffled(f"stock/{self.shuffles}", CARDS), []
        card = self.turned = self.stock.pop(0)
        self.discards.append(card)
        if card.rank != KING:
            return
        cells = [cell for cell in self.own(seat) if not card.is_red or self.lands[cell].strength <= 13]
        self.decided["D5.3 nowhere"] += not cells
        if not cells:
            return
        legal: Legal = {Reinforce(cell) if card.is_red else Remove(cell) for cell in cells}
        if card.is_red and self.optional:
            legal.add(PASS)
        self.decided["D5.3, D5.4 one place"] += len(legal) == 1
        answer = (yield from self.ask(seat, legal)) if len(legal) > 1 else legal.pop()
        self.decided["D5.6 declined"] += answer == PASS
        if isinstance(answer, Reinforce | Remove):
            land = self.lands[answer.cell]
            land.change(1 if card.is_red else -1)
            self.decided["D2.2 at 14"] += land.strength == 14
            self.decided["D5.3"] += card.is_red
            self.decided["D5.4"] += not card.is_red
            self.decided["D5.4 a territory given up"] += land.owner is None

    def attack(self, seat: int) -> Turns:
        """D4.5, D8"""
        fought = ties = 0
        while legal := self.attacks(seat):
            self.decided["D8.2"] += ties == 100
            if ties == 100:
                return
            if fought:
                legal.add(PASS)
            self.decided["D4.5 the one attack"] += len(legal) == 1
            answer = (yield from self.ask(seat, legal)) if len(legal) > 1 else legal.pop()
            if not isinstance(answer, Attack):
                return
            self.decided["D8.1"] += fought > 0
            fought += 1
            ties += yield from self.battle(self.lands[answer.source], self.lands[answer.target])
        self.decided["D4.5 no attack left at once"] += not fought

    def battle(self, source: Land, target: Land) -> Generator[Legal, DominionAction, bool]:
        """D6, D7.1; whether it ended equal."""
        assert source.owner is not None and target.owner is not None
        totals = [sum(self.roll(f"battle/{land.owner}")) for land in (source, target)]
        advantage = self.in_battle(source) - self.in_battle(target)
        lead = totals[0] - totals[1] + advantage
        self.decided["D6.1 a weaker attacker"] += advantage < 0
        self.decided["D5.1, D5.2"] += advantage != source.strength - target.strength
        self.decided["D6.3"] += lead == 0
        if lead == 0:
            return True
        winner, loser = (source, target) if lead > 0 else (target, source)
        owner = winner.owner
        assert owner is not None
        self.decided["D6.2 no more than are there"] += abs(lead) > loser.armies
        loser.change(-min(abs(lead), loser.armies))
        self.decided["D7.1 by the attacker"] += loser.owner is None and lead > 0
        self.decided["D7.1 by the defender"] += loser.owner is None and lead < 0
        if loser.owner is None:
            yield from self.conquest(owner, winner, loser)
        return False

    def lead(self, attack: Attack) -> int:
        return self.in_battle(self.lands[attack.source]) - self.in_battle(self.lands[attack.target])

    def in_battle(self, land: Land) -> int:
        """D5.1, D5.2, D5.5"""
        if self.turned is None or self.turned.rank not in (QUEEN, land.card.rank):
            return land.strength
        alike = self.turned.is_red == land.card.is_red
        return land.strength + (int(alike) if self.turned.rank == QUEEN else 2 if alike else -2)

    def conquest(self, owner: int, winner: Land, loser: Land) -> Turns:
        """D7"""
        most = min(winner.armies, loser.room)
        self.decided["D7.2 room decides"] += most < winner.armies
        answer = yield from self.ask(owner, {Conquer(count) for count in range(most + 1)})
        assert isinstance(answer, Conquer)
        winner.change(-answer.count)
        loser.change(answer.count, owner)
        self.decided["D7.3 all moved"] += winner.owner is None
        self.decided["D7.3 none moved"] += loser.owner is None
        self.end_if_won(owner)

    def end_if_won(self, seat: int) -> None:
        """D11.1"""
        won = len(self.own(seat)) == len(self.lands)
        self.decided["D11.1"] += won
        if won:
            raise Over

    def advance(self, seat: int) -> Turns:
        """D9"""
        legal: Legal = {
            Advance(source, target, count)
            for source in self.own(seat)
            for target in self.own(seat)
            if self.lands[source].beside(self.lands[target])
            for count in range(1, min(self.lands[source].armies, self.lands[target].room) + 1)
        }
        answer = (yield from self.ask(seat, legal | {PASS})) if legal else PASS
        if isinstance(answer, Advance):
            source, target = self.lands[answer.source], self.lands[answer.target]
            self.decided["D9.2 room decides"] += target.room < source.armies
            self.decided["D9.1 not out of an end"] += not source.reaches(target)
            source.change(-answer.count)
            target.change(answer.count)
            self.decided["D9.3"] += source.owner is None

    def deploy(self, seat: int) -> Turns:
        """D10"""
        cells = [at for at, land in enumerate(self.lands) if land.owner in (None, seat) and land.room]
        self.decided["D10.1 no room"] += not cells
        if not cells:
            return
        dice = self.roll(f"deploy/{seat}")
        most = max(7 - die for die in dice)
        legal = {*self.deployments(cells, sum(dice), most)}
        self.decided["D10.2 nothing of that rank"] += not legal
        answer = (yield from self.ask(seat, legal | {PASS})) if legal else PASS
        self.decided["D10.4 none"] += answer == PASS
        if isinstance(answer, Deploy):
            land = self.lands[answer.cell]
            self.decided["D10.2 rank decides"] += any(self.lands[cell].card.rank > sum(dice) for cell in cells)
            self.decided["D10.3 room decides"] += land.room < most
            self.decided["D10.4 fewer"] += answer.count < min(most, land.room)
            land.change(answer.count, seat)
            self.had_armies.add(seat)
            self.end_if_won(seat)

    def deployments(self, cells: list[int], highest: int, most: int) -> Iterator[DominionAction]:
        for cell in cells:
            if self.lands[cell].card.rank <= highest:
                for count in range(1, min(most, self.lands[cell].room) + 1):
                    yield Deploy(cell, count)
