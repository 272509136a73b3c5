"""A reply without its markup: what models write around an answer, not the answer."""

from __future__ import annotations

import re
from typing import Final

_THOUGHT: Final = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE: Final = re.compile(r"^\s*```\w*\s*$", re.MULTILINE)
_BEGIN: Final = re.compile(r"^\s*(?:[-*>#+]+\s+)*", re.MULTILINE)
_MARKS: Final = re.compile(r"\*+|`+|__|\\(?=[*_`])")


def without_thoughts(reply: str) -> str:
    """The reply without what stands in `<think>`, also where that has no end."""
    return _THOUGHT.sub("", reply)


def without_markup(reply: str) -> str:
    """The reply without thoughts in `<think>`, fences, Markdown and backticks.

    No word of an answer is changed, and none is made up.
    """
    text = _FENCE.sub("", without_thoughts(reply))
    return _MARKS.sub("", _BEGIN.sub("", text))
