"""Many tables: answers in any order, each with its own time, and a process a table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import NoReturn
from unittest.mock import MagicMock

import pytest
from click.testing import CliRunner

from pips.v1 import player_pb2
from pips_referee.wire import get_wire
from pips_sdk._runtime.start import StartError
from pips_sdk.lines import bridge
from pips_sdk.lines.bridge import Bridge, begin
from pips_sdk.lines.speaker import Speaker
from pips_sdk.lines.speaker_in_threads import SpeakerInThreads
from pips_sdk.lines.tables import TableProcesses
from pips_tourney.cli.bot import main
from tests.records import new_header

HELLO = '{"type": "hello", "games": ["serpent"], "legal": true, "one_table": true}'
IN_ANY_ORDER = """
import json, os
print(json.dumps({"type": "hello", "games": ["serpent"], "legal": True}), flush=True)
rest = b""
while data := os.read(0, 1 << 20):
    *lines, rest = (rest + data).split(b"\\n")
    for asked in map(json.loads, reversed(lines)):
        if asked["type"] == "question":
            answer = {"table": asked["table"], "number": asked["number"], "action": asked["legal"][0]}
            print(json.dumps(answer), flush=True)
"""
ONE_TABLE = f"""
import json, sys
print('{HELLO}', flush=True)
start = json.loads(sys.stdin.readline())
for line in sys.stdin:
    asked = json.loads(line)
    assert asked["table"] == start["table"], "a line of another table"
    if asked["type"] == "finish":
        break
    CRASH
    print(json.dumps({{"table": asked["table"], "number": asked["number"], "action": asked["legal"][0]}}), flush=True)
assert sys.stdin.readline() == "", "a line after the finish"
"""


def test_a_first_line_that_does_not_end_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert bridge.SILENCE_S < 5
    monkeypatch.setattr(bridge, "SILENCE_S", 0.0)
    program = MagicMock(spec=Speaker)
    program.exchange.return_value, program.unfinished.return_value = [], HELLO.encode()
    with pytest.raises(StartError, match=r"only '{.* came in 0 seconds, without a line break\. Does it flush"):
        begin(lambda: program)


def a_bot(folder: Path, source: str) -> Path:
    folder.mkdir()
    (folder / "bot.toml").write_text('protocol = "lines"\ncommand = "python bot.py"\ngames = ["serpent"]\n', "utf-8")
    (folder / "bot.py").write_text(source, "utf-8")
    return folder


def played(bot: Path, *options: str) -> str:
    """What `pips-bot play` printed."""
    ended = CliRunner().invoke(main, ["play", str(bot), "random", "--game", "serpent", *options])
    assert ended.exit_code in (0, 1), ended.output
    return ended.output


def test_answers_may_come_in_any_order(tmp_path: Path) -> None:
    assert "fault" not in played(a_bot(tmp_path / "fox", IN_ANY_ORDER), "-n", "4")


class Asker:
    """A stream of one message, with a question at each of some tables."""

    def __init__(self, tables: int, time_left_ms: int) -> None:
        wire, header = get_wire("serpent"), new_header()
        self.asked: player_pb2.PlayResponse | None = player_pb2.PlayResponse()
        for table in range(tables):
            start = self.asked.starts.add(table=table, game="serpent", rules_version=1, seats=2)
            wire.write_options(header.options, start.options)
            question = self.asked.questions.add(table=table, number=1, time_left_ms=time_left_ms)
            wire.write_view(header.new_match().question().view, question.view)
        self.answers: list[player_pb2.Answer] = []

    def write(self, data: bytes) -> None:
        self.answers += player_pb2.PlayRequest.FromString(data).answers

    def read(self, reply: bytes | None = None) -> bytes | None:
        if reply is not None:
            self.write(reply)
        asked, self.asked = self.asked, None
        return None if asked is None else asked.SerializeToString()

    def end(self) -> NoReturn:
        raise NotImplementedError

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture(params=[Speaker, SpeakerInThreads])
def _both(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pipes that are polled, and a thread for each where they cannot be."""
    monkeypatch.setattr(f"{__name__}.Speaker", request.param)


@pytest.mark.usefixtures("_both")
def test_each_question_has_its_own_time() -> None:
    """Three come at once: the third is answered after 1.2 s, in 0.4 of its 1.0 s."""
    first = 'echo \'{"type": "hello", "games": ["serpent"]}\''
    answers = 'for table in 0 1 2; do sleep 0.4; echo \'{"table": \'$table\', "number": 1, "failed": "no"}\'; done'
    program, said = begin(lambda: Speaker(["sh", "-c", f"{first}; {answers}; cat > /dev/null"]))
    stream = Asker(3, 1000)
    with program:
        Bridge(program, said).serve(stream, stream.read())
    assert [answer.failed for answer in stream.answers] == ["no"] * 3


UNHURRIED = ("--answer-ms", "20000")
"""Each match starts a process, which a busy machine may give no core for a second."""


def test_each_match_has_a_process(tmp_path: Path) -> None:
    assert "fault" not in played(a_bot(tmp_path / "fox", ONE_TABLE.replace("CRASH", "pass")), "-n", "12", *UNHURRIED)


def test_a_warning_before_the_hello_is_a_stray_line(tmp_path: Path) -> None:
    """Runtimes print some: the first process is asked for its hello, the others not."""
    warned = ONE_TABLE.replace("CRASH", "pass").replace("print(", "print('[warning] no lock', flush=True)\nprint(", 1)
    bot = a_bot(tmp_path / "fox", warned)
    assert "fault" not in played(bot, "-n", "4", *UNHURRIED)
    ended = CliRunner().invoke(main, ["check", str(bot)])
    assert "fox is ready for a league" in ended.output and "a stray line" in ended.output, ended.output


def test_a_process_that_ends_costs_its_own_match_alone(tmp_path: Path) -> None:
    ending = 'start["rng_seed"][0] in "0123" and asked["number"] == 2 and sys.exit(3)'
    out = played(a_bot(tmp_path / "fox", ONE_TABLE.replace("CRASH", ending)), "-n", "24", "--seed", "ends")
    assert "the program ended with status 3" in out
    assert "fox lost 24 matches" not in out and "Stopped after" not in out


def a_program(*bodies: str) -> Callable[[], Speaker]:
    """Starts of processes: each says a hello, then runs the next of the bodies."""
    left = iter(bodies)
    return lambda: Speaker([sys.executable, "-c", f"import sys, time\nprint('''{HELLO}''', flush=True)\n{next(left)}"])


def lines_of(program: Speaker | TableProcesses, number: int) -> Sequence[bytes]:
    """The next `number` lines of a program, once there are that many."""
    lines: list[bytes] = []
    while len(lines) < number:
        lines += program.exchange(1.0)
    return lines


ECHO = "for line in sys.stdin: print('NAME', line.strip(), flush=True)"


@pytest.mark.usefixtures("_both")
def test_a_line_goes_to_the_process_of_its_table() -> None:
    program, said = begin(a_program(ECHO.replace("NAME", "a"), ECHO.replace("NAME", "b"), ""))
    assert said.one_table and isinstance(program, TableProcesses)
    with program:
        program.seat(7)
        program.seat(9)
        program.say_text("to b", 9)
        program.say_text("to a", 7)
        assert sorted(lines_of(program, 2)) == [b"a to a", b"b to b"]
        program.leave(7)
        program.say_text("nobody is there", 7)
        program.say_text("on", 9)
        assert lines_of(program, 1) == [b"b on"]
        assert program.unfinished(7) == b"" == program.unfinished(9)


@pytest.mark.usefixtures("_both")
def test_the_end_of_one_is_told_with_its_table() -> None:
    program, _ = begin(a_program("sys.exit(4)", ECHO, "", ""))
    with program:
        program.seat(1)
        program.seat(2)
        while not program.ended:
            program.exchange(1.0)
        assert program.ended == {1: "the program ended with status 4 while the match went on"}
        program.say_text("still there", 2)
        assert lines_of(program, 1) == [b"NAME still there"]
        begun = monotonic()
        assert program.exchange(0.2) == []  # it waits for the others, and does not spin
        assert monotonic() - begun >= 0.2
        program.leave(1)
        assert not program.ended


@pytest.mark.usefixtures("_both")
def test_who_goes_on_after_its_match_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pips_sdk.lines.tables.LEAVE_S", 0.05)
    started: list[Speaker] = []
    next_one = a_program("time.sleep(600)", "time.sleep(600)", "")

    def start() -> Speaker:
        started.append(next_one())
        return started[-1]

    program, _ = begin(start)
    with program:
        program.seat(1)
        program.leave(1)
    assert [each.how_ended for each in started] == ["went on", "went on"]


@pytest.mark.usefixtures("_both")
def test_all_say_the_same_hello() -> None:
    begun = iter([HELLO, HELLO.replace("true", "false", 1), HELLO])
    program, _ = begin(lambda: Speaker(["sh", "-c", f"echo '{next(begun)}'; cat"]))
    with program:
        program.seat(1)
        program.seat(2)
        while not program.ended:
            program.exchange(1.0)
        assert program.ended == {2: "another process of this bot said another hello"}


def test_threads_carry_long_lines_both_ways() -> None:
    """More than a pipe holds: neither side waits for the other."""
    program = SpeakerInThreads(["cat"])
    said = [f"{number}{'x' * 300_000}" for number in range(3)]
    with program:
        for line in said:
            program.say_text(line)
        heard: list[bytes] = []
        while len(heard) < len(said):
            heard += program.exchange(1.0)
        assert heard == [line.encode() for line in said]
        assert program.exchange(0.0) == []
    assert program.how_ended == ""
