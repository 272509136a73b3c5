"""The advice that is printed about a bot that did not start."""

from __future__ import annotations

import pytest

from pips_tourney.arena.advice import what_to_do
from pips_tourney.arena.starting import StartFailure


@pytest.mark.parametrize(
    ("how", "output", "advice"),
    [
        ("said no hello within 10 s", "", "compute for long"),
        ("could not be started: No such file", "", "Fix the command"),
        ("it plays wichita, not serpent", "", "Name the games it plays"),
        ("exit status 0", "", r"end with `run\(MyBot\)`"),
        ("exit status 1", "ModuleNotFoundError: No module named 'grpc'", "pip install grpcio msgspec protobuf"),
        ("exit status 1", "ModuleNotFoundError: No module named 'msgspec'", "pip install grpcio msgspec protobuf"),
        ("exit status 1", "ModuleNotFoundError: No module named 'google.protobuf'", "pip install grpcio msgspec "),
        ("exit status 1", "ValueError: 7", "the last line tells"),
        ("signal 9", " \n", "by hand"),
    ],
)
def test_every_way_to_fail_has_its_advice(how: str, output: str, advice: str) -> None:
    from re import search

    assert search(advice, what_to_do(StartFailure("ada/serpent/0", how, output)))
