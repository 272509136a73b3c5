"""The line protocol: its forms, the schema, the bridge, and the languages."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from pips.v1 import player_pb2
from pips_referee.errors import MalformedMessage
from pips_referee.forms import codecs_of
from pips_referee.game import REGISTRY, get_game
from pips_referee.records.record_json import to_json
from pips_referee.wire import get_wire
from pips_sdk.lines.bridge import FLUSH, Bridge, Said, _Unanswered
from pips_tourney.cli.bot import main
from tests.needs import needs
from tests.pips_sdk.lines.languages import SAMPLES, TOOLS
from tests.pips_sdk.lines.schema import schema
from tests.records import new_header

pytestmark = pytest.mark.unmeasured  # other tests reach these lines

ROOT = Path(__file__).parents[3]
LINES = re.compile(r"^[<>] (.*)$", re.MULTILINE)


def valid(line: Any) -> bool:
    return bool(Draft202012Validator(schema()).is_valid(line))


@pytest.mark.parametrize("game", REGISTRY)
def test_actions_come_back_from_their_lines(game: str) -> None:
    header = new_header(game)
    for number, action in enumerate(header.new_match().question().view.legal_actions()):
        assert codecs_of(game).action.read(json.dumps(to_json(action)).encode()) == action
        assert valid({"table": 1, "number": 1, "action": to_json(action)})
        if number == 20:
            break
    assert get_game(game).name == game


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ({"kind": "lead", "card": "1S"}, "action.card: a card such as QS is due, not '1S'"),
        ({"kind": "lead"}, "action: the field card is missing in {'kind': 'lead'}"),
        ({"kind": "lead", "card": "QS", "more": 1}, "action: there is no field more, as in {'kind': 'lead', "),
        ({"kind": "leads", "card": "QS"}, "action: an object with a `kind` of give, reveal, lead, answer is due"),
        ({"kind": "give", "cards": "QS"}, "action.cards: a list is due"),
        ({"kind": ["lead"]}, "action: an object with a `kind`"),
        (None, "action: an object with a `kind`"),
    ],
)
def test_a_wrong_action_is_told_where_and_what(action: object, said: str) -> None:
    with pytest.raises(MalformedMessage) as refused:
        codecs_of("serpent").action.read(json.dumps(action).encode())
    assert str(refused.value).startswith(said)
    assert not valid({"table": 1, "number": 1, "action": action})


@pytest.mark.parametrize("action", ['{"kind":"_nothing"}', *["[" * deep + "]" * deep for deep in range(960, 1000, 3)]])
def test_what_is_no_action_costs_its_match_alone(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    bridge, request = Bridge(SimpleNamespace(), Said("a", ("serpent",))), player_pb2.PlayRequest()  # type: ignore[arg-type]
    view = new_header("serpent").new_match().question().view
    bridge.open[1, 1] = _Unanswered("serpent", get_wire("serpent"), view, 0)
    bridge._take(f'{{"table":1,"number":1,"action":{action}}}'.encode(), request)
    assert not bridge.open or "stray" in capsys.readouterr().err  # what json cannot read is no answer at all
    assert all(answer.failed for answer in request.answers)


@needs("jq")
def test_the_page_s_transcript_is_what_the_shell_bot_says() -> None:
    block = (ROOT / "docs" / "lines-transcript.txt").read_text(encoding="utf-8")
    assert all(valid(json.loads(line)) for line in LINES.findall(block))
    to_bot = "".join(f"{line[2:]}\n" for line in block.splitlines() if line[0] == ">")
    ended = subprocess.run(
        ["sh", "bot.sh"], cwd=SAMPLES / "shell", input=to_bot, capture_output=True, text=True, check=True
    )
    from_bot = [json.loads(line[2:]) for line in block.splitlines() if line[0] == "<"]
    assert [json.loads(line) for line in ended.stdout.splitlines()] == from_bot


def a_bot(folder: Path, body: str) -> Path:
    """A folder with a bot in lines: after its hello it runs `body` at a question."""
    folder.mkdir()
    (folder / "bot.toml").write_text(
        'protocol = "lines"\ncommand = "python lines.py"\ngames = ["serpent"]\n', encoding="utf-8"
    )
    (folder / "lines.py").write_text(
        "import sys, json\n"
        "print(json.dumps({'type': 'hello', 'games': ['serpent'], 'legal': True}), flush=True)\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    if asked['type'] == 'question':\n"
        "        key = {'table': asked['table'], 'number': asked['number']}\n"
        f"        {body}\n",
        encoding="utf-8",
    )
    return folder


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("pass", f"no line came within 200 ms. {FLUSH}"),
        ("print('{\"tab', end='', flush=True)", "came, without a line break"),
        ("print('thinking', flush=True)", "a stray line on standard output, which is the protocol's"),
        ("print(json.dumps({**key, 'action': {'kind': 'lead', 'card': 'X'}}), flush=True)", "action.card: a card such"),
        ("sys.exit(3)", "the program ended with status 3"),
        ("print(json.dumps({**key, 'failed': 'half \\ud800'}), flush=True)", "half \\ud800"),
        ("print('x' * (2 << 20), flush=True); sys.stdin.read()", "a line of more than 1 MiB came"),
    ],
)
def test_what_goes_wrong_is_told(tmp_path: Path, body: str, said: str) -> None:
    bot = a_bot(tmp_path / "fox", body)
    ended = CliRunner().invoke(main, ["play", str(bot), "random", "-n", "2", "--answer-ms", "200"])
    assert said in ended.output.replace("\n", " "), ended.output


def test_check_names_a_stray_line_once(tmp_path: Path) -> None:
    """Such a bot plays, so nothing else would tell its author."""
    answer = "print(json.dumps({**key, 'failed': 'no'}), flush=True)"
    bot = a_bot(tmp_path / "fox", f"print('thinking', flush=True); {answer}")
    ended = CliRunner().invoke(main, ["check", str(bot)])
    assert ended.output.count("- a stray line on standard output, which is the protocol's") == 1, ended.output


@needs(*TOOLS.values())
def test_a_league_of_four_languages(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES, tmp_path / "bots")
    subprocess.run(["g++", "-o", "bot", "bot.cpp"], cwd=tmp_path / "bots" / "cpp", check=True)
    bots = "".join(f'[[bots]]\npath = "bots/{name}"\ngames = ["serpent"]\n' for name in [*TOOLS, "python"])
    (tmp_path / "night.toml").write_text(
        'games = ["serpent"]\narenas = 1\nclock = { answer_ms = 5000 }\n'
        f'deals = {{ suite = "quick", count = 1 }}\n{bots}',
        encoding="utf-8",
    )
    ended = subprocess.run(
        [sys.executable, "-m", "pips_tourney", "run", "night.toml", "--json"],
        cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    [table] = json.loads(ended.stdout)["tables"]
    assert table["counted"] == 12
    assert not any(row["faults"] for row in table["rows"])
