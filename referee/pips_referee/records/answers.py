"""Play by text: the prompt for a seat, and a reply parsed into one legal answer.

A reply has one line `answer: WORDS`, or is one line with only the words. The words are
those of `action_text`. Cards may be written `Q♠` or `QS`, suits `♠`, `S` or `spades`,
and adjacent cards in any order. Nothing else is accepted: no reply is corrected,
completed or guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from pips_referee.cards import Suit, parse_card
from pips_referee.errors import UnreadableAnswer
from pips_referee.game import Action, Event, View, text_of
from pips_referee.printable import plain
from pips_referee.records.replay import GameText, indented

LISTED: Final = 40
"""The most legal answers that a prompt lists."""
MOST_COMPARED: Final = 20_000
"""A reply is compared with this many legal answers at most."""
LONGEST: Final = 400
"""The most characters of an answer."""
NAMED: Final = 12
"""How many legal answers an error lists."""
ANSWER: Final = re.compile(r"^\s*answer\s*:\s*(.*?)\s*$", re.IGNORECASE)
CARD: Final = re.compile(r"(?:10|[A2-9TJQK])[CDHS♣♦♥♠]", re.IGNORECASE | re.ASCII)
SUITS: Final = {name: suit.symbol for suit in Suit for name in (suit.name.lower(), suit.name[0].lower(), suit.symbol)}
FORM: Final = (
    "Reply with exactly one line that begins with `answer:`, then the words of one answer. "
    "You may write cards as Q♠ or QS. You may think aloud on other lines."
)


def prompt(view: View, events: Iterable[Event] = (), *, legal: bool = True) -> str:
    """All that a person or a model needs to answer.

    It has what happened since the last question (`events`, as the seat saw them), the
    position with the question, and the form of the answer. With `legal`, it adds the
    first 40 legal answers.
    """
    text: GameText = text_of(view)
    happened = [line for event in events for line in indented(text.event_text(event))]
    lines = ["What happened since you were last asked:", *happened, ""] if happened else []
    lines += [f"You are seat {view.seat}. The position:", *indented(text.view_text(view)), "", FORM]
    if legal:
        lines += _legal_lines(text, view)
    else:
        lines += [f"For example: answer: {_words_of(text, view, 1)[0]}"]
    return "\n".join(lines)


def parse(reply: str, view: View) -> Action:
    """Parse a reply into its one legal answer.

    `UnreadableAnswer` says why there is none, or more than one.
    """
    words = _answer_in(reply)
    if len(words) > LONGEST:
        raise UnreadableAnswer(f"an answer has at most {LONGEST} characters, and this one has {len(words)}")
    text: GameText = text_of(view)
    tokens = tokens_of(words)
    read = getattr(text, "read_action", None)
    if read is not None and (action := read(tokens, view)) is not None:
        return action  # type: ignore[no-any-return]
    compared = 0 if view.kind in getattr(text, "READS_ALL", ()) else MOST_COMPARED
    for action in islice(view.legal_actions(), compared):
        if tokens_of(text.action_text(action)) == tokens:
            return action
    legal = "; ".join(_words_of(text, view, NAMED))
    raise UnreadableAnswer(f"{plain(words)!r} is none of the legal answers. Legal is, for example: {legal}")


def _answer_in(reply: str) -> str:
    """The text of the reply's only answer."""
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    marked = [found[1] for line in lines if (found := ANSWER.match(line))]
    if len(marked) > 1:
        raise UnreadableAnswer(f"the reply has {len(marked)} lines that begin with `answer:`; give exactly one")
    if marked:
        return marked[0]
    if len(lines) == 1:
        return lines[0]
    if not lines:
        raise UnreadableAnswer(f"the reply is empty. {FORM}")
    raise UnreadableAnswer(f"the reply has {len(lines)} lines, and none begins with `answer:`. {FORM}")


def tokens_of(words: str) -> tuple[str, ...]:
    """The words in a normal form, with each comma as a separate word.

    Adjacent cards are sorted, since their order means nothing.
    """
    spaced = words.replace("\ufe0f", "").removesuffix(".").replace(",", " , ")
    tokens: list[str] = []
    together: list[str] = []
    for word in spaced.split():
        if CARD.fullmatch(word):
            together.append(str(parse_card(word)))
            continue
        plain_word = word.lower() if word.isascii() else word  # a non-ASCII letter must not become an ASCII one
        tokens += [*sorted(together), SUITS.get(plain_word, plain_word)]
        together = []
    return (*tokens, *sorted(together))


def _legal_lines(text: GameText, view: View) -> Iterator[str]:
    words = _words_of(text, view, LISTED + 1)
    yield "The legal answers:" if len(words) <= LISTED else f"The first {LISTED} legal answers; there are more:"
    yield from indented("\n".join(f"answer: {each}" for each in words[:LISTED]))


def _words_of(text: GameText, view: View, most: int) -> Sequence[str]:
    return [text.action_text(action) for action in islice(view.legal_actions(), most)]
