"""What the worker of a tab does, in this process: the same code, without a browser."""

from __future__ import annotations

import json
import sys
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from pips_referee.records.record import read_record, write_record
from pips_sdk import play_match
from pips_sdk.samples import sample_class, sample_files
from pips_tourney.bots.found import BotProblem, PythonFile, Sample
from pips_tourney.web.browser.syntax import newer_syntax
from pips_tourney.web.browser.tab import LOST, PRINTED, Printed, handle
from pips_tourney.web.browser.workshop import _about
from pips_tourney.workshop.duels.duel import Wanted, plan_duel
from pips_tourney.workshop.duels.play import play
from pips_tourney.workshop.duels.play_report import result_lines

OURS = ("serpent", "wichita", "pippip", "dominion")
BOT = """
from pips_sdk import run
from pips_sdk.serpent import SerpentBot


class MyBot(SerpentBot):
    def lead(self, view):
        {lead}

run(MyBot)
"""


class Tab:
    """What a page asks of its worker, and what it hears."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "my_bot"

    def ask(self, **asked: Any) -> list[dict[str, Any]]:
        told: list[dict[str, Any]] = []
        handle(json.dumps(asked), lambda text: told.append(json.loads(text)), str(self._folder))
        return told

    def play(self, source: str, matches: int = 4, game: str = "serpent", **more: Any) -> dict[str, dict[str, Any]]:
        """By kind, the last of each that is heard of a series against `greedy`."""
        return {each["kind"]: each for each in self.ask(kind="play", **self.series(source, matches, game) | more)}

    def series(self, source: str, matches: int, game: str = "serpent") -> dict[str, Any]:
        about = {"matches": matches, "game": game, "opponent": "greedy", "seed": "tab", "python": [3, 11]}
        return {"source": source, **about}


@pytest.fixture
def tab(tmp_path: Path) -> Tab:
    return Tab(tmp_path)


def any_game(game: str) -> str:
    return f"from pips_sdk import GameBot\n\nclass MyBot(GameBot):\n    game = {game!r}\n"


@pytest.mark.parametrize("game", OURS)
def test_a_series_is_that_of_the_sdk_in_every_game(tab: Tab, game: str) -> None:
    """Its lost matches, played once more by `play_match`, are the same to the byte."""
    told = tab.play(any_game(game), 6, game)
    assert told["far"]["played"] == told["far"]["of"] == 6
    lost = told["result"]["lost"]
    assert 1 <= len(lost) <= LOST and told["over"]["size"] == 0
    assert told["result"]["losses"] >= len(lost)
    assert any(line.startswith("my_bot ") for line in told["result"]["lines"])
    record = read_record(b64decode(lost[0]["record"]))
    replay = tab.ask(kind="replay", id=lost[0]["id"], record=lost[0]["record"])[0]
    assert replay["id"] == lost[0]["id"] and [view["seat"] for view in replay["views"]][:3] == [None, 0, 1]
    assert not any("ms" in frame for view in replay["views"] for frame in view["frames"])
    assert tuple(replay["views"][0]["frames"][-1]["outcome"]["scores"]) == record.outcome.scores


def test_the_same_seeds_give_the_same_match(tab: Tab) -> None:
    cautious = (Path(__file__).parents[3] / "sample_bots/pips_sample_bots/serpent/cautious_bot.py").read_text()
    lost = tab.play(cautious, 20)["result"]["lost"]
    data = b64decode(lost[0]["record"])
    header = read_record(data).header
    bots = [sample_class("serpent", "cautious" if name == "my_bot" else name) for name in header.names]
    assert write_record(header, play_match(bots, header.seed, header.options)) == data


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (BOT.format(lead="retrn view"), "my_bot.py, line 8: Python cannot read this: invalid syntax"),
        ("import nothing_there\n", "A tab has only Python's own modules and Pips. Where bots are checked, NumPy"),
        ("x = 1\n", "has no bot class. A bot derives from"),
        (any_game("wichita"), "my_bot does not play serpent; it plays wichita"),
        (BOT.format(lead="while True: pass"), "It was in lead, "),
    ],
)
def test_what_cannot_be_played_is_explained(tab: Tab, source: str, said: str) -> None:
    told = tab.play(source, patience_s=1.0)
    assert said in "\n".join(told["refused"]["lines"]) and "result" not in told and "over" in told


def test_half_a_surrogate_pair_in_the_editor_is_no_failure(tab: Tab) -> None:
    assert tab.play(any_game("serpent") + "# \ud83d\n", 2)["far"]["played"] == 2


def test_syntax_that_the_place_lacks_is_refused(tab: Tab) -> None:
    [line] = tab.play("if (n := 1): pass\n" + any_game("serpent"), python=[3, 7])["refused"]["lines"]
    assert line.startswith("my_bot.py, line 1: ") and line.endswith(
        "The Python that plays here is 3.7: it cannot read this."
    )


@pytest.mark.skipif(sys.version_info < (3, 12), reason="an older Python does not read these at all")
@pytest.mark.parametrize(
    ("text", "is_newer"),
    [
        ("""f"{a["b"]}\"""", True),
        ("""f"{'\\n'.join(a)}\"""", True),
        ("""f"{a  # of all\n}\"""", True),
        ("""f"{f"{a}"}\"""", True),
        ("""f"{a['b']}" "\\n" '"'  # "said\"""", False),
        ("""f'''{a["b"]} {a['b']:>{a}} \\n'''""", False),
    ],
)
def test_an_fstring_of_today_is_refused_where_the_place_is_older(text: str, *, is_newer: bool) -> None:
    found = newer_syntax(f"a = 1\nb = {text}\n", (3, 11))
    assert (found is not None and found[0] == 2 and "since Python 3.12" in found[1]) == is_newer
    assert newer_syntax(f"b = {text}\n", (3, 12)) is None


def test_the_interval_narrows_while_matches_are_played(tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pips_tourney.web.browser.tab.NEWS_S", 0)
    told = tab.ask(kind="play", **tab.series(any_game("serpent"), matches=40))
    known = [each for each in told if each["kind"] == "far" and each.get("low") is not None]
    widths = [each["high"] - each["low"] for each in known if each["played"] in (20, 40)]
    assert len(known) > 20 and widths[-1] < widths[0]


def test_a_published_bot_is_met_as_its_author_wrote_it(tab: Tab) -> None:
    cautious = Path(sample_files("serpent")["cautious"]).read_text()
    own = any_game("serpent")
    told = tab.play(own, 6, rival=cautious, opponent="bo v2")
    assert "bo v2" in told["begun"]["line"] and told["far"]["played"] == 6
    assert all("bo v2" in read_record(b64decode(each["record"])).header.names for each in told["result"]["lost"])
    for rival, said in (
        ("x =", "rival.py, line 1: Python cannot read this"),
        (any_game("wichita"), "bo does not play"),
    ):
        assert said in tab.play(own, rival=rival, opponent="bo")["refused"]["lines"][0]
    told = tab.play(own, rival=BOT.format(lead="while True: pass"), opponent="my_bot", patience_s=1.0)
    assert any("rival.py" in line for line in told["refused"]["lines"]), "it is said whose loop it is"


def test_tests_are_run_as_by_pytest(tab: Tab) -> None:
    tests = """from my_bot import MyBot
from pips_sdk.serpent import position

VIEW = position("hidden: 7D KC 2D 3S 4H | mine: 5S | theirs: 9H | lead: 7C")

def test_it_answers():
    print("here")
    assert MyBot().choose(VIEW) in list(VIEW.legal_actions())

def test_no():
    assert MyBot is None, "it is there"

def test_loop():
    while True: pass
"""
    about = {"kind": "tests", "source": any_game("serpent"), "python": [3, 11], "patience_s": 1.0}
    told = {each["kind"]: each for each in tab.ask(tests=tests, **about)}
    lines = told["tested"]["lines"]
    assert (told["tested"]["passed"], told["tested"]["of"], told["over"]["printed"]) == (1, 3, "here\n")
    assert lines[:2] == ["test_it_answers: passed", "test_no: failed in test_my_bot.py, line 11:"]
    assert lines[3] == "    AssertionError: it is there"
    assert any(line.startswith("test_loop: it did not end in time. It was in test_loop, ") for line in lines)
    for text, said in (
        ("import nothing_there", "A tab has only Python's own modules"),
        ("a =", "SyntaxError"),
        ("", "no function"),
    ):
        [tested, *_] = tab.ask(tests=text, **about)
        assert said in "\n".join(tested["lines"]) and tested["of"] == 0
    assert tab.ask(tests="", **about | {"source": "a ="})[0]["kind"] == "refused"


def test_the_tests_of_a_new_bot_pass(tab: Tab) -> None:
    about = _about("serpent")
    told = tab.ask(kind="tests", source=about["texts"], tests=about["tests"], python=[3, 11])
    assert told[0]["passed"] == told[0]["of"] == 3, told[0]["lines"]


def test_what_a_match_s_decisions_cost_is_told_here(tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pips_tourney.web.browser.tab.ANALYSED_S", 0.1)
    lost = tab.play(any_game("serpent"), 6, options={"hands": 2})["result"]["lost"][0]
    [told] = tab.ask(kind="course", id=lost["id"], record=lost["record"])
    steps = len(told["course"]["expected"])
    assert told["id"] == lost["id"] and steps > 5 and len(told["course"]["frames"][""]) == steps
    assert all(each["cost"] > 0 and each["better_said"] for each in told["course"]["mistakes"])
    [told] = tab.ask(kind="course", id="x", record="AAAA")
    assert told["error"]


@pytest.mark.parametrize("lead", ["return view.nothing", "print(1)\n        raise SystemExit(3)", "return 'x'"])
def test_a_fault_reads_as_in_play(tab: Tab, lead: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Word for word, but for times and for what else a process had printed."""
    in_tab = tab.play(BOT.format(lead=lead))["result"]["lines"][:-1]
    monkeypatch.chdir(tmp_path / "my_bot")
    wanted = Wanted(4, game="serpent", seed="tab")
    duel = plan_duel(PythonFile("my_bot", Path("my_bot.py")), Sample("greedy", None), wanted)
    in_play = [line for line in result_lines(play(duel, lambda *_: None)) if not line.startswith("slowest answer")]
    printed = "    | "
    for lines in (in_tab, in_play):
        assert any(line.startswith(printed) and "my_bot.py" in line for line in lines) or "'x'" in lead
    assert [line for line in in_tab if not line.startswith(printed)] == [
        line for line in in_play if not line.startswith(printed)
    ]


@pytest.mark.parametrize("source", [BOT.format(lead="retrn view"), "x = 1 / 0\n", "x = 1\n", any_game("")])
def test_a_file_that_cannot_be_read_is_refused_as_in_play(
    tab: Tab, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_tab = tab.play(source)["refused"]["lines"]
    monkeypatch.chdir(tmp_path / "my_bot")
    with pytest.raises(BotProblem) as refused:
        PythonFile("my_bot", Path("my_bot.py")).games()
    assert in_tab == str(refused.value).splitlines()


def test_a_fault_is_explained_with_its_line(tab: Tab) -> None:
    told = tab.play(BOT.format(lead="print('hand:', *view.hand)\n        return view.nothing"))
    lines = told["result"]["lines"]
    assert "my_bot lost 4 matches by a fault (4 by crash). The first one:" in lines
    assert any("AttributeError" in line and "(at my_bot.py:9)" in line for line in lines)
    assert any(line.startswith("    | hand: ") for line in lines), "what it printed before"
    assert lines[-2].startswith("What to do: ")
    assert "MyBot.lead (my_bot.py:7) prints." in told["begun"]["hints"][0]
    assert told["result"]["lost"][0]["line"].endswith(", by a fault")
    view = tab.ask(kind="replay", **{key: told["result"]["lost"][0][key] for key in ("id", "record")})[0]["views"][0]
    assert "It failed at question" in view["explained"][0]


def test_much_that_is_printed_is_counted_and_its_end_is_shown(tab: Tab) -> None:
    over = tab.play(BOT.format(lead="print('x' * 10**6)\n        print('last')\n        return view.playable[0]"), 2)[
        "over"
    ]
    assert over["size"] > 10**7 and len(over["printed"]) == PRINTED and over["printed"].endswith("last\n")


def test_the_end_of_many_small_prints_is_kept() -> None:
    printed = Printed()
    with printed.part() as part:
        for number in range(100_000):
            print(number)
        assert part.text() == "".join(f"{number}\n" for number in range(100_000))[-PRINTED:]
    assert printed.size == 588_890 and printed.text() == part.text()


def test_the_clearest_losses_are_kept(tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = tab.play(any_game("wichita"), 20, "wichita")["result"]
    assert everything["losses"] > 3
    monkeypatch.setattr("pips_tourney.web.browser.tab.LOST", 3)
    assert tab.play(any_game("wichita"), 20, "wichita")["result"]["lost"] == everything["lost"][:3]
