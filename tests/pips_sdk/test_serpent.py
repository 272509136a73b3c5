"""Serpent's base class: one method for every kind of question."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from pips_referee.cards import Card
from pips_referee.game import Action
from pips_sdk import BotError, play_match
from pips_sdk.serpent import Answer, Give, Lead, Reveal, SerpentAction, SerpentBot, SerpentView

ACTIONS: dict[str, type[SerpentAction]] = {"give": Give, "reveal": Reveal, "lead": Lead, "answer": Answer}


def views() -> dict[str, SerpentView]:
    """A view of every kind."""
    seen: dict[str, SerpentView] = {}

    class Watching(SerpentBot):
        def choose(self, view: SerpentView) -> SerpentAction:
            seen.setdefault(view.kind, view)
            return super().choose(view)

    play_match([Watching, Watching], bytes(32))
    return seen


VIEWS = views()


@pytest.mark.parametrize("kind", ACTIONS)
class TestMethods:
    def test_the_default_is_an_answer_of_its_kind_and_legal(self, kind: str) -> None:
        action = SerpentBot().choose(VIEWS[kind])
        assert isinstance(action, ACTIONS[kind])
        assert action in list(VIEWS[kind].legal_actions())

    def test_a_method_answers_its_kind_and_no_other(self, kind: str) -> None:
        asked: list[str] = []

        def last(self: SerpentBot, view: SerpentView) -> Card | Collection[Card]:
            asked.append(view.kind)
            return view.playable[-1] if kind in {"lead", "answer"} else view.playable[-3:]

        mine = type("Mine", (SerpentBot,), {kind: last})
        match = play_match([mine, SerpentBot], bytes(32))
        assert match.outcome.faults == ()
        assert set(asked) == {kind}
        played: list[Action] = [reply.action for reply in match.history if isinstance(reply.action, ACTIONS[kind])]
        assert len(played) > len(asked) >= 4

    def test_what_is_no_card_is_refused_by_name(self, kind: str) -> None:
        mine = type("Mine", (SerpentBot,), {kind: lambda self, view: None})
        expected = "one Card, such as view.playable[0]" if kind in {"lead", "answer"} else "3 Cards, such as"
        with pytest.raises(BotError) as told:
            mine().choose(VIEWS[kind])
        assert str(told.value).startswith(f"Mine.{kind}() must return {expected}")
        assert str(told.value).endswith("but it returned None (did it forget its `return`?)")
