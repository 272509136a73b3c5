"""PettingZoo's own tests of an environment, for every game."""

from __future__ import annotations

import warnings
from functools import partial

import pytest
from pettingzoo.test import api_test, seed_test

from pips_referee.game import REGISTRY
from pips_sdk.pettingzoo_env import PipsEnv

SEATS = {"serpent": 2, "wichita": 3, "pippip": 4, "dominion": 3}


@pytest.mark.parametrize("game", REGISTRY)
def test_api(game: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of anything unusual, such as masks in the observation
        api_test(PipsEnv(game, SEATS[game]), num_cycles=300)


@pytest.mark.parametrize("game", REGISTRY)
def test_seeds(game: str) -> None:
    seed_test(partial(PipsEnv, game, SEATS[game]), num_cycles=100)
