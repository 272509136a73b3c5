"""Every game is played from text, and no reply becomes a move it does not give."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import ClassVar

import pytest

from pips_referee.game import REGISTRY, get_game
from pips_sdk._runtime.local import play_match
from pips_sdk.env import MatchEnv
from pips_sdk.model.bot import ModelBot, model_bots
from pips_sdk.model.endpoint import Endpoint, ModelMessage
from pips_sdk.model.prompts import PromptError, Prompts, read_prompts
from pips_sdk.model.settings import SETTINGS_VARIABLE, Lenient, ModelSettings
from pips_sdk.random_bot import random_bot
from tests.contract.test_text import given, mutated, said
from tests.model_stub import model_stub, one_of_them

SEED = bytes(range(32))
OPTIONS = {"dominion": {"size": 3}}


class Played(ModelBot):
    """A model bot that notes what it was asked, and what it replied."""

    settings = ModelSettings()
    asked: ClassVar[list[Sequence[ModelMessage]]] = []
    replies: ClassVar[list[str]] = []
    defaults = 0

    def reply(self, messages: Sequence[ModelMessage]) -> str:
        type(self).asked.append(list(messages))
        type(self).replies.append(self.says(messages[1]["content"]))
        return self.replies[-1]

    def says(self, asked: str) -> str:
        return one_of_them(asked, self.attempt)

    def defaulted(self) -> None:
        super().defaulted()
        type(self).defaults += 1


def new(game: str, base: type[Played] = Played, **parts: object) -> type[Played]:
    return type("New", (base,), {"game": game, "asked": [], "replies": [], "defaults": 0, **parts})


def play(bot: type[ModelBot], seed: bytes = SEED) -> str:
    """The kinds and texts of the faults of a match of this bot against itself."""
    game = get_game(bot.game)
    options = game.options(OPTIONS.get(bot.game, {}))
    seats = game.seats(options)[0]
    match = play_match([bot] * seats, seed, options)
    return "; ".join(fault.detail for fault in match.outcome.faults)


@pytest.mark.parametrize("legal", [True, False])
@pytest.mark.parametrize("game", REGISTRY)
def test_a_whole_match_is_played_from_text(game: str, legal: bool) -> None:
    bot = new(game, settings=ModelSettings(legal=legal))
    assert play(bot) == ""
    assert all(("legal answers:" in asked[1]["content"]) <= legal for asked in bot.asked)
    assert all(asked[0]["content"].startswith(f"You play {game}") for asked in bot.asked)
    assert any("What happened since" in asked[1]["content"] for asked in bot.asked)


class Unsure(Played):
    """Mumbles at first, and gives its answer at the second try."""

    def says(self, asked: str) -> str:
        return "hm\nwell" if self.attempt == 1 else super().says(asked)


class Mumbles(Played):
    def says(self, asked: str) -> str:
        return "hm"


def test_it_may_think_again_with_the_error() -> None:
    bot = new("serpent", Unsure)
    assert play(bot) == ""
    first, second = bot.asked[:2]
    assert [message["role"] for message in second] == ["system", "user", "assistant", "user"]
    assert second[:2] == first
    assert "the reply has 2 lines, and none begins with `answer:`" in second[3]["content"]


@pytest.mark.parametrize("rethinks", [0, 1, 3])
def test_no_answer_at_all_is_a_fault(rethinks: int) -> None:
    bot = new("serpent", Mumbles, settings=ModelSettings(rethinks=rethinks))
    assert f"NoAnswer: none of the model's {rethinks + 1} replies was an answer; the last: 'hm' is none" in play(bot)
    assert len(bot.replies) >= rethinks + 1


def test_or_the_legal_default_is_played_and_told() -> None:
    bot = new("serpent", Mumbles, settings=ModelSettings(unreadable="legal"))
    assert play(bot) == ""
    assert bot.defaults == len(bot.replies) / 2 > 10


class Garbled(Played):
    """Replies with what it means, changed at random."""

    rng = Random(11)

    def says(self, asked: str) -> str:
        return mutated(one_of_them(asked, 1).splitlines()[-1], type(self).rng)


def ghost_moves(game: str, replies: int) -> tuple[int, int]:
    """How many mutated replies were played as a move, and how many wrongly."""
    read = wrong = 0

    class Checked(Garbled):
        settings = ModelSettings(rethinks=0, unreadable="legal")

        def choose(self, view: object) -> object:  # type: ignore[override]
            nonlocal read, wrong
            before = type(self).defaults
            action = super().choose(view)
            if type(self).defaults == before:
                read += 1
                wrong += said(action.text) != said(given(self.replies[-1]))
            return action

    bot = new(game, Checked)
    while len(bot.replies) < replies:
        assert play(bot, sha256(str(len(bot.replies)).encode()).digest()) == ""
    return read, wrong


@pytest.mark.unmeasured
@pytest.mark.parametrize("game", REGISTRY)
def test_no_mutated_reply_of_a_model_becomes_a_move_that_it_did_not_give(game: str) -> None:
    read, wrong = ghost_moves(game, 100)
    assert read > 5
    assert wrong == 0


def test_any_endpoint_can_be_asked_and_none_is_said() -> None:
    with model_stub() as stub:
        endpoint = Endpoint(stub.url, "m")
        assert play(model_bots(endpoint=endpoint, settings=ModelSettings())[0]) == ""
        endpoint.close()
        assert len(stub.bodies) > 10
    assert "ModelUnreachable: no model is named" in play(model_bots(settings=ModelSettings())[0])


def test_it_gives_up_before_its_clock_ends() -> None:
    """So the fault says why there is no reply, and not that time is over."""
    within = []
    for bot_ms in (2000, 0, 600_000):
        bot = new("serpent", settings=ModelSettings(unreadable="legal", rethinks=0))()
        bot.time_left_ms, bot.seats = bot_ms, 2
        bot.on_start()
        bot.choose(MatchEnv("serpent").view)
        within.append(bot.left_s)
    assert within == pytest.approx([1.8, 60, 60], abs=0.2)


def test_a_league_tells_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = ModelSettings(False, 3, "legal", 7.5, Prompts("a", "b", "c"))
    monkeypatch.setenv(SETTINGS_VARIABLE, settings.as_json())
    assert ModelSettings.here() == settings
    monkeypatch.delenv(SETTINGS_VARIABLE)
    assert ModelSettings.here() == ModelSettings()


class TestPrompts:
    def test_a_file_replaces_one_of_them(self, tmp_path: Path) -> None:
        (tmp_path / "again.txt").write_text("No: $why. That costs $$1.\n", encoding="utf-8")
        prompts = read_prompts(tmp_path)
        assert prompts.filled("again", why="oh") == "No: oh. That costs $1."
        assert prompts[:2] == read_prompts()[:2]

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("$whom", r"again.txt: there is no value for \$whom; there is \$why"),
            ("5 $", "a `\\$` begins a name"),
            ("x" * 200_000, "has 200000 characters"),
        ],
    )
    def test_a_wrong_one_is_named(self, tmp_path: Path, text: str, why: str) -> None:
        (tmp_path / "again.txt").write_text(text, encoding="utf-8")
        with pytest.raises(PromptError, match=why):
            read_prompts(tmp_path)

    def test_so_is_one_that_cannot_be_read(self, tmp_path: Path) -> None:
        (tmp_path / "again.txt").write_bytes(b"\xff")
        with pytest.raises(PromptError, match="cannot be read"):
            read_prompts(tmp_path)
        with pytest.raises(PromptError, match="there is no folder"):
            read_prompts(tmp_path / "gone")


@pytest.mark.parametrize(("lenient", "faults"), [("", 1), ("markup", 0)])
def test_markup_is_left_out_where_the_league_says_so(lenient: Lenient, faults: int) -> None:
    class Marked(Played):
        settings = ModelSettings(rethinks=0, lenient=lenient)

        def says(self, asked: str) -> str:
            answer = one_of_them(asked, 1).splitlines()[-1]
            return f"<think>\nanswer: resign?\n</think>\n**{answer}**"

    match = play_match([new("serpent", Marked), random_bot("serpent")], SEED)
    assert len(match.outcome.faults) == faults
