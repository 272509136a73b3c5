"""The Python and the test vectors of docs/chance.md agree with the referee's code."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pips_referee.chance import Chance
from pips_referee.records.record import commit
from pips_sdk import Bot
from pips_tourney.secret import Secret

DOCUMENT = (Path(__file__).parents[2] / "docs" / "chance.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    [text] = re.findall(rf"```{language}\n(.*?)```", DOCUMENT, re.DOTALL)
    return str(text)


VECTORS: dict[str, Any] = json.loads(block("json"))


@pytest.fixture(scope="module")
def python() -> dict[str, Callable[..., Any]]:
    """The functions that the document shows."""
    names: dict[str, Any] = {}
    exec(block("python"), names)
    return names


def case_names(kind: str) -> list[Any]:
    return [pytest.param(case, id=f"{case['name']}-{number}") for number, case in enumerate(VECTORS[kind])]


@pytest.mark.parametrize("case", case_names("words"))
def test_words(case: dict[str, Any], python: dict[str, Callable[..., Any]]) -> None:
    seed, expected = bytes.fromhex(case["seed"]), [int(word, 16) for word in case["first"]]
    stream = Chance(seed).stream(case["name"])
    assert [stream.randrange(1 << 32) for _ in expected] == expected
    assert list(islice(python["words"](seed, case["name"]), len(expected))) == expected


@pytest.mark.parametrize("case", case_names("below"))
def test_numbers(case: dict[str, Any], python: dict[str, Callable[..., Any]]) -> None:
    seed, stop, expected = bytes.fromhex(case["seed"]), case["stop"], case["first"]
    stream = Chance(seed).stream(case["name"])
    assert [stream.randrange(stop) for _ in expected] == expected
    assert Chance(seed).index(case["name"], stop) == expected[0]
    words = python["words"](seed, case["name"])
    assert [python["below"](stop, words) for _ in expected] == expected


@pytest.mark.parametrize("case", case_names("shuffles"))
def test_shuffles(case: dict[str, Any], python: dict[str, Callable[..., Any]]) -> None:
    seed, items = bytes.fromhex(case["seed"]), range(case["items"])
    assert Chance(seed).shuffled(case["name"], items) == case["shuffled"]
    assert Chance(seed).shuffled(case["name"], items, 12) == case["shuffled"][:12]
    assert python["shuffled"](items, python["words"](seed, case["name"])) == case["shuffled"]


@pytest.mark.parametrize("case", case_names("dice"))
def test_dice(case: dict[str, Any], python: dict[str, Callable[..., Any]]) -> None:
    seed, expected = bytes.fromhex(case["seed"]), case["dice"]
    assert list(Chance(seed).dice(case["name"], len(expected))) == expected
    assert python["dice"](len(expected), python["words"](seed, case["name"])) == expected


def test_what_follows_from_a_leagues_secret() -> None:
    case = VECTORS["secret"]
    secret, match_id = Secret(bytes.fromhex(case["secret"])), case["match_id"]
    game, options, combination, suite_seed = case["deal"]
    seed, nonce = secret.deal_seed(game, options, combination, suite_seed), secret.nonce(match_id)
    assert secret.commitment == case["published"]
    assert (seed.hex(), nonce.hex()) == (case["seed"], case["nonce"])
    assert [secret.rng_seed(match_id, seat).hex() for seat in (0, 1)] == case["rng_seeds"]
    assert commit(match_id, nonce, seed).hex() == case["commitment"]
    mixed, beacon = replace(secret, beacon=case["beacon"]["text"]), case["beacon"]
    assert mixed.deal_seed(game, options, combination, suite_seed).hex() == beacon["seed"]
    assert mixed.nonce(match_id).hex() == beacon["nonce"]
    assert mixed.commitment == secret.commitment


def test_a_bots_own_randomness() -> None:
    case = VECTORS["rng"]
    rng_seed, number = bytes.fromhex(case["rng_seed"]), case["number"]
    assert sha256(rng_seed + number.to_bytes(8, "big")).hexdigest() == case["hash"]
    bot = Bot()
    bot._rng_seed, bot._question = rng_seed, number
    assert [bot.rng.randrange(1000) for _ in case["randrange_1000"]] == case["randrange_1000"]
    again = Bot()
    again._rng_seed, again._question = rng_seed, number
    assert [again.rng.random() for _ in case["random"]] == case["random"]
    twister = Random(bytes.fromhex(case["hash"]))
    assert [twister.random(), twister.random()] == case["random"][-2:], "four numbers of 53 bits each are in the hash"
