"""How matches went: each is found by a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from pips_tourney.web.courses import Courses, NoCourse
from tests.pips_tourney.web.nights import small_night


async def test_a_process_of_its_own_says_why_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(NoCourse, match="there is no match nothing"):
        await Courses(small_night(tmp_path, deals=1)).json("nothing")
