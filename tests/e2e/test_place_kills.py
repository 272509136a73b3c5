"""A place survives kills; `make lab WHAT=place-kills` kills it 20 times."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.lab.place.kills import killed_often


@pytest.mark.long
@pytest.mark.xdist_group("processes")
def test_nothing_is_lost_and_the_same_log_gives_the_same_bytes() -> None:
    with tempfile.TemporaryDirectory(prefix="pk-", dir="/tmp") as folder:
        found = killed_often(Path(folder), kills=2, students=2, seed=3)
    assert found["versions"] and found["bots"]
    assert found["digest"] == found["again"]
