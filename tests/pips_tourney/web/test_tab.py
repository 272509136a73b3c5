"""What the worker of a tab does, in this process: the same code, without a browser."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from pips_referee.records.record import read_record, write_record
from pips_sdk import play_match
from pips_sdk.samples import sample_class
from pips_tourney.web.tab import LOST, PRINTED, Printed, handle

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
        asked = {"source": source, "matches": matches, "game": game, "opponent": "greedy", "python": [3, 11]}
        return {each["kind"]: each for each in self.ask(kind="play", seed="tab", **asked | more)}


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
        ("import nothing_there\n", "A tab has Python's own modules and Pips, and no others."),
        ("x = 1\n", "has no bot class. A bot derives from"),
        (any_game("wichita"), "my_bot does not play serpent; it plays wichita"),
        (BOT.format(lead="while True: pass"), "It was in lead, "),
    ],
)
def test_what_cannot_be_played_is_explained(tab: Tab, source: str, said: str) -> None:
    told = tab.play(source, patience_s=0.1)
    assert said in "\n".join(told["refused"]["lines"]) and "result" not in told and "over" in told


def test_half_a_surrogate_pair_in_the_editor_is_no_failure(tab: Tab) -> None:
    assert tab.play(any_game("serpent") + "# \ud83d\n", 2)["far"]["played"] == 2


def test_syntax_that_the_place_lacks_is_refused(tab: Tab) -> None:
    [line] = tab.play("if (n := 1): pass\n" + any_game("serpent"), python=[3, 7])["refused"]["lines"]
    assert line.startswith("my_bot.py, line 1: ") and line.endswith(
        "The Python that plays here is 3.7: it cannot read this."
    )


def test_a_fault_is_explained_as_play_does(tab: Tab) -> None:
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
