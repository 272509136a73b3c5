"""The measurement itself."""

from __future__ import annotations

import pytest

from tests.lab.silence.__main__ import Gap, area, measure


def test_the_area() -> None:
    assert area([Gap(1.0, had_choice=False), Gap(2.0, had_choice=True)]) == 1
    assert area([Gap(2.0, had_choice=False), Gap(1.0, had_choice=True)]) == 0
    assert area([Gap(1.0, had_choice=False), Gap(1.0, had_choice=True)]) == 0.5
    with pytest.raises(ValueError, match="play more matches"):
        area([Gap(1.0, had_choice=False)])


@pytest.mark.unmeasured  # seconds of waiting
@pytest.mark.long
async def test_silences_tell_whether_there_was_a_choice() -> None:
    """Against a bot that takes 20 ms that is all but certain."""
    assert area(await measure("20", 4)) > 0.85
