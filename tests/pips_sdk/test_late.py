"""A bot that is nearly out of time shows where it is."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

import pips_sdk
from pips.v1 import player_pb2
from pips_referee.cards import Card
from pips_referee.games.serpent.values import SerpentView
from pips_sdk._runtime.late import MOST_SHOWN, WATCH
from pips_sdk._runtime.table import BotTables
from pips_sdk.serpent import SerpentBot
from tests.patience import PATIENCE_S
from tests.pips_sdk.test_table import HEADER, question_message, start_message

LIMIT_MS = 20


class Looping(SerpentBot):
    """Loops until its stack was shown."""

    def give(self, view: SerpentView) -> tuple[Card, ...]:
        self.goes_round()
        return view.playable[:3]

    def goes_round(self) -> None:
        before, until = WATCH.shown, monotonic() + PATIENCE_S
        while WATCH.shown == before and monotonic() < until:
            pass


class Quick(SerpentBot):
    pass


@pytest.fixture
def _watch() -> Iterator[None]:
    WATCH.begin()
    yield
    WATCH.end()
    WATCH.shown = 0


def ask(bot: type[SerpentBot], limit_ms: int = LIMIT_MS) -> player_pb2.Answer:
    tables, answer = BotTables({"serpent": bot}), player_pb2.Answer()
    tables.start(start_message(1))
    question = question_message(HEADER.new_match().question(), 1)
    question.time_left_ms = limit_ms
    tables.ask(question, answer)
    return answer


@pytest.mark.usefixtures("_watch")
def test_its_own_lines_are_shown_and_it_goes_on(capfd: pytest.CaptureFixture[str]) -> None:
    assert ask(Looping).WhichOneof("reply") == "action"
    said = capfd.readouterr().err
    assert "Looping has had 19 of 20 ms for question 1 (give) of a match of serpent. It is here:" in said
    assert "in goes_round" in said and "in give" in said and "pips_sdk/bot.py" not in said
    assert "test_late.py" in said and "pytest" not in said, "what called the bot is not the bot's"


@pytest.mark.usefixtures("_watch")
def test_a_bot_of_the_sdk_is_shown_by_the_sdks_lines(capfd: pytest.CaptureFixture[str]) -> None:
    """Such as the one that asks a model."""
    ours: dict[str, Any] = {"WATCH": WATCH, "monotonic": monotonic, "until": monotonic() + PATIENCE_S}
    source = "def give(bot, view):\n    while not WATCH.shown and monotonic() < until:\n        pass\n"
    exec(compile(source, f"{Path(pips_sdk.__file__).parent}/model/bot.py", "exec"), ours)
    ask(type("Ours", (SerpentBot,), {"give": ours["give"]}), 10 * LIMIT_MS)
    assert "model/bot.py" in capfd.readouterr().err


@pytest.mark.usefixtures("_watch")
def test_one_in_time_shows_nothing_and_the_timer_is_set_once(capfd: pytest.CaptureFixture[str]) -> None:
    ask(Quick, 60_000)
    first, _ = signal.getitimer(signal.ITIMER_REAL)
    ask(Quick, 60_000)
    assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] < first
    assert ask(Looping).WhichOneof("reply") == "action", "a shorter limit sets it anew"
    signal.raise_signal(signal.SIGALRM)
    assert capfd.readouterr().err.count("It is here:") == 1
    WATCH.end()
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


@pytest.mark.usefixtures("_watch")
def test_a_timer_of_an_earlier_question_is_set_for_this_one(capfd: pytest.CaptureFixture[str]) -> None:
    class Hurried(SerpentBot):
        def give(self, view: SerpentView) -> tuple[Card, ...]:
            signal.raise_signal(signal.SIGALRM)
            return view.playable[:3]

    ask(Hurried, 60_000)
    assert 50 < signal.getitimer(signal.ITIMER_REAL)[0] <= 57
    assert capfd.readouterr().err == ""


@pytest.mark.usefixtures("_watch")
def test_without_a_clock_and_after_some_stacks_no_timer_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "setitimer", lambda *_: pytest.fail("a timer"))
    ask(Quick, 0)
    monkeypatch.setattr(WATCH, "shown", MOST_SHOWN)
    ask(Quick, 10)


def test_a_bot_that_uses_the_signal_keeps_it() -> None:
    def mine(*_: object) -> None:
        pass

    signal.signal(signal.SIGALRM, mine)
    try:
        WATCH.begin()
        assert not WATCH.is_on
        WATCH.end()
        assert signal.getsignal(signal.SIGALRM) is mine
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


@pytest.mark.usefixtures("_watch")
def test_a_bot_that_takes_the_signal_later_is_not_called_by_our_timer() -> None:
    called: list[int] = []

    class Takes(SerpentBot):
        def on_start(self) -> None:
            signal.signal(signal.SIGALRM, lambda number, _: called.append(number))

    try:
        ask(Quick, LIMIT_MS)  # our timer runs on
        ask(Takes, LIMIT_MS)
        assert not WATCH.is_on
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
        assert called == []
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


@pytest.mark.usefixtures("_watch")
def test_the_bots_own_timer_goes_on() -> None:
    class Alarmed(SerpentBot):
        def on_start(self) -> None:
            signal.signal(signal.SIGALRM, lambda *_: None)
            signal.alarm(50)

    try:
        ask(Quick, LIMIT_MS)
        ask(Alarmed, LIMIT_MS)
        assert 40 < signal.getitimer(signal.ITIMER_REAL)[0] <= 50
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


@pytest.mark.usefixtures("_watch")
@pytest.mark.parametrize("stderr", [None, "closed"])
def test_an_answer_stands_whatever_became_of_stderr(stderr: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = StringIO()
    lost.close()
    monkeypatch.setattr("sys.stderr", None if stderr is None else lost)
    assert ask(Looping).WhichOneof("reply") == "action"
    assert WATCH.shown == 1
