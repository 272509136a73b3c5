"""`search` with a memory for its other rotation: a file's pages in the cache.

In the other rotation of a deal it sits in the other seat, and its opponent holds its
former hand. For each hand it was dealt it reads one page for each card. The other
process asks which pages are cached, and then need not imagine hands. It tries mincore,
then non-blocking reads, then the time that a read takes. If FLAG says no, it does the
same without a memory.
"""

import ctypes
import mmap
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from pips_sample_bots.serpent.search_bot import PACK, Hand, SearchBot
from pips_sdk import run
from pips_sdk.serpent import Card, Dealt, Given, HandScored, SerpentView

PAGES: Final = 52
REGIONS: Final = 1024
"""Regions of one page per card; the other rotation's hand selects the region."""
QUICK_S: Final = 15e-6
HELD: Final = (3, 9)
FILE: Final = Path(__file__).with_name(".pages")
_libc = ctypes.CDLL(None, use_errno=True)


class Pages:
    """Bits in the page cache: each is a page of a hole in a file."""

    def __init__(self) -> None:
        self.file = os.open(FILE, os.O_RDONLY)
        size = PAGES * REGIONS * mmap.PAGESIZE
        _libc.mmap.restype = ctypes.c_void_p
        self.start = _libc.mmap(
            None, ctypes.c_size_t(size), mmap.PROT_READ, mmap.MAP_SHARED, self.file, ctypes.c_long(0)
        )
        with suppress(OSError):
            os.posix_fadvise(self.file, 0, 0, os.POSIX_FADV_DONTNEED)  # pages that were read to hash it
            os.posix_fadvise(self.file, 0, 0, os.POSIX_FADV_RANDOM)  # no read-ahead

    def write(self, hand: int, cards: Sequence[int]) -> None:
        for card in cards:
            os.pread(self.file, 1, self._at(hand, card))

    def read(self, hand: int) -> set[int]:
        """Return the cards whose pages are cached, and evict them for the next deal."""
        found = {card for card in range(len(PACK)) if self._is_there(self._at(hand, card))}
        with suppress(OSError):
            os.posix_fadvise(self.file, self._at(hand, 0), PAGES * mmap.PAGESIZE, os.POSIX_FADV_DONTNEED)
        return found

    def _at(self, hand: int, card: int) -> int:
        return (hand * PAGES + card) * mmap.PAGESIZE

    def _is_there(self, at: int) -> bool:
        told = ctypes.c_ubyte()
        if _libc.mincore(ctypes.c_void_p(self.start + at), ctypes.c_size_t(mmap.PAGESIZE), ctypes.byref(told)) == 0:
            return bool(told.value & 1)
        try:
            return os.preadv(self.file, [bytearray(1)], at, os.RWF_NOWAIT) == 1
        except BlockingIOError:
            return False
        except OSError:
            began = time.perf_counter()
            os.pread(self.file, 1, at)
            return time.perf_counter() - began < QUICK_S


def _region(number: int, cards: Sequence[int]) -> int:
    return int.from_bytes(sha256(bytes([number, *sorted(cards)])).digest()[:4]) % REGIONS


class PageCacheBot(SearchBot):
    pages: Pages | None = None

    def on_start(self) -> None:
        if PageCacheBot.pages is None and Path(os.environ["FLAG"]).read_text(encoding="ascii") == "yes":
            try:
                PageCacheBot.pages = Pages()
            except (OSError, ValueError):
                PageCacheBot.pages = None

    def on_event(self, event: object) -> None:
        match event:
            case Dealt(number, _, hands):
                self.number = number
                self.mine = next([PACK.index(card) for card in hand] for hand in hands if hand is not None)
                self.theirs: set[Card] = set()
                found = self.pages.read(_region(number, self.mine)) if self.pages is not None else set()
                if len(found) == sum(HELD) - len(self.mine) and not found & {*self.mine}:
                    self.theirs = {PACK[card] for card in found}
            case HandScored(board=board) if self.pages is not None:
                region = _region(self.number, [PACK.index(card) for card in board if PACK.index(card) not in self.mine])
                self.pages.read(region)  # evicts whatever was there
                self.pages.write(region, self.mine)
            case Given(cards) if self.theirs:
                given = set(cards)
                self.theirs = self.theirs - given if given <= self.theirs else self.theirs | given

    def imagine(self, view: SerpentView) -> Hand:
        played = {card for card in view.other_row if card is not None}
        left = [card for card in PACK if card in self.theirs - played]
        if len(left) != view.other_hidden_count + len(view.other_face_up):
            return super().imagine(view)
        super().imagine(view)  # the same luck is drawn either way
        mine, rows = list(view.hand), [[c for c in row if c is not None] for row in (view.my_row, view.other_row)]
        cards = [mine, left]
        if not view.is_director:
            cards.reverse()
            rows.reverse()
        return Hand(cards, rows, 0 if view.is_director else 1, view.lead)


if __name__ == "__main__":
    run(PageCacheBot)
