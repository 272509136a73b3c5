"""What a league's bot may ask of a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pips_sdk.model.endpoint import Endpoint, ModelMessage, ModelReply, ModelUnreachable

REQUEST_SHARE: Final = 0.75
"""What a bot's request may take of its time; the rest is for the organiser's own."""
PROBE_S: Final = 10.0
PROBE: Final[Sequence[ModelMessage]] = ({"role": "user", "content": "Reply with the word: yes"},)


class ModelDown(ModelUnreachable):
    """The endpoint replies to nobody; it is not for what was asked."""


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

    def reply(self, messages: Sequence[ModelMessage]) -> ModelReply:
        """Ask the endpoint.

        Raises `ModelDown` if it gives no reply to a question of the organiser's own
        either. If it does, it may have come back: the request is asked once more, and
        `ModelUnreachable` is raised if it gets no reply again.
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
        """Why it gives no reply to a question of the organiser's own; "" if it does."""
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
        """What distinguishes its replies from those of others; never the key."""
        return {**self.endpoint.more, "url": self.endpoint.url, "model": self.endpoint.model}
