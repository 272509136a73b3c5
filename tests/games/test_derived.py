"""Environments, models, analysis: made of a game's values where it brings none."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from random import Random
from typing import Any

import gymnasium
import pytest
from click.testing import CliRunner
from pettingzoo.test import api_test, seed_test

from pips_referee.cards import Card
from pips_referee.chance import Chance
from pips_referee.errors import GameProblem
from pips_referee.forms import bounded_fields
from pips_referee.game import AnyGame, get_game
from pips_sdk._runtime.local import play_match
from pips_sdk.env import MatchEnv
from pips_sdk.gym_env import PipsGymEnv
from pips_sdk.model.bot import ModelBot
from pips_sdk.model.settings import ModelSettings
from pips_sdk.pettingzoo_env import PipsEnv
from pips_sdk.spaces import space_of
from pips_tourney.cli.bot import main as bot
from tests.games.conftest import WHEELS
from tests.model_stub import one_of_them

OPTIONS: dict[str, dict[str, object]] = {"pig": {"goal": 12}, "kuhn": {"hands": 2}, "hearts": {"hands": 1}}


@pytest.mark.parametrize("name", WHEELS)
def test_numbers_spell_every_answer_and_observe_no_more_than_the_view(name: str) -> None:
    game, rng = get_game(name), Random(1)
    options = game.options(OPTIONS[name])
    seats = game.seats(options)[-1]
    space = space_of(name, options, seats)
    state, _ = game.start(options, seats, Chance(bytes(32)))
    most = [field.most for field in space.fields for _ in range(field.size)]
    while (seat := state.to_ask) is not None:
        view = state.view(seat)
        answers = [*view.legal_actions()]
        spelt = [space.spell(view, answer) for answer in answers]
        assert len({*spelt}) == len(answers)
        assert [space.action(view, numbers) for numbers in spelt] == answers
        for numbers in spelt:
            for at, number in enumerate(numbers):
                assert number in space.numbers(view, numbers[:at]) and 0 <= number < space.action_count
        observed = space.observe(view, spelt[-1][:-1])
        assert len(observed) == space.observation_size
        assert all(0 <= number <= limit for number, limit in zip(observed, most, strict=True))
        if name == "hearts":
            assert observed == space.observe(view.sample_world(rng).view(seat), spelt[-1][:-1])
        state.apply(rng.choice(answers))


def test_a_card_is_its_byte_plus_1_and_a_tuple_begins_with_its_length(kuhn: AnyGame) -> None:
    options = kuhn.options({"hands": 2})
    state, _ = kuhn.start(options, 2, Chance(bytes(32)))
    state.apply([*state.legal_actions()][1])
    view, space = state.view(1), space_of("kuhn", options, 2)
    assert [field.name for field in space.fields] == ["seat", "kind", "card", "hand", "hands", "bets", "chips"]
    assert space.observe(view) == [1, 1, int(view.card) + 1, 0, 2, 1, 1, 0, 0, 20_000, 20_000]
    assert (space.action_count, space.numbers(view)) == (2, [0, 1])


@pytest.mark.parametrize(
    ("hint", "said"),
    [(int, r"card has no bounds: write Annotated"), (tuple[Card, ...], "card has no bounds"), (str, "card is a text")],
)
def test_what_has_no_bounds_is_named(kuhn: AnyGame, monkeypatch: pytest.MonkeyPatch, hint: Any, said: str) -> None:
    monkeypatch.setitem(sys.modules["kuhn"].KuhnView.__annotations__, "card", hint)
    bounded_fields.cache_clear()
    with pytest.raises(GameProblem, match=f"kuhn has no numbers for learners, and no module `space`: {said}"):
        space_of("kuhn", kuhn.options(), 2)
    bounded_fields.cache_clear()


@pytest.mark.parametrize("name", WHEELS)
def test_they_are_environments(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of masks in the observation
        api_test(PipsEnv(name, options=OPTIONS[name]), num_cycles=40)
        seed_test(lambda: PipsEnv(name, options=OPTIONS[name]), num_cycles=20)
    env: Any = PipsGymEnv(name, "random", options=OPTIONS[name], normalised=True)
    assert isinstance(env, gymnasium.Env)
    observed, info = env.reset(seed=1)
    over, reward = False, 0.0
    while not over:
        assert env.observation_space.contains(observed)
        observed, won, over, _, info = env.step(int(info["action_mask"].argmax()))
        reward = float(won)
    assert -1 <= reward <= 1
    match = MatchEnv(name, options=OPTIONS[name], opponents={1: "random"})
    while match.seat is not None:
        match.step(Random(2).choice(match.legal()))
    assert abs(sum(match.rewards())) < 1e-9


@pytest.mark.parametrize("name", WHEELS)
def test_a_model_plays_from_the_text_alone(name: str) -> None:
    asked: list[str] = []

    def reply(self: ModelBot, messages: Any) -> str:
        asked.append(messages[0]["content"] + messages[1]["content"])
        return one_of_them(messages[1]["content"], self.attempt)

    model = type("Model", (ModelBot,), {"game": name, "settings": ModelSettings(), "reply": reply})
    game = get_game(name)
    options = game.options(OPTIONS[name])
    match = play_match([model] * game.seats(options)[0], bytes(32), options)
    assert match.outcome.faults == ()
    assert len(asked) == match.outcome.questions > 3
    assert game.rulebook().splitlines()[-1] in asked[0]


@pytest.mark.parametrize(("name", "hands"), [("kuhn", 4), ("hearts", 1)])
def test_an_analysis_finds_what_random_answers_cost(name: str, hands: int, tmp_path: Path) -> None:
    words = ["play", "random", "random", "--game", name, "--option", f"hands={hands}", "--seed", "a", "-n", "8"]
    played = CliRunner().invoke(bot, [*words, "--in-process", "--save", str(tmp_path)])
    assert played.exit_code == 0, played.output
    ended = CliRunner().invoke(bot, ["analyse", str(tmp_path), "--bot", "random", "--seconds", "1", "--json"])
    assert ended.exit_code == 0, ended.output
    (found,) = json.loads(ended.stdout)
    assert found["value_sha256"] == ""
    weighed = {each["situation"]: each["weighed"] for each in found["situations"]}
    assert all(weighed.values())
    assert weighed.keys() == {"turn"} if name == "kuhn" else "passing" in weighed
    assert found["looked_at"] > 0
