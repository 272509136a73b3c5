"""A record step by step: question, answer, luck and events, for `pips-tourney replay`.

`steps` plays the record again. All forms of a replay use it: text here, JSON in
record_json.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Protocol, cast

from pips_referee import words
from pips_referee.chance import Chance, Drawn, TracedChance
from pips_referee.game import Action, Event, View
from pips_referee.installed import package_of, part_in
from pips_referee.match import Fault, Match, MatchOutcome, Question, Reply
from pips_referee.printable import plain
from pips_referee.records.record import Header, Record, check_end, play_answer

INDENT: Final = "    "


@dataclass(frozen=True, slots=True)
class Step:
    """One reply and its events; the first step has the events before all questions."""

    question: Question | None
    """The open question; None for the first step, and for answers of the autopilot."""
    reply: Reply | None
    drawn: tuple[Drawn, ...]
    """All random outcomes of the step, in the order drawn."""
    events: tuple[Event, ...]
    """Its events, with nothing hidden."""


def steps(record: Record) -> Iterator[Step]:
    """Replay the match from its first deal to its end.

    `RecordError` if an answer does not fit, or if the outcome differs.
    """
    chance = TracedChance(Chance(record.header.seed))
    match = record.header.new_match(chance)
    yield Step(None, None, chance.take_drawn(), tuple(match.log))
    for index in range(len(record.answers)):
        question = match.question() if match.to_ask is not None else None
        played = len(match.history)
        play_answer(match, record, index)
        yield from _steps_of_answer(question, match, played, chance.take_drawn())
    check_end(record, match)


def _steps_of_answer(question: Question | None, match: Match, played: int, drawn: tuple[Drawn, ...]) -> Iterator[Step]:
    """The step of the answer itself, then one for each autopilot answer after it."""
    replies = match.history[played:]
    ends = [reply.log_start for reply in replies[1:]] + [len(match.log)]
    for reply, luck, end in zip(replies, _by_reply(drawn), ends, strict=True):
        asked = None if reply.by_autopilot else question
        yield Step(asked, reply, luck, tuple(match.log[reply.log_start : end]))


def _by_reply(drawn: tuple[Drawn, ...]) -> list[tuple[Drawn, ...]]:
    """The luck of each reply; an autopilot's reply begins with its own stream."""
    starts = [0, *[place for place, luck in enumerate(drawn) if luck.stream.startswith("autopilot/")], len(drawn)]
    return [drawn[start:end] for start, end in pairwise(starts)]


class GameText(Protocol):
    """A game's `text.py`: its values as text for people."""

    def view_text(self, view: View) -> str: ...

    def event_text(self, event: Event) -> str: ...

    def action_text(self, action: Action) -> str: ...

    def situation(self, view: View) -> str: ...


def get_text(game: str) -> GameText:
    """The text module of that game, or the default one."""
    return cast(GameText, part_in(package_of(game), "text") or words)


def replay_pages(
    record: Record, seat: int | None = None, *, printed: Mapping[tuple[int, int], Sequence[str]] = {}
) -> Iterator[list[str]]:
    """The match in pages: players, every visible step with its question, outcome.

    Only what `seat` saw and was asked, if it is given. `printed`: by seat and question,
    the lines that the bot printed at the time.
    """
    header, text = record.header, get_text(record.header.game.name)
    page = [f"match {header.match_id}: {header.game.title}"]
    page += [f"seat {number}: {name}{' (you)' if number == seat else ''}" for number, name in enumerate(header.names)]
    page.append("")
    for step in steps(record):
        if step.reply is not None:
            page += _reply_lines(header, text, step, step.reply, seat)
            page += [f"  | {line}" for line in printed.get((step.reply.seat, step.reply.number), ())]
        for event in step.events:
            seen = event if seat is None else event.seen_by(seat)
            if seen is not None:
                page += indented(text.event_text(seen))
        if page:
            yield [*map(plain, page)]
        page = []
    yield ["", *map(plain, outcome_lines(header, record.outcome))]


def _reply_lines(header: Header, text: GameText, step: Step, reply: Reply, seat: int | None) -> Iterator[str]:
    """The question as its seat saw it, and the answer; for `seat` only."""
    if seat not in {None, reply.seat}:
        return
    question = step.question
    if question is not None and question.seat == reply.seat:
        yield ""
        yield from text.view_text(question.view).splitlines()
    how = "the autopilot" if reply.by_autopilot else f"{reply.spent.used_us / 1000:.1f} ms"
    who = f"seat {reply.seat} ({header.names[reply.seat]}), question {reply.number}, {how}"
    if reply.action is not None:
        yield f"{who}: {text.action_text(reply.action)}"
    if reply.fault is not None:
        yield f"{who}: {fault_text(reply.fault)}"
        yield from indented(reply.fault.evidence)


def fault_text(fault: Fault) -> str:
    """`a fault: illegal (must_follow): the sentence`."""
    reason = f" ({fault.reason})" if fault.reason else ""
    detail = f": {fault.detail}" if fault.detail else ""
    return f"a fault: {fault.kind.value}{reason}{detail}"


def outcome_lines(header: Header, outcome: MatchOutcome) -> Iterator[str]:
    """The seats in the order of their places."""
    faulted = {fault.seat: f", {fault.kind.value}" for fault in outcome.faults}
    for place, seat in sorted(zip(outcome.places, range(len(header.names)), strict=True)):
        yield f"place {place}: {header.names[seat]} (seat {seat}), score {outcome.scores[seat]}{faulted.get(seat, '')}"


def indented(text: str) -> list[str]:
    """The lines of the text, indented."""
    return [INDENT + line for line in text.splitlines()]
