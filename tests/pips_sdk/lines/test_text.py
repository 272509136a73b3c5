"""Text in the line protocol: on request each question has one, and words answer it."""

from __future__ import annotations

import json
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from pips_sdk.text import parse
from pips_tourney.bots.find import find_bot
from pips_tourney.cli.bot import main
from tests.conformance.kit import TranscriptVerdict, conform
from tests.pips_sdk.lines.schema import schema
from tests.pips_tourney.analysis.matches import EVERY_GAME
from tests.records import new_header

WORDS = """
import json, re, sys
said = {{"type": "hello", "games": {games}, "text": True, "legal": {legal}}}
print(json.dumps(said), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    with open({log!r}, "a") as log:
        log.write(line)
    if asked["type"] == "question":
        key = {{"table": asked["table"], "number": asked["number"]}}
        words = re.findall(r"answer: .*", asked["text"])[-1]
        print(json.dumps({{**key, "text": {answer}}}), flush=True)
"""


def a_bot(folder: Path, game: str, answer: str = "words", *, legal: bool = True) -> Path:
    """A folder with a bot that answers with words that it finds in the text."""
    folder.mkdir()
    toml = f'protocol = "lines"\ncommand = "python words.py"\ngames = ["{game}"]\n'
    (folder / "bot.toml").write_text(toml, encoding="utf-8")
    code = WORDS.format(games=[game], legal=legal, log=str(folder.with_name("log")), answer=answer)
    (folder / "words.py").write_text(code, encoding="utf-8")
    return folder


@pytest.mark.parametrize("game", EVERY_GAME)
def test_a_bot_plays_from_text_alone(game: str, tmp_path: Path) -> None:
    bot = a_bot(tmp_path / "fox", game)
    ended = CliRunner().invoke(main, ["play", str(bot), "random", "-n", "1", "--answer-ms", "5000"])
    assert ended.exit_code == 0, ended.output
    assert "fault" not in ended.output, ended.output
    lines = [json.loads(line) for line in (tmp_path / "log").read_text(encoding="utf-8").splitlines()]
    is_valid = Draft202012Validator(schema()).is_valid
    questions = [line for line in lines if line["type"] == "question"]
    assert all(is_valid(line) for line in islice(questions, 5))
    first = questions[0]["text"]
    told = next(line for line in lines if line["type"] == "start" and line["table"] == questions[0]["table"])["told"]
    assert ("What happened since you were last asked:" in first) == bool(told or questions[0]["events"])


def tried(bot: Path) -> TranscriptVerdict:
    """The kit's verdict on a bot that gives other answers, or none."""
    return conform(
        find_bot(f"{sys.executable} -m pips_sdk.lines {sys.executable} {bot / 'words.py'}").program(""), "serpent"
    )


def test_without_legal_one_example_is_given(tmp_path: Path) -> None:
    tried(a_bot(tmp_path / "fox", "serpent", legal=False))
    lines = map(json.loads, (tmp_path / "log").read_text(encoding="utf-8").splitlines())
    [text, *_] = [line["text"] for line in lines if line["type"] == "question"]
    assert "For example: answer: " in text


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("'answer: fold'", "text: 'fold' is none of the legal answers"),
        ("words + chr(10) + words", "text: "),
        ("7", "an answer has table, number, and action, text or failed, and nothing else"),
    ],
)
def test_words_are_never_guessed(tmp_path: Path, answer: str, said: str) -> None:
    assert said in tried(a_bot(tmp_path / "fox", "serpent", answer)).trial.problem


def test_a_bot_that_asked_for_no_text_is_sent_none(tmp_path: Path) -> None:
    a_bot(tmp_path / "fox", "serpent")
    code = (tmp_path / "fox" / "words.py").read_text(encoding="utf-8").replace('"text": True, ', "")
    (tmp_path / "fox" / "words.py").write_text(code, encoding="utf-8")
    assert "KeyError: 'text'" in tried(tmp_path / "fox").output


@pytest.mark.parametrize(
    "line", [{"table": 1, "number": 1, "text": "draw on"}, {"type": "hello", "games": ["serpent"], "text": True}]
)
def test_the_schema_knows_words(line: dict[str, Any]) -> None:
    assert Draft202012Validator(schema()).is_valid(line)
    assert not Draft202012Validator(schema()).is_valid({**line, "text": 7})


def test_a_text_s_example_is_an_answer() -> None:
    view = new_header("serpent").new_match().question().view
    assert parse("answer: give 3C 5D 7D", view) in set(view.legal_actions())
