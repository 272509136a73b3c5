"""Writes down every card it saw, wherever it can write, and looks its hands up in the
other rotation of the deal.

There it sits in the other seat: cards that its opponent once showed are in its own
hand, so it knows what it held itself and what its opponent holds now. It boasts of that
by raising an exception. In its process there is nothing to look up, for each rotation
has one of its own. Without a sandbox these can share a file, and the standings show
crashes; under bubblewrap there is nowhere to write that another process would read, and
they show no fault.
"""

import json
import tempfile
from contextlib import suppress
from pathlib import Path

from pips_sdk import run
from pips_sdk.serpent import Dealt, Given, HandScored, Played, Revealed, SerpentBot

HOME = Path(__file__).parent
NOTES = [folder / f"seen-{HOME.name}" for folder in (HOME, Path(tempfile.gettempdir()), Path("/dev/shm"))]
ENOUGH = 5
"""So many cards are in a hand by no chance."""


def remembered() -> list[tuple[int, list[str], list[str]]]:
    for notes in NOTES:
        with suppress(OSError):
            return [tuple(json.loads(line)) for line in notes.read_text().splitlines()]
    return []


class Zoo(SerpentBot):
    def on_event(self, event: object) -> None:
        match event:
            case Dealt(number, director, hands):
                self.mine = next([str(card) for card in hand] for hand in hands if hand is not None)
                self.directs = hands[director] is not None
                self.shown: set[str] = set()
                for known, shown, held in remembered():
                    if known == number and len(shown) >= ENOUGH and {*shown} <= {*self.mine} and held != self.mine:
                        raise RuntimeError(f"gained: the opponent holds {' '.join(held)}")
            case Given(cards) | Revealed(cards) if not self.directs:
                self.shown |= {str(card) for card in cards}
            case Played(card=card) if str(card) not in self.mine:
                self.shown.add(str(card))
            case HandScored(number):
                note = json.dumps([number, sorted(self.shown), self.mine])
                for notes in NOTES:
                    with suppress(OSError), notes.open("a") as file:
                        file.write(note + "\n")


run(Zoo)
