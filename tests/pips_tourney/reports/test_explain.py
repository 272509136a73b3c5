"""Every lost match can be explained, and its question put to the bot again."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pips_referee.chance import Chance
from pips_referee.game import get_game
from pips_referee.match import ABSENT, FaultKind, Match, Spent
from pips_referee.records.record import write_record
from pips_referee.records.replay import get_text
from pips_tourney.cli import bot as bot_cli
from pips_tourney.cli import tourney as cli
from pips_tourney.league.read import read_league
from pips_tourney.night.begin import begin
from pips_tourney.night.director import office
from pips_tourney.night.log.kinds import OUTPUT
from pips_tourney.night.log.result import row_of
from pips_tourney.night.log.store import open_store, read_store
from pips_tourney.night.plan.fixtures import Fixture, fixtures
from pips_tourney.night.plan.from_league import make_programme
from pips_tourney.reports.explain import clock_line, of_this
from pips_tourney.secret import Secret
from tests.pips_tourney.in_process import play, write_league

SECRET = Secret(b"\x01" * 32)
BOT = """
from pips_sdk.serpent import SerpentBot

class Fox(SerpentBot):
    def choose(self, view):
        {does}
        return super().choose(view)
"""


@pytest.fixture
def night(tmp_path: Path) -> tuple[Path, list[Fixture]]:
    """A night of four matches.

    In the first the asked seat crashes at the fifth question, in the second nobody.
    """
    league = read_league(write_league(tmp_path, "ada", "bo", deals=2))
    with open_store(tmp_path / "night.db") as store:
        programme = make_programme(league)
        begin(store, programme, SECRET)
        schedule = list(fixtures(programme))
        for fixture, crash_at in zip(schedule, (5, None, None, None), strict=True):
            store.add([row_of(play(fixture.header(SECRET), SECRET.rng_seed(fixture.match_id, 0), crash_at))])
        store.append(OUTPUT, {"match": schedule[0].match_id, "output": {"ada": "printed by ada"}})
    return tmp_path / "night.db", schedule


def explain(path: Path, match: str) -> Result:
    return CliRunner().invoke(cli.main, ["explain", str(path), match], catch_exceptions=False)


def test_it_tells_the_question_what_was_legal_the_clock_and_the_last_words(night: tuple[Path, list[Fixture]]) -> None:
    path, schedule = night
    told = explain(path, schedule[0].match_id[:12])
    assert told.exit_code == 0
    for said in (
        f"match {schedule[0].match_id}: Serpent, ",
        "a fault: crash: exit status 3",
        "What it was asked:",
        "What was legal:",
        "no action of the game",
        "The clock: 0.5 ms were the bot's",
        "    | Segmentation fault",
    ):
        assert said in told.output


def test_of_a_question_that_was_never_put_it_tells_no_answer_and_no_clock(
    night: tuple[Path, list[Fixture]],
) -> None:
    path, schedule = night
    header = schedule[1].header(SECRET)
    match = header.new_match()
    first = match.to_ask
    assert first is not None
    match.fault(first, FaultKind.CRASH, ABSENT, "exit status 1", "last words")
    with open_store(path) as store:
        store.add([row_of(write_record(header, match))._replace(id="cd" * 16)])
    told = explain(path, "cdcd").output
    assert "exit status 1" in told and "No question was put to it then" in told and "    | last words" in told
    for said in ("What it was asked", "What it answered", "The clock:", "pips-bot ask"):
        assert said not in told


def test_what_a_process_printed_cannot_act_on_the_terminal(night: tuple[Path, list[Fixture]]) -> None:
    path, schedule = night
    again = schedule[1]
    with open_store(path) as store:
        match = again.header(SECRET).new_match()
        match.fault(0, FaultKind.CRASH, "exception", "\x1b[2Jboom")
        data = write_record(again.header(SECRET), match)
        store.add([row_of(data)._replace(id="ab" * 16)])
        spoken = dict.fromkeys(again.seating, "\x1b]0;title\x07\nlast words")
        store.append(OUTPUT, {"match": again.match_id, "output": spoken})
    told = explain(path, "abab").output
    assert "a fault: crash (exception): \\x1b[2Jboom\n" in told
    assert "    | \\x1b]0;title\\x07\n    | last words\n" in told
    assert "\x1b" not in told


@pytest.mark.parametrize(
    ("spent", "says"),
    [
        (Spent(5000, 0), "5.0 ms were the bot's (with the way there and back, for it did not say"),
        (
            Spent(5000, 200, 1, 4000),
            "5.0 ms were the bot's (4.0 ms at work, as it says, 1.0 ms on the wire); 0.2 ms more",
        ),
        (Spent(5000, 0, 3), "5.0 ms were the bot's (with the way there and back, for it did not say"),
        (Spent(5000, 0, 3, 9000), "5.0 ms were the bot's (with the way there and back); 0.0 ms more"),
        (
            Spent(5000, 0, 3, 9000),
            "3 answers came in one message and shared its time, 9.0 ms of which it says went into",
        ),
    ],
)
def test_the_clock_s_line_has_the_bot_the_wire_and_the_referee_apart(spent: Spent, says: str) -> None:
    assert says in clock_line(spent)


def test_the_command_that_it_prints_works(night: tuple[Path, list[Fixture]], tmp_path: Path) -> None:
    path, schedule = night
    command = next(line for line in explain(path, schedule[0].match_id).output.splitlines() if "pips-bot" in line)
    program, *words = shlex.split(command)
    assert (program, words[-1]) == ("pips-bot", "BOT")
    said = CliRunner().invoke(bot_cli.main, [*words[:-1], "serpent/greedy"], catch_exceptions=False)
    assert said.exit_code == 0
    assert "which is legal" in said.output


@pytest.mark.parametrize(
    ("does", "says"),
    [
        ("raise RuntimeError('lost')", "RuntimeError: lost"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("pass", "which is legal"),
        ("from pips_sdk.serpent import Lead; return Lead(view.playable[0])", "a fault: illegal"),
        ("from pips_sdk.serpent import Lead; return Lead('7C')", "must return an action of serpent, such as"),
        ("self.n = getattr(self, 'n', 0) + 1; assert self.n < 2", "AssertionError"),
    ],
)
def test_a_bot_says_what_it_says_now(night: tuple[Path, list[Fixture]], tmp_path: Path, does: str, says: str) -> None:
    path, schedule = night
    bot = tmp_path / "fox.py"
    bot.write_text(BOT.format(does=does), encoding="utf-8")
    words = ["ask", str(path), schedule[1].match_id, str(bot), "--seat", "0"]
    if "self.n" not in does:
        words += ["--question", "1"]
    said = CliRunner().invoke(bot_cli.main, words, catch_exceptions=False)
    assert said.exit_code == 0
    assert says in said.output


@pytest.mark.parametrize("raises", ["RuntimeError('no book')", "SystemExit(3)"])
def test_a_bot_that_does_not_come_to_a_question(night: tuple[Path, list[Fixture]], tmp_path: Path, raises: str) -> None:
    path, schedule = night
    bot = tmp_path / "fox.py"
    bot.write_text(
        BOT.format(does="pass").replace(
            "choose(self, view)", f"on_start(self): raise {raises}\n    def choose(self, view)"
        )
    )
    words = ["ask", str(path), schedule[1].match_id, str(bot), "--seat", "0"]
    said = CliRunner().invoke(bot_cli.main, words, catch_exceptions=False)
    assert said.exit_code == 0
    assert "Traceback" in said.output and raises.partition("(")[0] in said.output


def test_a_question_that_was_never_asked(night: tuple[Path, list[Fixture]]) -> None:
    path, schedule = night
    words = ["ask", str(path), schedule[1].match_id, "random", "--seat", "0", "--question", "9999"]
    said = CliRunner().invoke(bot_cli.main, words)
    assert said.exit_code == 2
    assert "seat 0 was asked " in said.output
    said = CliRunner().invoke(bot_cli.main, [*words[:5], "7"])
    assert said.exit_code == 2
    assert "the match has seats 0 to 1" in said.output


def test_a_match_without_a_fault_and_no_match(night: tuple[Path, list[Fixture]]) -> None:
    path, schedule = night
    said = explain(path, schedule[1].match_id).output
    assert "No faults: it was won and lost by play." in said
    command = shlex.split(said.splitlines()[-1])
    assert command[:2] == ["pips-tourney", "replay"]
    assert CliRunner().invoke(cli.main, [*command[1:], "--all"]).exit_code == 0
    missing = explain(path, "zz")
    assert missing.exit_code == 2 and "has no match zz" in missing.output
    many = explain(path, "")
    assert many.exit_code == 2 and "has 4 matches" in many.output


def test_what_a_process_printed_for_another_match_is_left_out() -> None:
    """A process plays many matches: a report is known by its question and its view."""
    game, text = get_game("serpent"), get_text("serpent")
    question = Match(game, game.options(), 2, Chance(bytes(32))).question()
    view = text.view_text(question.view)
    report = f"Fox failed at question {question.number} ({question.kind}) of a match of serpent:"
    other = f"{report}\nanother hand\nTraceback: of the other match\n"
    mine = f"{report}\n{view}\nTraceback: of mine"
    for output in (f"{other}\n{mine}\n", f"{mine}\n\n{other}", f"{other}\n{mine}\n\n{other}"):
        said = of_this(output, text, question)
        assert "of mine" in said and "of the other match" not in said
        assert view not in said, "it stands above already"
    assert of_this("hello\n", text, question) == "hello\n"


@pytest.mark.parametrize(
    ("does", "says"), [("pass", "which is legal"), ("raise RuntimeError('lost')", "It failed: RuntimeError: lost")]
)
def test_a_program_in_any_language_is_asked_too(
    night: tuple[Path, list[Fixture]], tmp_path: Path, does: str, says: str
) -> None:
    path, schedule = night
    (tmp_path / "fox.py").write_text(BOT.format(does=does), encoding="utf-8")
    bot = f"{sys.executable} -m pips_sdk.run_file {tmp_path / 'fox.py'}"
    words = ["ask", str(path), schedule[1].match_id, bot, "--seat", "0", "--question", "2"]
    said = CliRunner().invoke(bot_cli.main, words, catch_exceptions=False)
    assert said.exit_code == 0
    assert says in said.output


def test_a_program_that_does_not_speak_is_said_so(night: tuple[Path, list[Fixture]]) -> None:
    path, schedule = night
    words = ["ask", str(path), schedule[1].match_id, f"{sys.executable} -c print(7)", "--seat", "0"]
    said = CliRunner().invoke(bot_cli.main, words, catch_exceptions=False)
    assert "before it answered" in said.output and "| 7" in said.output


def test_the_sheet_for_an_appeal_has_the_own_faults_and_what_proves_the_match(
    night: tuple[Path, list[Fixture]],
) -> None:
    path, schedule = night
    match = schedule[0].match_id
    with office(path) as at:
        at.annul(match, "a power cut")
    told = {}
    for bot in schedule[0].seating:
        words = ["explain", str(path), match[:8], "--bot", bot]
        told[bot] = CliRunner().invoke(cli.main, words, catch_exceptions=False).stdout
    with read_store(path) as store:
        proof = [store.rows([match])[match].sha256.hex(), SECRET.commitment, store.head()]
    for text in told.values():
        assert all(each in text for each in proof) and "annul. Reason: a power cut" in text
    assert ("printed by ada" in told["ada"]) != ("ada made no fault" in told["ada"])
    faulty = [bot for bot, text in told.items() if "What it was asked:" in text]
    assert len(faulty) == 1, "the other's author sees nothing of it"
    assert not any("won or lost by play" in text or str(path.parent) in text for text in told.values())
    stranger = CliRunner().invoke(cli.main, ["explain", str(path), match, "--bot", "cy"])
    assert stranger.exit_code == 2 and f"cy did not play match {match}" in stranger.stderr
    command_help = " ".join(CliRunner().invoke(cli.main, ["explain", "--help"]).output.split())
    assert "it writes a sheet for the appeal of that bot's author" in command_help
