"""What a match by margin is worth, on deals whose worth is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.lab.simulate import real_deals, worth
from tests.lab.simulate.real_deals import Field, deals_of, play_all
from tests.lab.simulate.worth import CLOSE, Meetings, arrays, coverage_lines, covered, meetings, worth_lines

FIELD = Field("wichita", CLOSE)


def made(deals: int, lead: float, seed: int) -> Meetings:
    """Normal leads, and the points that these give."""
    leads = np.random.default_rng(seed).normal(lead, 1.0, deals)
    return Meetings(np.sign(leads) / 2, leads)


def test_the_sign_of_a_normal_lead_knows_two_thirds_of_it() -> None:
    """Its efficiency is 2 / pi: a match by margin is worth pi / 2 matches by result."""
    told = worth.worth(made(10_000, 0.3, 1), np.random.default_rng(1))
    assert told is not None
    found, low, high = told
    assert low < np.pi / 2 < high
    assert low < found < high < 1.9


def test_points_that_never_differ_have_no_worth() -> None:
    assert worth.worth(made(50, 10.0, 2), np.random.default_rng(1)) is None


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """A few real deals, in a folder of their own."""
    monkeypatch.setattr(real_deals, "FOLDER", tmp_path)
    monkeypatch.setattr(real_deals, "CHUNK", 10)
    for chunk in range(2):
        real_deals.play_chunk(FIELD, chunk)
    return 20


def test_real_deals_are_played_once_and_read_in_order(played: int) -> None:
    before = {path: path.stat().st_mtime_ns for path in real_deals.FOLDER.iterdir()}
    assert play_all({FIELD: played}, 1.0, 2) == 0
    assert play_all({FIELD: 3 * played}, 0.0, 2) == 4
    assert {path: path.stat().st_mtime_ns for path in real_deals.FOLDER.iterdir()} == before
    deals = list(deals_of(FIELD, played))
    assert len(deals) == played
    assert deals[13] == real_deals.played(FIELD, 13)
    assert [matches[0][0] for matches in deals[0]] == [
        ("greedy 10 %", "greedy 25 %"), ("cautious 10 %", "greedy 10 %"), ("cautious 10 %", "greedy 25 %"),
    ]  # fmt: skip


def test_tables_are_made_of_them(played: int, monkeypatch: pytest.MonkeyPatch) -> None:
    of = meetings(FIELD, played)["greedy 10 %", "greedy 25 %"]
    first = next(iter(deals_of(FIELD, played)))[0]
    points = [1 if places[seats.index("greedy 10 %")] == 1 else 0 for seats, places, _ in first]
    assert of.points[0] == np.mean(points) - 0.5
    assert len(of.leads) == played and np.abs(of.leads).max() <= 3.0
    assert len(list(worth_lines(FIELD, played))) == 3
    monkeypatch.setattr(worth, "PARTS", (10,))
    assert arrays(FIELD, played)[0].shape == (played, 3, 2, 2)
    held, _ = covered(FIELD, played, 10)
    assert held > 0.5
    (line,) = coverage_lines(FIELD, played)
    assert line.startswith("| wichita | 60 | 10 | 2 | ")
