"""Removal of markup that models write around an answer."""

from __future__ import annotations

import re
from typing import Final

_THOUGHT: Final = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE: Final = re.compile(r"^\s*```\w*\s*$", re.MULTILINE)
_BEGIN: Final = re.compile(r"^\s*(?:[-*>#+]+\s+)*", re.MULTILINE)
_MARKS: Final = re.compile(r"\*+|`+|__|\\(?=[*_`])")


def without_thoughts(reply: str) -> str:
    """The reply without `<think>` blocks, even unclosed ones."""
    return _THOUGHT.sub("", reply)


def without_markup(reply: str) -> str:
    """The reply without `<think>` blocks, fences, Markdown and backticks.

    No word of an answer is changed or added.
    """
    text = _FENCE.sub("", without_thoughts(reply))
    return _MARKS.sub("", _BEGIN.sub("", text))
