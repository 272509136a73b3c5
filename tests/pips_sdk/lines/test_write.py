"""The text of a value is that of its JSON, in whole matches of every game."""

from __future__ import annotations

import json

import pytest

from pips_referee.form_text import write, write_all
from pips_referee.forms import types_of
from pips_referee.game import REGISTRY, get_game
from pips_referee.records.record import read_record
from pips_referee.records.record_json import to_json
from pips_referee.records.replay import steps
from tests.records import random_record


def plain(value: object) -> str:
    return json.dumps(to_json(value), separators=(",", ":"))


@pytest.mark.parametrize("game", REGISTRY)
def test_whole_matches_are_written_as_their_json(game: str) -> None:
    kinds: set[type] = set()
    for seed in range(2):
        record = read_record(random_record(game, seed=bytes([seed]) * 32))
        assert write(record.header.options) == plain(record.header.options)
        for step in steps(record):
            seen = [event for each in step.events if (event := each.seen_by(1)) is not None]
            assert write_all(seen) == plain(seen)
            values = [*step.events, *([step.question.view] if step.question else [])]
            values += [step.reply.action] if step.reply and step.reply.action else []
            for value in values:
                assert write(value) == plain(value)
                kinds.add(type(value))
    assert types_of(get_game(game)).view in kinds
    assert len(kinds) > 6, "a view, actions and events"
