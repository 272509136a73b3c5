"""How a model bot plays: what it is shown, and what becomes of an unreadable reply."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pips_sdk.model.prompts import Prompts, read_prompts

SETTINGS_VARIABLE: Final = "PIPS_MODEL"
"""The league's settings, as JSON."""
SHARE: Final = 0.9
"""The part of an answer's time in which a model may reply; the rest is the bot's."""
ANSWER_S: Final = 60.0
Unreadable = Literal["fault", "legal"]
Lenient = Literal["", "markup"]


@dataclass(frozen=True)
class ModelSettings:
    """A league's choice, the same for every question."""

    legal: bool = True
    """Whether the first 40 legal answers are listed."""
    rethinks: int = 1
    """How often the model may reply again, with the error."""
    unreadable: Unreadable = "fault"
    """If no reply is an answer: a fault, or the first legal answer is played."""
    answer_s: float = ANSWER_S
    """Seconds for one answer, replies and pauses together."""
    prompts: Prompts = field(default_factory=read_prompts)
    lenient: Lenient = ""
    """What is left out of a reply that is no answer as it stands, before it is read."""

    def as_json(self) -> str:
        values: dict[str, Any] = {"legal": self.legal, "rethinks": self.rethinks, "unreadable": self.unreadable}
        values |= {"lenient": self.lenient} if self.lenient else {}  # as in fingerprints of strict bots
        return json.dumps({**values, "answer_s": self.answer_s, "prompts": dict(self.prompts.as_json())})

    @classmethod
    def here(cls) -> ModelSettings:
        """The settings that this process was given; the usual ones without."""
        said: dict[str, Any] = json.loads(os.environ.get(SETTINGS_VARIABLE) or "{}")
        if "prompts" in said:
            said["prompts"] = Prompts(**said["prompts"])
        return cls(**said)
