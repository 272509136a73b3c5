"""Why a match was lost.

The bot's questions, its answers, its other options, and its use of time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import Final

from pips_referee.errors import RecordError
from pips_referee.match import ABSENT, Fault, Question, Reply, Spent
from pips_referee.printable import plain
from pips_referee.records.record import Record, read_record
from pips_referee.records.replay import INDENT, GameText, Step, fault_text, get_text, indented, outcome_lines, steps
from pips_tourney.night.log.kinds import ANNUL, OUTPUT, REPLAY, RESTORE
from pips_tourney.night.log.store import Store, StoreError

LISTED: Final = 20
KEPT_OUTPUT: Final = 4096
"""The most of a process's output that is stored. Longer output loses its start."""
NOT_PUT: Final = "No question was put to it then, so there is no answer and no clock."


REPORT: Final = re.compile(r"^.+ failed at question \d+ \(\w*\) of a match of \w+:$", re.MULTILINE)
"""The first line of an SDK's report of a failed question."""


def explain(store: Store, match: str) -> Iterator[str]:
    """The faults of the match whose id begins with `match`, line by line.

    Raises `StoreError` if there is no such match, or more than one.
    """
    return map(plain, _lines(store, match))


def _lines(store: Store, match: str) -> Iterator[str]:
    record = _record(store, match)
    header = record.header
    yield f"match {header.match_id}: {header.game.title}, {' against '.join(header.names)}"
    yield from outcome_lines(header, record.outcome)
    if not record.outcome.faults:
        yield "No faults: it was won and lost by play. Step through it, as one seat saw it:"
        yield f"{INDENT}pips-tourney replay {_quoted(store.path)} {header.match_id} --seat 0"
    text, outputs = get_text(header.game.name), _outputs(store, header.match_id)
    for step, reply, fault in faulty_steps(record):
        yield ""
        yield from _told(text, step, reply, fault, header.names[fault.seat], outputs)
        if was_put(step, fault):
            yield "The same question to the bot on your own machine:"
            yield f"{INDENT}pips-bot ask {_quoted(store.path)} {header.match_id} --seat {fault.seat} BOT"


def own_faults(store: Store, match: str, bots: Collection[str]) -> Iterator[str]:
    """The faults of these bots in a match, for their author; no other bot's faults."""
    record = _record(store, match)
    text, outputs = get_text(record.header.game.name), _outputs(store, record.header.match_id)
    for step, reply, fault in faulty_steps(record):
        if (bot := record.header.names[fault.seat]) in bots:
            yield from map(plain, _told(text, step, reply, fault, bot, outputs))


def appeal_sheet(store: Store, match: str, bot: str) -> Iterator[str]:
    """A match, with its proof, for an author who doubts the result.

    Faults of other bots are not explained. Raises `StoreError`.
    """
    record = _record(store, match)
    header, match_id = record.header, record.header.match_id
    if bot not in header.names:
        raise StoreError(f"{bot} did not play match {match_id}: {', '.join(header.names)} did")
    yield f"Match {match_id}: {header.game.title}, {' against '.join(header.names)}"
    yield from outcome_lines(header, record.outcome)
    yield ""
    how = "." if record.outcome.faults else ": it was won or lost by play."
    yield from list(own_faults(store, match_id, {bot})) or [f"{bot} made no fault{how}"]
    yield ""
    yield from _decided(store, match_id)
    yield "What proves it:"
    yield f"{INDENT}SHA-256 of the record: {store.results([match_id])[match_id].sha256.hex()}"
    if (secret := store.secret()) is not None:
        yield f"{INDENT}SHA-256 of the night's secret, told before its first match: {secret.commitment}"
    yield f"{INDENT}the head of the night's log, when this was written: {store.head()}"
    yield "For the organiser, to look again:"
    night = _quoted(Path(store.path.name))  # authors need not know its folder
    yield f"{INDENT}pips-tourney replay {night} {match_id} --seat {header.names.index(bot)}"
    yield f"{INDENT}pips-tourney verify {night} --rerun"


def _decided(store: Store, match_id: str) -> Iterator[str]:
    """The organiser's decisions about a match."""
    for entry in store.log(ANNUL, RESTORE, REPLAY):
        if entry.payload.get("match") == match_id:
            reason = plain(str(entry.payload.get("reason", "")))
            yield f"The organiser decided at {entry.at}: {entry.kind}. Reason: {reason}"


def faulty_steps(record: Record) -> Iterator[tuple[Step, Reply, Fault]]:
    """The steps of a match that ended with a fault."""
    for step in steps(record):
        if step.reply is not None and step.reply.fault is not None:
            yield step, step.reply, step.reply.fault


def _told(
    text: GameText, step: Step, reply: Reply, fault: Fault, bot: str, outputs: Mapping[str, str]
) -> Iterator[str]:
    """One fault: the question, the answer, and the output of the process."""
    yield f"{bot} (seat {fault.seat}), question {fault.question}, {fault_text(fault)}"
    yield from fault_lines(text, step, reply, fault)
    question = step.question if was_put(step, fault) else None
    yield from _output_lines(of_this(fault.evidence or outputs.get(bot, ""), text, question))


def _record(store: Store, match: str) -> Record:
    found = [stored for stored in store.ids() if stored.startswith(match.lower())]
    if len(found) != 1:
        many = f"has {len(found)} matches whose ids begin with {match}" if found else f"has no match {match}"
        raise StoreError(f"{store.path} {many}; the standings' notes name those with faults")
    try:
        return read_record(store.rows(found)[found[0]].record)
    except RecordError as error:
        raise StoreError(f"{store.path}: the record of {found[0]} cannot be read: {error}") from None


def _outputs(store: Store, match_id: str) -> dict[str, str]:
    """By bot, the end of its process's output when the match was over."""
    found = [entry.payload for entry in store.log(OUTPUT) if entry.payload.get("match") == match_id]
    return dict(found[-1].get("output", {})) if found else {}


def fault_lines(text: GameText, step: Step, reply: Reply, fault: Fault) -> Iterator[str]:
    """The question of a fault, the legal answers, the bot's answer, and the clock."""
    if step.question is None or not was_put(step, fault):
        yield NOT_PUT
    else:
        yield from _question_lines(text, step.question, reply)


def was_put(step: Step, fault: Fault) -> bool:
    """Whether there was a question: the bot was connected, and was asked."""
    return step.question is not None and step.question.seat == fault.seat and fault.reason != ABSENT


def _question_lines(text: GameText, question: Question, reply: Reply) -> Iterator[str]:
    yield "What it was asked:"
    yield from indented(text.view_text(question.view))
    legal = list(islice(question.view.legal_actions(), LISTED + 1))
    yield "What was legal:"
    yield from indented("\n".join(map(text.action_text, legal[:LISTED])) + ("\n..." if legal[LISTED:] else ""))
    yield "What it answered:"
    yield from indented(text.action_text(reply.action) if reply.action is not None else "no action of the game")
    yield clock_line(reply.spent)


def clock_line(spent: Spent) -> str:
    """The use of time: the bot, the wire, the referee."""
    whole = "(with the way there and back)"
    if not spent.thought_us:
        whole = "(with the way there and back, for it did not say how long it was at work)"
    elif spent.shared_by == 1:
        work = min(spent.thought_us, spent.used_us)
        whole = f"({work / 1000:.1f} ms at work, as it says, {(spent.used_us - work) / 1000:.1f} ms on the wire)"
    line = f"The clock: {spent.used_us / 1000:.1f} ms were the bot's {whole}; {spent.credited_us / 1000:.1f} ms more "
    line += "were not, for it waited for its core or the referee was late"
    if spent.wire_us:
        line += f"; {spent.wire_us / 1000:.1f} ms more were the measured way to its machine and back"
    if spent.shared_by > 1:
        line += f"; {spent.shared_by} answers came in one message and shared its time"
        line += f", {spent.thought_us / 1000:.1f} ms of which it says went into this one" if spent.thought_us else ""
    return f"{line}."


def of_this(output: str, text: GameText, question: Question | None) -> str:
    """The SDK's report of this question, without the reports of other matches.

    The Python SDK prints the question, its view and the traceback. Without such a
    report, all output of the process is returned.
    """
    shown = "" if question is None else text.view_text(question.view)
    before, found, after = output.partition(f"{shown}\n") if shown else (output, "", "")
    heading = before.rstrip("\n").rpartition("\n")[2]
    if not found or question is None or f" failed at question {question.number} (" not in heading:
        return output
    return f"{heading}\n{REPORT.split(after, maxsplit=1)[0].rstrip()}\n"


def _output_lines(output: str) -> Iterator[str]:
    lines = output.rstrip().splitlines()
    if len(output) >= KEPT_OUTPUT and len(lines) > 1:
        lines[0] = "..."  # its beginning is cut off
    yield "What its process had printed last, in this match or in others that it plays at the same time:"
    yield from [f"{INDENT}| {line}" for line in lines] or [f"{INDENT}(nothing)"]


def _quoted(path: Path) -> str:
    return quote(str(path))
