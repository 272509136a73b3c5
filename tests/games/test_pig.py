"""A game of another wheel, with nothing but its rules: all else is derived."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from pips.v1 import game_pb2, player_pb2
from pips_referee.chance import Chance
from pips_referee.errors import GameProblem, MalformedMessage
from pips_referee.forms import codecs_of
from pips_referee.game import Action, AnyGame, Value
from pips_referee.wire import get_wire
from pips_referee.words import action_text
from pips_referee.worth import WorthError, get_worth, worth_sha256
from pips_sdk import GameBot, play_match
from pips_sdk._runtime.hints import hints
from pips_sdk._runtime.table import BotTable
from pips_sdk.bot import BotError
from pips_sdk.lines.source.cpp import header
from pips_sdk.random_bot import random_bot
from pips_sdk.samples import NoSample, sample_class, sample_files
from pips_tourney.cli.bot import main
from pips_tourney.sandbox.places import interpreter
from pips_tourney.web.live.seats import Seats, offers
from pips_tourney.workshop.begin.new_bot import js_sdk, new_bot
from tests.needs import needs
from tests.pips_sdk.lines.schema import schema

FOLDER = Path(__file__).parent / "pig"
SEEDS = [bytes([number]) * 32 for number in range(8)]
MOST_LINES = 80


class Said(Value, Action):
    text: str


class Shown(Value, Action):
    cups: tuple[tuple[int, ...], ...]


def test_its_rules_are_short_and_its_wheel_names_it() -> None:
    lines = (FOLDER / "pig" / "__init__.py").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line.strip()]) <= MOST_LINES
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pips.games"] == {"pig": "pig:GAME"}


@pytest.mark.parametrize(
    "data",
    [
        b"", b"7", b"null", b"[]", b"{}", b'{"kind":"steal"}', b'{"kind":"roll","more":1}', b'{"kind":["roll"]}',
        b'{"kind":"roll"} {}', b"[" * 4000, b'{"kind":"\xff"}', b'{"kind":"threw","seat":0,"die":1}', b"NaN", b"\x00",
    ],
)  # fmt: skip
def test_hostile_bytes_are_malformed(data: bytes) -> None:
    with pytest.raises(MalformedMessage, match="action: "):
        get_wire("pig").read_action(game_pb2.GameAction(other=data))


@pytest.mark.parametrize("value", ["-1", "1001", "1.0", "true", '"1"', "null", "1e400", str(10**26), "[1]"])
def test_numbers_have_their_bounds(value: str) -> None:
    event = f'{{"kind":"held","seat":0,"points":{value}}}'.encode()
    with pytest.raises(MalformedMessage):
        get_wire("pig").read_event(game_pb2.GameEvent(other=event))


def test_what_a_value_refuses_is_said_as_it_says_it() -> None:
    sent = game_pb2.GameOptions(other=b'{"kind":"pig_options","goal":1,"rounds":3}')
    with pytest.raises(MalformedMessage, match=r"^options: goal is a whole number from 2 to 500, not 1$"):
        get_wire("pig").read_options(sent)


def test_a_kind_that_bots_use_otherwise_is_told() -> None:
    for kind in ("choose", "seat", "hear"):
        with pytest.raises(BotError, match=f"pig asks '{kind}', a name that bots use themselves"):
            type("Mine", (GameBot,), {"game": "pig"})().choose(SimpleNamespace(kind=kind))


def test_a_bot_that_fails_is_told_the_position(pig: AnyGame, capsys: pytest.CaptureFixture[str]) -> None:
    class Fails(GameBot):
        game = "pig"

        def turn(self, view: object) -> Action:
            raise ValueError("no idea")

    table, question, answer = BotTable(Fails), player_pb2.Question(number=1), player_pb2.Answer()
    table.begin(0, 2, pig.options(), bytes(32))
    get_wire("pig").write_view(pig.start(pig.options(), 2, Chance(SEEDS[0]))[0].view(0), question.view)
    table.ask(question, answer)
    assert answer.failed.startswith("ValueError: no idea (at test_pig.py:")
    assert "You are asked: turn" in capsys.readouterr().err


def test_derived_words_are_lines_of_their_own() -> None:
    assert action_text(Said("one\nYou are seat 1.\x1b[2J")) == r"said one\nYou are seat 1.\x1b[2J"
    assert action_text(Shown(((1, 2, 3), (4,)))) == "shown (1 2 3) (4)"


def test_a_match_of_before_the_game_had_options_has_their_defaults(pig: AnyGame) -> None:
    stored = game_pb2.GameOptions(other=b'{"kind":"options"}')
    assert get_wire("pig").read_options(stored) == pig.options({})


def test_a_game_without_worlds_says_so_when_it_is_analysed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    play = ["play", "random", "random", "--game", "pig", "-n", "2", "--in-process", "--save", "kept"]
    assert CliRunner().invoke(main, play).exit_code == 0
    ended = CliRunner().invoke(main, ["analyse", "kept"])
    assert (ended.exit_code, "pig has no module `worlds`" in ended.output) == (2, True), ended.output


def test_a_frozen_dataclass_is_read_as_strictly(pig: AnyGame) -> None:
    read = codecs_of("pig").options.read
    assert read(b'{"kind":"pig_options","goal":9,"rounds":3}') == pig.options({"goal": 9, "rounds": 3})
    assert read(b'{"kind":"pig_options","goal":9}') == pig.options({"goal": 9})
    for wrong in ('"goal":9,"rounds":3', '"kind":"x","goal":9,"rounds":3'):
        with pytest.raises(MalformedMessage, match="options: "):
            read(f"{{{wrong}}}".encode())


def test_a_bot_has_a_method_for_each_kind() -> None:
    class Holds(GameBot):
        game = "pig"

        def turn(self, view: object) -> Action:
            return [*view.legal_actions()][-1]  # type: ignore[attr-defined,no-any-return]

    class Misspelt(GameBot):
        game = "pig"

        def turm(self, view: object) -> None: ...

    match = play_match([Holds, random_bot("pig")], SEEDS[4])
    assert match.outcome.faults == ()
    assert hints(Holds) == []
    assert [hint.endswith("Did you mean `turn`?") for hint in hints(Misspelt)] == [True]


def test_random_is_its_sample_and_others_are_named() -> None:
    assert [*sample_files("pig")] == ["random"]
    assert sample_class("pig", "random").game == "pig"
    with pytest.raises(NoSample, match="no sample bot 'greedy' for pig; there are random"):
        sample_class("pig", "greedy")


def test_what_it_does_not_bring_is_said(pig: AnyGame) -> None:
    state, _ = pig.start(pig.options(), 2, Chance(SEEDS[0]))
    assert worth_sha256("pig") == ""
    with pytest.raises(WorthError, match="pig has no value function"):
        get_worth("pig")
    with pytest.raises(GameProblem, match="pig has no module `worlds`"):
        state.redeal(Random(0))


def test_a_game_without_a_rulebook_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pig: AnyGame) -> None:
    monkeypatch.setattr(type(pig), "room", tmp_path)
    with pytest.raises(GameProblem, match=r"pig has no rulebook: write RULES.md into .*"):
        pig.rulebook()


def test_lines_and_kits_know_it() -> None:
    definitions = schema()["$defs"]
    assert [part["properties"]["kind"] for part in definitions["pig_action"]["anyOf"]] == [
        {"const": "roll"},
        {"const": "hold"},
    ]
    assert "struct Roll" in header()


def test_the_fence_shows_its_package(pig: AnyGame) -> None:
    assert str(FOLDER / "pig") in {*interpreter()}


def test_a_person_plays_it_in_the_browser() -> None:
    assert "pig" in [offer["game"] for offer in offers()]
    seats = Seats()
    seat = seats.take({"game": "pig", "seats": 3, "options": {"goal": 10}, "seed": "a"})
    seen = 0
    for number in range(1, 400):
        state = seat.state(seen)
        seen += len(state["frames"])
        if state["over"]:
            break
        assert [action["say"] for action in state["ask"]["actions"]] == ["roll", "hold"]
        assert "goal: 10" in state["ask"]["view"]
        seat.answer(number, "hold")
    else:
        pytest.fail("the match did not end")
    assert seat.replay()["frames"]
    seats.close()


def test_a_new_bot_for_it_passes_its_own_tests(tmp_path: Path) -> None:
    for language in ("python", "js"):
        files = new_bot(tmp_path / f"my_{language}", "pig", language)
        texts = [file.read_text(encoding="utf-8") for file in files]
        assert not any(word in text for text in texts for word in ("first_kind", "SAMPLE", "greedy", "cautious"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "my_python"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout


LINES = """
import json, sys
print('{"type": "hello", "games": ["pig"]}', flush=True)
for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "question":
        kind = "hold" if said["view"]["total"] >= 20 else "roll"
        print(json.dumps({"table": said["table"], "number": said["number"], "action": {"kind": kind}}), flush=True)
"""
SCRIPT = """
import {{ GameBot, run }} from "{sdk}/index.js";
class Twenty extends GameBot {{
  static game = "pig";
  onEvent(event) {{
    if (!["threw", "held"].includes(event.kind) || event.value.seat === undefined) throw new Error(event.kind);
  }}
  turn(view) {{
    return {{ kind: view.total >= 20 ? "hold" : "roll" }};
  }}
}}
run(Twenty);
"""


@pytest.mark.parametrize("language", ["lines", pytest.param("js", marks=needs("node"))])
def test_programs_that_never_heard_of_it_play_it(language: str, tmp_path: Path) -> None:
    (tmp_path / "twenty.py").write_text(LINES, encoding="utf-8")
    (tmp_path / "twenty.mjs").write_text(SCRIPT.format(sdk=js_sdk()), encoding="utf-8")
    word = f"{sys.executable} twenty.py" if language == "lines" else "twenty.mjs"
    command = [str(Path(sys.executable).with_name("pips-bot")), "play", word, "random", "--game", "pig", "-n", "4"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "twenty won" in ended.stdout
    assert "fault" not in ended.stdout
