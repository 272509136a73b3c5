"""Numbers in addresses: short, and of the digits 0 to 9."""

from __future__ import annotations

import pytest

from pips_tourney.web.numbers import number_of


@pytest.mark.parametrize("text", ["", "-1", "x", "1.0", "٣", "²", "1" * 16, "1" * 5000])
def test_what_is_no_number(text: str) -> None:
    assert number_of(text) is None


def test_a_number() -> None:
    assert (number_of("0"), number_of("1" * 15)) == (0, int("1" * 15))
