"""What a league's bot may ask of a language model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pips_sdk.model.endpoint import Endpoint, ModelReply


@dataclass(frozen=True)
class LeagueModel:
    """An endpoint as a league's bot may use it."""

    endpoint: Endpoint
    attempts: int = 2
    """The most replies to one question."""
    within_s: float = 60.0
    at_once: int = 4
    """The most requests under way at once."""
    prices: tuple[float, float] = (0.0, 0.0)
    """What a million tokens cost, in and out."""
    max_cost: float | None = None
    """The most that the bot's replies of a night may cost."""
    voids: bool = True
    """Whether a match is played again when the endpoint gave no reply."""

    def cost_of(self, reply: ModelReply) -> float:
        return (reply.prompt_tokens * self.prices[0] + reply.completion_tokens * self.prices[1]) / 1e6

    @property
    def asked(self) -> Mapping[str, Any]:
        """What distinguishes its replies from those of others; never the key."""
        return {**self.endpoint.more, "url": self.endpoint.url, "model": self.endpoint.model}
