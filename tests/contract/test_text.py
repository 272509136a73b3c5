"""Every game can be played from text; no reply becomes an answer it does not give."""

from __future__ import annotations

import re
from itertools import islice
from random import Random

import pytest

from pips_referee.cards import Card
from pips_referee.errors import UnreadableAnswer
from pips_referee.game import REGISTRY, Action, View, get_game
from pips_sdk.text import parse, prompt, rules
from tests.contract.cases import CASES, Case, chance

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
MOST_QUESTIONS = 5
MOST_STEPS = 250
MOST_ANSWERS = 12
SYMBOLS = {"♣": "c", "♦": "d", "♥": "h", "♠": "s", "\ufe0f": ""}
SUIT_WORDS = {"clubs": "c", "diamonds": "d", "hearts": "h", "spades": "s"}
NOISE = [
    "", " ", "  ", "\n", "answer: ", "Answer:", "I think ", " or ", ".", ",", "!", "pass", "lay nothing", "7♣", "QS",
    "10H", "0", "1", "12", "-", "♠", "clubs", "not ", "cell ", " from those face up", "call", "\u202e", "\u0661",
    "\uff0a", "\uff21", "\u212a", "**", "`",
]  # fmt: skip


def questions(case: Case, seed: int, most: int = MOST_QUESTIONS) -> list[View]:
    """Questions of a match of random answers, of every kind that comes up."""
    found: dict[str, list[View]] = {}
    for state, _ in islice(case.play(chance(seed), Random(seed)), MOST_STEPS):
        found.setdefault(state.kind, [])
        if state.to_ask is not None and len(found[state.kind]) < most:
            found[state.kind].append(state.view(state.to_ask))
    return [view for views in found.values() for view in views]


def said(text: str) -> list[str]:
    """What a text says: its words, sorted. It shares nothing with the parser."""
    for symbol, letter in SYMBOLS.items():
        text = text.replace(symbol, letter)
    words = re.findall(r"[^\s,.]+", text.lower())
    words = [re.sub(r"^t(?=[cdhs]$)", "10", SUIT_WORDS.get(word, word)) for word in words]
    return sorted(words)


def given(reply: str) -> str:
    """The one line of a reply that gives an answer."""
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    marked = [line for line in lines if re.match(r"answer\s*:", line, re.IGNORECASE)]
    [line] = marked or lines
    return re.sub(r"(?i)^answer\s*:", "", line)


@every_case
def test_random_legal_answers_are_read_too_with_letters_for_suits(case: Case) -> None:
    rng = Random(3)
    for view in questions(case, 3):
        action = view.random_action(rng)
        codes = re.sub(
            r"(10|[A2-9JQK])[♣♦♥♠]", lambda card: card[0][:-1] + "CDHS"["♣♦♥♠".index(card[0][-1])], action.text
        )
        assert said(parse(codes, view).text) == said(action.text)


def mutated(reply: str, rng: Random) -> str:
    """The reply, changed in one to three places."""
    for _ in range(rng.randint(1, 3)):
        at, to = sorted((rng.randint(0, len(reply)), rng.randint(0, len(reply))))
        match rng.randrange(6):
            case 0:
                reply = reply[:at] + rng.choice(NOISE) + reply[at:]
            case 1:
                reply = reply[:at] + reply[to:]
            case 2:
                reply = reply[:to] + reply[at:]
            case 3:
                reply = (
                    reply[:at] + chr(rng.choice([rng.randrange(32, 127), rng.randrange(160, 0x3000)])) + reply[at + 1 :]
                )
            case 4:
                reply = reply.replace(" ", "  ")
            case _:
                reply = f"{reply}\nanswer: {reply[at:to]}"
    return reply


def ghosts(case: Case, seed: int, replies: int) -> tuple[int, int]:
    """How many mutated replies were read as an answer, and how many wrongly."""
    rng = Random(seed)
    views = questions(case, seed)
    texts = [[action.text for action in islice(view.legal_actions(), MOST_ANSWERS)] for view in views]
    read = wrong = 0
    for _ in range(replies):
        at = rng.randrange(len(views))
        reply = mutated(f"{rng.choice(['', 'answer: '])}{rng.choice(texts[at])}", rng)
        try:
            action: Action = parse(reply, views[at])
        except UnreadableAnswer:
            continue
        read += 1
        wrong += said(action.text) != said(given(reply))
    return read, wrong


@every_case
def test_no_mutated_reply_becomes_an_answer_that_it_does_not_give(case: Case) -> None:
    read, wrong = ghosts(case, 5, 100)
    assert read > 0, "some mutations change nothing of what is said"
    assert wrong == 0


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "the reply is empty"),
        ("hm\nwell", "the reply has 2 lines, and none begins with `answer:`"),
        ("answer: lead 7C\nanswer: lead 7C", "the reply has 2 lines that begin with `answer:`"),
        ("answer: I would lead 7♣ or 8♣", "is none of the legal answers. Legal is, for example: "),
        ("x" * 5000, "at most 400 characters"),
        ("answer: \x1b[31mlead", "is none of the legal answers"),
    ],
)
def test_an_error_says_why(reply: str, why: str) -> None:
    view = questions(CASES[0], 1)[0]
    with pytest.raises(UnreadableAnswer) as error:
        parse(reply, view)
    assert why in str(error.value)
    assert "\x1b" not in str(error.value)


def test_the_rules_are_there_in_the_same_voice() -> None:
    for game in REGISTRY:
        assert rules(game) == get_game(game).rulebook()


def test_what_happened_stands_first() -> None:
    state, events = CASES[0].start(chance(1))
    assert state.to_ask is not None
    seen = [event.seen_by(state.to_ask) for event in events]
    text = prompt(state.view(state.to_ask), [event for event in seen if event is not None])
    assert text.startswith("What happened since you were last asked:\n")


def test_values_print_as_text() -> None:
    view = questions(CASES[0], 1)[0]
    action = next(iter(view.legal_actions()))
    assert str(view) == view.text and str(action) == action.text
    assert isinstance(view.playable[0], Card)  # type: ignore[attr-defined]


if __name__ == "__main__":
    found = [ghosts(case, seed, 100_000 // len(CASES) + 1) for seed, case in enumerate(CASES, 100)]
    print(f"{sum(read for read, _ in found)} replies read, {sum(wrong for _, wrong in found)} ghost moves")
