"""What a bot's author reads about a process that did not start.

The same for a match that was lost by a fault.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from pips_referee.chance import Chance
from pips_referee.game import get_game
from pips_referee.games.serpent.values import Give
from pips_referee.match import FaultKind
from pips_referee.records.record import Header, Record, read_record, write_record
from pips_sdk.run_file import INSTALL
from pips_tourney.arena.starting import StartFailure
from pips_tourney.workshop.problems import FAULT_LINES, INDENT, LAST_LINES, fault_problems, start_problem

SERPENT = get_game("serpent")
HEADER = Header("m1", SERPENT, SERPENT.options(), ("mine", "other"), bytes(32))


class TestAProcessThatDidNotStart:
    def told(self, how: str, output: str = "", game: str = "", *, in_league: bool = False) -> str:
        failure = StartFailure("mine/serpent/0", how, output)
        return "\n".join(start_problem(failure, game, in_league=in_league).lines())

    def test_in_a_league_its_own_game_is_named(self) -> None:
        told = self.told("exit status 2", "from pips_sdk.dominion import DominionBot\n", "wichita")
        assert told.endswith("What to do: `pips-bot new my_bot --game wichita` writes a bot that starts.")

    def test_a_bot_of_the_sdk_has_said_it_all(self) -> None:
        assert self.told("exit status 2", "my_bot.py, line 1: oh\n") == (
            "The bot did not start.\n    my_bot.py, line 1: oh"
        )

    def test_a_module_that_its_author_cannot_install(self) -> None:
        said = (
            f"my_bot.py, line 1: ModuleNotFoundError: No module named 'torch'\n    import torch\n{INSTALL}/bin/python"
        )
        assert self.told("exit status 2", said).endswith(f"{INSTALL}/bin/python")
        told = self.told("exit status 2", said, "wichita", in_league=True)
        assert "    import torch\nWhat to do: Fix the name of the module, or do without it: a league's bot" in told
        assert INSTALL not in told and "pips-bot new" not in told

    def test_an_exception(self) -> None:
        told = self.told("exit status 1", "\n".join(str(line) for line in range(100)))
        assert told.startswith("The bot did not start: exit status 1.\n    It printed:\n    | 88\n")
        assert told.count("    | ") == LAST_LINES
        assert told.endswith("What to do: Fix what it says there; the last line tells what it is.")

    def test_it_ended_in_silence(self) -> None:
        assert "does its program end with `run(MyBot)`?" in self.told("exit status 0")
        told = self.told("killed by SIGKILL")
        assert "It printed nothing." in told
        assert told.endswith("What to do: Start it by hand to see more.")

    def test_no_hello(self) -> None:
        assert "Does it loop, compute for long or wait for input" in self.told("said no hello within 10 s")

    def test_no_such_command(self) -> None:
        assert "Fix the command" in self.told("could not be started: x is not installed")


def faulted(kind: FaultKind, reason: str = "", detail: str = "", evidence: str = "", seat: int | None = None) -> Record:
    """A match in which a seat faults at the first question.

    It is usually the seat that is asked.
    """
    match = HEADER.new_match(Chance(bytes(32)))
    asked = match.to_ask
    assert asked is not None
    match.fault(asked if seat is None else seat, kind, reason, detail, evidence)
    return read_record(write_record(HEADER, match))


class TestAFault:
    def told(self, record: Record, outputs: Mapping[str, str] | None = None) -> str:
        [(seat, problem)] = fault_problems(record, outputs)
        assert seat == record.outcome.faults[0].seat
        return "\n".join(problem.lines())

    def test_an_illegal_answer(self) -> None:
        match = HEADER.new_match(Chance(bytes(32)))
        card = match.question().view.legal_actions()
        give = next(action for action in card if isinstance(action, Give))
        match.answer(Give(give.cards[:2]))
        told = self.told(read_record(write_record(HEADER, match)))
        assert told.startswith("An illegal answer to question 1 (give) of a match of Serpent.")
        assert f"{INDENT}The answer was: give {give.cards[0]} {give.cards[1]}" in told
        assert f"{INDENT}It was asked this:\n{INDENT * 2}hand 1, you direct" in told
        assert told.endswith("`list(view.legal_actions())` has every legal answer.")

    @pytest.mark.parametrize("kind", [kind for kind in FaultKind if kind is not FaultKind.ILLEGAL])
    def test_every_kind_says_what_where_and_what_to_do(self, kind: FaultKind) -> None:
        what, *where, todo = self.told(faulted(kind, detail="so it was")).splitlines()
        assert what.endswith("question 1 (give) of a match of Serpent.")
        assert where[0] == f"{INDENT}so it was"
        assert todo.startswith("What to do: ")

    def test_an_exception(self) -> None:
        told = self.told(faulted(FaultKind.CRASH, "exception", "ValueError: no (at my_bot.py:7)"))
        assert told.endswith("What to do: Fix that line. Tests, as `pips-bot new` writes them beside a bot, find "
                             "such things quickly.")  # fmt: skip

    def test_a_file_that_is_not_where_it_plays(self) -> None:
        sentence = "FileNotFoundError: [Errno 2] No such file or directory: 'book.txt' (at my_bot.py:7)"
        told = self.told(faulted(FaultKind.CRASH, "exception", sentence))
        assert "Open a file that lies beside the bot as `Path(__file__).with_name(" in told

    def test_without_a_line_it_speaks_of_none(self) -> None:
        told = self.told(faulted(FaultKind.CRASH, "exception", "TypeError: no"))
        assert "What to do: Fix that. Tests, as" in told

    def test_a_wrong_value(self) -> None:
        sentence = "BotError: MyBot.lead() must return one Card, but it returned 3"
        assert self.told(faulted(FaultKind.CRASH, "exception", sentence)).endswith(
            "Return what the sentence above asks for."
        )
        sentence = "BotError: MyBot.lead() must return one Card, but it returned None (did it forget its `return`?)"
        told = self.told(faulted(FaultKind.CRASH, "exception", sentence))
        assert told.endswith("Every way through the method needs a `return`.")

    def test_a_process_that_ended(self) -> None:
        told = self.told(faulted(FaultKind.CRASH, detail="exit status 3", evidence="good bye\n"))
        assert f"{INDENT}It had printed:\n{INDENT}| good bye" in told
        assert "Its process ended. What it printed last may say why. Does it call `exit`" in told

    def test_a_process_that_goes_on_has_printed_something_too(self) -> None:
        record = faulted(FaultKind.CRASH, "exception", "ValueError: no")
        seat = record.outcome.faults[0].seat
        bot, other = record.header.names[seat], record.header.names[1 - seat]
        assert f"{INDENT}It had printed:\n{INDENT}| I lead\n" in self.told(record, {bot: "I lead\n", other: "no\n"})
        assert "It had printed" not in self.told(record, {other: "I lead\n"})
        told = self.told(record, {bot: "\n".join(map(str, range(100)))})
        assert told.count(f"{INDENT}| ") == FAULT_LINES

    def test_what_a_record_holds_comes_first(self) -> None:
        record = faulted(FaultKind.CRASH, detail="exit status 3", evidence="good bye\n")
        assert "| good bye" in self.told(record, dict.fromkeys(record.header.names, "later\n"))

    def test_a_seat_that_was_not_asked(self) -> None:
        asked = HEADER.new_match(Chance(bytes(32))).to_ask
        assert asked is not None
        told = self.told(faulted(FaultKind.FLOOD, seat=1 - asked))
        assert told.startswith("Too many messages instead of an answer to question 0 of a match of Serpent.")
        assert "It was asked" not in told


@pytest.mark.parametrize(
    ("detail", "todo"),
    [
        ("BdbQuit:  (at my_bot.py:9)", "--in-process"),
        ("EOFError: EOF when reading a line (at my_bot.py:9)", "--in-process"),
        ("BotError: MyBot.lead() must return a Card, but it returned <coroutine object ask at 0x7f>", "`await`"),
        ("BotError: MyBot.lead() must return a Card, but it returned <bound method MyBot.best of ...>", "brackets"),
        ("TypeError: B.lead() must return a card, but it returned [Function: best]", "brackets"),
        ("TypeError: MyBot.lead() takes 1 positional argument but 2 were given (at my_bot.py:4)", "is `self`"),
        ("ModuleNotFoundError: No module named 'torch' (at my_bot.py:4)", "do without it: a league's bot has"),
        ("it did not answer within 1000 ms", "keep its promise"),
    ],
)
def test_a_beginners_mistake_is_told_with_its_cure(detail: str, todo: str) -> None:
    (problem,) = (problem for _, problem in fault_problems(faulted(FaultKind.CRASH, "exception", detail)))
    assert todo in problem.todo


def test_what_another_match_printed_is_not_shown() -> None:
    from pips_tourney.workshop.problems import of_this_match

    sdk = '  File "/lib/pips_sdk/_runtime/table.py", line 84, in _answer\n    return ask(bot)\n           ^^^\n'
    own = '  File "/home/ada/bot.py", line 3, in lead\n    return view.hand[99]\n'
    failed = "\nMine failed at question {} (lead) of a match of serpent:\nyour hand: 7\n"
    block = f"{failed}Traceback (most recent call last):\n"
    tail = "    return ask(bot)\nIndexError: of another\n" + block.format(4) + sdk + own + "IndexError: other\n"
    printed = tail + block.format(2) + sdk + own + "IndexError: mine\n"
    assert of_this_match(printed, 2) == f"Traceback (most recent call last):\n{own}IndexError: mine\n"
    assert of_this_match("I lead\n" + block.format(2) + own, 2) == f"I lead\nTraceback (most recent call last):\n{own}"
    assert of_this_match("I lead\n" + failed.format(2) + "Oh\n    at a.js:1\n", 2).startswith("I lead\nMine failed at ")
    assert of_this_match(tail, 3) == ""
    assert of_this_match("Killed\n", 1) == "Killed\n"
