"""How matches went: each is found by a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from pips_tourney.web.courses import Courses, NoCourse


async def test_a_process_of_its_own_says_why_there_is_none(night: Path) -> None:
    with pytest.raises(NoCourse, match="there is no match nothing"):
        await Courses(night).json("nothing")
