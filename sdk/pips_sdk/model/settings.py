"""How a model bot plays: its prompts, and the effect of an unreadable reply."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pips_sdk.model.prompts import Prompts, read_prompts

SETTINGS_VARIABLE: Final = "PIPS_MODEL"
"""The variable with the league's settings, as JSON."""
SHARE: Final = 0.9
"""The share of an answer's time for the model's reply; the rest is for the bot."""
ANSWER_S: Final = 60.0
Unreadable = Literal["fault", "legal"]
Lenient = Literal["", "markup"]


@dataclass(frozen=True)
class ModelSettings:
    """A league's settings for model bots, the same for every question."""

    legal: bool = True
    """Whether prompts list the first 40 legal answers."""
    rethinks: int = 1
    """How often the model may try again, with the error in the prompt."""
    unreadable: Unreadable = "fault"
    """If no reply is an answer: a fault, or the first legal answer."""
    answer_s: float = ANSWER_S
    """Seconds for one answer, with all replies and pauses."""
    prompts: Prompts = field(default_factory=read_prompts)
    lenient: Lenient = ""
    """What to remove from an invalid reply before parsing it again."""

    def as_json(self) -> str:
        values: dict[str, Any] = {"legal": self.legal, "rethinks": self.rethinks, "unreadable": self.unreadable}
        values |= {"lenient": self.lenient} if self.lenient else {}  # so that fingerprints of strict bots stay the same
        return json.dumps({**values, "answer_s": self.answer_s, "prompts": dict(self.prompts.as_json())})

    @classmethod
    def here(cls) -> ModelSettings:
        """The settings given to this process, or the defaults."""
        said: dict[str, Any] = json.loads(os.environ.get(SETTINGS_VARIABLE) or "{}")
        if "prompts" in said:
            said["prompts"] = Prompts(**said["prompts"])
        return cls(**said)
