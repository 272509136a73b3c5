"""A class of 25 submissions, with the mistakes that classes make."""

from __future__ import annotations

from pathlib import Path
from typing import Final

LONG: Final = "Maximilian Alexander Hohenstein-Schröder"
GOOD: Final = """
from pips_sdk import run
from pips_sdk.wichita import WichitaBot

class Mine(WichitaBot):
    def draw(self, view):
        return len(view.hand) < %d

if __name__ == "__main__":
    run(Mine)
"""
SERPENT: Final = GOOD.replace("wichita", "serpent").replace("WichitaBot", "SerpentBot")
BODY: Final = "    def draw(self, view):\n        return len(view.hand) < 1\n"


def _good(number: int) -> str:
    return GOOD % (number + 2)


def _broken(body: str) -> str:
    return (GOOD % 1).replace(BODY, body)


FINE: Final = {
    name: _good(number)
    for number, name in enumerate(
        [
            "ada", "bo", "cy", "dee", "eve", "fay", "gus", "ines", "李明", "Zoë", "🚀 rocket bot 🚀", "random",
            f"{LONG}_1234567_assignsubmission_file_", f"{LONG}_7654321_assignsubmission_file_",
        ]
    )
}  # fmt: skip
"""By folder, the text of the bot."""
BROKEN: Final = {
    "copy of ada": FINE["ada"],
    "syntax": _broken("    retrun 1\n"),
    "begin": _broken("    def on_start(self):\n        raise ValueError('no weights')\n"),
    "missing": f"import nothing_of_this_name\n{GOOD % 1}",
    "crash": _broken("    def draw(self, view):\n        return self.nothing\n"),
    "illegal": _broken("    def draw(self, view):\n        return 'five'\n"),
    "sleeps": _broken("    def draw(self, view):\n        __import__('time').sleep(1.5)\n"),
    "other game": SERPENT % 1,
}
"""By folder, bots with a mistake each. The copy is only the same as another."""
NOT_A_BOT: Final = ("empty", "notes")
ZIP: Final = "vera.zip"
LATE: Final = "late"
COUNT: Final = len(FINE) + len(BROKEN) + len(NOT_A_BOT) + 1


def hand_in(folder: Path) -> None:
    """Write all submissions into a folder."""
    for name, text in {**FINE, **BROKEN}.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "bot.py").write_text(text, encoding="utf-8")
    for name in NOT_A_BOT:
        (folder / name).mkdir()
    (folder / "notes" / "README.md").write_text("Mine is nearly done.", encoding="utf-8")
    (folder / ZIP).write_bytes(b"PK\x03\x04")
