"""Matches in this process."""

from __future__ import annotations

import random
import sys
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from pips.v1 import game_pb2
from pips_referee.cards import CARDS, Card
from pips_referee.chance import Chance
from pips_referee.game import Action, Event, Outcome, View, get_game
from pips_referee.match import FaultKind, Question
from pips_referee.records.record import Header, read_record, write_record
from pips_referee.wire import plain_wire
from pips_sdk import Bot, play_match
from pips_sdk._runtime.table import BotTable, write_action
from pips_sdk.dominion import Conquer, Deploy
from pips_sdk.pippip import Play
from pips_sdk.serpent import Lead, SerpentAction, SerpentBot, SerpentOptions, SerpentView
from pips_sdk.wichita import DrawOn


class Anything(SerpentBot):
    def choose(self, view: SerpentView) -> SerpentAction:
        return view.random_action(self.rng)


class TestPlay:
    def test_the_finished_match(self) -> None:
        match = play_match([Anything, SerpentBot], bytes(32), SerpentOptions(1))
        assert match.is_over
        assert match.options == SerpentOptions(1)
        assert match.chance.seed == Chance(bytes(32)).seed
        assert match.outcome.faults == ()

    def test_the_same_seed_gives_the_same_match(self) -> None:
        one, other = (play_match([Anything, Anything], bytes([5] * 32)) for _ in range(2))
        assert (one.history, one.log) == (other.history, other.log)

    def test_another_seed_gives_another(self) -> None:
        assert play_match([Anything, Anything], bytes(32)).log != play_match([Anything, Anything], bytes([1] * 32)).log

    def test_nothing_depends_on_the_global_random_state(self) -> None:
        first = play_match([Anything, Anything], bytes(32)).history
        random.seed(99)
        assert play_match([Anything, Anything], bytes(32)).history == first

    def test_each_bot_may_be_given_a_seed_of_its_own(self) -> None:
        seeds = [bytes([1] * 32), bytes([2] * 32)]
        given, other = (play_match([Anything] * 2, bytes(32), rng_seeds=each) for each in (seeds, seeds[::-1]))
        assert given.history == play_match([Anything] * 2, bytes(32), rng_seeds=seeds).history
        assert given.history != other.history
        assert given.log[0] == other.log[0]

    def test_every_question_may_be_watched(self) -> None:
        watched: list[tuple[int, int]] = []

        def watch(bot: Bot, question: Question) -> None:
            assert bot.seat == question.seat
            watched.append((question.seat, question.number))

        match = play_match([Anything, Anything], bytes(32), on_question=watch)
        assert watched == [(reply.seat, reply.number) for reply in match.history]

    def test_more_seats(self) -> None:
        bot = import_module("pips_sdk.wichita").WichitaBot
        assert len(play_match([bot] * 5, bytes(32)).outcome.places) == 5

    def test_everybody_hears_everything_and_the_outcome(self) -> None:
        heard: dict[int, list[Event]] = {}
        ends: dict[int, Outcome] = {}

        class Listening(Anything):
            def on_start(self) -> None:
                heard[self.seat] = []

            def on_event(self, event: Event) -> None:
                heard[self.seat].append(event)

            def on_finish(self, outcome: Outcome) -> None:
                ends[self.seat] = outcome

        match = play_match([Listening, Listening], bytes(32))
        for seat in range(2):
            assert heard[seat] == [event.seen_by(seat) for event in match.log]
            assert (ends[seat].places, ends[seat].scores) == (match.outcome.places, match.outcome.scores)


class Fragile(SerpentBot):
    def lead(self, view: SerpentView) -> object:  # type: ignore[override]  # the point
        return view.playable[99]


class TestFaults:
    def test_what_a_bot_raises_is_its_crash_with_its_line_and_is_shown(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        match = play_match([Anything, Fragile], bytes(32))
        fault = match.outcome.faults[0]
        assert (fault.seat, fault.kind, fault.reason) == (1, FaultKind.CRASH, "exception")
        line = Fragile.lead.__code__.co_firstlineno + 1
        assert fault.detail == f"IndexError: tuple index out of range (at test_local.py:{line})"
        assert match.outcome.places == (1, 2)
        shown = capsys.readouterr().err
        assert f"Fragile failed at question {fault.question} (lead) of a match of serpent:" in shown
        assert "lead in column" in shown
        assert "return view.playable[99]" in shown

    @pytest.mark.parametrize("method", ["__init__", "on_start"])
    def test_what_fails_before_the_first_question_too(self, method: str, capsys: pytest.CaptureFixture[str]) -> None:
        def fail(self: object) -> None:
            raise RuntimeError("no opening book")

        match = play_match([SerpentBot, type("Unready", (SerpentBot,), {method: fail})], bytes(32))
        fault = match.outcome.faults[0]
        assert (fault.seat, fault.kind, fault.question) == (1, FaultKind.CRASH, 1)
        line = fail.__code__.co_firstlineno + 1
        assert fault.detail == f"RuntimeError: no opening book (at test_local.py:{line})"
        assert "no opening book" in capsys.readouterr().err

    @pytest.mark.parametrize("method", ["__init__", "on_start", "choose"])
    @pytest.mark.parametrize(("status", "said"), [(None, ""), (3, " with 3"), ("I give up", " with 'I give up'")])
    def test_who_ends_the_program_loses_its_match_alone(self, method: str, status: object, said: str) -> None:
        def leave(*_: object) -> None:
            sys.exit(status)  # type: ignore[arg-type]  # whatever a bot says

        match = play_match([type("Leaving", (SerpentBot,), {method: leave}), SerpentBot], bytes(32))
        fault = match.outcome.faults[0]
        line = leave.__code__.co_firstlineno + 1
        assert (fault.seat, fault.kind) == (0, FaultKind.CRASH)
        assert fault.detail == f"SystemExit: the bot ended the program{said} (at test_local.py:{line})"

    def test_who_ends_the_program_when_all_is_over_ends_nothing(self) -> None:
        leaving = type("Leaving", (SerpentBot,), {"on_finish": lambda self, outcome: sys.exit(3)})
        assert play_match([leaving, SerpentBot], bytes(32)).outcome.faults == ()

    @pytest.mark.parametrize("method", ["on_start", "choose"])
    def test_ctrl_c_is_no_bots_fault(self, method: str) -> None:
        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            play_match([type("Interrupted", (SerpentBot,), {method: interrupted}), SerpentBot], bytes(32))

    def test_a_wrong_answer_is_illegal(self) -> None:
        class Wrong(SerpentBot):
            def choose(self, view: SerpentView) -> SerpentAction:
                return Lead(view.hidden[0])

        match = play_match([Wrong, SerpentBot], bytes(32))
        assert match.outcome.faults[0].kind is FaultKind.ILLEGAL

    def test_what_is_no_answer_is_told_in_words(self) -> None:
        mine = type("Mine", (SerpentBot,), {"lead": lambda self, view: None})
        fault = play_match([mine, SerpentBot], bytes(32)).outcome.faults[0]
        assert fault.detail.startswith("BotError: Mine.lead() must return one Card")

    @pytest.mark.parametrize(
        ("game", "got"),
        [
            ("serpent", Lead("7X")),  # type: ignore[arg-type]  # the point, here and below
            ("serpent", Lead(7)),  # type: ignore[arg-type]
            ("serpent", DrawOn(more=True)),
            ("wichita", DrawOn("x")),  # type: ignore[arg-type]
            ("wichita", Lead(CARDS[0])),
            ("pippip", Play(7)),  # type: ignore[arg-type]
            ("dominion", Lead(CARDS[0])),
            ("dominion", Conquer(-1)),
            ("dominion", Conquer(2**32)),
            ("dominion", Deploy("x", 2**40)),  # type: ignore[arg-type]
        ],
    )
    def test_an_action_that_no_message_holds_is_none(self, game: str, got: Action) -> None:
        base: type[Bot] = vars(import_module(f"pips_sdk.{game}"))[f"{game.capitalize()}Bot"]

        def choose(self: Bot, view: View) -> Action:
            return got

        seats = get_game(game).seats(get_game(game).options())[0]
        match = play_match([type("Wild", (base,), {"choose": choose})] * seats, bytes(32))
        fault = match.outcome.faults[0]
        assert fault.kind is FaultKind.CRASH
        told = f"BotError: Wild.choose() must return an action of {game}, such as one of view.legal_actions(), but it "
        assert fault.detail.startswith(f"{told}returned {got!r}")
        assert fault.detail.endswith(f"(at test_local.py:{choose.__code__.co_firstlineno})")
        header = Header("wild", match.game, match.options, ("a",) * seats, bytes(32))
        assert read_record(write_record(header, match)).outcome == match.outcome

    def test_a_card_by_its_characters_is_that_card_as_in_a_league(self) -> None:
        def lead(self: SerpentBot, view: SerpentView) -> SerpentAction:
            action = view.random_action(self.rng)
            return Lead(action.card.code) if isinstance(action, Lead) else action  # type: ignore[arg-type]  # the point

        match = play_match([type("Naming", (SerpentBot,), {"choose": lead})] * 2, bytes(32))
        assert match.outcome.faults == ()
        assert all(isinstance(reply.action.card, Card) for reply in match.history if isinstance(reply.action, Lead))

    def test_a_number_of_numpy_is_a_number_as_in_a_league(self) -> None:
        as_numpy: dict[type, Any] = {int: np.int64, bool: np.bool_}

        def choose(self: Bot, view: View) -> Action:
            action = view.random_action(self.rng)
            parts = [getattr(action, name) for name in type(action).__match_args__]
            return type(action)(*[as_numpy.get(type(part), lambda same: same)(part) for part in parts])

        for game in ("dominion", "wichita"):
            base: type[Bot] = vars(import_module(f"pips_sdk.{game}"))[f"{game.capitalize()}Bot"]
            match = play_match([type("Reckoning", (base,), {"choose": choose})] * 2, bytes(32))
            assert match.outcome.faults == ()

    @pytest.mark.parametrize(
        ("game", "got"),
        [("dominion", Deploy(np.int64(9), np.int64(2))), ("wichita", DrawOn(np.bool_(True))), ("serpent", Lead("QS"))],  # type: ignore[arg-type]
    )
    def test_the_stream_sends_what_a_match_here_plays(self, game: str, got: Action) -> None:
        table = BotTable(vars(import_module(f"pips_sdk.{game}"))[f"{game.capitalize()}Bot"])
        answer = game_pb2.GameAction()
        write_action(table.bot, plain_wire(game), got, answer)
        assert plain_wire(game).read_action(answer) == table.as_sent(got)

    def test_what_fails_when_all_is_over_costs_nothing(self, capsys: pytest.CaptureFixture[str]) -> None:
        class Sore(SerpentBot):
            def on_finish(self, outcome: Outcome) -> None:
                raise RuntimeError("a sore loser")

        assert play_match([Sore, SerpentBot], bytes(32)).outcome.faults == ()
        assert "a sore loser" in capsys.readouterr().err

    def test_with_more_seats_the_others_play_on(self) -> None:
        base = import_module("pips_sdk.wichita").WichitaBot
        broken = type("Broken", (base,), {"choose": lambda self, view: 1 / 0})
        match = play_match([base, broken, base], bytes(32))
        assert match.outcome.places[1] == 3
        assert len(match.outcome.faults) == 1
        assert any(reply.by_autopilot for reply in match.history)
