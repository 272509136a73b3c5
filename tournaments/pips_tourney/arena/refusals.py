"""Whose fault it is when a process does not start, or ends: the bot's, or the
machine's.

What the machine refuses outside of a bot's own limits makes a match void. A bot could
feign that, so only so much is forgiven: at whom refusals gather, they count as faults.
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
"""Of a bot in a night; what is refused to it beyond that is its fault."""
MOST_STARTS: Final = 3
"""A bot whose process comes so often in a row to no hello is withdrawn."""
_WORDS: Final = "|".join(
    re.escape(os.strerror(number))
    for number in (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EUSERS)
)
_WRAPPER: Final = re.compile(rf"^bwrap: .*(?:{_WORDS})", re.MULTILINE)
"""What bubblewrap says before the bot's own program runs: what the bot prints comes
after that.
"""
_WORD_OF_A_BOT: Final = re.compile(rf"{_WORDS}|can't start new thread|MemoryError".encode())

Tell = Callable[[str, str, int], None]
"""Is told of a bot, what was refused to it, and how often that was so by now."""


class Refusals:
    """What the machine refused, by bot: `known` are those of earlier runs of
    the night.
    """

    def __init__(self, known: Mapping[str, int] | None = None, tell: Tell = lambda *_: None) -> None:
        self._counts = Counter(known or {})
        self._tell = tell

    def forgives(self, bot: str, why: str) -> bool:
        """Something was refused to a bot: whether it is the machine's fault still."""
        self._counts[bot] += 1
        self._tell(bot, why, self._counts[bot])
        return self._counts[bot] <= MOST_REFUSALS

    def spoilt(self, record: bytes, lack: Callable[[], str]) -> str:
        """Why a match is void that a bot lost by the machine's no; "" if it stands.

        The bot says so, and `lack` tells that the machine is short of something.
        """
        if _WORD_OF_A_BOT.search(record) is None or not (short := lack()):
            return ""
        match = record_pb2.MatchRecord.FromString(record)
        for fault in match.outcome.faults:
            bot = match.header.seats[fault.seat]
            if _WORD_OF_A_BOT.search(fault.SerializeToString()) is not None and self.forgives(bot, short):
                return f"{bot}: {fault.detail} ({short})"
        return ""


def said_by_wrapper(output: str) -> str:
    """What the machine refused to bubblewrap, by the first line of what was printed; ""
    if nothing.
    """
    found = _WRAPPER.match(output)
    return found.group() if found is not None else ""
