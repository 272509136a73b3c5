"""A method that looks misspelt is named; others are not."""

from __future__ import annotations

import random
import sys
from random import choice

import pytest

from pips_sdk._runtime.hints import hints
from pips_sdk.bot import Bot
from pips_sdk.dominion import DominionBot
from pips_sdk.model.bot import ModelBot
from pips_sdk.pippip import PippipBot
from pips_sdk.serpent import Card, SerpentBot, SerpentView
from pips_sdk.wichita import WichitaBot


class Misspelt(SerpentBot):
    def leed(self, view: SerpentView) -> Card:
        return view.playable[-1]

    def onStart(self) -> None:  # noqa: N802 - as in JavaScript
        pass


class Fine(SerpentBot):
    def lead(self, view: SerpentView) -> Card:
        return self.leads(view)

    def leads(self, view: SerpentView) -> Card:
        return max([card for card in view.playable if self.answers(card)], default=view.playable[0])

    def answers(self, card: Card) -> bool:
        return card.rank > 3

    def evaluate(self, view: SerpentView) -> float:
        return 0.0

    def _leed(self) -> None:
        pass


class Heir(Misspelt):
    pass


KEPT: list[int] = []
COUNT = 0


class Odd(SerpentBot):
    seen: list[int] = []  # noqa: RUF012 - the mistake

    def lead(self, view: SerpentView) -> Card:
        print("leading")
        return random.choice(view.playable)

    def answer(self, view: SerpentView) -> Card:
        KEPT.append(1)
        return choice(view.playable)

    def give(self, view: SerpentView) -> list[Card]:
        self.seen.append(1)
        return [view.hand[0]]

    def reveal(self, view: SerpentView) -> list[Card]:
        global COUNT  # noqa: PLW0603 - the mistake
        COUNT += 1
        print("reveal", file=sys.stderr)
        return [random.Random(1).choice(view.hand)]


def test_luck_that_cannot_be_had_again_shared_state_and_prints_are_named() -> None:
    told = [hint.partition(") ")[::2] for hint in hints(Odd)]
    assert [(where.partition(" ")[0], what.partition("`, ")[0].partition(". ")[0]) for where, what in told] == [
        ("Odd.lead", "uses `random"),
        ("Odd.lead", "prints"),
        ("Odd.answer", "uses `random"),
        ("Odd.answer", "keeps something in `KEPT"),
        ("Odd.give", "keeps something in `seen"),
        ("Odd.reveal", "keeps something in `COUNT"),
    ]


def test_a_misspelt_method_is_named_with_the_one_that_is_meant() -> None:
    leed, started = hints(Misspelt)
    assert leed.startswith("Misspelt has `leed` (test_hints.py:")
    assert leed.endswith("which no question calls. Did you mean `lead`?")
    assert started.endswith("Did you mean `on_start`?")
    assert len(hints(Heir)) == 2


@pytest.mark.parametrize(
    ("base", "misspelt", "meant"),
    [
        (WichitaBot, "draw_on", "draw"),
        (WichitaBot, "drawOn", "draw"),
        (WichitaBot, "drww", "draw"),
        (SerpentBot, "lead_card", "lead"),
        (WichitaBot, "lays", "lay"),
        (PippipBot, "cal", "call"),
        (DominionBot, "conker", "conquer"),
        (SerpentBot, "anser", "answer"),
        (ModelBot, "replay", "reply"),
    ],
)
def test_every_game_s_methods_are_known_by_their_own_names(base: type[Bot], misspelt: str, meant: str) -> None:
    (hint,) = hints(type("MyBot", (base,), {misspelt: lambda self, view: None}))
    assert hint.endswith(f"Did you mean `{meant}`?")


def test_methods_of_the_bots_own_are_no_mistakes() -> None:
    assert hints(Fine) == []
    assert hints(SerpentBot) == []
