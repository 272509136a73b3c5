"""Copies are found whatever they are called; the tutorial's shape accuses nobody."""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from itertools import combinations
from random import Random
from time import process_time

import pytest

from pips_sdk.samples import sample_files
from pips_tourney.workshop.begin.new_bot import TEMPLATES
from pips_tourney.workshop.checks.likeness import (
    ALIKE_SOURCE,
    FEWEST_RUNS,
    Pair,
    alike,
    all_runs,
    own_runs,
    same_answers,
)
from pips_tourney.workshop.checks.same_deals import house_sources

GAMES = ("dominion", "pippip", "serpent", "wichita")
SAMPLES = {
    f"{game}/{name}": file.read_text(encoding="utf-8") for game in GAMES for name, file in sample_files(game).items()
}
STARTERS = [file.read_text(encoding="utf-8") for file in TEMPLATES.rglob("*.py")]
TUTORIAL = """
from pips_sdk import run
from pips_sdk.wichita import WichitaBot, legal_stacks

class Bot{number}(WichitaBot):
    def draw(self, view):
        return len(view.hand) < {number} + 4

    def lay(self, view):
        laid = []
        left = list(view.hand)
        while stacks := list(legal_stacks(left, view.target)):
            best = {choice}
            laid.append(best)
            for card in best:
                left.remove(card)
        return laid

if __name__ == "__main__":
    run(Bot{number})
"""


def renamed(source: str, luck: Random) -> str:
    """All names, numbers and comments are others."""
    names: dict[str, str] = {}
    tokens = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        word = token.string
        if token.type == tokenize.NAME and not keyword.iskeyword(word):
            word = names.setdefault(word, f"n{luck.randrange(99)}_{len(names)}")
        word = str(luck.randrange(1, 50)) if token.type == tokenize.NUMBER else word
        tokens.append((token.type, "# mine" if token.type == tokenize.COMMENT else word))
    return tokenize.untokenize(tokens)


def shuffled(source: str, luck: Random) -> str:
    """Its methods and functions are in another order."""
    first, *others = re.split(r"(?m)^(?=    (?:async )?def |def |class )", source)
    luck.shuffle(others)
    return first + "".join(others)


def longer(source: str, luck: Random) -> str:
    """Each sixth line has another behind it that does nothing."""
    lines = []
    for line in source.splitlines(keepends=True):
        lines.append(line)
        if luck.random() < 1 / 6 and line.rstrip().endswith((")", "]")) and line.startswith("        "):
            lines.append(f"{re.findall('^ *', line)[0]}unused = {luck.randrange(9)}\n")
    return "".join(lines)


def copies(source: str, luck: Random) -> list[str]:
    """What somebody hands in who hides that it is another's."""
    other = renamed(source, luck)
    worked_over = [shuffled(other, luck), longer(other, luck), longer(shuffled(other, luck), luck)]
    return [other, *worked_over, source[: len(source) // 2]]


def share(one: str, other: str, house: list[str]) -> float | None:
    """The part of the code that two bots share; None if there is too little code."""
    own = own_runs({"one": one, "other": other}, house)
    fewest = min(map(len, own.values()))
    return len(own["one"] & own["other"]) / fewest if fewest >= FEWEST_RUNS else None


def test_all_copies_of_sample_bots_are_found_and_no_two_of_them_are_alike() -> None:
    """The threshold lies in a gap: nothing is false, nothing is missed."""
    luck = Random(1)
    unlike = {pair: share(SAMPLES[pair[0]], SAMPLES[pair[1]], STARTERS) for pair in combinations(SAMPLES, 2)}
    every = [(bot, at, copy) for bot, text in SAMPLES.items() for at, copy in enumerate(copies(text, luck))]
    like = {(bot, at): share(SAMPLES[bot], copy, STARTERS) for bot, at, copy in every}
    highest, lowest = ({pair: part for pair, part in of.items() if part is not None} for of in (unlike, like))
    false = {pair: part for pair, part in highest.items() if part >= ALIKE_SOURCE}
    missed = {pair: part for pair, part in lowest.items() if part < ALIKE_SOURCE}
    print(f"{len(false)} of {len(highest)} pairs are false, at most {max(highest.values()):.2f}")
    print(f"{len(missed)} of {len(lowest)} copies are missed, at least {min(lowest.values()):.2f}")
    assert not false and not missed and len(highest) > 60 and len(lowest) > 50
    assert max(highest.values()) < 0.5 and min(lowest.values()) > 0.7


NASTY = ("'a", '"', "'\\\\", "'" * 3 + " ", '"' * 3 + " ", "/*", "//", "#", "\\", "'\\'", "a", "/* '", "'" + 300 * "a")


@pytest.mark.parametrize("text", NASTY)
def test_no_text_takes_long(text: str) -> None:
    begun = process_time()
    all_runs(text * (100_000 // len(text)))
    assert process_time() - begun < 1


def test_bots_of_the_house_are_alike_to_nobody() -> None:
    house = list(house_sources(GAMES))
    assert len(house) > 40
    every = {**SAMPLES, **{f"again {bot}": renamed(text, Random(2)) for bot, text in SAMPLES.items()}}
    same = [["x"] * 500]
    assert alike(every, house, dict.fromkeys(every, same)) == [], "nor where they answer alike"


def test_two_in_the_shape_of_the_tutorial_are_not_accused() -> None:
    choices = ("min(stacks, key=len)", "max(stacks, key=len)", "max(stacks, key=sum)", "stacks[0]", "stacks[-1]")
    bots = {f"b{at}": TUTORIAL.format(number=at, choice=choice) for at, choice in enumerate(choices)}
    same = [["x"] * 500]
    for few in (2, len(bots)):
        some = dict([*bots.items()][:few])
        assert alike(some, house_sources(["wichita"]), dict.fromkeys(some, same)) == []


def test_what_all_have_from_the_lecture_tells_nothing() -> None:
    lecture = SAMPLES["wichita/cautious"]
    bots = {f"b{at}": lecture for at in range(12)}
    assert alike(bots, [], {}) == []
    assert len(alike(dict([*bots.items()][:3]), [], {})) == 3


def test_two_that_answer_alike_are_found_in_whatever_language() -> None:
    one = [[str(number % 7) for number in range(25)] for _ in range(20)]
    other = [["x", *match[1:]] for match in one]
    assert same_answers(one, one) == (1.0, 500) and same_answers(one, other) == (0.0, 20)
    assert same_answers(one, [match[:20] for match in one]) == (1.0, 400), "the clock ended its matches"
    late = [[*match[:24], "x"] if at == 0 else match for at, match in enumerate(one)]
    assert same_answers(one, late) == (499 / 500, 500)
    sources = {"a": SAMPLES["wichita/cautious"], "b": SAMPLES["serpent/search"], "c": SAMPLES["pippip/search"]}
    (pair,) = alike(sources, [], {"a": one, "b": late, "c": other})
    assert pair == Pair("a", "b", pair.source, 0.998, 500) and pair.source < ALIKE_SOURCE
    assert alike(sources, [], {"a": one[:3], "b": one[:3]}) == [], "too few questions"
