"""The conformance kit: both SDKs pass, wrong bots fail, and all questions are asked."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from google.protobuf.json_format import ParseDict

from pips.v1 import game_pb2, player_pb2
from pips_referee.game import REGISTRY
from pips_tourney.bots.find import find_bot
from pips_tourney.workshop.begin.new_bot import js_sdk
from tests.conformance import kit
from tests.conformance.__main__ import main
from tests.conformance.kit import TRANSCRIPTS, conform, read_trial
from tests.conformance.write import text_of, transcripts
from tests.needs import needs

PYTHON = Path(__file__).with_name("bot.py")
JS = js_sdk() / "conformance.js"


@pytest.mark.parametrize("bot", [PYTHON, pytest.param(JS, marks=needs("node"))], ids=["python", "js"])
def test_the_sdks_speak_the_protocol(bot: Path) -> None:
    ended = CliRunner().invoke(main, [str(bot)])
    assert ended.exit_code == 0, ended.output
    assert ended.output.endswith("It speaks the protocol.\n")
    assert ended.output.count("\u2713") == len(transcripts())


def test_an_sdk_that_reads_json_reads_the_games_own_messages_too() -> None:
    ended = CliRunner().invoke(main, [str(PYTHON), *REGISTRY, "--typed"])
    assert ended.exit_code == 0, ended.output


def test_the_transcripts_are_those_of_the_rules_as_they_are() -> None:
    """After an intended change of the rules run: python -m tests.conformance.write."""
    for name, lines in transcripts().items():
        assert (TRANSCRIPTS / f"{name}.jsonl").read_text(encoding="utf-8") == text_of(lines), name


def test_they_ask_every_kind_of_question() -> None:
    asked = set()
    for lines in transcripts().values():
        for line in lines:
            message = ParseDict(line.get("send", {}), player_pb2.PlayResponse())
            for question in message.questions:
                game = str(question.view.WhichOneof("game"))
                view = getattr(question.view, game)
                asked.add((game, view.Kind.Name(view.kind)))
    kinds = set()
    for game in REGISTRY:
        view = getattr(game_pb2.GameView(), game)
        kinds |= {(game, kind) for kind in dict(view.Kind.items()) if kind != "KIND_UNSPECIFIED"}
    assert asked == kinds


def verdict(folder: Path, text: str, name: str) -> str:
    """Return the kit's verdict on a bot, for a transcript that it fails."""
    (folder / "wrong.py").write_text(text, encoding="utf-8")
    found = conform(find_bot(f"python {folder / 'wrong.py'}").program(""), name)
    assert not found.ok
    return "\n".join(found.lines())


RIGHT = PYTHON.read_text(encoding="utf-8")
CLIENT = "import inspect\nfrom pips_sdk._runtime import client"


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("serpent", ("return view.playable[0]", "return view.playable[-1]"), "expected lead "),
        ("wichita", ("heard = 0", "heard = 1"), "expected draw "),
        ("serpent", ("run(Serpent, ", "run("), "the hello must have protocol_version 1"),
        (
            "stream-failure",
            ('raise ValueError("I was told to fail")', "__import__('os')._exit(1)"),
            r"ended with status 1, and the transcript was not over: the answer to question 3 of table 1 ",
        ),
        (
            "stream-aborted",
            ("run(Serpent", "import atexit, os; atexit.register(os._exit, 0); run(Serpent"),
            "but has to",
        ),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, name: str, change: tuple[str, str], told: str) -> None:
    assert change[0] in RIGHT
    assert re.search(told, verdict(tmp_path, RIGHT.replace(*change), name))


def test_slow_answers_that_come_together_are_told(tmp_path: Path) -> None:
    text = RIGHT.replace(
        "if __name__", "import pips_sdk._runtime.client\n\npips_sdk._runtime.client.SEND_AFTER_S = 60\n\nif __name__"
    )
    assert "slow answers came together" in verdict(tmp_path, text, "stream-slow")


def test_a_later_answer_that_is_sent_first_is_told() -> None:
    """To a bot that is wrong only there."""
    trial = read_trial("stream-order")
    answers = [ParseDict(answer, player_pb2.Answer()) for answer in trial.steps[2]["expect"]]
    hello = player_pb2.Hello(protocol_version=1, token=kit.TOKEN, games=["serpent"])
    late = [player_pb2.PlayRequest(answers=answers[1:]), player_pb2.PlayRequest(answers=answers[:1])]
    assert len([*trial.play(iter([player_pb2.PlayRequest(hello=hello), *late]), None)]) == 1  # type: ignore[arg-type]
    assert trial.problem.startswith("after 0 answers, at question 3 of table 1 (serpent, lead): expected lead ")
    assert trial.problem.endswith(
        "Answers are sent in the order of the questions: keep one that is ready until those before it are sent"
    )


@pytest.mark.parametrize(
    ("sent", "awaits"), [(1, "question 1 of table 1 "), (2, "question 1 of table 1 (serpent, give)")]
)
def test_who_ends_while_it_is_sent_to_owes_the_next_answer(sent: int, awaits: str) -> None:
    trial = read_trial("stream-failure")
    hello = player_pb2.Hello(protocol_version=1, token=kit.TOKEN, games=["serpent"])
    stream = trial.play(iter([player_pb2.PlayRequest(hello=hello)]), None)  # type: ignore[arg-type]
    for _ in range(sent):
        next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert awaits in trial.awaits


def test_a_ping_that_comes_back_as_another_is_told(tmp_path: Path) -> None:
    deaf = "exec(inspect.getsource(client._serve).replace('pong=message.ping', 'pong=b\"\"'), client.__dict__)"
    text = RIGHT.replace("if __name__", f"{CLIENT}\n\n{deaf}\n\nif __name__")
    assert "a ping is sent back at once" in verdict(tmp_path, text, "stream-ping")


def test_a_ping_without_an_answer_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kit, "PATIENCE_S", 5.0)
    deaf = "exec(inspect.getsource(client._serve).replace('if message.ping', 'if False'), client.__dict__)"
    text = RIGHT.replace("if __name__", f"{CLIENT}\n\n{deaf}\n\nif __name__")
    told = verdict(tmp_path, text, "stream-ping")
    assert "a ping is sent back at once, as `pong` with the same bytes, but nothing came" in told


def test_a_bot_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kit, "PATIENCE_S", 1.0)
    told = verdict(tmp_path, "import time\n\nprint('here I am', flush=True)\ntime.sleep(600)\n", "stream-refused")
    assert "it was still running after 1 s, and the transcript was not over: the bot's hello was expected" in told


@pytest.mark.parametrize("name", ["serpent", "stream-refused"])
def test_a_program_that_never_says_hello_passes_nothing(tmp_path: Path, name: str) -> None:
    told = verdict(tmp_path, "raise SystemExit(2)\n", name)
    assert "it ended with status 2, and the transcript was not over: the bot's hello was expected" in told


def test_a_transcript_that_is_not_there() -> None:
    ended = CliRunner().invoke(main, [str(PYTHON), "chess"])
    assert ended.exit_code == 2
    assert "'chess' is not one of 'dominion', " in ended.output


def test_the_answers_of_a_failure_may_have_any_words() -> None:
    [failure] = [line for line in transcripts()["stream-failure"] if "expect" in line and "failed" in json.dumps(line)]
    assert failure["expect"][0]["failed"] == "any words"
