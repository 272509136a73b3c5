"""A person at the table.

What is shown, what may be typed, and the replies to wrong input.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from pips_referee.cards import parse_cards
from pips_referee.chance import Chance
from pips_referee.errors import UnreadableAnswer
from pips_referee.game import REGISTRY, Action, View, get_game
from pips_referee.games.dominion.values import Attack, Deploy, Pass
from pips_referee.games.pippip.values import Call, Play
from pips_referee.games.serpent.values import Give, Lead
from pips_referee.games.wichita.values import DrawOn, Lay, WichitaView
from pips_referee.match import Match
from pips_referee.records.replay import get_text
from pips_sdk import Bot
from pips_tourney.bots.found import Sample
from pips_tourney.workshop.duels.human import PAGE, Terminal, _ending, play_human, read_answer

SEED = bytes(32)


@dataclass
class Sitting:
    """A person who types these lines, and then always the same, or leaves."""

    lines: Iterable[str]
    then: str | None = None
    said: list[str] = field(default_factory=list)

    def play(self, game: str, seat: int = 0) -> Match | None:
        typed = iter(self.lines)
        terminal = Terminal(self.said.append, lambda prompt: next(typed, self.then), self.said.append)
        of = get_game(game)
        seats = of.seats(of.options())[0]
        others: list[type[Bot]] = [Sample("random", None).bot_class(game)] * (seats - 1)
        return play_human(of, others, seat, SEED, of.options(), terminal)

    @property
    def heard(self) -> str:
        return "\n".join(self.said)


@pytest.mark.parametrize("game", REGISTRY)
@pytest.mark.parametrize("seat", [0, 1])
def test_every_game_can_be_played_to_its_end(game: str, seat: int) -> None:
    sitting = Sitting([], then="1")
    match = sitting.play(game, seat)
    assert match is not None
    assert match.is_over
    assert not match.faults
    assert sitting.said[seat] == f"seat {seat}: You"
    assert f"place {match.outcome.places[seat]}: You, score {match.outcome.scores[seat]}" in sitting.said
    won = match.outcome.places[seat] == 1
    assert ("You have lost." in sitting.said) is not won


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ((1, 2), "You have won!"), ((2, 1), "You have lost."), ((1, 1), "A draw."),
        ((1, 1, 3), "You share the first place."), ((1, 1, 1), "A draw."),
    ],
)  # fmt: skip
def test_a_draw_is_one_of_all(places: tuple[int, ...], said: str) -> None:
    ended: Any = SimpleNamespace(outcome=SimpleNamespace(places=places, scores=places, faults=()))
    assert next(_ending(ended, 0, ("You", "bo", "cy")[: len(places)])) == said


@pytest.mark.parametrize("lines", [["q"], ["1", "quit"], []])
def test_leaving_the_table(lines: list[str]) -> None:
    assert Sitting(lines).play("serpent") is None


def test_what_is_listed_and_how_one_gets_more() -> None:
    game = get_game("serpent")
    match = Match(game, game.options(), 2, Chance(SEED))
    assert match.to_ask is not None
    sitting = Sitting(["", "m", "m", "h", "999999", "q"])
    sitting.play("serpent", match.to_ask)
    text = get_text("serpent")
    listed = [f"{number:3}  {text.action_text(action)}" for number, action in enumerate(match.state.legal_actions(), 1)]
    first = sitting.said.index(listed[0])
    assert sitting.said[first : first + PAGE + 2] == [*listed[:PAGE], "     m for more", listed[PAGE]]
    assert "there is no answer number 999999" in sitting.said
    assert "q leaves the table" in sitting.heard


def test_the_rules_and_parts_of_them() -> None:
    sitting = Sitting(["?", "? W4.5", "? nonsense", "q"])
    sitting.play("wichita")
    rulebook = get_game("wichita").rulebook()
    assert rulebook in sitting.said
    [clause] = [line for line in sitting.said if line.startswith("- **W4.5**")]
    assert all(line in rulebook for line in clause.splitlines())
    assert "- W4.5: " in clause, "and how the source is read"
    assert "the rules of Wichita do not say 'nonsense'" in sitting.said


def position(game: str, kind: str) -> View:
    """The first question of that kind in random matches."""
    of = get_game(game)
    for number in range(100):
        rng = Random(number)
        match = Match(of, of.options(), of.seats(of.options())[0], Chance(bytes([number] * 32)))
        while match.to_ask is not None:
            view = match.question().view
            if view.kind == kind:
                return view
            match.answer(match.state.sample_action(rng))
    raise LookupError(kind)


def answer(line: str, view: View) -> Action:
    game = type(view).__name__.removesuffix("View").lower()
    return read_answer(line, view, get_text(game))


def refused(line: str, view: View) -> str:
    with pytest.raises(UnreadableAnswer) as error:
        answer(line, view)
    return str(error.value)


@pytest.mark.parametrize("game", REGISTRY)
def test_every_answer_is_understood_in_its_own_words(game: str) -> None:
    for kind in get_game(game).kinds:
        view = position(game, kind)
        text = get_text(game)
        for number, action in zip(range(1, 30), view.legal_actions(), strict=False):
            assert answer(str(number), view) == action
            if game != "wichita" or kind == "draw":
                assert answer(text.action_text(action), view) == action


class TestSerpent:
    def test_cards(self) -> None:
        view = position("serpent", "give")
        cards = view.playable[:3]  # type: ignore[attr-defined]
        typed = " ".join(card.code.lower() for card in reversed(cards))
        assert answer(typed, view) == Give(cards)
        lead = position("serpent", "lead")
        card = lead.playable[0]  # type: ignore[attr-defined]
        assert answer(str(card), lead) == Lead(card)

    def test_what_is_no_answer(self) -> None:
        view = position("serpent", "lead")
        assert refused("what?", view).startswith("'what?' is none of the legal answers; h tells how to answer")
        for number in ("0", "20001", "9" * 5000):  # Python reads no number of so many digits
            assert refused(number, view) == f"there is no answer number {number}"
        assert refused("lead", view).startswith("'lead' could be: lead ")


class TestWichita:
    @pytest.mark.parametrize(("typed", "more"), [("draw on", True), ("2", True)])
    def test_whether_to_draw(self, typed: str, more: bool) -> None:
        assert answer(typed, position("wichita", "draw")) == DrawOn(more)

    def test_stacks(self) -> None:
        view = self.lay()
        assert answer("9c, 4S 5d", view) == Lay((parse_cards("9C"), parse_cards("4S 5D")))
        assert answer("-", view) == Lay(())

    def test_what_is_no_answer(self) -> None:
        view = self.lay()
        assert refused("9H", view) == "9♥: that is not in your hand, or not so often"
        assert refused("9C, 9C", view) == "9♣: that is not in your hand, or not so often"
        assert refused("4S", view) == "4♠ does not make 9"
        assert refused("hello", view).startswith("'hello' is no card")

    def lay(self) -> WichitaView:
        hand = parse_cards("4S 5D 9C")
        return WichitaView(0, "lay", 0, (4, 5), hand, (3, 0), (0, 0), 40, (0,) * 13, 1)


class TestPippip:
    def test_a_card(self) -> None:
        view = position("pippip", "play")
        action = next(view.legal_actions())
        assert isinstance(action, Play)
        assert answer(action.card.code, view) == action

    def test_suits(self) -> None:
        view = position("pippip", "call")
        for action in view.legal_actions():
            assert isinstance(action, Call)
            assert answer(" ".join(suit.name[0] for suit in action.suits) or "-", view) == action


class TestDominion:
    def test_numbers(self) -> None:
        view = position("dominion", "attack")
        attack = next(action for action in view.legal_actions() if isinstance(action, Attack))
        assert answer(f"{attack.source} {attack.target}", view) == attack
        deploy = position("dominion", "deploy")
        action = next(action for action in deploy.legal_actions() if isinstance(action, Deploy))
        assert answer(f"{action.cell} {action.count}", deploy) == action
        assert answer("pass", deploy) == Pass()
