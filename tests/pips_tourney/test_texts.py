"""Many texts, kept as one."""

from __future__ import annotations

import pytest

from pips_tourney.texts import Texts


def test_they_are_a_sequence() -> None:
    texts = Texts(f"Spiel {number} ♠" for number in range(20))
    assert (len(texts), texts[3], texts[-1]) == (20, "Spiel 3 ♠", "Spiel 19 ♠")
    assert texts[4:6] == ["Spiel 4 ♠", "Spiel 5 ♠"]
    assert "Spiel 7 ♠" in texts
    texts.append("")
    assert [*texts][-2:] == ["Spiel 19 ♠", ""]
    with pytest.raises(IndexError):
        texts[21]


def test_those_of_now_stay_what_they_are() -> None:
    texts = Texts(["ab", "c"])
    now = texts.now()
    texts.append("d")
    assert ([*now], [*texts]) == (["ab", "c"], ["ab", "c", "d"])
    assert now == Texts(["ab", "c"]) != texts


def test_equal_texts_are_cut_at_the_same_places() -> None:
    assert Texts(["ab", "c"]) == Texts(["ab", "c"])
    assert Texts(["ab", "c"]) != Texts(["a", "bc"])
