"""The measurement itself, and that a pace does what it is for."""

from __future__ import annotations

import pytest

from tests.lab.silence.__main__ import Gap, area, measure


def test_the_area() -> None:
    assert area([Gap(1.0, had_choice=False), Gap(2.0, had_choice=True)]) == 1
    assert area([Gap(2.0, had_choice=False), Gap(1.0, had_choice=True)]) == 0
    assert area([Gap(1.0, had_choice=False), Gap(1.0, had_choice=True)]) == 0.5
    with pytest.raises(ValueError, match="play more matches"):
        area([Gap(1.0, had_choice=False)])


@pytest.mark.unmeasured  # seconds of waiting for turns
@pytest.mark.long
async def test_at_a_paced_table_silences_tell_no_more_whether_there_was_a_choice() -> None:
    """Against a bot that takes 20 ms; at other tables that is all but certain."""
    assert area(await measure("20", 0, 4)) > 0.85
    assert area(await measure("20", 60, 3)) < 0.75
