"""Async bots in JavaScript: several tables' questions wait at once."""

from __future__ import annotations

import os
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from pips.v1 import record_pb2
from pips_tourney.bots.find import find_bot
from pips_tourney.bots.found import Sample
from pips_tourney.night.plan.fixtures import Fixture
from pips_tourney.workshop.begin.new_bot import js_sdk
from pips_tourney.workshop.duels.duel import Wanted, plan_duel
from pips_tourney.workshop.duels.play import play
from tests.conformance import kit
from tests.conformance.kit import TranscriptVerdict, Trial, conform_in_grpc, read_trial
from tests.needs import needs
from tests.pips_tourney.analysis.matches import EVERY_GAME

pytestmark = [needs("node"), pytest.mark.unmeasured]
PING = b64encode(b"are you there?").decode()
BOT = """
import {{ run, SerpentBot }} from "{sdk}/index.js";

const waiting = [];
class Patient extends SerpentBot {{
  async lead(view) {{
    await new Promise((kept) => {{
      waiting.push(kept);
      {when}
    }});
    {then}
    return view.playable[0];
  }}

  onFinish() {{
    for (const kept of waiting) kept();
  }}
}}
await run(Patient);
"""
ALL_ASKED = "if (waiting.length === 5) setTimeout(() => waiting.forEach((kept) => kept()), 100);"


def slow() -> list[dict[str, Any]]:
    """The steps of a transcript that asks at five tables in one message."""
    return [dict(step) for step in read_trial("stream-slow").steps]


def verdict(folder: Path, steps: list[dict[str, Any]], when: str = "", then: str = "") -> TranscriptVerdict:
    bot = folder / "patient.mjs"
    bot.write_text(BOT.format(sdk=js_sdk().as_posix(), when=when, then=then), encoding="utf-8")
    return conform_in_grpc(find_bot(f"node {bot}").program(""), Trial("async", steps))


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kit, "PATIENCE_S", 20.0)


def test_five_tables_wait_at_once_and_a_ping_is_sent_back_meanwhile(tmp_path: Path) -> None:
    """Each answer waits until all five were asked, so one at a time would never end."""
    note, asked, answers, end = slow()
    found = verdict(tmp_path, [note, asked, {"send": {"ping": PING}}, {"pong": PING}, answers, end], ALL_ASKED)
    assert found.ok, list(found.lines())
    assert found.trial.answered == 5


def test_a_broken_promise_costs_its_own_match(tmp_path: Path) -> None:
    note, asked, answers, end = slow()
    expected = [{"table": answer["table"], "number": 3, "failed": "any words"} for answer in answers["expect"]]
    found = verdict(tmp_path, [note, asked, {"expect": expected}, end], ALL_ASKED, 'throw new Error("lost");')
    assert found.ok, list(found.lines())
    assert "Patient failed at question 3 (lead) of a match of serpent" in found.output


def test_what_comes_after_the_match_is_not_sent(tmp_path: Path) -> None:
    """The promises are kept when the first match ends; the other four are answered."""
    note, asked, answers, end = slow()
    finish = {"send": {"finishes": [{"table": 1, "places": [2, 1], "scores": [0, 0]}]}}
    left = {"expect": answers["expect"][1:]}
    found = verdict(tmp_path, [note, asked, finish, left, {"send": {"ping": PING}}, {"pong": PING}, end])
    assert found.ok, list(found.lines())
    assert found.trial.answered == 4


TWIN = """
import {{ DominionBot, PippipBot, run, SerpentBot, WichitaBot }} from "{sdk}/index.js";

function patient(base) {{
  class Twin extends base {{}}
  for (const kind of Object.getOwnPropertyNames(base.prototype)) {{
    if (["constructor", "choose"].includes(kind)) continue;
    const usual = base.prototype[kind];
    Twin.prototype[kind] = function (view) {{
      const given = usual.call(this, view);
      return {late_ms} ? new Promise((kept) => setTimeout(kept, {late_ms} * Math.random(), given)) : given;
    }};
  }}
  return Twin;
}}
await run(...[SerpentBot, WichitaBot, PippipBot, DominionBot].map(patient));
"""


def played(folder: Path, game: str, matches: int, late_ms: int) -> dict[str, tuple[object, ...]]:
    """The answers and the outcome of every match, without times."""
    folder.mkdir(exist_ok=True)
    (folder / "twin.mjs").write_text(TWIN.format(sdk=js_sdk().as_posix(), late_ms=late_ms), encoding="utf-8")
    duel = plan_duel(find_bot(str(folder / "twin.mjs")), Sample("greedy", game), Wanted(matches, 1, game, seed="twins"))
    results: dict[str, tuple[object, ...]] = {}

    def note(fixture: Fixture, data: bytes) -> None:
        record = record_pb2.MatchRecord.FromString(data)
        assert not record.outcome.faults, record.outcome
        answers = [(answer.seat, answer.action.SerializeToString()) for answer in record.answers]
        results[fixture.match_id] = (answers, record.outcome.SerializeToString())

    play(duel, note)
    return results


@pytest.mark.parametrize("game", EVERY_GAME)
def test_promises_that_are_kept_in_any_order_change_no_match(tmp_path: Path, game: str) -> None:
    """`JS_MATCHES=200` plays more, with promises as slow as a server's."""
    matches = int(os.environ.get("JS_MATCHES", "2"))
    late = played(tmp_path / "late", game, matches, 45 if matches > 2 else 5)
    assert late == played(tmp_path / "twin", game, matches, 0)
    assert len(late) >= matches
