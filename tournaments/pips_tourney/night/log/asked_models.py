"""The models that a night's bots ask, as its log has them, with their usage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pips_tourney.models.book import NAME, BookedReply
from pips_tourney.models.usage import ModelUsage, usage_of
from pips_tourney.night.log.kinds import MODELS
from pips_tourney.night.log.store import Store


class AskedModel(NamedTuple):
    """The model of a bot in one contest."""

    about: Mapping[str, Any]
    """The endpoint, the model's name, and the league's choices."""
    used: ModelUsage

    def line(self) -> str:
        """The note below the contest's table."""
        about = self.about
        if not about:
            return self.used.line()
        listed = "legal answers listed" if about["legal"] else "legal answers not listed"
        then = "a fault" if about["unreadable"] == "fault" else "the legal default"
        rethinks = {0: "no second try", 1: "one second try"}.get(about["rethinks"], f"{about['rethinks']} more tries")
        return f"{self.used.line()} ({about['name']} at {about['endpoint']}; {listed}; {rethinks}, then {then})"

    def as_json(self) -> dict[str, Any]:
        return {**self.about, **self.used.as_json()}


def note_models(store: Store, found: Mapping[str, Mapping[str, Any]]) -> None:
    """Log which bot asks which model, and how, if this has changed."""
    known = {bot: dict(about) for bot, about in found.items()}
    if known != _noted(store):
        store.append(MODELS, {"bots": known})


def asked_models(store: Store) -> tuple[AskedModel, ...]:
    """By contest and bot, the models asked so far."""
    noted = _noted(store)
    return tuple(
        AskedModel(noted.get(used.bot, {}), used)
        for used in usage_of(map(BookedReply._make, store.beside(NAME, BookedReply._fields)))
    )


def _noted(store: Store) -> dict[str, dict[str, Any]]:
    entries = store.log(MODELS)
    return dict(entries[-1].payload["bots"]) if entries else {}
