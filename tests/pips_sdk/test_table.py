"""A bot's side of its tables: messages in, answers out."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable

import pytest

from pips.v1 import player_pb2
from pips_referee.cards import Card, parse_card
from pips_referee.game import Event, Options, Outcome
from pips_referee.match import Match, Question
from pips_sdk import BotError
from pips_sdk._runtime.table import BotTable, BotTables, one_line
from pips_sdk.serpent import Give, SerpentAction, SerpentBot, SerpentOptions, SerpentView
from tests.records import new_header

HEADER = new_header()
WIRE = HEADER.wire


class Noting(SerpentBot):
    """Notes its events and questions; gives the first legal answer."""

    notes: list[object]

    def on_start(self) -> None:
        self.notes = [(self.seat, self.seats, self.options, self.rng.random())]

    def on_event(self, event: Event) -> None:
        self.notes.append(event)

    def on_finish(self, outcome: Outcome) -> None:
        self.notes.append(outcome)

    def choose(self, view: SerpentView) -> SerpentAction:
        self.notes.append(view)
        return next(view.legal_actions())


def start_message(table: int = 7, seat: int = 0, options: Options | None = None) -> player_pb2.Start:
    start = player_pb2.Start(table=table, game="serpent", seats=2, seat=seat, rng_seed=bytes(32))
    WIRE.write_options(options or SerpentOptions(3), start.options)
    return start


def question_message(question: Question, table: int = 7) -> player_pb2.Question:
    message = player_pb2.Question(table=table, number=question.number, time_left_ms=1000)
    WIRE.write_view(question.view, message.view)
    for event in question.events:
        WIRE.write_event(event, message.events.add())
    return message


def ask(tables: BotTables, match: Match, table: int = 7) -> player_pb2.Answer:
    answer = player_pb2.Answer()
    tables.ask(question_message(match.question(), table), answer)
    return answer


class TestAMatch:
    def test_from_start_to_finish(self) -> None:
        tables = BotTables({"serpent": Noting})
        tables.start(start_message())
        bot = tables.tables[7].bot
        assert isinstance(bot, Noting)
        match = HEADER.new_match()
        answer = ask(tables, match)
        assert (answer.table, answer.number) == (7, 1)
        assert bot.time_left_ms == 1000
        assert WIRE.read_action(answer.action) == next(match.state.legal_actions())
        finish = player_pb2.Finish(table=7, places=[1, 2], scores=[30, -4])
        WIRE.write_event(match.log[0], finish.events.add())
        tables.finish(finish)
        first, *rest = bot.notes
        assert isinstance(first, tuple)
        assert first[:3] == (0, 2, SerpentOptions(3))
        question = match.question()
        assert rest == [*question.events, question.view, match.log[0], Outcome((1, 2), (30, -4))]
        assert not tables.tables

    def test_every_table_has_an_instance_of_its_own(self) -> None:
        tables = BotTables({"serpent": Noting})
        tables.start(start_message(1))
        tables.start(start_message(2, seat=1))
        assert tables.tables[1].bot is not tables.tables[2].bot
        assert (tables.tables[1].bot.seat, tables.tables[2].bot.seat) == (0, 1)

    def test_one_that_goes_on_with_a_new_process_is_told_what_the_seat_had_been_told(self) -> None:
        tables = BotTables({"serpent": Noting})
        match = HEADER.new_match()
        start = start_message()
        WIRE.write_event(match.log[0], start.told.add())
        tables.start(start)
        bot = tables.tables[7].bot
        assert isinstance(bot, Noting)
        assert bot.notes[1:] == [match.log[0]]

    def test_a_bot_that_does_not_listen_leaves_events_unread(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(type(WIRE), "read_event", lambda self, message: pytest.fail("read for nobody"))
        tables = BotTables({"serpent": SerpentBot})
        tables.start(start_message())
        assert ask(tables, HEADER.new_match()).WhichOneof("reply") == "action"

    def test_a_game_that_the_bot_does_not_play(self) -> None:
        with pytest.raises(BotError, match="the referee starts a match of 'serpent'; this bot plays wichita"):
            BotTables({"wichita": Noting}).start(start_message())


class TestFailing:
    def test_what_the_bot_raises_is_its_answer_and_shown_with_the_question(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        class Failing(SerpentBot):
            def choose(self, view: SerpentView) -> SerpentAction:
                raise LookupError("nothing in the book")

        tables = BotTables({"serpent": Failing})
        tables.start(start_message())
        answer = ask(tables, HEADER.new_match())
        line = Failing.choose.__code__.co_firstlineno + 1
        assert answer.failed == f"LookupError: nothing in the book (at test_table.py:{line})"
        shown = capsys.readouterr().err
        assert "Failing failed at question 1 (give) of a match of serpent:" in shown
        assert "give the defender three of" in shown
        assert 'raise LookupError("nothing in the book")' in shown

    def test_who_ends_the_program_costs_its_match_and_no_other_table(self) -> None:
        class Leaving(SerpentBot):
            def choose(self, view: SerpentView) -> SerpentAction:
                sys.exit(3)

        tables = BotTables({"serpent": Leaving})
        tables.start(start_message())
        line = Leaving.choose.__code__.co_firstlineno + 1
        assert ask(tables, HEADER.new_match()).failed == (
            f"SystemExit: the bot ended the program with 3 (at test_table.py:{line})"
        )

    def test_so_is_what_it_raises_at_an_event(self) -> None:
        class Deaf(SerpentBot):
            def on_event(self, event: Event) -> None:
                raise LookupError("pardon?")

        tables = BotTables({"serpent": Deaf})
        tables.start(start_message())
        assert ask(tables, HEADER.new_match()).failed.startswith("LookupError: pardon?")

    def test_what_cannot_travel_is_no_answer(self) -> None:
        class Garbled(SerpentBot):
            def choose(self, view: SerpentView) -> SerpentAction:
                return Give(("QS",))  # type: ignore[arg-type]  # the point

        tables = BotTables({"serpent": Garbled})
        tables.start(start_message())
        line = Garbled.choose.__code__.co_firstlineno
        assert ask(tables, HEADER.new_match()).failed == (
            "BotError: Garbled.choose() must return an action of serpent, such as one of view.legal_actions(), "
            f"but it returned Give(cards=('QS',)) (at test_table.py:{line})"
        )

    @pytest.mark.parametrize("method", ["__init__", "on_start"])
    def test_a_bot_that_cannot_begin_fails_at_every_question(
        self, method: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def fail(self: object) -> None:
            raise RuntimeError("no opening book")

        tables = BotTables({"serpent": type("Unready", (SerpentBot,), {method: fail})})
        tables.start(start_message())
        assert "no opening book" in capsys.readouterr().err
        for _ in range(2):
            assert ask(tables, HEADER.new_match()).failed.startswith("RuntimeError: no opening book (at test_table.py:")
        tables.finish(player_pb2.Finish(table=7, fault="crash: it failed"))
        assert "Unready lost a match of serpent by a fault: crash: it failed" in capsys.readouterr().err

    def test_another_table_is_none_the_worse(self) -> None:
        class Moody(Noting):
            def choose(self, view: SerpentView) -> SerpentAction:
                if self.seat == 1:
                    raise RuntimeError("not today")
                return super().choose(view)

        tables = BotTables({"serpent": Moody})
        tables.start(start_message(1))
        tables.start(start_message(2, seat=1))
        assert ask(tables, HEADER.new_match(), 2).WhichOneof("reply") == "failed"
        assert ask(tables, HEADER.new_match(), 1).WhichOneof("reply") == "action"

    def test_what_fails_at_the_end_is_shown_and_costs_nothing(self, capsys: pytest.CaptureFixture[str]) -> None:
        class Sore(SerpentBot):
            def on_finish(self, outcome: Outcome) -> None:
                raise RuntimeError("a sore loser")

        tables = BotTables({"serpent": Sore})
        tables.start(start_message())
        tables.finish(player_pb2.Finish(table=7))
        assert "a sore loser" in capsys.readouterr().err


class TestOneLine:
    def test_the_deepest_line_of_the_bots_own_is_named_not_one_of_ours(self) -> None:
        def read_the_book() -> Card:
            return parse_card("XX")

        with pytest.raises(ValueError, match="is no card") as caught:
            read_the_book()
        line = read_the_book.__code__.co_firstlineno + 1
        said = "'XX' is no card: write a rank and a suit, such as QS, 10H or A♣"
        assert one_line(caught.value) == f"ValueError: {said} (at test_table.py:{line})"

    @pytest.mark.parametrize(
        "library",
        [
            lambda: random.choice([]),
            lambda: json.loads("no"),
            lambda: setattr(Give(()), "cards", ()),
            lambda: setattr(SerpentOptions(1), "hands", 2),
        ],
    )
    def test_a_line_of_a_library_is_none_of_the_bots(self, library: Callable[[], object]) -> None:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - of four kinds
            library()
        assert one_line(caught.value).endswith(f"(at test_table.py:{library.__code__.co_firstlineno})")

    @pytest.mark.parametrize("method", ["choose", "on_start", "__init__"])
    def test_a_method_that_cannot_be_called_is_named_by_its_first_line(self, method: str) -> None:
        def short() -> None:
            """Without even a `self`."""

        short.__qualname__ = f"Short.{method}"
        tables = BotTables({"serpent": type("Short", (SerpentBot,), {method: short})})
        tables.start(start_message())
        line = short.__code__.co_firstlineno
        assert ask(tables, HEADER.new_match()).failed.endswith(f" given (at test_table.py:{line})")

    def test_a_method_of_the_sdk_is_no_line_of_the_bots(self) -> None:
        error = TypeError("SerpentBot.lead() takes 2 positional arguments but 3 were given")
        assert one_line(error, SerpentBot) == f"TypeError: {error}"

    def test_an_error_from_nowhere_has_no_line(self) -> None:
        assert one_line(RuntimeError("from nowhere")) == "RuntimeError: from nowhere"
        assert one_line(ValueError("\ud800")) == r"ValueError: \ud800", "it fits into a message"


@pytest.mark.parametrize(("left_ms", "think_ms"), [(0, 200), (2000, 200), (400, 100), (2, 1)])
def test_a_bot_knows_its_clock(left_ms: int, think_ms: int) -> None:
    told: list[tuple[int, int]] = []

    class Hasty(SerpentBot):
        def choose(self, view: SerpentView) -> SerpentAction:
            told.append((self.time_left_ms, self.think_ms(200)))
            return next(view.legal_actions())

    tables = BotTables({"serpent": Hasty})
    tables.start(start_message())
    message = question_message(HEADER.new_match().question())
    message.time_left_ms = left_ms
    tables.ask(message, player_pb2.Answer())
    assert told == [(left_ms, think_ms)]


def test_a_traceback_begins_in_the_bots_own_file(capsys: pytest.CaptureFixture[str]) -> None:
    class Failing(SerpentBot):
        def give(self, view: SerpentView) -> tuple[Card, ...]:
            raise ValueError("oh")

    table = BotTable(Failing)
    table.begin(0, 2, HEADER.options, bytes(32))
    table.ask(question_message(HEADER.new_match().question(), 1), player_pb2.Answer())
    told = capsys.readouterr().err
    assert "ValueError: oh" in told and "in give" in told
    assert "pips_sdk/_runtime/table.py" not in told and "pips_sdk/bot.py" not in told
