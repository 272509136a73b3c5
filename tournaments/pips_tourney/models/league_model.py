"""What a league's bot may ask a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pips_sdk.model.endpoint import Endpoint, ModelMessage, ModelReply, ModelUnreachable

REQUEST_SHARE: Final = 0.75
"""The share of a bot's time for its own request; the rest is for the organiser's."""
PROBE_S: Final = 10.0
PROBE: Final[Sequence[ModelMessage]] = ({"role": "user", "content": "Reply with the word: yes"},)


class ModelDown(ModelUnreachable):
    """The endpoint replies to nobody; the bot's request is not the cause."""


@dataclass(frozen=True)
class LeagueModel:
    """An endpoint, with the limits of a league's bot."""

    endpoint: Endpoint
    attempts: int = 2
    """The most replies to one question."""
    within_s: float = 60.0
    at_once: int = 4
    """The most requests at the same time."""
    prices: tuple[float, float] = (0.0, 0.0)
    """The prices of a million input tokens and a million output tokens."""
    max_cost: float | None = None
    """The most that the bot's replies may cost in a night."""

    def reply(self, messages: Sequence[ModelMessage]) -> ModelReply:
        """Ask the endpoint.

        Without a reply, the organiser's own question is asked. Raises `ModelDown` if
        that gets none either. If it does, the endpoint may have recovered: the request
        is repeated, and `ModelUnreachable` is raised if it fails again.
        """
        ends_at = self.endpoint.clock() + self.within_s
        try:
            return self.endpoint.complete(messages, REQUEST_SHARE * self.within_s)
        except ModelUnreachable as error:
            try:
                self.endpoint.complete(PROBE, min(ends_at - self.endpoint.clock(), PROBE_S))
            except ModelUnreachable as down:
                raise ModelDown(f"{error} (nor to the organiser: {down})") from None
        return self.endpoint.complete(messages, ends_at - self.endpoint.clock())

    def unready(self) -> str:
        """Why the endpoint does not reply to the organiser either; "" if it does."""
        try:
            self.endpoint.complete(PROBE, min(self.within_s, PROBE_S))
        except ModelUnreachable as error:
            return str(error)
        finally:
            self.endpoint.close()
        return ""

    def cost_of(self, reply: ModelReply) -> float:
        return (reply.prompt_tokens * self.prices[0] + reply.completion_tokens * self.prices[1]) / 1e6

    @property
    def asked(self) -> Mapping[str, Any]:
        """The settings on which its replies depend; never the key."""
        return {**self.endpoint.more, "url": self.endpoint.url, "model": self.endpoint.model}
