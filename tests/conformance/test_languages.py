"""The conformance kit and bots in lines: languages pass, and wrong bots do not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pips_tourney.bots.find import find_bot
from pips_tourney.workshop.program_stream import run_at
from tests.conformance import kit
from tests.conformance.__main__ import main
from tests.conformance.kit import conform, conform_in_grpc, read_trial, transcripts
from tests.pips_sdk.lines.languages import CONFORMANCE

BOT = CONFORMANCE / "bot.py"
RIGHT = BOT.read_text(encoding="utf-8")


@pytest.mark.unmeasured
def test_a_bot_in_lines_speaks_the_protocol() -> None:
    ended = CliRunner().invoke(main, [f"{sys.executable} -m pips_sdk.lines {sys.executable} {BOT}"])
    assert ended.exit_code == 0, ended.output
    assert ended.output.count("\u2713") == len(transcripts())


@pytest.mark.parametrize("name", ["serpent", "stream-aborted", "stream-failure", "stream-refused", "stream-slow"])
def test_the_bridge_speaks_the_protocol_as_a_process(name: str) -> None:
    program = find_bot(f"{sys.executable} -m pips_sdk.lines {sys.executable} {BOT}").program("")
    verdict = conform_in_grpc(program, read_trial(name))
    assert verdict.ok, list(verdict.lines())


def verdict(folder: Path, text: str, name: str) -> str:
    """Return the kit's verdict on a bot, for a transcript that it fails."""
    (folder / "wrong.py").write_text(text, encoding="utf-8")
    found = conform(
        find_bot(f"{sys.executable} -m pips_sdk.lines {sys.executable} {folder / 'wrong.py'}").program(""), name
    )
    assert not found.ok
    return "\n".join(found.lines())


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("serpent", ('card=view["playable"][0]', 'card=view["playable"][-1]'), "expected lead "),
        ("serpent", ('"serpent", "wichita"', '"wichita"'), "the games serpent, and nothing beside it"),
        ("serpent", ('type="hello"', 'type="hullo"'), "the first line has to be a hello"),
        ("serpent", ('"number": message', '"figure": message'), "an answer has `table` and `number`"),
        (
            "stream-failure",
            ('raise ValueError("I was told to fail")', "sys.exit(3)"),
            "the program ended with status 3",
        ),
        ("stream-slow", ("answer |= {", "print('slow'); answer |= {"), "a stray line on standard output"),
    ],
)
def test_what_is_wrong_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, change: tuple[str, str], told: str
) -> None:
    monkeypatch.setattr(kit, "PATIENCE_S", 5.0)
    assert change[0] in RIGHT
    assert told in verdict(tmp_path, RIGHT.replace(*change), name)


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ("sys.exit(4)", "it ended with status 4 after its standard input was closed, but has to end with 0"),
        ("sleep(600)", "it went on after its standard input was closed, but has to end with 0"),
    ],
)
def test_a_bot_has_to_end_with_its_input(tmp_path: Path, end: str, told: str) -> None:
    assert told in verdict(tmp_path, f"{RIGHT}{end}\n", "stream-aborted")


SILENT = ["import time\ntime.sleep(600)\n", "import subprocess\nsubprocess.run(['sleep', '600'])\n"]


@pytest.mark.parametrize("code", SILENT, ids=["alone", "with a process of its own"])
def test_a_silent_bot_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr(kit, "PATIENCE_S", 0.5)
    told = verdict(tmp_path, code, "serpent")
    assert "it was not done after 0.5 s" in told


def test_a_program_that_is_not_there_is_told() -> None:
    found = conform(find_bot(f"{sys.executable} -m pips_sdk.lines ./no-such-bot").program(""), "serpent")
    assert "./no-such-bot cannot be started" in found.trial.problem


def test_a_silent_bot_over_grpc_is_ended_with_what_it_started(tmp_path: Path) -> None:
    (tmp_path / "silent.py").write_text(SILENT[1], encoding="utf-8")
    program = find_bot(f"{sys.executable} {tmp_path / 'silent.py'}").program("")
    assert run_at(read_trial("serpent"), program, b"", 0.5) == (None, "")
