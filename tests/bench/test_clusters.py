"""The simulation of many workers still plays a night to its end."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from tests.bench import clusters


@pytest.mark.long
def test_a_night_of_no_op_matches_is_complete() -> None:
    with patch.object(clusters, "ROUNDS_A_WORKER", 56):
        told = clusters.simulated(4, 0.01)
    assert 0 < told["rate"] <= 4 / 0.01
    assert told["cpu_ms"] > 0
