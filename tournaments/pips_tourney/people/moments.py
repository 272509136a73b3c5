"""Moments as people write them: in a league file, a roster, or a form."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

_MOMENT: Final = re.compile(r"([1-9]\d{3}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?) ?(Z|UTC|[+-]\d\d:?\d\d)?", re.ASCII)
WRITTEN: Final = "%Y-%m-%d %H:%M"


def read_moment(text: str) -> datetime:
    """Parse `2026-12-17 18:00` as local time, also in the format of a browser.

    With a zone (`Z`, `UTC`, `+05:00`) the moment is converted to local time. Raises
    `ValueError` for any other text.
    """
    found = _MOMENT.fullmatch(text.strip())
    if found is None:
        raise ValueError(text)
    moment = datetime.fromisoformat(f"{found[1]} {found[2]}")
    if found[3] is None:
        return moment
    zone = "+00:00" if found[3] in ("Z", "UTC") else found[3]
    try:
        return datetime.fromisoformat(f"{moment.isoformat()}{zone}").astimezone().replace(tzinfo=None)
    except OverflowError:
        raise ValueError(text) from None
