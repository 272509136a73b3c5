"""Writes down every card it saw, and looks up its hands in the deal's other rotation.

There it sits in the other seat. Cards that its opponent once showed are then in its own
hand. So it knows what it held itself, and what its opponent holds now. It boasts of
that by raising an exception. Its own process holds nothing to look up, because each
rotation has its own. Without a sandbox the processes can share a file, and the
standings show crashes. Under bubblewrap another process can read nothing that it
writes, and the standings show no fault.
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
"""A hand with this many known cards is not chance."""


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
