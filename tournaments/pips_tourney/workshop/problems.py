"""Problems of a bot, described for its author.

What happened, where, and what to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from pips_referee.match import Fault, FaultKind
from pips_referee.printable import plain
from pips_referee.records.record import Record
from pips_referee.records.replay import Step, get_text, steps
from pips_sdk.run_file import INSTALL
from pips_tourney.arena.advice import what_to_do
from pips_tourney.arena.starting import StartFailure

LAST_LINES: Final = 12
FAULT_LINES: Final = 30
"""How many lines of output are shown for a fault.

The author's own output comes before the SDK's report of the question and the traceback.
"""
LINE_WIDTH: Final = 200
INDENT: Final = "    "
REFUSED: Final = "exit status 2"
"""The exit status of an SDK's bot that cannot start.

It has printed the error, its place, and what to do.
"""
_ABSENT: Final = (
    "Fix the name of the module, or do without it: a league's bot has Python's own modules, Pips, "
    "the files beside it and what its organiser installs."
)
_TODO: Final = {
    FaultKind.ILLEGAL: "Answer with what the question offers: the view has it, in lists such as `view.playable`; "
    "in Python `list(view.legal_actions())` has every legal answer.",
    FaultKind.TIMEOUT: "Is there a loop in it that never ends? If it only thinks for long, let it stop earlier.",
    FaultKind.CRASH: "Fix that line. Tests, as `pips-bot new` writes them beside a bot, find such things quickly.",
    FaultKind.MALFORMED: "The answer's message cannot be read: compare what you send with proto/pips/v1/.",
    FaultKind.WRONG_QUESTION: (
        "Answer each question once, with the table and number it came with, in the order of the questions: "
        "an answer that is ready before an earlier one waits for it."
    ),
    FaultKind.FLOOD: "Send a message only to answer a question.",
    FaultKind.DISCONNECT: "A bot keeps its stream open until the referee closes it: does its program end too early?",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem. `where` may have several lines, and may say what to do itself."""

    what: str
    where: str
    todo: str

    def lines(self) -> Iterator[str]:
        """The problem, as lines for a reader."""
        yield plain(self.what)
        for line in self.where.splitlines():
            yield plain(f"{INDENT}{line}".rstrip())
        if self.todo:
            yield f"What to do: {self.todo}"


def refused(why: str, game: str = "") -> Problem:
    """A bot that cannot be started, and has said why; `game` is what it was to play."""
    begin = f"`pips-bot new my_bot --game {game}` writes a bot that starts." if game else ""
    return Problem("The bot did not start.", why, begin)


def plays_not(game: str, plays: Sequence[str]) -> Problem:
    """A bot that says it plays other games than the league does."""
    where = f"It says that it plays {', '.join(plays)}."
    todo = f"Derive it from the base class of {game}: `pips-bot new my_bot --game {game}` writes such a bot."
    return Problem(f"It does not play {game}.", where, todo)


def start_problem(failure: StartFailure, game: str = "", *, in_league: bool = False) -> Problem:
    """The problem of a process that sent no hello; `game` is what it was to play.

    In a league its author cannot install a module that is missing.
    """
    said = last_lines(failure.last_output)
    if failure.how == REFUSED and said:
        problem = refused("\n".join(said), game)
        if in_league and said[-1].startswith(INSTALL):
            return replace(problem, where="\n".join(said[:-1]), todo=_ABSENT)
        return problem
    where = "\n".join(["It printed:", *(f"| {line}" for line in said)]) if said else "It printed nothing."
    return Problem(f"The bot did not start: {failure.how}.", where, what_to_do(failure))


def fault_problems(record: Record, outputs: Mapping[str, str] | None = None) -> Iterator[tuple[int, Problem]]:
    """The faults of a match, each with its seat.

    `outputs` has, by bot, the end of its process's output.
    """
    for step in steps(record):
        if step.reply is not None and step.reply.fault is not None:
            fault = step.reply.fault
            printed = fault.evidence or (outputs or {}).get(record.header.names[fault.seat], "")
            yield fault.seat, _fault_problem(record, step, fault, printed)


def _fault_problem(record: Record, step: Step, fault: Fault, printed: str) -> Problem:
    text, question = get_text(record.header.game.name), step.question
    kind = question.kind if question is not None and question.seat == fault.seat else ""
    asked = f"question {fault.question} ({kind})" if kind else f"question {fault.question}"
    lines = [fault.detail or fault.reason] if fault.detail or fault.reason else []
    if step.reply is not None and step.reply.action is not None:
        lines.append(f"The answer was: {text.action_text(step.reply.action)}")
    if question is not None and kind:
        lines += ["It was asked this:", *(INDENT + line for line in text.view_text(question.view).splitlines())]
    if said := last_lines(of_this_match(printed, fault.question), FAULT_LINES):
        lines += ["It had printed:", *(f"| {line}" for line in said)]
    return Problem(
        f"{_WHAT[fault.kind]} {asked} of a match of {record.header.game.title}.", "\n".join(lines), _todo(fault)
    )


_WHAT: Final = {
    FaultKind.ILLEGAL: "An illegal answer to",
    FaultKind.TIMEOUT: "No answer in time to",
    FaultKind.CRASH: "It failed at",
    FaultKind.MALFORMED: "An unreadable answer to",
    FaultKind.WRONG_QUESTION: "An answer to something else than",
    FaultKind.FLOOD: "Too many messages instead of an answer to",
    FaultKind.DISCONNECT: "It was gone at",
}


_CURES: Final = {
    r"BdbQuit: |EOFError: EOF when reading a line": "Nobody can type there. To debug, play in this process: "
    "`pips-bot play ... --in-process`. Then `breakpoint()` and `input()` work.",
    r".*(<|')coroutine('| object)": "Write `await` before the call, and `async` before the `def` that it is in.",
    r".*<generator object": "Return the values themselves: `list(...)` makes them of a generator, and no `yield` does.",
    r".*returned (<bound method|<function|\[Function)": "Call it: brackets behind its name, as in `self.best(view)`.",
    r"it did not answer within": "Does every way through the method keep its promise? If it only computes for long, "
    "let it stop earlier.",
    r".*forget its `return`": "Every way through the method needs a `return`.",
    r".*must return": "Return what the sentence above asks for.",
    r"ModuleNotFoundError: ": _ABSENT,
    r"FileNotFoundError: ": "Open a file that lies beside the bot as "
    '`Path(__file__).with_name("weights.txt")`: from any folder.',
    r"SystemExit: ": "Answer every question: a bot goes on until `run` is done with it, and sits at other tables too.",
    r"RecursionError: ": "A method calls itself, perhaps by way of others: it needs a case in which it does not.",
    r"MemoryError": "There is too little memory: keep less of what it computes.",
    r"(FrozenInstanceError|AttributeError: immutable type): |\w+: 'tuple' object (has no|does not support)": "Neither "
    "a view nor a tuple changes: work on a copy, such as `list(view.hand)`.",
    r"TypeError: \S+\.__init__\(\) ": "`__init__` gets nothing but `self`; the match is known in `on_start`.",
    r"TypeError: \S+\(\) takes [01] positional arguments? but [12] w": "Its first parameter is `self`, then comes "
    "what is asked: `def lead(self, view):`.",
    r"NameError: ": "Fix that name, or import it. The bot's own methods are called as `self.best(...)`.",
}
"""By the beginning of an error message from a bot's code: what to do."""


def _todo(fault: Fault) -> str:
    if fault.reason == "longest":
        return f"Play again when the machine is less busy. {_TODO[fault.kind]}"
    if fault.kind is not FaultKind.CRASH:
        return _TODO[fault.kind]
    if fault.reason != "exception":
        return "Its process ended. What it printed last may say why. Does it call `exit`, or run out of memory?"
    for said, cure in _CURES.items():
        if re.match(said, fault.detail):
            return cure
    return _TODO[fault.kind] if "(at " in fault.detail else _TODO[fault.kind].replace("Fix that line.", "Fix that.")


def of_this_match(printed: str, number: int) -> str:
    """The output of a process for its fault at that question.

    A process plays at several tables, so the end of its output may begin within that of
    another match. Frames of the SDK are left out.
    """
    blocks = [*_FAILED.finditer(printed)]
    if not blocks:
        return printed
    ends = [*(block.start() for block in blocks[1:]), len(printed)]
    own = [(block, end) for block, end in zip(blocks, ends, strict=True) if block[1] == str(number)]
    if not own:
        return ""
    block, end = own[-1]
    before = list(takewhile(lambda line: not _OF_ERROR.match(line), reversed(printed[: block.start()].splitlines())))
    raised = printed[block.start() : end]
    raised = _SDK_FRAME.sub("", raised[max(0, raised.find("Traceback (")) :])
    return "".join(f"{line}\n" for line in reversed(before) if line) + raised


_FAILED: Final = re.compile(r"^.* failed at question (\d+) \(\w+\) of a match of .*$", re.MULTILINE)
_OF_ERROR: Final = re.compile(r"\s+\S|\w+(Error|Exception|Interrupt)\b")
_SDK_FRAME: Final = re.compile(r'^  File "[^"\n]*/pips_sdk/[^"\n]*", line .*\n(?:    .*\n)*', re.MULTILINE)


def last_lines(output: str, most: int = LAST_LINES) -> list[str]:
    """The end of a bot's output, with lines cut to a terminal's width."""
    return [line[:LINE_WIDTH] for line in output.rstrip().splitlines()[-most:]]
