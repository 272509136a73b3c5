"""The laboratory of channels counts what arrives, and what does not."""

from __future__ import annotations

import pytest

from pips_tourney.sandbox.limits import Limits
from pips_tourney.sandbox.tiers import Tier, choose
from tests.lab.channels import TURNS, TURNS_TAKEN, Way, measure
from tests.needs import needs


@needs("bwrap")
@pytest.mark.parametrize("apart", [False, True])
def test_what_arrives_is_counted(apart: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.lab.channels.START_S", 0.2)
    sandbox = choose(Tier.BUBBLEWRAP, Limits())
    arrived = [
        measure(sandbox, Way(0.001, "", code), 0.1, apart=apart)
        for code in ("told(bits)", "told([1] * count)", "told([bit ^ (n % 2) for n, bit in enumerate(bits)])")
    ]
    assert arrived[0] == 100 and max(arrived[1:]) < 20


@needs("bwrap")
def test_who_has_ended_takes_no_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.lab.channels.START_S", 0.2)
    way = Way(0.01, TURNS, TURNS_TAKEN)
    assert measure(choose(Tier.BUBBLEWRAP, Limits()), way, 0.5, apart=True) < 15
