"""Pip-Pip!'s last seven tricks, played on by numpy: by the rules, as `greedy` plays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import ClassVar

import numpy as np
import pytest

from pips_referee.chance import Chance
from pips_referee.games.pippip.rules import GAME, PippipState
from pips_sample_bots.pippip import last_tricks
from pips_sample_bots.pippip.greedy_bot import GreedyBot, cards_left
from pips_sample_bots.pippip.last_tricks import COLUMN, LastTricks, counted, gains, imagined, known_plays
from pips_sample_bots.pippip.search_bot import SearchBot
from pips_sdk import play_match
from pips_sdk.pippip import (
    CARDS,
    PAIR_CARDS,
    Call,
    Dealt,
    PippipAction,
    PippipOptions,
    PippipView,
    Play,
    Played,
    TrumpsChanged,
)
from pips_sdk.search import Policy, house

CARD_OF = dict(zip(COLUMN, CARDS, strict=True))


def hands(seats: int, count: int) -> Iterator[tuple[list[PippipState], list[Played]]]:
    """The questions of last tricks that `greedy` plays, and all plays of the hand."""
    options = PippipOptions(hands=1)
    greedy = house(GreedyBot, options, seats)
    for deal in range(count):
        state, _ = GAME.start(options, seats, Chance(deal.to_bytes(32, "big")))
        asked, plays = [], []
        while state.to_ask is not None:
            if not state.drawing:
                asked.append(state.copy())
            plays += [event for event in state.apply(play(greedy, state)) if isinstance(event, Played)]
        yield asked, plays


def play(greedy: Policy, state: PippipState) -> PippipAction:
    action = greedy(state)
    assert isinstance(action, (Play, Call))
    return action


def table(state: PippipState, view: PippipView) -> LastTricks:
    """The true cards, in one row, with the trick as it lies."""
    tables = LastTricks(view, np.array([[counted(tuple(hand)) for hand in state.hidden]]), trick(view))
    tables.replay(trick(view), view.seat)
    return tables


def trick(view: PippipView) -> list[Played]:
    return list(known_plays(view, []))


def has_pair(state: PippipState) -> bool:
    return any(king in hand and queen in hand for king, queen in PAIR_CARDS for hand in state.hidden)


@pytest.mark.parametrize("seats", [3, 4, 6])
def test_a_row_plays_as_greedy(seats: int) -> None:
    """But for cards that it likes equally well, and pairs."""
    greedy, found = house(GreedyBot, PippipOptions(hands=1), seats), Counter[bool]()
    for asked, _ in hands(seats, 10):
        for state in asked:
            assert state.to_ask is not None
            if state.kind == "play" and not has_pair(state):
                answer = greedy(state)
                assert isinstance(answer, Play)
                card = CARD_OF[int(table(state, state.view(state.to_ask)).greedy_card()[0])]
                found[card == answer.card] += 1
    assert found[True] > 40 * found[False]
    assert found.total() > 100


def true_gains(state: PippipState, seat: int) -> list[float]:
    """By card: how far ahead the seat ends by the rules, if all play as `greedy`."""
    greedy, found = house(GreedyBot, PippipOptions(hands=1), len(state.points)), []
    for card in state.playable:
        twin = state.copy()
        twin.apply(Play(card, card in state.face_up[seat]))
        while twin.to_ask is not None:
            twin.apply(play(greedy, twin))
        others = sum(twin.points) - twin.points[seat]
        found.append(twin.points[seat] - others / (len(twin.points) - 1))
    return found


@pytest.mark.parametrize("seats", [3, 5])
def test_it_counts_as_the_rules_do(seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the true world, but for cards that `greedy` likes equally well."""
    found = Counter[bool]()
    for asked, plays in hands(seats, 5):
        for state in asked:
            if state.kind != "play" or has_pair(state) or state.to_ask is None:
                continue
            view = state.view(state.to_ask)
            truth = np.array([[counted(tuple(hand)) for hand in state.hidden]])
            monkeypatch.setattr(last_tricks, "imagined", lambda *_, truth=truth: (truth.repeat(240, 0), np.zeros(240)))
            seen = np.array(gains(view, cards_left(view), plays[: sum(view.played)], Random(1)))
            told = np.array(true_gains(state, state.to_ask))
            found[np.allclose(seen - seen[0], told - told[0])] += 1
    assert found[True] > 20 * found[False]
    assert found.total() > 40


@pytest.mark.parametrize("seats", [3, 4, 12])
def test_worlds_agree_with_what_is_known(seats: int) -> None:
    for asked, _ in hands(seats, 3):
        for state in asked:
            assert state.to_ask is not None
            view = state.view(state.to_ask)
            left = cards_left(view)
            hidden, unlike = imagined(view, left, 20, Random(1))
            sizes = [count - len(lying) for count, lying in zip(view.hand_counts, view.face_up, strict=True)]
            assert (hidden.sum(2) == sizes).all()
            unseen = hidden.sum(1) - hidden[:, view.seat]
            assert (unseen[:, COLUMN] == left).all()
            limits = np.array(list(view.suit_limits)).reshape(seats, 4)
            of_suit = hidden.reshape(20, seats, 4, 13).sum(3)
            fits = (of_suit <= limits)[:, [seat for seat in range(seats) if seat != view.seat]].all((1, 2))
            assert (fits == (unlike == 0)).all()
            assert fits.any()


def test_what_was_played_tells_of_the_cards() -> None:
    """True cards agree with nearly every play of `greedy`; other worlds do not."""
    true, other = [], []
    for asked, plays in hands(3, 12):
        for state in asked:
            assert state.to_ask is not None
            view = state.view(state.to_ask)
            if len(view.hand) != 3 or has_pair(state):
                continue
            known = known_plays(view, plays[: sum(view.played)])
            assert len(known) == 21 - sum(view.hand_counts)
            cards = np.array([[counted(tuple(hand)) for hand in state.hidden]])
            true += LastTricks(view, cards, known).replay(known, view.seat).tolist()
            worlds, _ = imagined(view, cards_left(view), 50, Random(1))
            other += LastTricks(view, worlds, known).replay(known, view.seat).tolist()
    assert np.mean(true) < 0.2 * np.mean(other)


def test_a_bot_that_heard_nothing_searches_too() -> None:
    for asked, _ in hands(3, 2):
        for state in asked:
            assert state.to_ask is not None
            bot, view = SearchBot(), state.view(state.to_ask)
            bot.begin(state.to_ask, 3, PippipOptions(hands=1), bytes(32))
            state.apply(bot.choose(view))


@pytest.mark.parametrize("left_ms", [0, 49, 50])
def test_with_little_time_the_network_answers(left_ms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[PippipView] = []

    def search(_: SearchBot, view: PippipView, left: list[int]) -> PippipAction:
        searched.append(view)
        return Play(view.playable[0], False)

    monkeypatch.setattr(SearchBot, "searched", search)
    state = next(state for asked, _ in hands(3, 1) for state in asked if state.kind == "play")
    assert state.to_ask is not None
    bot = SearchBot()
    bot.begin(state.to_ask, 3, PippipOptions(hands=1), bytes(32))
    bot.time_left_ms = left_ms
    bot.choose(state.view(state.to_ask))
    assert bool(searched) is (left_ms != 49)


def test_cards_that_end_alike_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """On every machine: no order of sums prefers one of them."""
    rng = np.random.default_rng(1)
    weights = rng.random(240)
    monkeypatch.setattr(LastTricks, "replay", lambda tables, plays, seat: weights)
    for asked, plays in hands(3, 4):
        for state in asked:
            assert state.to_ask is not None
            view = state.view(state.to_ask)
            if state.kind != "play" or len(view.playable) < 2:
                continue
            ends = np.tile(rng.integers(0, 40, (40, 3)).astype(float), (len(view.playable), 1))
            monkeypatch.setattr(LastTricks, "play_out", lambda tables, ends=ends: ends)
            assert len({*gains(view, cards_left(view), plays[: sum(view.played)], Random(1))}) == 1


class Listener(SearchBot):
    """Keeps all that it hears, and compares it with what it knows when it searches."""

    heard: list[object]
    known: ClassVar[list[tuple[int, int]]] = []

    def on_start(self) -> None:
        super().on_start()
        self.heard = []

    def on_event(self, event: object) -> None:
        super().on_event(event)
        self.heard.append(event)

    def searched(self, view: PippipView, left: list[int]) -> PippipAction:
        begun = max(at for at, event in enumerate(self.heard) if isinstance(event, (Dealt, TrumpsChanged)))
        since = [event for event in self.heard[begun:] if isinstance(event, Played)]
        played = self.seats * 7 - sum(view.hand_counts)
        known = known_plays(view, self.plays)
        assert list(known) == (since[-played:] if played else [])
        self.known.append((len(known), played))
        return super().searched(view, left)


def test_the_bot_hears_what_it_searches_with() -> None:
    Listener.known.clear()
    for deal in range(6):
        seed = deal.to_bytes(32, "big")
        assert play_match([Listener] * 3, seed, PippipOptions(hands=1)).outcome.faults == ()
    assert sum(known == played for known, played in Listener.known) > 0.8 * len(Listener.known) > 50
