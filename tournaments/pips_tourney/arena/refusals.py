"""Whether the bot or the machine is to blame for a failed start or an end.

If the machine refuses something within a bot's own limits, the match is void. A bot
could feign that, so only a few refusals are forgiven. Further refusals of the same bot
count as its faults.
"""

from __future__ import annotations

import errno
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from pips.v1 import record_pb2

MOST_REFUSALS: Final = 5
"""Refusals forgiven per bot and night; further ones count as its faults."""
MOST_STARTS: Final = 3
"""A bot is withdrawn after this many starts in a row without a hello."""
_WORDS: Final = "|".join(
    re.escape(os.strerror(number))
    for number in (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EUSERS)
)
_WRAPPER: Final = re.compile(rf"^bwrap: .*(?:{_WORDS})", re.MULTILINE)
"""Output of bubblewrap from before the bot's own program runs and can print."""
_WORD_OF_A_BOT: Final = re.compile(rf"{_WORDS}|can't start new thread|MemoryError".encode())

Tell = Callable[[str, str, int], None]
"""Called with a bot, what was refused to it, and how many refusals it has had."""


class Refusals:
    """Refusals by the machine, per bot; `known` are from the night's earlier runs."""

    def __init__(self, known: Mapping[str, int] | None = None, tell: Tell = lambda *_: None) -> None:
        self._counts = Counter(known or {})
        self._tell = tell

    def forgives(self, bot: str, why: str) -> bool:
        """Count a refusal to a bot; return whether it is still the machine's fault."""
        self._counts[bot] += 1
        self._tell(bot, why, self._counts[bot])
        return self._counts[bot] <= MOST_REFUSALS

    def spoilt(self, record: bytes, lack: Callable[[], str]) -> tuple[str, str]:
        """Return the bot that lost a match by a refusal, and why; "" if it counts.

        Both must hold: the bot reports the refusal, and `lack` says that the machine is
        short of something.
        """
        if _WORD_OF_A_BOT.search(record) is None or not (short := lack()):
            return "", ""
        match = record_pb2.MatchRecord.FromString(record)
        for fault in match.outcome.faults:
            bot = match.header.seats[fault.seat]
            if _WORD_OF_A_BOT.search(fault.SerializeToString()) is not None and self.forgives(bot, short):
                return bot, f"{bot}: {fault.detail} ({short})"
        return "", ""


def said_by_wrapper(output: str) -> str:
    """Return the first line if bubblewrap reports a refusal in it; or ""."""
    found = _WRAPPER.match(output)
    return found.group() if found is not None else ""
