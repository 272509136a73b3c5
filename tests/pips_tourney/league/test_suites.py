"""Suites: read from text, found by name, refused with the line that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from pips_tourney.league.suites import Deal, SuiteError, drawn_deals, house_suites, parse_suite, read_suite

SEED = "0123456789abcdef" * 2


def test_a_suite_is_names_and_seeds() -> None:
    text = f"pips deals 1\n# the first\none {SEED}\n\n  two\t{SEED[::-1]}  \n"
    assert parse_suite(text, "my") == (Deal("one", SEED), Deal("two", SEED[::-1]))


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "my:1: the first line"),
        ("pips deals 2\n", "my:1: the first line"),
        ("pips deals 1\none\n", "my:2: a deal is"),
        (f"pips deals 1\n\none {SEED[1:]}\n", "my:3: a deal is"),
        (f"pips deals 1\none {SEED}\none {SEED[::-1]}\n", "my:3: one is in line 2"),
        (f"pips deals 1\none {SEED}\ntwo {SEED}\n", f"my:3: {SEED} is in line 2"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, where: str) -> None:
    with pytest.raises(SuiteError, match=where):
        parse_suite(text, "my")


def test_the_house_has_three_suites_of_growing_length() -> None:
    assert house_suites() == ["league", "long", "quick"]
    lengths = [len(read_suite(name, Path())) for name in ("quick", "league", "long")]
    assert lengths == [20, 200, 2000]


def test_a_suite_beside_the_league_file_comes_before_the_house_s(tmp_path: Path) -> None:
    mine = tmp_path / "quick.deals"
    mine.write_text(f"pips deals 1\nmine {SEED}\n", encoding="utf-8")
    assert read_suite("quick", tmp_path) == read_suite("quick.deals", tmp_path) == (Deal("mine", SEED),)


def test_a_suite_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=r"'nowhere'.*league, long, quick"):
        read_suite("nowhere", tmp_path)


def test_drawn_deals_are_all_different_and_do_not_depend_on_how_many_there_are() -> None:
    deals = drawn_deals(50)
    assert len({deal.seed for deal in deals}) == len({deal.name for deal in deals}) == 50
    assert drawn_deals(20) == deals[:20]
    parse_suite("pips deals 1\n" + "\n".join(f"{name} {seed}" for name, seed in deals), "drawn")
