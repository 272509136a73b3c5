"""Matches stepped by numbers: of fixed size, seeded, quick, by the same rules."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterable
from hashlib import sha256
from itertools import accumulate, islice
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from pips_referee.cards import CARDS, Card
from pips_referee.errors import OptionsError
from pips_referee.game import Event, Outcome
from pips_referee.games.wichita.stacks import has_stack, random_layout
from pips_sdk._runtime.local import play_match
from pips_sdk.env import MatchEnv
from pips_sdk.learning.fields import scales
from pips_sdk.learning.opponents import bot_class
from pips_sdk.serpent import Dealt, SerpentBot, SerpentView
from pips_sdk.spaces.wichita import WichitaSpace
from pips_sdk.wichita import Lay, WichitaView, best_layout

TABLES = [
    ("serpent", 2, {}),
    ("wichita", 2, {}),
    ("wichita", 12, {"decks": 1}),
    ("pippip", 3, {}),
    ("pippip", 12, {"rules": "hervey"}),
    ("dominion", 2, {"size": 3}),
    ("dominion", 8, {"max_rounds": 20}),
]
every_table = pytest.mark.parametrize(("game", "seats", "options"), TABLES)


def played(env: MatchEnv, seed: int) -> list[tuple[int | None, list[int], int]]:
    """A match of random answers: the seats asked, what they observed, what they did."""
    rng = Random(seed)
    env.reset(seed)
    steps: list[tuple[int | None, list[int], int]] = []
    while env.seat is not None:
        number = rng.choice(env.legal())
        steps.append((env.seat, env.observe(), number))
        env.step(number)
    return steps


@every_table
def test_sizes_are_fixed_and_masks_say_what_is_legal(game: str, seats: int, options: dict[str, object]) -> None:
    env = MatchEnv(game, seats, options)
    for seat, observation, number in played(env, 1):
        assert seat in range(seats)
        assert len(observation) == env.space.observation_size and min(observation) >= 0
        assert 0 <= number < env.space.action_count
    env.reset(2)
    assert [number for number, legal in enumerate(env.mask()) if legal] == sorted(env.legal())
    assert len(env.mask()) == env.space.action_count
    assert all(len(env.observe(seat)) == env.space.observation_size for seat in range(seats))


@every_table
def test_every_legal_action_has_numbers_of_its_own(game: str, seats: int, options: dict[str, object]) -> None:
    """Wichita's layouts take several; all other actions have one."""
    env, rng = MatchEnv(game, seats, options), Random(2)
    env.reset(3)
    for _ in range(150):
        view = env.view
        actions = list(islice(view.legal_actions(), 100))
        if game != "wichita":
            assert len(env.legal()) == len(list(view.legal_actions()))
        spelt = [env.numbers_of(action) for action in actions]
        assert len(set(spelt)) == len(actions)
        for numbers, action in zip(spelt, actions, strict=True):
            given = env.space.action(view, numbers)
            assert given is not None and env.space.spell(view, given) == numbers, action
            for at, number in enumerate(numbers):
                assert number in env.space.numbers(view, numbers[:at])
                assert at == len(numbers) - 1 or env.space.action(view, numbers[: at + 1]) is None
        for number in rng.choice(spelt):
            env.step(number)
        if env.seat is None:
            env.reset()


@every_table
def test_fields_name_every_number(game: str, seats: int, options: dict[str, object]) -> None:
    env = MatchEnv(game, seats, options)
    ends = dict(
        zip([field.name for field in env.space.fields], accumulate(each.size for each in env.space.fields), strict=True)
    )
    assert len(ends) == len(env.space.fields) and [*ends.values()][-1] == env.space.observation_size
    [size] = [field.size for field in env.space.fields if field.name == "kind"]
    assert sum(env.observe()[ends["kind"] - size : ends["kind"]]) == 1
    assert len(scales(env.space.fields)) == env.space.observation_size and min(scales(env.space.fields)) >= 1


@pytest.mark.parametrize(("game", "seats", "options"), [TABLES[0], TABLES[1], TABLES[3], TABLES[5]])
def test_bots_play_other_seats_as_in_a_match(game: str, seats: int, options: dict[str, object]) -> None:
    """A bot's answers as steps give the match that it plays by itself."""
    bot = bot_class("greedy", game)
    env = MatchEnv(game, seats, options, dict.fromkeys(range(1, seats), "greedy"))
    env.reset(7)
    digest = sha256(b"pips_sdk.env/7").digest()
    mine, asked = bot(), 0
    mine.begin(0, seats, env.options, sha256(digest + b"bot" + bytes([0])).digest())
    while env.seat is not None:
        assert env.seat == 0
        asked += 1
        for number in env.numbers_of(mine.ask(asked, env.view, ())):
            env.step(number)
    outcome = play_match([bot] * seats, digest, env.options).outcome
    others = [sum((a < b) - (a > b) for b in outcome.places) / (seats - 1) for a in outcome.places]
    assert asked and env.rewards() == others


def test_an_opponent_is_named_by_its_folder_as_in_a_league(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But a name alone is a sample bot's, whatever folders there are."""
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "greedy"):
        (folder := tmp_path / name).mkdir()
        (folder / "bot.py").write_text(
            "from helper import Base\n\n\nclass Mine(Base):\n    def choose(self, view):\n        return 0\n",
            encoding="utf-8",
        )
        (folder / "helper.py").write_text("from pips_sdk.serpent import SerpentBot as Base\n", encoding="utf-8")
    for opponent in (tmp_path / "mine", str(tmp_path / "mine"), "./mine", Path("mine"), "mine/bot.py"):
        assert bot_class(opponent, "serpent").__name__ == "Mine"
    assert bot_class("greedy", "serpent").__module__.startswith("pips_sample_bots")
    with pytest.raises(ValueError, match=r"no sample bot 'mine' .* as a path, such as \./mine"):
        bot_class("mine", "serpent")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"the folder \S+empty holds no bot\.py"):
        bot_class(tmp_path / "empty", "serpent")


def test_opponents_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no sample bot 'gredy' for serpent"):
        MatchEnv("serpent", opponents={1: "gredy"})
    with pytest.raises(ValueError, match="opponents sit at some of the seats 0 to 1"):
        MatchEnv("serpent", opponents={0: "greedy", 1: "greedy"})
    file = tmp_path / "my_bot.py"
    file.write_text("from pips_sdk.serpent import SerpentBot\n\nclass MyBot(SerpentBot):\n    pass\n")
    assert MatchEnv("serpent", opponents={0: file}).seat == 1
    with pytest.raises(ValueError, match="does not play wichita"):
        MatchEnv("wichita", opponents={0: str(file)})


def test_opponents_hear_the_events() -> None:
    heard: list[Event] = []

    class Listener(SerpentBot):
        def on_event(self, event: Event) -> None:
            heard.append(event)

        def on_finish(self, outcome: Outcome) -> None:
            heard.append(Event())

    played(MatchEnv("serpent", opponents={1: Listener}), 3)
    dealt = [event for event in heard if isinstance(event, Dealt)]
    assert dealt and all(event.hands[0] is None and event.hands[1] for event in dealt)
    assert type(heard[-1]) is Event


class Moody(SerpentBot):
    """Fails in every third match, or leads a card that it has not."""

    matches = 0

    def on_start(self) -> None:
        type(self).matches += 1

    def lead(self, view: SerpentView) -> Card:
        if self.matches % 3 == 0:
            raise KeyError("a mood")
        return next(card for card in CARDS if card not in view.hand) if self.matches % 3 == 1 else view.playable[0]


def test_an_opponent_that_fails_ends_its_match_alone() -> None:
    env, ended = MatchEnv("serpent", opponents={1: Moody}), []
    for seed in range(6):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            played(env, seed)
        ended.append((env.fault is not None, len(said)))
        if env.fault is not None:
            assert env.rewards() == [1, -1]
            assert str(env.fault) in str(said[0].message)
            assert str(env.fault).startswith("the opponent Moody at seat 1 failed, and the match is over: ")
            assert "KeyError: 'a mood' (at test_env.py:" in str(env.fault) or "IllegalAction" in str(env.fault)
    assert sorted(ended) == [(False, 0), (False, 0), (True, 1), (True, 1), (True, 1), (True, 1)]


def test_reset_without_a_seed_goes_on_to_the_next() -> None:
    env, other = MatchEnv("pippip"), MatchEnv("pippip")
    env.reset(4)
    env.reset()
    other.reset(5)
    assert env.observe() == other.observe() and env.seed == 5 and "trumps" in env.render()


@every_table
def test_seeds_repeat_matches(game: str, seats: int, options: dict[str, object]) -> None:
    env = MatchEnv(game, seats, options)
    assert played(env, 4) == played(MatchEnv(game, seats, options), 4) != played(env, 5)


@every_table
def test_rewards_add_up_to_nothing(game: str, seats: int, options: dict[str, object]) -> None:
    env = MatchEnv(game, seats, options)
    played(env, 6)
    assert env.mask() == bytes(env.space.action_count) and env.legal() == []
    rewards = env.rewards()
    assert len(rewards) == seats and abs(sum(rewards)) < 1e-9 and -1 <= min(rewards) <= max(rewards) <= 1


def test_what_is_not_legal_is_refused() -> None:
    env = MatchEnv("serpent")
    with pytest.raises(ValueError, match=r"action 0 is not legal now; legal are \[52, 53"):
        env.step(0)
    with pytest.raises(OptionsError, match="serpent is for 2 seats, not 3"):
        MatchEnv("serpent", 3)


def test_numpy_stays_out() -> None:
    script = "import sys, pips_sdk.env; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_only_the_best_layout_of_wichita_is_spelt_as_the_best() -> None:
    """Random hands; `spell` takes it as known that the best leaves no stack in hand."""
    rng, env, left = Random("spell"), MatchEnv("wichita"), 0
    while env.view.kind != "lay":
        env.step(0)
    space, view = env.space, env.view
    assert isinstance(space, WichitaSpace) and isinstance(view, WichitaView)
    for _ in range(400):
        hand = tuple(rng.sample(CARDS, rng.randint(1, 12)))
        dice, stock = (rng.randint(1, 6), rng.randint(1, 6)), rng.choice((0, 9))
        seen = replace(view, hand=hand, dice=dice, stock_size=stock)
        best = best_layout(hand, dice, bonus=stock > 0).stacks
        for stacks in (best, random_layout(hand, sum(dice), rng), random_layout(hand, sum(dice), rng)):
            is_best = _ranks(stacks) == _ranks(best)
            assert (space.spell(seen, Lay(stacks)) == (WichitaSpace.BEST,)) == is_best, (hand, dice, stock, stacks)
            laid = {card for stack in stacks for card in stack}
            left += not is_best and has_stack([card for card in hand if card not in laid], sum(dice))
    assert left > 100


def _ranks(stacks: Iterable[Iterable[Card]]) -> list[list[int]]:
    return sorted(sorted(card.rank for card in stack) for stack in stacks)
