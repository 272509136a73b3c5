"""The simulation of many workers still plays a night to its end."""

from __future__ import annotations

import pytest

from tests.lab.bench import clusters


@pytest.mark.long
def test_a_night_of_no_op_matches_is_complete() -> None:
    told = clusters.simulated(4, 0.01, 56)
    assert 0 < told["rate"] <= 4 / 0.01
    assert told["cpu_ms"] > 0
