"""Serpent refereed again by one who has the rulebook, docs/chance.md, docs/record.md
and none of the project's code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import combinations
from typing import Any

Line = dict[str, Any]

SUITS = "CDHS"
RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
PACK = [rank + suit for suit in SUITS for rank in RANKS]
CELLS = [(row, column) for row in range(2) for column in range(6)]


def rank(card: str) -> int:
    return RANKS.index(card[:-1])


def words(seed: bytes, stream: str) -> Iterator[int]:
    """SHA-256 in counter mode, as big-endian words of 32 bits."""
    block = 0
    while True:
        digest = sha256(seed + stream.encode() + block.to_bytes(8, "big")).digest()
        yield from (int.from_bytes(digest[start : start + 4], "big") for start in range(0, 32, 4))
        block += 1


def shuffled(seed: bytes, stream: str) -> list[str]:
    """Fisher-Yates from the first place up, integers by rejection."""
    pack, numbers = list(PACK), words(seed, stream)
    for place in range(51):
        stop = 52 - place
        number = next(word for word in numbers if word < 2**32 - 2**32 % stop)
        other = place + number % stop
        pack[place], pack[other] = pack[other], pack[place]
    return pack


def touching(a: int, b: int) -> bool:
    (row_a, column_a), (row_b, column_b) = CELLS[a], CELLS[b]
    return abs(row_a - row_b) + abs(column_a - column_b) == 1


def in_one_piece(cells: tuple[int, ...]) -> bool:
    reached, found = {cells[0]}, [cells[0]]
    while found:
        cell = found.pop()
        new = {other for other in cells if touching(cell, other)} - reached
        reached |= new
        found += new
    return len(reached) == len(cells)


def is_run(board: list[str], cells: tuple[int, ...]) -> bool:
    ranks = {rank(board[cell]) for cell in cells}
    begins = [number for number in ranks if (number - 1) % 13 not in ranks]
    return len(ranks) == len(cells) and len(begins) == 1 and in_one_piece(cells)


def points(board: list[str]) -> int:
    """Two for every neighbouring pair (S5), one for every card of every run within no
    larger run (S6).
    """
    pairs = [(a, b) for a, b in combinations(range(12), 2) if touching(a, b) and rank(board[a]) == rank(board[b])]
    runs = [set(cells) for size in range(12, 2, -1) for cells in combinations(range(12), size) if is_run(board, cells)]
    return 2 * len(pairs) + sum(len(run) for run in runs if not any(run < other for other in runs))


class Stranger:
    """Follows the lines of a match of Serpent and asserts that each is right."""

    def __init__(self, header: Line) -> None:
        assert header["line"] == "header" and header["game"] == "serpent"
        self.seed = bytes.fromhex(header["seed"])
        committed = header["match_id"].encode() + bytes.fromhex(header["nonce"]) + self.seed
        assert sha256(committed).hexdigest() == header["commitment"]
        self.tiebreaks = header["options"]["max_tiebreaks"]
        self.hand = 0
        self.totals = [0, 0]
        self.deal()

    def deal(self) -> None:
        """Seat 0 directs the odd hands (S1); three cards for the defender, nine for the
        director (S2).
        """
        self.hand += 1
        self.director = (self.hand - 1) % 2
        pack = shuffled(self.seed, f"deck/{self.hand}")
        self.drawn = pack[:12]
        self.hands = [set(pack[:3]), set(pack[3:12])]
        if self.director == 0:
            self.hands.reverse()
        self.shown: set[str] = set()
        self.rows: list[list[str]] = [[], []]
        self.lead = ""
        self.turn, self.kind = self.director, "give"

    def follow(self, lines: Iterable[Line]) -> None:
        """All lines after the header."""
        faulted = None
        self.luck: dict[str, list[str]] = {}
        for line in lines:
            match line["line"]:
                case "chance":
                    self.luck[line["stream"]] = line["drawn"]
                case "action":
                    assert (line["seat"], line["kind"]) == (self.turn, self.kind)
                    assert line["legal"] == self.is_legal(line["action"])
                case "event":
                    self.happened(line["event"])
                case "fault":
                    faulted = line["seat"]
                case "outcome":
                    self.ended(line, faulted)

    def fitting(self) -> set[str]:
        """What may be played: any card, or suit or rank of the lead if the hand has one
        (S4).
        """
        hand = self.hands[self.turn]
        follow = {card for card in hand if self.lead and (card[-1] == self.lead[-1] or card[:-1] == self.lead[:-1])}
        return follow or hand

    def is_legal(self, action: Line) -> bool:
        if action["kind"] != self.kind:
            return False
        if self.kind in {"lead", "answer"}:
            return action["card"] in self.fitting()
        return len(set(action["cards"])) == 3 and set(action["cards"]) <= self.hands[self.turn]

    def happened(self, event: Line) -> None:
        match event["kind"]:
            case "dealt":
                assert self.luck.pop(f"deck/{self.hand}") == self.drawn
                assert [set(hand) for hand in event["hands"]] == self.hands
                assert (event["hand_number"], event["director"]) == (self.hand, self.director)
            case "given":
                self.hands[self.director] -= set(event["cards"])
                self.hands[1 - self.director] |= set(event["cards"])
                self.kind = "reveal"
            case "revealed":
                assert set(event["cards"]) <= self.hands[self.director]
                self.kind = "lead"
            case "played":
                self.played(event)
            case "hand_scored":
                self.scored(event)
            case other:
                raise AssertionError(f"docs/record.md names no event {other}")

    def played(self, event: Line) -> None:
        """The director leads the first column, then whoever answered (S3)."""
        seat, card = event["seat"], event["card"]
        assert seat == self.turn and card in self.fitting() and event["is_lead"] == (not self.lead)
        assert event["column"] == len(self.rows[seat])
        self.hands[seat].remove(card)
        self.rows[seat].append(card)
        if self.lead:
            self.lead, self.kind = "", "lead"
        else:
            self.lead, self.kind, self.turn = card, "answer", 1 - seat

    def scored(self, event: Line) -> None:
        board = self.rows[self.director] + self.rows[1 - self.director]
        assert board == event["board"] and len(board) == 12
        self.totals[self.director] += points(board)
        assert event["totals"] == self.totals
        if not self.is_over():
            self.deal()

    def is_over(self) -> bool:
        """After eight hands, or two more at a time while it is tied (S8)."""
        tied = self.totals[0] == self.totals[1]
        return self.hand == 8 + 2 * self.tiebreaks or (self.hand >= 8 and self.hand % 2 == 0 and not tied)

    def ended(self, line: Line, faulted: int | None) -> None:
        assert line["scores"] == self.totals
        if faulted is not None:
            assert line["places"][faulted] == 2 and line["places"][1 - faulted] == 1
        else:
            assert self.is_over()
            assert line["places"] == [1 + (self.totals[1 - seat] > self.totals[seat]) for seat in range(2)]
