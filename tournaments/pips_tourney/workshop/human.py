"""A person at the table.

They see what a bot's view holds, and answer by a number, in cards, or in words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import Any, Final

from pips_referee.cards import Card, Suit, parse_card
from pips_referee.game import Action, AnyGame, Event, View
from pips_referee.match import Match
from pips_referee.replay import GameText, get_text
from pips_sdk import Bot, play_match
from pips_sdk.wichita import Lay, WichitaView, stack_worth

PAGE: Final = 15
MOST_COMPARED: Final = 20_000
"""The most legal answers in which typed text is looked for."""
NOTHING: Final = ("-", "none", "nothing")
_SUITS: Final = {name: suit for suit in Suit for name in (suit.name.lower(), suit.name[0].lower(), suit.symbol)}
_HOW: Final = {
    "serpent": "a card, such as QS, or three: QS 10H 3C",
    "wichita": "stacks with commas between them, such as 9C 4H, KS 3D; - for none",
    "pippip": "a card, such as QS; suits to call, such as H S; - for none",
    "dominion": "cells and numbers: 7 8 attacks 8 from 7, 7 8 2 advances two armies, 4 2 deploys two on 4; or pass",
}


def deal_of(word: str) -> bytes:
    """The seed of the deal that a word means.

    It is the same deal whenever and wherever the word is used.
    """
    return sha256(f"pips-bot {word}".encode()).digest()


class Left(BaseException):
    """The person has left the table."""


class NotAnAnswer(Exception):
    """The typed text is no legal answer. The error says why."""


@dataclass(frozen=True)
class Terminal:
    """The terminal of a person.

    `read` gets a line after a prompt, None at the end of input.
    """

    show: Callable[[str], None]
    read: Callable[[str], str | None]
    show_long: Callable[[str], None]


def play_human(
    game: AnyGame, others: Sequence[type[Bot]], seat: int, seed: bytes, options: Any, terminal: Terminal
) -> Match | None:
    """A match of a person in that seat against bots in the others, by seat.

    None when the person left.
    """
    text = get_text(game.name)

    class You(Bot):
        """The person, as the table sees one."""

        def on_event(self, event: Event) -> None:
            terminal.show(text.event_text(event))

        def choose(self, view: View) -> Action:
            return _ask(game, view, text, terminal)

    You.game = game.name
    bots: list[type[Bot]] = [*others[:seat], You, *others[seat:]]
    for number, bot in enumerate(bots):
        terminal.show(f"seat {number}: {bot.__name__}")
    terminal.show("")
    try:
        match = play_match(bots, seed, options)
    except (Left, KeyboardInterrupt):
        return None
    terminal.show("")
    for line in _ending(match, seat, [bot.__name__ for bot in bots]):
        terminal.show(line)
    return match


def _ending(match: Match, seat: int, names: Sequence[str]) -> Iterator[str]:
    outcome = match.outcome
    first = outcome.places[seat] == 1
    shared = outcome.places.count(1) > 1
    yield ("You are first, with others." if shared else "You have won!") if first else "You have lost."
    for place, number in sorted(zip(outcome.places, range(len(names)), strict=True)):
        fault = "".join(f", {fault.kind.value}" for fault in outcome.faults if fault.seat == number)
        yield f"place {place}: {names[number]}, score {outcome.scores[number]}{fault}"


def _ask(game: AnyGame, view: View, text: GameText, terminal: Terminal) -> Action:
    """Ask until there is an answer that is legal."""
    terminal.show("")
    terminal.show(text.view_text(view))
    shown = _list(view, text, 0, terminal)
    while True:
        line = terminal.read("your answer (h for help): ")
        if line is None:
            raise Left
        word, _, rest = line.strip().partition(" ")
        match word.lower():
            case "":
                continue
            case "q" | "quit":
                raise Left
            case "m" | "more":
                shown = _list(view, text, shown, terminal)
            case "h" | "help":
                terminal.show(
                    f"Answer with the number of one of the answers (m lists more), with {_HOW[game.name]}, "
                    "or with the words of an answer. ? shows the rules, ? WORD a part of them, q leaves the table."
                )
            case "?":
                terminal.show_long(_rules(game, rest))
            case _:
                try:
                    return read_answer(line, view, text)
                except NotAnAnswer as error:
                    terminal.show(str(error))


def _list(view: View, text: GameText, start: int, terminal: Terminal) -> int:
    """List the next answers.

    Returns how many were listed until now, 0 at their end.
    """
    answers = list(islice(view.legal_actions(), start, start + PAGE + 1))
    for number, action in enumerate(answers[:PAGE], start + 1):
        terminal.show(f"{number:3}  {text.action_text(action)}")
    if len(answers) <= PAGE:
        return 0
    terminal.show("     m for more")
    return start + PAGE


def _rules(game: AnyGame, word: str) -> str:
    rulebook, wanted = game.rulebook(), word.strip().lower()
    if not wanted:
        return rulebook
    clauses = [clause.strip() for clause in re.split(r"\n\n|\n(?=- )", rulebook)]
    found = [clause for clause in clauses if wanted in clause.lower()]
    return "\n".join(found) if found else f"the rules of {game.title} do not say {word.strip()!r}"


def read_answer(line: str, view: View, text: GameText) -> Action:
    """The legal answer that was typed.

    Raises `NotAnAnswer` when there is none, or more than one.
    """
    typed = line.strip().lower()
    if typed.isdecimal():
        chosen = next(islice(view.legal_actions(), int(typed) - 1, None), None) if int(typed) else None
        if chosen is None:
            raise NotAnAnswer(f"there is no answer number {typed}")
        return chosen
    if isinstance(view, WichitaView) and view.kind == "lay":
        return _stacks(line, view)
    parts, alike, begun = _parts_typed(typed), [], []
    for action in islice(view.legal_actions(), MOST_COMPARED):
        words = text.action_text(action).lower()
        if typed == words:
            return action
        if parts == _parts_of(action):
            alike.append(action)
        elif words.startswith(typed):
            begun.append(action)
    found = alike or begun
    if len(found) > 1:
        listed = ", or ".join(text.action_text(action) for action in found[:PAGE])
        raise NotAnAnswer(f"{line.strip()!r} could be: {listed}. Say it in full.")
    if not found:
        raise NotAnAnswer(f"{line.strip()!r} is none of the legal answers; h tells how to answer, ? shows the rules")
    return found[0]


def _stacks(line: str, view: WichitaView) -> Lay:
    if line.strip().lower() in NOTHING:
        return Lay(())
    try:
        stacks = tuple(tuple(map(parse_card, part.split())) for part in line.split(",") if part.strip())
    except ValueError as error:
        raise NotAnAnswer(str(error)) from None
    missing = Counter(card for stack in stacks for card in stack) - Counter(view.hand)
    if missing:
        raise NotAnAnswer(f"{' '.join(map(str, missing))}: that is not in your hand, or not so often")
    for stack in stacks:
        if not stack_worth(stack, view.dice):
            raise NotAnAnswer(f"{' '.join(map(str, stack))} does not make {view.target}; ? W4 says what does")
    return Lay(stacks)


Parts = tuple[str, tuple[int, ...]]
"""Whether these are cards, suits or numbers, and which; cards in any order."""


def _parts_typed(typed: str) -> Parts | None:
    words = typed.replace(",", " ").split()
    if typed in NOTHING:
        return _parts([])
    if all(word in _SUITS for word in words):
        return _parts([_SUITS[word] for word in words])
    if all(word.isdecimal() for word in words):
        return _parts([int(word) for word in words])
    if typed in ("y", "yes", "n", "no"):
        return _parts([typed[0] == "y"])
    try:
        return _parts([parse_card(word) for word in words])
    except ValueError:
        return None


def _parts_of(action: Action) -> Parts:
    """The parts of an action. Whether a card lies face up is left to the words."""
    values: list[Any] = []
    for name in type(action).__match_args__:
        value = getattr(action, name)
        values += value if isinstance(value, tuple) else [value]
    if any(isinstance(value, Card) for value in values):
        values = [value for value in values if isinstance(value, Card)]
    return _parts(values)


def _parts(values: Sequence[Any]) -> Parts:
    kind = type(values[0]).__name__ if values else ""
    return kind, tuple(sorted(values) if kind == "Card" else values)
