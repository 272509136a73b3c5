"""What beginners do in Python, and what `play` tells them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from pips_referee.chance import Chance
from pips_referee.game import get_game
from pips_referee.match import FaultKind, Spent
from pips_referee.records.record import Header, read_record, write_record
from pips_referee.service.stopwatch import too_long
from pips_sdk._runtime.hints import hints
from pips_tourney.bots.found import BotProblem, PythonFile, Sample
from pips_tourney.workshop.duels.duel import Wanted, plan_duel
from pips_tourney.workshop.duels.in_process import Stuck
from pips_tourney.workshop.duels.play import play
from pips_tourney.workshop.duels.play_report import result_lines
from pips_tourney.workshop.problems import fault_problems
from tests.patience import PATIENCE_S
from tests.pips_tourney.workshop.conftest import SERPENT, Write

LOOPS_S = 1.0
"""Patience with a bot that never answers."""


def method(body: str, head: str = "lead(self, view)", before: str = "") -> str:
    """A bot with one method; without `before`, its body begins in line 5."""
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    return f"{before}{SERPENT}    def {head}:\n{lines}"


RNG = "`self.rng` has the same methods"


class Mistake(NamedTuple):
    """A bot, and what its author has to read."""

    bot: str
    told: tuple[str, ...] = ()
    """Nothing for one that plays."""

    @property
    def patience_s(self) -> float:
        return LOOPS_S if "did not answer" in self.told else PATIENCE_S


MISTAKES = {
    "a misspelt method": Mistake(method("return view.playable[0]", "leed(self, view)"), ("Did you mean `lead`?", ":4")),
    "a misspelt attribute": Mistake(method("return view.playble[0]"), ("Did you mean `playable`?", ":5")),
    "no return": Mistake(method("view.playable[0]"), ("Every way through the method needs a `return`.", ":4")),
    "a number": Mistake(method("return 7"), ("one Card, such as view.playable[0], but it returned 7", ":4")),
    "a text": Mistake(method("return 'S7'"), ("must return one Card", "it returned 'S7'", ":4")),
    "an index": Mistake(method("return view.hand.index(view.hand[1])"), ("one Card, such as view.playable[0]", ":4")),
    "a tuple": Mistake(method("return (view.playable[0],)"), ("must return one Card", "♠,)", ":4")),
    "a generator": Mistake(
        method("return (card for card in view.playable[:3])", "give(self, view)"), ("3 Cards", "`list(...)`", ":4")
    ),
    "the wrong parameters": Mistake(
        method("return view.playable[0]", "lead(view)"), ("`def lead(self, view):`", "takes 1 positional", ":4")
    ),
    "an index out of range": Mistake(method("return view.playable[99]"), ("IndexError: tuple index out of", ":5")),
    "a loop": Mistake(
        method("while True:\n    pass"), ("did not answer", "my_bot.py, line", "a loop in it that never ends?")
    ),
    "a sleep": Mistake(
        method("import time\ntime.sleep(1.3)\nreturn view.playable[0]"), ("did not answer", "line 6", "time.sleep(1.3)")
    ),
    "exit()": Mistake(method("exit()"), ("the bot ended the program", "a bot goes on until `run` is done", ":5")),
    "SystemExit": Mistake(method("raise SystemExit('done')"), ("ended the program with 'done'", "Answer every", ":5")),
    "recursion": Mistake(method("return self.lead(view)"), ("RecursionError", "A method calls itself", ":5")),
    "a file beside the bot": Mistake(method("open('book.txt')"), ("Path(__file__).with_name(", "'book.txt'", ":5")),
    "a module that is missing": Mistake(
        method("return view.playable[0]", before="import numpyy\n"), ("line 1", "import numpyy", "install it into the")
    ),
    "no colon": Mistake(f"{SERPENT}    def lead(self, view)\n        return 1\n", ("line 4", "expected ':'", "^")),
    "no base class": Mistake("class MyBot:\n    pass\n", ("MyBot derives from none", "class MyBot(DominionBot):")),
    "a tuple is changed": Mistake(method("view.hand.remove(view.hand[0])"), ("such as `list(view.hand)`", ":5")),
    "a view is changed": Mistake(method("view.hand = ()"), ("immutable type: 'SerpentView'", "Neither a view", ":5")),
    "an illegal card": Mistake(
        method("return next(card for card in ALL if card not in view.hand)", before="from pips_referee.cards import "
        "CARDS as ALL\n"),
        ("is not in the hand", "The answer was: lead", "has every legal answer"),
    ),
    "too few cards": Mistake(method("return view.playable[:2]", "give(self, view)"), ("give takes 3 cards, not 2",)),
    "the same card twice": Mistake(
        method("return [view.playable[0]] * 3", "give(self, view)"), ("give takes 3 different cards",)
    ),
    "a bare except": Mistake(
        method("while True:\n    try:\n        oh\n    except:\n        pass"), ("did not answer", "my_bot.py, line")
    ),
    "too much memory": Mistake(method("return [0] * (1 << 60)"), ("MemoryError", "too little memory", ":5")),
    "no run()": Mistake(f"{SERPENT}    pass\n"),
    "async": Mistake(method("return view.playable[0]", "lead(self, view)").replace("def ", "async def ")),
    "a thread": Mistake(
        method("import threading\nthreading.Thread(target=id, args=(0,)).start()", "on_start(self)")
    ),
    "an __init__ of its own": Mistake(method("self.seen = []", "__init__(self)")),
    "breakpoint()": Mistake(method("breakpoint()"), ("BdbQuit", "Nobody can type there", "--in-process")),
    "input()": Mistake(method("input('card? ')"), ("EOFError", "--in-process", ":5")),
    "a forgotten await": Mistake(
        method("return best(view)", before="async def best(view):\n    return view.playable[0]\n"),
        ("<coroutine object best", "Write `await` before the call", ":6"),
    ),
    "an index into a coroutine": Mistake(
        method("return best(view)[0]", before="async def best(view):\n    return view.playable\n"),
        ("'coroutine' object", "Write `await` before the call", ":7"),
    ),
    "run of an instance": Mistake(
        f"from pips_sdk import run\n{SERPENT}    pass\n\nrun(MyBot())\n", ("line 7", "without brackets", "run(MyBot)")
    ),
    "random.choice": Mistake(
        method("return random.choice(view.playable)", before="import random\n"), ("(my_bot.py:5) uses", RNG)
    ),
    "choice of random": Mistake(
        method("return pick(view.playable)", before="from random import choice as pick\n"), ("uses `random`", RNG)
    ),
    "a generator of the module's": Mistake(
        method("return LUCK.choice(view.playable)", before="import random\nLUCK = random.Random(1)\n"),
        ("(my_bot.py:6) uses", RNG),
    ),
    "global state": Mistake(
        method("SEEN.append(view)\nreturn view.playable[len(SEEN) % len(view.playable)]", before="SEEN = []\n"),
        ("keeps something in `SEEN`", "(my_bot.py:5)"),
    ),
    "print": Mistake(method("print('I lead')\nreturn view.playable[0]"), ("MyBot.lead (my_bot.py:4) prints.",)),
    "a function for a method": Mistake(
        f"{method('return best(view)')}    def best(self, view):\n        return 1\n", ("`self.best(...)`", ":5")
    ),
    "parameters of __init__": Mistake(method("self.depth = depth", "__init__(self, depth)"), ("`on_start`", ":4")),
}  # fmt: skip


class Here(PythonFile):
    """A file that is read in this process: forty processes take too long."""

    def games(self) -> tuple[str, ...]:
        return ("serpent",)

    def hints(self) -> tuple[str, ...]:
        return tuple(hints(self.bot_class("serpent")))


def told(mistake: Mistake, write: Write) -> str:
    """All that `play --in-process` says of it."""
    bot = Here("my_bot", write("my_bot.py", mistake.bot).relative_to(Path.cwd()))
    try:
        duel = plan_duel(bot, Sample("random", None), Wanted(2, seed="b"))
        sheet = play(duel, lambda *_: None, in_process=True, patience_s=mistake.patience_s)
    except (BotProblem, Stuck) as problem:
        return str(problem)
    return "\n".join([*bot.hints(), *result_lines(sheet)])


DEBUGGER = pytest.param("breakpoint()", marks=pytest.mark.unmeasured)  # it ends what traces


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
@pytest.mark.parametrize("name", [DEBUGGER if name == "breakpoint()" else name for name in MISTAKES])
def test_a_mistake_is_told(name: str, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/null").open() as nobody:
        monkeypatch.setattr(sys, "stdin", nobody)
        monkeypatch.setattr(sys, "breakpointhook", sys.__breakpointhook__)  # not pytest's own
        said = told(MISTAKES[name], write)
    for words in MISTAKES[name].told:
        assert words in said
    if not MISTAKES[name].told:
        assert "by a fault" not in said
        assert said.startswith("my_bot won")


def test_a_loop_on_a_busy_machine() -> None:
    game = get_game("serpent")
    header = Header("m1", game, game.options(), ("mine", "other"), bytes(32))
    match = header.new_match(Chance(bytes(32)))
    assert match.to_ask is not None
    sentence = too_long(Spent(779_000, 9_281_000), 10_000_000)
    match.fault(match.to_ask, FaultKind.TIMEOUT, "longest", sentence)
    [(_, problem)] = fault_problems(read_record(write_record(header, match)))
    assert "no answer came for 10.060 s" in problem.where
    assert "it had 0.779 s for itself, the rest went to other work of this machine" in problem.where
    assert problem.todo.startswith("Play again when the machine is less busy. Is there a loop in it")
