"""The text of a value is that of its JSON, in whole matches of every game."""

from __future__ import annotations

import json

import pytest

from pips_referee.forms import codecs_of
from pips_referee.game import REGISTRY
from pips_referee.records.record import read_record
from pips_referee.records.record_json import to_json
from pips_referee.records.replay import steps
from tests.records import random_record


@pytest.mark.parametrize("game", REGISTRY)
def test_whole_matches_are_written_as_their_json(game: str) -> None:
    codecs = codecs_of(game)
    written = 0
    for seed in range(2):
        record = read_record(random_record(game, seed=bytes([seed]) * 32))
        assert json.loads(codecs.options.write(record.header.options)) == to_json(record.header.options)
        for step in steps(record):
            seen = [event for each in step.events if (event := each.seen_by(1)) is not None]
            assert json.loads(codecs.event.write_all(seen)) == to_json(seen)
            if step.question is not None and step.reply is not None and step.reply.action is not None:
                for codec, value in ((codecs.view, step.question.view), (codecs.action, step.reply.action)):
                    data = codec.write(value)
                    assert json.loads(data) == to_json(value)
                    assert codec.read(data) == value
                    written += 1
    assert written > 20
