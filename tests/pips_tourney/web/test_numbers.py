"""Numbers in addresses: short, and of the digits 0 to 9."""

from __future__ import annotations

import pytest

from pips_tourney.web.numbers import NoNumber, number_of, whole


@pytest.mark.parametrize("text", ["", "-1", "x", "1.0", "٣", "²", "1" * 16, "1" * 5000])
def test_what_is_no_number(text: str) -> None:
    assert number_of(text) is None


def test_a_number() -> None:
    assert (number_of("0"), number_of("1" * 15)) == (0, int("1" * 15))


@pytest.mark.parametrize("value", [-1, "-1", True, False, 1.0, 1e400, "1.0", "x", [], {}, "1" * 16, 10**15, 10**400])
def test_what_is_no_whole_number(value: object) -> None:
    with pytest.raises(NoNumber, match="`seats` is a whole number"):
        whole(value, "seats")


def test_a_whole_number() -> None:
    assert [whole(value, "seats", 7) for value in (None, "", 0, "0", 3, "12")] == [7, 7, 0, 0, 3, 12]
