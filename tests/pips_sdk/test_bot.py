"""The base of all bots: its hooks, its randomness, what it may return."""

from __future__ import annotations

from importlib import import_module

import pytest

from pips_referee.cards import Card, parse_cards
from pips_referee.game import REGISTRY, Event, Options, get_game
from pips_referee.match import Question
from pips_sdk import Bot, BotError, play_match
from pips_sdk.bot import one_card, some_cards, wanted
from pips_sdk.serpent import Lead, SerpentAction, SerpentBot, SerpentOptions, SerpentView
from tests.records import new_header

QUEEN, TEN, ACE = parse_cards("QS 10H AC")


def base_class(game: str) -> type[Bot]:
    """`SerpentBot` and its like."""
    module = import_module(f"pips_sdk.{game}")
    found: type[Bot] = vars(module)[f"{game.capitalize()}Bot"]
    assert issubclass(found, Bot)
    return found


def first_question() -> Question:
    return new_header().new_match().question()


class TestBase:
    @pytest.mark.parametrize("game", REGISTRY)
    def test_every_game_has_a_base_class_whose_defaults_are_legal(self, game: str) -> None:
        base = base_class(game)
        assert base.game == game
        seats = get_game(game).seats(get_game(game).options())
        for count in {seats[0], min(4, seats[-1])}:
            match = play_match([base] * count, bytes([count] * 32))
            assert match.outcome.faults == ()

    @pytest.mark.parametrize("game", REGISTRY)
    def test_what_it_offers_is_there(self, game: str) -> None:
        module = import_module(f"pips_sdk.{game}")
        assert all(hasattr(module, name) for name in module.__all__)
        assert base_class(game).__name__ in module.__all__

    def test_a_bot_of_no_game_is_told_what_to_derive_from(self) -> None:
        class Lost(Bot):
            pass

        with pytest.raises(BotError, match="Lost derives from Bot itself: derive it from a game's bot"):
            Lost().choose(None)


class TestHooks:
    def test_they_are_called_in_order(self) -> None:
        called: list[object] = []

        class Told(SerpentBot):
            def on_start(self) -> None:
                called.append(("start", self.seat, self.seats, self.options))

            def on_event(self, event: Event) -> None:
                called.append(event)

            def choose(self, view: SerpentView) -> SerpentAction:
                called.append("choose")
                return next(view.legal_actions())

        question, options = first_question(), SerpentOptions(2)
        bot = Told()
        bot.begin(0, 2, options, bytes(32))
        bot.ask(1, question.view, question.events)
        assert called == [("start", 0, 2, options), *question.events, "choose"]

    def test_a_bot_that_overrides_none_is_fine(self) -> None:
        question = first_question()
        bot = SerpentBot()
        bot.begin(0, 2, SerpentOptions(), bytes(32))
        assert bot.ask(1, question.view, list(question.events)) in list(question.view.legal_actions())

    @pytest.mark.parametrize("got", [None, 7, "Lead(Q♠)", SerpentOptions()])
    def test_choose_must_return_an_action(self, got: object) -> None:
        class Silly(SerpentBot):
            def choose(self, view: SerpentView) -> SerpentAction:
                return got  # type: ignore[return-value]  # the point

        with pytest.raises(BotError, match=r"Silly\.choose\(\) must return an action of the game, but it returned"):
            Silly().ask(1, first_question().view, ())


class TestRandomness:
    @staticmethod
    def numbers(seed: bytes, question: int) -> list[float]:
        drawn: list[float] = []

        class Rolling(SerpentBot):
            def choose(self, view: SerpentView) -> SerpentAction:
                drawn.extend((self.rng.random(), self.rng.random()))
                return Lead(QUEEN)

        bot = Rolling()
        bot.begin(0, 2, SerpentOptions(), seed)
        bot.ask(question, first_question().view, ())
        return drawn

    def test_a_question_always_has_the_same(self) -> None:
        assert self.numbers(bytes(32), 5) == self.numbers(bytes(32), 5)

    def test_it_goes_on_within_a_question(self) -> None:
        one, other = self.numbers(bytes(32), 5)
        assert one != other

    def test_another_question_another_match_or_another_seat_has_its_own(self) -> None:
        drawn = [self.numbers(bytes([seed] * 32), number)[0] for seed in range(3) for number in range(1, 4)]
        assert len(set(drawn)) == 9

    def test_an_earlier_question_leaves_no_trace(self) -> None:
        drawn: list[float] = []

        class Rolling(SerpentBot):
            def choose(self, view: SerpentView) -> SerpentAction:
                drawn.append(self.rng.random())
                return Lead(QUEEN)

        bot = Rolling()
        bot.begin(0, 2, SerpentOptions(), bytes(32))
        for number in (1, 2, 1):
            bot.ask(number, first_question().view, ())
        assert drawn[0] == drawn[2] != drawn[1]
        assert drawn[1] == self.numbers(bytes(32), 2)[0]

    def test_there_is_some_before_the_first_question_too(self) -> None:
        class Early(SerpentBot):
            def on_start(self) -> None:
                self.first = self.rng.random()

        one, other = Early(), Early()
        for bot in (one, other):
            bot.begin(0, 2, SerpentOptions(), bytes(32))
        assert one.first == other.first

    def test_what_was_drawn_before_the_match_changes_nothing_of_its_luck(self) -> None:
        class Plain(SerpentBot):
            drawn: float

            def on_start(self) -> None:
                self.drawn = self.rng.random()

        class Eager(Plain):
            def __init__(self) -> None:
                self.rng.random()

        def drawn(bot: Plain, seed: bytes) -> float:
            bot.begin(0, 2, SerpentOptions(), seed)
            return bot.drawn

        one, other = bytes(32), bytes([1] * 32)
        assert drawn(Eager(), one) == drawn(Plain(), one)
        assert drawn(Eager(), one) != drawn(Eager(), other)


class TestReturned:
    def test_one_card(self) -> None:
        assert one_card(SerpentBot(), "lead", QUEEN) is QUEEN

    @pytest.mark.parametrize("got", [None, 50, "QS", (QUEEN,)])
    def test_not_one_card(self, got: object) -> None:
        with pytest.raises(BotError) as told:
            one_card(SerpentBot(), "lead", got)
        hint = " (did it forget its `return`?)" if got is None else ""
        expected = f"one Card, such as view.playable[0], but it returned {got!r}{hint}"
        assert str(told.value) == f"SerpentBot.lead() must return {expected}"

    @pytest.mark.parametrize(
        ("got", "cards"),
        [
            ([QUEEN, TEN, ACE], (QUEEN, TEN, ACE)),
            ((QUEEN, TEN), (QUEEN, TEN)),
            ({QUEEN, TEN, ACE}, (ACE, TEN, QUEEN)),
            (frozenset({QUEEN}), (QUEEN,)),
        ],
    )
    def test_some_cards_come_as_a_tuple_a_set_sorted(self, got: object, cards: tuple[Card, ...]) -> None:
        assert some_cards(SerpentBot(), "give", 3, got) == cards

    @pytest.mark.parametrize("got", [None, QUEEN, "QS 10H AC", [50, 35, 0], iter([QUEEN])])
    def test_not_some_cards(self, got: object) -> None:
        with pytest.raises(
            BotError, match=r"^SerpentBot\.give\(\) must return 3 Cards, such as view\.playable\[:3\], but"
        ):
            some_cards(SerpentBot(), "give", 3, got)

    def test_the_text_names_the_students_class(self) -> None:
        class Mine(SerpentBot):
            pass

        assert str(wanted(Mine(), "lead", "a Card", 3)) == "Mine.lead() must return a Card, but it returned 3"


def test_options_is_what_its_name_says() -> None:
    class Curious(SerpentBot):
        def on_start(self) -> None:
            assert isinstance(self.options, Options)

    assert play_match([Curious, SerpentBot], bytes(32)).outcome.faults == ()
