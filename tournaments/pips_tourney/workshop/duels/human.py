"""A person at the table.

Persons see the same view as a bot, and answer by a number, in cards, or in words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import Any, Final, TypeVar

from pips_referee.errors import UnreadableAnswer
from pips_referee.game import Action, AnyGame, Event, View
from pips_referee.match import Match
from pips_referee.records.answers import MOST_COMPARED, parse, tokens_of
from pips_referee.records.replay import GameText, get_text
from pips_sdk import Bot, play_match

Part = TypeVar("Part")
Result = TypeVar("Result")
GUEST: Final = "guest"
"""The name of a person who plays in a browser."""
ANSWER_S: Final = 600
"""A person who gives no answer for so many seconds has left a published bot's table."""
PAGE: Final = 15
NOTHING: Final = ("-", "none", "nothing")


def deal_of(word: str) -> bytes:
    """The seed of the deal that a word names.

    The same word always gives the same deal.
    """
    return sha256(f"pips-bot {word}".encode()).digest()


class Left(BaseException):
    """The person has left the table, or an error at the person's seat ends it."""


@dataclass(frozen=True)
class Terminal:
    """The terminal of a person.

    `read` returns a line after a prompt, or None at the end of input.
    """

    show: Callable[[str], None]
    read: Callable[[str], str | None]
    show_long: Callable[[str], None]


def play_human(
    game: AnyGame, others: Sequence[type[Bot]], seat: int, seed: bytes, options: Any, terminal: Terminal
) -> Match | None:
    """A match of a person at a terminal; `others` are the bots in the other seats.

    None if the person left.
    """
    text = get_text(game.name)
    person = person_bot(
        game, lambda event: terminal.show(text.event_text(event)), lambda view: _ask(game, view, text, terminal)
    )
    bots = [*others[:seat], person, *others[seat:]]
    for number, bot in enumerate(bots):
        terminal.show(f"seat {number}: {bot.__name__}")
    terminal.show("")
    if (match := until_left(lambda: play_match(bots, seed, options))) is not None:
        terminal.show("")
        for line in _ending(match, seat, [bot.__name__ for bot in bots]):
            terminal.show(line)
    return match


def person_bot(game: AnyGame, hear: Callable[[Event], None], choose: Callable[[View], Action]) -> type[Bot]:
    """A person, who hears events and chooses answers, as a bot.

    An error in either is the game's, not the person's, so it does not cost them the
    match.
    """

    class You(Bot):
        """The person, in the form of a bot."""

        def on_event(self, event: Event) -> None:
            self._attempt(hear, event)

        def choose(self, view: View) -> Action:
            return self._attempt(choose, view)

        def _attempt(self, do: Callable[[Part], Result], part: Part) -> Result:
            try:
                return do(part)
            except Exception as error:
                raise Left from error

    You.game = game.name
    return You


def until_left(play: Callable[[], Result]) -> Result | None:
    """Play a match with a `person_bot`; None if the person left.

    Raises the game's errors.
    """
    try:
        return play()
    except (Left, KeyboardInterrupt) as left:
        if isinstance(left.__cause__, Exception):
            raise left.__cause__ from None
    return None


def _ending(match: Match, seat: int, names: Sequence[str]) -> Iterator[str]:
    outcome = match.outcome
    firsts = outcome.places.count(1)
    if firsts == len(names):
        yield "A draw."
    elif outcome.places[seat] == 1:
        yield "You share the first place." if firsts > 1 else "You have won!"
    else:
        yield "You have lost."
    for place, number in sorted(zip(outcome.places, range(len(names)), strict=True)):
        fault = "".join(f", {fault.kind.value}" for fault in outcome.faults if fault.seat == number)
        yield f"place {place}: {names[number]}, score {outcome.scores[number]}{fault}"


def _ask(game: AnyGame, view: View, text: GameText, terminal: Terminal) -> Action:
    """Ask until the answer is legal."""
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
                    "Answer with the number of one of the answers (m lists more), or with its words. In a game of "
                    "cards its cards or suits alone will do, such as QS 10H; stacks have commas between them, and - is "
                    "none. ? shows the rules, ? WORD a part of them, q leaves the table."
                )
            case "?":
                terminal.show_long(_rules(game, rest))
            case _:
                try:
                    return read_answer(line, view, text)
                except UnreadableAnswer as error:
                    terminal.show(str(error))


def _list(view: View, text: GameText, start: int, terminal: Terminal) -> int:
    """List the next answers.

    Returns how many were listed so far, or 0 after the last.
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
    """The legal answer that was typed, as its number, its words, or its cards alone.

    Raises `UnreadableAnswer` if no answer matches, or more than one.
    """
    typed = line.strip()
    if typed.isdecimal():
        number = int(typed) if len(typed) <= len(str(MOST_COMPARED)) else 0  # more would take minutes to count
        chosen = next(islice(view.legal_actions(), number - 1, None), None) if 0 < number <= MOST_COMPARED else None
        if chosen is None:
            raise UnreadableAnswer(f"there is no answer number {typed}")
        return chosen
    words = ("nothing",) if typed.lower() in NOTHING else tokens_of(typed)
    if view.kind == "lay":  # there may be too many answers to compare each
        return parse(" ".join(words if words[:1] == ("lay",) else ("lay", *words)), view)
    alike: list[Action] = []
    begun: list[Action] = []
    for action in islice(view.legal_actions(), MOST_COMPARED):
        tokens = tokens_of(text.action_text(action))
        if tokens == words:
            return action
        if not Counter(words) - Counter(tokens):
            more = Counter(tokens) - Counter(words)
            (begun if any(not word.isalpha() for word in more) else alike).append(action)
    found = alike or begun
    if len(found) > 1:
        listed = ", or ".join(text.action_text(action) for action in found[:PAGE])
        raise UnreadableAnswer(f"{typed!r} could be: {listed}. Say it in full.")
    if not found:
        raise UnreadableAnswer(f"{typed!r} is none of the legal answers; h tells how to answer, ? shows the rules")
    return found[0]
