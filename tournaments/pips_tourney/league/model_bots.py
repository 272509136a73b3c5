"""Entries of a league file for bots that ask a language model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field

from pips_sdk.model.endpoint import Endpoint, client_missing
from pips_sdk.model.prompts import read_prompts
from pips_sdk.model.settings import SETTINGS_VARIABLE, SHARE, ModelSettings
from pips_tourney.league.format import Section, Whole
from pips_tourney.models.league_model import LeagueModel

COMMAND: Final = ("python", "-P", "-m", "pips_sdk.model")
"""The command of a model bot without its own."""
NO_CLOCK_S: Final = 600.0
"""Timeout for an answer if the league has no clock."""
_ASKED: Final = ("endpoint", "name", "params")
"""Settings that tell versions of the bot apart, in addition to how it plays."""


class ModelEntry(Section):
    """The model that a bot asks, and how.

    Through the organiser's proxy the bot reaches this endpoint, and nothing else on the
    network.
    """

    endpoint: str = Field(pattern=r"^https?://[^\s/@?#]+(/[^\s@?#]*)?$")
    """The address before `/chat/completions`."""
    name: str = Field(min_length=1, max_length=200)
    """The model's name on the server."""
    key_env: str | None = None
    """The variable with the key, in the organiser's environment."""
    params: dict[str, Any] = Field(default_factory=dict)
    """Further members of every request, such as `temperature`."""
    legal: bool = True
    """Whether the prompt lists the first 40 legal answers."""
    rethinks: Whole = Field(default=1, ge=0, le=5)
    """How often it may reply again after an error message."""
    unreadable: Literal["fault", "legal"] = "fault"
    """If no reply is a legal answer: a fault, or play the first legal answer."""
    lenient: Literal["", "markup"] = ""
    """What is removed from a reply that is otherwise unreadable; it is counted."""
    prompts: str | None = None
    """A folder of prompt templates, relative to the league file."""
    trusted: bool = False
    """Whether the endpoint never uses in one rotation what it saw in another."""
    at_once: Whole = Field(default=4, ge=1, le=256)
    """The most requests at the same time."""
    price_in: float = Field(default=0.0, ge=0)
    """The price of a million input tokens."""
    price_out: float = Field(default=0.0, ge=0)
    """The price of a million output tokens."""
    max_cost: float | None = Field(default=None, gt=0)
    """The night is paused when its replies have cost this much."""

    def settings(self, folder: Path, answer_ms: int) -> ModelSettings:
        """How it plays; raises `PromptError`."""
        prompts = read_prompts() if self.prompts is None else read_prompts(folder / self.prompts)
        return ModelSettings(
            self.legal, self.rethinks, self.unreadable, self.answer_s(answer_ms), prompts, self.lenient
        )

    def answer_s(self, answer_ms: int) -> float:
        """Seconds for a reply that leave enough time to answer."""
        return SHARE * answer_ms / 1000 if answer_ms else NO_CLOCK_S

    def variables(self, folder: Path, answer_ms: int) -> dict[str, str]:
        """Its process's variables: how to play, and nothing about the endpoint."""
        return {SETTINGS_VARIABLE: self.settings(folder, answer_ms).as_json()}

    def marks(self, folder: Path) -> list[str]:
        """Its part of a fingerprint, with neither key nor price."""
        how = replace(self.settings(folder, 0), answer_s=0).as_json()
        return [f"model {getattr(self, name)}" for name in _ASKED] + [how]

    def model(self, answer_ms: int) -> LeagueModel:
        """Its endpoint, with the key from this process's environment."""
        key = os.environ.get(self.key_env, "") if self.key_env else ""
        return LeagueModel(
            Endpoint(self.endpoint, self.name, key, self.params),
            self.rethinks + 1,
            self.answer_s(answer_ms),
            self.at_once,
            (self.price_in, self.price_out),
            self.max_cost,
        )


def unready(bots: Mapping[str, ModelEntry]) -> dict[str, str]:
    """By bot, why its model cannot be asked; one request goes to each, in parallel."""
    if missing := client_missing():
        return dict.fromkeys(bots, missing)
    different = {(model.endpoint, model.name, model.key_env): model.model(0) for model in bots.values()}
    with ThreadPoolExecutor(max(1, len(different))) as threads:
        said = dict(zip(different, threads.map(LeagueModel.unready, different.values()), strict=True))
    replies = {bot: said[model.endpoint, model.name, model.key_env] for bot, model in bots.items()}
    return {bot: why for bot, why in replies.items() if why}


def missing_keys(bots: Mapping[str, ModelEntry]) -> list[str]:
    """One sentence for each key that is missing from the environment."""
    return [
        f"{bot}: the variable {model.key_env}, which holds its key, is not set"
        for bot, model in bots.items()
        if model.key_env and not os.environ.get(model.key_env)
    ]
