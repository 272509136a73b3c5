"""Wichita's prices can be found anew, and a step leads from bad ones to better ones."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from pips_sample_bots.wichita import search_bot
from pips_sample_bots.wichita.search_bot import FILE, LEFT, Prices, found_prices

TEACH = Path(__file__).parents[1] / "lab/teach/wichita.py"


@pytest.fixture(scope="module")
def teach() -> ModuleType:
    spec = importlib.util.spec_from_file_location("teach_wichita", TEACH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def taught(written: Path, *words: str) -> dict[str, Prices]:
    written.write_bytes(FILE.read_bytes())
    subprocess.run([sys.executable, TEACH, written, "--steps", "2", "--deals", "2", *words], check=True)
    return {seats: Prices(**row) for seats, row in json.loads(written.read_text()).items()}


def test_a_seed_finds_the_same_prices_each_time(tmp_path: Path) -> None:
    found = taught(tmp_path / "prices.json", "--seats", "2")
    assert found["2"] != found_prices(2)
    assert found == taught(tmp_path / "again.json", "--seats", "2")
    assert found != taught(tmp_path / "other.json", "--seats", "2", "--seed", "2")


def test_prices_are_numbers_in_a_row_and_back(teach: ModuleType) -> None:
    prices = found_prices(4)
    numbers = teach.flat(prices)
    assert len(numbers) == len(LEFT) + 13 + 4
    assert teach.flat(teach.shaped(numbers, prices)) == pytest.approx(numbers)
    more = teach.shaped([number + 1 for number in numbers], prices)
    assert more.empty - prices.empty == pytest.approx(teach.SPREAD["empty"])
    assert more.base[3] - prices.base[3] == pytest.approx(teach.SPREAD["base"])


def test_a_trial_leads_from_bad_prices_to_better_ones(teach: ModuleType) -> None:
    """Where all cards are to be got rid of, they should cost more."""
    bad = replace(found_prices(2), base=[-0.5] * len(LEFT))
    deals = range(30)
    shares = [sum(teach.share(prices, 2, bytes([deal] * 32)) for deal in deals) for prices in (bad, found_prices(2))]
    assert shares[0] < shares[1]
    found = [teach.trial(teach.flat(bad), bad, 2, str(deal)) for deal in deals]
    assert sum(sum(numbers[: len(LEFT)]) for numbers in found) > 0


def test_seats_without_prices_have_those_of_fewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = tmp_path / "prices.json"
    found = taught(written, "--seats", "4")
    assert {*found} == {"2", "4"}
    monkeypatch.setattr(search_bot, "FILE", written)
    found_prices.cache_clear()
    try:
        assert [found_prices(seats) for seats in (2, 3, 4, 12)] == [found[seats] for seats in ("2", "2", "4", "4")]
    finally:
        found_prices.cache_clear()


def test_it_can_begin_with_plain_prices(teach: ModuleType, tmp_path: Path) -> None:
    found = taught(tmp_path / "prices.json", "--seats", "2", "--anew")["2"]
    away = [abs(after - before) for after, before in zip(teach.flat(found), teach.flat(teach.PLAIN), strict=True)]
    assert 0 < max(away) < 10
    assert found.base[-1] < 0.7 < found_prices(2).base[-1]
